// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <fstream>
#include <map>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/compile/cache.h"
#include "engine/compile/compile.h"
#include "tests/compile/support.h"

using namespace lanescope;
using namespace lanescope::compile;
namespace fs = std::filesystem;

namespace {
std::string digestOf(std::initializer_list<std::string_view> parts) {
    KeyHasher hasher;
    for (std::string_view part : parts)
        hasher.add(part);
    return hasher.digest();
}
std::vector<fs::path> entriesOf(const fs::path& folder) {
    std::vector<fs::path> result;
    for (const auto& entry : fs::directory_iterator(folder))
        result.push_back(entry.path());
    return result;
}
} // namespace

TEST_CASE("keys depend on every byte and on where the parts end") {
    CHECK(digestOf({"ab", "c"}) != digestOf({"a", "bc"}));
    CHECK(digestOf({"ab"}) != digestOf({"ab", ""}));
    CHECK(digestOf({"ab"}) != digestOf({"aB"}));
    CHECK(digestOf({"ab"}) == digestOf({"ab"}));
    CHECK(digestOf({}).size() == 32);
    // Nothing hashed: the offset basis that FNV publishes for 128 bits.
    CHECK(digestOf({}) == "6c62272e07bb014262b821756295c58d");
}

TEST_CASE("the cache gives back what was stored, never what was damaged") {
    const test::TemporaryFolder folder;
    const Cache cache(folder.path() / "deep/er", 1 << 20);
    CHECK_FALSE(cache.find("k"));
    const std::string bytes("line\nand\0zero", 13);
    cache.store("k", bytes);
    REQUIRE(cache.find("k"));
    CHECK(*cache.find("k") == bytes);
    const fs::path entry = entriesOf(folder.path() / "deep/er").front();
    const std::string whole = *readFile(entry);
    for (const std::string& damaged :
         {std::string(), std::string("x"), whole.substr(0, whole.size() - 1), whole + "x",
          fmt::format("\n{}", whole), fmt::format("X{}", whole.substr(1))}) {
        REQUIRE(writeFile(entry, damaged));
        CHECK_FALSE(cache.find("k"));
    }
    cache.store("k", bytes);
    CHECK(cache.find("k") == bytes);
}

TEST_CASE("the cache stays within its size, the longest unused first to go") {
    const test::TemporaryFolder folder;
    const Cache cache(folder.path(), 10'000);
    const std::string bytes(2'000, 'x');
    for (int i = 0; i < 4; ++i) {
        const std::string key = fmt::format("k{}", i);
        cache.store(key, bytes);
        fs::last_write_time(folder.path() / (key + ".entry"),
                            fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
    }
    CHECK(cache.find("k0")); // used now
    cache.store("k4", bytes);
    CHECK(cache.find("k0"));
    CHECK_FALSE(cache.find("k1"));
    CHECK(cache.find("k4"));
    cache.store("big", std::string(20'000, 'y'));
    CHECK_FALSE(cache.find("big"));
    CHECK(cache.find("k4"));
}

TEST_CASE("a second compile of one text comes from the cache; another text, macro or architecture "
          "does not") {
    const test::TemporaryFolder folder;
    Environment environment = test::machine(folder.path());
    if (availableCompilers(environment).empty()) {
        WARN("no compiler here: not tested");
        return;
    }
    CompileRequest request;
    request.text = "#ifndef V\n#define V 1\n#endif\n__global__ void f(int* a) { a[0] = V; }\n";
    const auto first = compile::compile(request, environment);
    REQUIRE(first);
    CHECK_FALSE(first->fromCache);
    const auto second = compile::compile(request, environment);
    REQUIRE(second);
    CHECK(second->fromCache);
    CHECK(second->ptx == first->ptx);
    CHECK(second->version == first->version);
    CHECK(second->arch == first->arch);
    CHECK(second->log == first->log);
    CHECK(second->used == first->used);

    CompileRequest other = request;
    other.defines = {{"V", "2"}};
    CHECK_FALSE(compile::compile(other, environment)->fromCache);
    other = request;
    other.arch = "sm_80";
    CHECK_FALSE(compile::compile(other, environment)->fromCache);
    other = request;
    other.text += "\n";
    CHECK_FALSE(compile::compile(other, environment)->fromCache);

    for (const fs::path& entry : entriesOf(folder.path()))
        REQUIRE(writeFile(entry, "damaged"));
    const auto repaired = compile::compile(request, environment);
    REQUIRE(repaired);
    CHECK_FALSE(repaired->fromCache);
    CHECK(compile::compile(request, environment)->fromCache);
}

TEST_CASE("an unusable cache folder does not stop a compile") {
    const test::TemporaryFolder folder;
    REQUIRE(writeFile(folder.path() / "file", "not a folder"));
    Environment environment = test::machine(folder.path() / "file/below");
    if (availableCompilers(environment).empty()) {
        WARN("no compiler here: not tested");
        return;
    }
    CompileRequest request;
    request.text = "__global__ void f(int* a) { a[0] = 1; }\n";
    CHECK(compile::compile(request, environment));
}

TEST_CASE("the environment comes from the variables that are given") {
    const std::map<std::string, std::string> variables{{"PATH", "/a:/b::/c"},
                                                       {"CUDA_HOME", "/cuda"},
                                                       {"XDG_CACHE_HOME", "relative"},
                                                       {"HOME", "/home/u"}};
    const Environment environment = environmentFrom([&](const char* name) {
        const auto it = variables.find(name);
        return it == variables.end() ? nullptr : it->second.c_str();
    });
    CHECK(environment.programDirs == std::vector<fs::path>{"/a", "/b", "/c"});
    CHECK(environment.cudaRoots == std::vector<fs::path>{"/cuda"});
    CHECK(environment.cacheDir == "/home/u/.cache/lanescope");
    CHECK(environment.temporaryDir == "/tmp");
    CHECK(environmentFrom([](const char*) -> const char* { return nullptr; }).cacheDir.empty());
}
