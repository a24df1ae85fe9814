// SPDX-License-Identifier: GPL-3.0-or-later
// The counters that an NVIDIA H200 gave for the one-instruction kernels of
// tests/data/memory/patterns.cu, against the costs of the addresses that each kernel's text states.
// The text is read here: `o=(expression of l and t)`, `if(condition)`, the PTX.
#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <regex>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/memory/access.h"

using namespace lanescope;
using namespace lanescope::memory;

namespace {

/// Evaluates C's integer expressions with l, t, literals, ( ) * / % + - < == ^ ?: as unsigned
/// 32-bit values.
class Expression {
public:
    explicit Expression(std::string text) : m_text(std::move(text)) {}

    std::uint32_t at(std::uint32_t lane, std::uint32_t thread) {
        m_lane = lane;
        m_thread = thread;
        m_next = 0;
        const std::uint32_t value = ternary();
        if (m_next != m_text.size())
            throw std::runtime_error("cannot read " + m_text);
        return value;
    }

private:
    bool take(const char* token) {
        const std::string_view wanted(token);
        if (m_text.compare(m_next, wanted.size(), wanted) != 0)
            return false;
        m_next += wanted.size();
        return true;
    }
    std::uint32_t ternary() {
        const std::uint32_t condition = exclusiveOr();
        if (!take("?"))
            return condition;
        const std::uint32_t yes = ternary();
        if (!take(":"))
            throw std::runtime_error("no ':' in " + m_text);
        const std::uint32_t no = ternary();
        return condition ? yes : no;
    }
    std::uint32_t exclusiveOr() {
        std::uint32_t value = comparison();
        while (take("^"))
            value ^= comparison();
        return value;
    }
    std::uint32_t comparison() {
        const std::uint32_t value = sum();
        if (take("=="))
            return value == sum();
        if (take("<"))
            return value < sum();
        return value;
    }
    std::uint32_t sum() {
        std::uint32_t value = product();
        for (;;) {
            if (take("+"))
                value += product();
            else if (take("-"))
                value -= product();
            else
                return value;
        }
    }
    std::uint32_t product() {
        std::uint32_t value = atom();
        for (;;) {
            if (take("*"))
                value *= atom();
            else if (take("/"))
                value /= atom();
            else if (take("%"))
                value %= atom();
            else
                return value;
        }
    }
    std::uint32_t atom() {
        if (take("(")) {
            const std::uint32_t value = ternary();
            if (!take(")"))
                throw std::runtime_error("no ')' in " + m_text);
            return value;
        }
        if (take("true"))
            return 1;
        if (take("l"))
            return m_lane;
        if (take("t"))
            return m_thread;
        std::size_t length = 0;
        const unsigned long value = std::stoul(m_text.substr(m_next), &length);
        m_next += length;
        return static_cast<std::uint32_t>(value);
    }

    std::string m_text;
    std::size_t m_next = 0;
    std::uint32_t m_lane = 0, m_thread = 0;
};

struct Kernel {
    std::string offset, condition, instruction;
};

std::string readText(const std::string& name) {
    std::ifstream in(std::string(LANESCOPE_TEST_DATA) + "/memory/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::map<std::string, Kernel> readKernels() {
    std::map<std::string, Kernel> kernels;
    const std::string text = readText("patterns.cu");
    const std::regex line(
        R"re(__global__ void (\w+)\(.*unsigned o=(.*?); (?:if\((.*?)\))? ?\{.*?volatile\("([a-z0-9._]+) )re");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), line);
         it != std::sregex_iterator(); ++it)
        kernels[(*it)[1]] = {(*it)[2], (*it)[3].matched ? std::string((*it)[3]) : "true", (*it)[4]};
    return kernels;
}

int accessBytes(const std::string& instruction) {
    std::smatch match;
    std::regex_search(instruction, match, std::regex(R"((?:\.v(\d))?\.[fub](\d+)$)"));
    return (match[1].matched ? std::stoi(match[1]) : 1) * std::stoi(match[2]) / 8;
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

/// Our counters of one launch, under the part of the counter's name that tells what is counted.
std::map<std::string, long> countOurs(const Kernel& kernel, unsigned threads) {
    const std::string& op = kernel.instruction;
    std::map<std::string, long> ours;
    Expression offset(kernel.offset), condition(kernel.condition);
    for (unsigned warp = 0; warp < threads / kWarpSize; ++warp) {
        std::array<std::uint64_t, kWarpSize> addresses{};
        LaneMask active = 0;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            addresses[lane] = 0x10000 + offset.at(lane, warp * kWarpSize + lane);
            active |= condition.at(lane, warp * kWarpSize + lane) != 0 ? 1u << lane : 0u;
        }
        if (contains(op, ".global")) {
            const GlobalCost cost = globalCost(addresses, active, accessBytes(op));
            ours["t_sectors"] += cost.sectors;
            ours["t_set_accesses"] += cost.lines;
            ours["t_requests"] += active != 0 ? 1 : 0;
            continue;
        }
        SharedKind kind = contains(op, "matrix") ? SharedKind::Matrix
                          : op.starts_with("ld") ? SharedKind::Load
                          : op.starts_with("st") ? SharedKind::Store
                                                 : SharedKind::Atomic;
        if (kind == SharedKind::Matrix)
            active = contains(op, ".x1.") ? 0xffu : contains(op, ".x2.") ? 0xffffu : kFullMask;
        const SharedCost cost = sharedCost(addresses, active, accessBytes(op), kind);
        ours["data_pipe_lsu_wavefronts"] += cost.wavefronts;
        ours["data_bank_conflicts"] += cost.wavefronts - cost.passes;
    }
    return ours;
}

} // namespace

TEST_CASE("every pattern costs what the H200 counted") {
    const auto kernels = readKernels();
    const auto measured = nlohmann::json::parse(readText("patterns.json"));
    REQUIRE(kernels.size() == measured.at("patterns").size());
    int counters = 0;
    for (const auto& row : measured.at("patterns")) {
        const std::string name = row.at("kernel");
        INFO(name);
        REQUIRE(kernels.count(name) == 1);
        const Kernel& kernel = kernels.at(name);
        const auto ours = countOurs(kernel, row.at("block").get<unsigned>());
        for (const auto& [counter, value] : row.at("counters").items()) {
            INFO(counter << " of " << kernel.instruction << ", o = " << kernel.offset);
            bool known = false;
            for (const auto& [what, count] : ours)
                if (contains(counter, what.c_str())) {
                    CHECK(count == value.get<long>());
                    known = true;
                    ++counters;
                }
            CHECK(known);
        }
    }
    CHECK(counters > 250);
}
