// SPDX-License-Identifier: GPL-3.0-or-later
// Results of lane executors against an H200's: tests/data/lanes/README.md describes the files.
// Everything must match bit for bit but approximations, whose bounds are those of the PTX ISA (each
// side may be off by the bound, so twice that where it is small).
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "tests/lanes/row_interpreter.h"

using namespace lanescope;
using namespace lanescope::test;

namespace {

std::string readFile(const std::string& name) {
    std::ifstream file(std::string(LANESCOPE_TEST_DATA) + "/lanes/" + name, std::ios::binary);
    REQUIRE(file.good());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
std::vector<std::uint64_t> words64(const std::string& bytes) {
    std::vector<std::uint64_t> words(bytes.size() / 8);
    std::memcpy(words.data(), bytes.data(), words.size() * 8);
    return words;
}
Arrays makeArrays(const std::vector<std::uint64_t>& inputs) {
    const auto n = static_cast<std::ptrdiff_t>(inputs.size() / 3);
    Arrays arrays;
    for (std::ptrdiff_t k = 0; k < 3; ++k)
        arrays[static_cast<std::size_t>(k)].assign(inputs.begin() + k * n,
                                                   inputs.begin() + (k + 1) * n);
    arrays[3].assign(static_cast<std::size_t>(n), 0);
    return arrays;
}
/// Runs an entry over all elements; the results are in d.
void runAll(const ptx::Function& function, Arrays& arrays) {
    RowInterpreter interpreter(function);
    for (std::uint32_t first = 0; first < arrays[0].size(); first += kWarpSize)
        interpreter.run(arrays, first);
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        parts.push_back(part);
    return parts;
}
bool startsWith(const std::string& name, const std::string& prefix) {
    return name.compare(0, prefix.size(), prefix) == 0;
}
bool contains(const std::string& name, const std::string& part) {
    return name.find(part) != std::string::npos;
}

float asFloat(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

/// Distance in units of the last place of numbers of one sign; a huge number otherwise.
std::uint64_t ulps(std::uint64_t a, std::uint64_t b) {
    return a > b ? a - b : b - a;
}

bool isApproximation(const std::string& name) {
    return contains(name, "approx") || contains(name, "_full_") || startsWith(name, "tanh") ||
           startsWith(name, "ex2") || startsWith(name, "lg2") || startsWith(name, "rsqrt");
}

bool halvesWithin(std::uint64_t got, std::uint64_t want, std::uint64_t bound) {
    return ulps(got & 0xffffu, want & 0xffffu) <= bound &&
           ulps((got >> 16) & 0xffffu, (want >> 16) & 0xffffu) <= bound;
}

/// PTX ISA: div, rcp, sqrt, rsqrt, ex2 (f32) 2 ulp; lg2 2^-22 near 1; sin and cos 2^-20.5; tanh
/// 2^-11 relative; halves 2 ulp.
bool withinBound(const std::string& name, std::uint64_t got, std::uint64_t want) {
    if (got == want)
        return true;
    if (contains(name, "f16") || contains(name, "bf16"))
        return halvesWithin(got, want, 2);
    if (startsWith(name, "rcp_approx_ftz_f64") || startsWith(name, "rsqrt_approx_ftz_f64"))
        return (got & 0xffffffffu) == 0 && ulps(got >> 32, want >> 32) <= 1;
    if (contains(name, "f64"))
        return ulps(got, want) <= 2;
    const double g = static_cast<double>(asFloat(got)), w = static_cast<double>(asFloat(want));
    if (startsWith(name, "sin") || startsWith(name, "cos"))
        return std::fabs(g - w) <= std::exp2(-20.5);
    if (startsWith(name, "lg2"))
        return std::fabs(g - w) <= std::exp2(-22) || ulps(got, want) <= 2;
    if (startsWith(name, "tanh"))
        return std::fabs(g - w) <= std::exp2(-11) * std::fabs(w);
    return ulps(got, want) <= 2;
}

/// The PTX of one form of forms.txt.
std::string formText(const std::vector<std::string>& form) {
    const auto loadType = [](const std::string& type) {
        return type == ".f32" || type == ".f64" ? type : ".b" + type.substr(2);
    };
    const auto sources = split(form[3], ',');
    std::string declarations = ".reg " + form[2] + " %d; ", loads;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::string name(1, "abc"[i]);
        declarations += ".reg " + sources[i] + " %" + name + "; ";
        loads +=
            "ld.global" + loadType(sources[i]) + " %" + name + ",[%x" + std::to_string(i) + "];\n";
    }
    return ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry " + form[0] +
           "(.param .u64 pa,.param .u64 pb,.param .u64 pc,.param .u64 pd,.param .u32 n){\n" +
           declarations +
           ".reg .pred %p0,%p1,%p2,%p3; .reg .b32 %t,%g,%k,%i,%n,%r1,%r2; .reg .b64 "
           "%x0,%x1,%x2,%x3,%o;\n"
           "mov.u32 %t,%tid.x; mov.u32 %g,%ctaid.x; mov.u32 %k,%ntid.x; mad.lo.u32 %i,%g,%k,%t;\n"
           "mul.wide.u32 %o,%i,8; ld.param.u64 %x0,[pa]; ld.param.u64 %x1,[pb]; ld.param.u64 "
           "%x2,[pc];\n"
           "ld.param.u64 %x3,[pd]; add.u64 %x0,%x0,%o; add.u64 %x1,%x1,%o; add.u64 %x2,%x2,%o; "
           "add.u64 %x3,%x3,%o;\n" +
           loads + form[4] + "\nst.global" + loadType(form[2]) + " [%x3],%d;\nret; }\n";
}

/// The hash of forms.txt over n results of `bytes` bytes.
std::uint64_t hashOf(const std::vector<std::uint64_t>& results, std::size_t bytes) {
    std::vector<char> packed;
    for (const std::uint64_t result : results) {
        char raw[8];
        std::memcpy(raw, &result, 8);
        packed.insert(packed.end(), raw, raw + bytes);
    }
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i + 8 <= packed.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, packed.data() + i, 8);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
}

} // namespace

TEST_CASE("148 instructions give an H200's bits", "[lanes]") {
    const ptx::Module module = parseModule(readFile("ops.ptx"));
    const auto inputs = words64(readFile("ops_in.bin"));
    const auto outputs = words64(readFile("ops_out.bin"));
    const std::size_t n = inputs.size() / 3;
    std::stringstream list(readFile("ops.list"));
    std::size_t entry = 0;
    for (std::string name, bytes; list >> name >> bytes; ++entry) {
        INFO(name);
        const int function = module.findFunction(name);
        REQUIRE(function >= 0);
        Arrays arrays = makeArrays(inputs);
        runAll(module.functions[static_cast<std::size_t>(function)], arrays);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t got = arrays[3][i], want = outputs[entry * n + i];
            wrong += isApproximation(name) ? !withinBound(name, got, want) : got != want;
        }
        CHECK(wrong == 0);
    }
    CHECK(entry == 148);
}

TEST_CASE("every instruction form of sm_90 gives an H200's bits", "[lanes]") {
    const auto inputs = words64(readFile("forms_in.bin"));
    const std::string approximate = readFile("forms_approximate.bin");
    std::stringstream list(readFile("forms.txt"));
    std::size_t exact = 0, bounded = 0, at = 0;
    for (std::string line; std::getline(list, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        // Instructions may hold '|' (p|q): the hash is what follows the last one.
        auto form = split(line, '|');
        for (; form.size() > 6; form.erase(form.begin() + 5))
            form[4] += "|" + form[5];
        REQUIRE(form.size() == 6);
        INFO(form[4]);
        const std::size_t bytes = std::stoul(form[1]);
        const auto parsed = ptx::parse(formText(form));
        if (!parsed) {
            FAIL_CHECK(toString(parsed.error()));
            at += form[5] == "-" ? 1024 * bytes : 0;
            continue;
        }
        Arrays arrays = makeArrays(inputs);
        runAll(parsed->functions.at(0), arrays);
        if (form[5] != "-") {
            CHECK(hashOf(arrays[3], bytes) == std::stoull(form[5], nullptr, 16));
            ++exact;
            continue;
        }
        std::size_t wrong = 0;
        for (std::size_t i = 2048; i < 3072; ++i, at += bytes) {
            std::uint64_t want = 0;
            std::memcpy(&want, approximate.data() + at, bytes);
            wrong += !withinBound(form[0], arrays[3][i], want);
        }
        CHECK(wrong == 0);
        ++bounded;
    }
    CHECK(exact == 1399);
    CHECK(bounded == 30);
}
