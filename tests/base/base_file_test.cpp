// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <unistd.h>

#include "engine/base/file.h"

using namespace lanescope;
namespace fs = std::filesystem;

namespace {

struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "lanescope-base-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() {
        std::error_code ec;
        fs::remove_all(path, ec);
    }
};

std::size_t fileCount(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

} // namespace

TEST_CASE("what is written is read, byte for byte, and replaces what was there") {
    const Folder folder;
    const fs::path file = folder.path / "a b.bin";
    std::string bytes(300'000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(i * 31);
    REQUIRE(writeFile(file, bytes));
    CHECK(readFile(file).value() == bytes);
    REQUIRE(writeFile(file, "short"));
    CHECK(readFile(file).value() == "short");
    REQUIRE(writeFile(file, ""));
    CHECK(readFile(file).value().empty());
    CHECK(fileCount(folder.path) == 1); // no temporary is left
}

TEST_CASE("a link stays, and what is no file is written to and not replaced") {
    const Folder folder;
    const fs::path file = folder.path / "file", link = folder.path / "link", full = folder.path / "full";
    REQUIRE(writeFile(file, "old"));
    fs::create_symlink(file, link);
    REQUIRE(writeFile(link, "new"));
    CHECK(fs::is_symlink(link));
    CHECK(readFile(file).value() == "new");
    if (!fs::is_character_file("/dev/full"))
        return;
    fs::create_symlink("/dev/full", full);
    const auto written = writeFile(full, "lost");
    REQUIRE_FALSE(written);
    CHECK_THAT(written.error()[0].message, Catch::Contains("writing failed"));
    CHECK(fs::is_symlink(full));
    CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("errors of files name the file and the reason") {
    const Folder folder;
    const auto check = [](const Diagnostics& error, const fs::path& path, const std::string& what) {
        REQUIRE(error.size() == 1);
        CHECK(error[0].code == "file");
        CHECK(error[0].where.file == path.string());
        CHECK_THAT(error[0].message, Catch::Contains(what));
    };
    const fs::path missing = folder.path / "missing";
    check(readFile(missing).error(), missing, "no such file");
    check(readFile(folder.path).error(), folder.path, "folder");
    const fs::path below = missing / "x";
    check(writeFile(below, "x").error(), below, "cannot be written");
    check(writeFile(folder.path, "x").error(), folder.path, "");
    CHECK(fileCount(folder.path) == 0);
}

TEST_CASE("a file beyond the limit is not read, one at the limit is") {
    const Folder folder;
    const fs::path file = folder.path / "f";
    REQUIRE(writeFile(file, "12345"));
    CHECK(readFile(file, 5).value() == "12345");
    const Result<std::string> large = readFile(file, 4);
    REQUIRE_FALSE(large);
    CHECK_THAT(large.error()[0].message, Catch::Contains("5 bytes") && Catch::Contains("4"));
    CHECK_FALSE(readFile("/dev/zero", 100'000)); // has no size of its own
}

TEST_CASE("an unreadable file says so") {
    const Folder folder;
    const fs::path file = folder.path / "f";
    REQUIRE(writeFile(file, "x"));
    fs::permissions(file, fs::perms::none);
    if (::access(file.c_str(), R_OK) == 0)
        return; // root reads everything
    const Result<std::string> r = readFile(file);
    REQUIRE_FALSE(r);
    CHECK_THAT(r.error()[0].message, Catch::Contains("cannot be read"));
}
