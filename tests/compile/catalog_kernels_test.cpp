// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels that are built into the program.
#include <catch2/catch.hpp>

#include <span>

#include "engine/catalog/catalog.h"
#include "tests/compile/support.h"

namespace lanescope::embedded {
std::span<const EmbeddedFile> kernels();
}

using namespace lanescope;
using namespace lanescope::catalog;

namespace {
std::vector<Kernel> builtIn() {
    auto loaded = loadCatalog(embedded::kernels());
    INFO((loaded ? std::string() : toString(loaded.error())));
    REQUIRE(loaded);
    return std::move(*loaded);
}
ResolvedKernel resolved(const std::vector<Kernel>& kernels, std::string_view id,
                        const Overrides& overrides = {}) {
    const Kernel* kernel = findKernel(kernels, id);
    REQUIRE(kernel != nullptr);
    auto result = resolve(*kernel, overrides);
    INFO((result ? std::string() : toString(result.error())));
    REQUIRE(result);
    return std::move(*result);
}
using Size = std::array<std::uint32_t, 3>;
} // namespace

TEST_CASE("every kernel has text, PTX of its entry, and line information without a path of the "
          "build machine") {
    const auto kernels = builtIn();
    REQUIRE(kernels.size() >= 9);
    for (const Kernel& kernel : kernels) {
        CAPTURE(kernel.id);
        CHECK(kernel.text.find(kernel.entry) != std::string::npos);
        CHECK(kernel.ptx.find(".entry " + kernel.entry + "(") != std::string::npos);
        const std::string name = kernel.file.substr(kernel.file.rfind('/') + 1);
        CHECK(kernel.ptx.find("\"" + name + "\"") != std::string::npos);
        CHECK(kernel.ptx.find(".loc") != std::string::npos);
        CHECK(kernel.ptx.find("\"/") == std::string::npos);
        CHECK(kernel.file.substr(0, kernel.file.find('/')) == kernel.family);
        CHECK_FALSE(kernel.notes.empty());
        for (const Parameter& parameter : kernel.parameters) {
            CHECK_FALSE(parameter.help.empty());
            // A macro of the manifest must be one of the text, with the same default; but for one that tells manifests of the same text apart.
            if (parameter.kind == ParameterKind::Define && parameter.choices.size() != 1)
                CHECK(kernel.text.find("#define " + parameter.name + " " +
                                       std::to_string(parameter.defaultValue) + "\n") !=
                      std::string::npos);
        }
        const ResolvedKernel launch = resolved(kernels, kernel.id);
        CHECK(launch.definesAreDefault);
        CHECK(launch.argumentSpecs.size() == kernel.arguments.size());
        CHECK((launch.flops > 0) == !kernel.flops.empty());
    }
}

TEST_CASE("every compiler takes every kernel with its smallest parameters, every memory "
          "access and barrier still there") {
    const auto kernels = builtIn();
    const compile::Environment environment = test::machine();
    for (const auto& available : compile::availableCompilers(environment))
        for (const Kernel& kernel : kernels) {
            CAPTURE(kernel.id, name(available.compiler));
            // All that can be at their smallest together: one compilation a kernel.
            Overrides overrides;
            bool isDefault = true;
            for (const Parameter& parameter : kernel.parameters) {
                if (parameter.kind != ParameterKind::Define)
                    continue;
                Overrides more = overrides;
                more[parameter.name] = parameter.choices.empty() ? parameter.min : parameter.choices.front();
                if (!resolve(kernel, more))
                    continue;
                isDefault = isDefault && more[parameter.name] == parameter.defaultValue;
                overrides = std::move(more);
            }
            if (overrides.empty())
                continue;
            auto launch = resolve(kernel, overrides);
            REQUIRE(launch);
            CHECK(launch->definesAreDefault == isDefault);
            compile::CompileRequest request;
            request.text = kernel.text;
            request.defines = launch->defines;
            request.with = available.compiler;
            auto output = compile::compile(request, environment);
            INFO((output ? std::string() : toString(output.error())));
            REQUIRE(output);
            // How often a loop is unrolled is the compiler's choice; that a step is there is not.
            for (const char* word : {"st.global", "ld.global", "st.shared", "ld.shared", "bar.sync", "cp.async"})
                CHECK((test::countOf(output->ptx, word) > 0) == (test::countOf(kernel.ptx, word) > 0));
        }
}

TEST_CASE("launches follow the parameters") {
    const auto kernels = builtIn();
    ResolvedKernel launch = resolved(kernels, "vector_add", {{"BLOCK", 100}});
    CHECK(launch.grid == Size{100, 1, 1});
    CHECK(launch.block == Size{100, 1, 1});
    CHECK(launch.argumentSpecs == std::vector<std::string>{"random:f32:10000:1",
                                                           "random:f32:10000:2", "zeros:40000",
                                                           "i32:10000"});
    // The text reads blockDim: another block needs no other PTX.
    CHECK(launch.defines.empty());
    CHECK(launch.definesAreDefault);
    launch = resolved(kernels, "k03_shared", {{"BS", 16}});
    CHECK(launch.defines == std::vector<std::pair<std::string, std::string>>{{"BS", "16"}});
    CHECK_FALSE(launch.definesAreDefault);

    launch = resolved(kernels, "vector_add_unguarded");
    CHECK(launch.grid == Size{4, 1, 1});
    CHECK(launch.block == Size{256, 1, 1});

    launch = resolved(kernels, "naive_unguarded");
    CHECK(launch.grid == Size{4, 3, 1}); // 100 x 70 by 32 x 32
    CHECK(launch.argumentSpecs[3] == "random:f32:5000:1");
    CHECK(launch.flops == 2.0 * 100 * 70 * 50);

    launch = resolved(kernels, "k02_coalesced", {{"M", 100}, {"N", 70}, {"K", 50}});
    CHECK(launch.grid == Size{4, 3, 1});
    CHECK(launch.block == Size{1024, 1, 1});

    for (std::int64_t tile : {8, 16, 32}) {
        launch = resolved(kernels, "k03_shared", {{"BS", tile}, {"M", 65}});
        CHECK(launch.block[0] == tile * tile);
        CHECK(launch.grid[0] == (65 + tile - 1) / tile);
        CHECK(launch.grid[1] == 64 / tile);
    }
    launch = resolved(kernels, "pair");
    CHECK(launch.grid == Size{2, 8, 1});
    CHECK(launch.block == Size{32, 8, 1});
    CHECK(resolved(kernels, "pair", {{"M", 60}}).grid == Size{2, 8, 1});
}

TEST_CASE("what is not allowed is explained, all of it") {
    const auto kernels = builtIn();
    const Kernel& naive = *findKernel(kernels, "k01_naive");
    auto result = resolve(naive, {{"M", 0}, {"Q", 3}, {"BX", 2000}});
    REQUIRE_FALSE(result);
    REQUIRE(result.error().size() == 3);
    for (const Diagnostic& diagnostic : result.error())
        CHECK(diagnostic.code == "parameter");
    CHECK(result.error()[0].message == "there is no parameter 'Q'");
    CHECK(result.error()[0].hint == "k01_naive has: BX, BY, M, N, K");
    CHECK(result.error()[1].hint == "allowed: 1 to 1024");
    CHECK(result.error()[2].message == "parameter M cannot be 0");

    result = resolve(naive, {{"BX", 64}, {"BY", 32}});
    REQUIRE_FALSE(result);
    CHECK(result.error().front().message.find("1024 threads") != std::string::npos);
    CHECK(result.error().front().hint == "required: BX*BY <= 1024");

    result = resolve(*findKernel(kernels, "k03_shared"), {{"BS", 12}});
    REQUIRE_FALSE(result);
    CHECK(result.error().front().hint == "allowed: 8, 16, 32");
    CHECK_FALSE(resolve(*findKernel(kernels, "pair"), {{"N", 40}}));
}

TEST_CASE("overrides from text, and names that are nearly right") {
    const std::vector<std::string> good{"M=64", "BX=-3"};
    CHECK(*parseOverrides(good) == Overrides{{"M", 64}, {"BX", -3}});
    for (const char* bad :
         {"M", "=3", "M=", "M=x", "M=3x", "M=1.5", "M=99999999999999999999", ""}) {
        const std::vector<std::string> texts{bad, "N=1"};
        auto result = parseOverrides(texts);
        REQUIRE_FALSE(result);
        CHECK(result.error().size() == 1);
        CHECK(result.error().front().code == "parameter");
    }
    const auto kernels = builtIn();
    CHECK(findKernel(kernels, "nothing") == nullptr);
    CHECK(nearestKernel(kernels, "k01_nave") == "k01_naive");
    CHECK(nearestKernel(kernels, "k03") == "k03_shared");
    CHECK(nearestKernel(kernels, "zzzzzzzz").empty());
}
