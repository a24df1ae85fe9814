// SPDX-License-Identifier: GPL-3.0-or-later
// Stepping back and seeking give exactly what running forward gave.
#include <cstdlib>
#include <random>

#include <catch2/catch.hpp>

#include "engine/session/session.h"
#include "engine/session/simulate.h"
#include "engine/trace/trace.h"

using namespace lanescope;
using namespace lanescope::session;

namespace {

compile::Environment environment() {
    return compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
}

struct Digest {
    std::vector<std::uint8_t> bytes;
    bool operator==(const Digest&) const = default;
};

/// All of the machine's state and of global memory, as bytes.
Digest digestOf(const trace::BlockTrace& trace) {
    Digest d;
    const auto add = [&](const void* p, std::size_t n) {
        const auto* b = static_cast<const std::uint8_t*>(p);
        d.bytes.insert(d.bytes.end(), b, b + n);
    };
    const sim::BlockState& s = trace.state();
    add(s.rows.data(), s.rows.size() * sizeof(sim::RowChunk));
    add(s.shared.data(), s.shared.size());
    add(s.privateMemory.data(), s.privateMemory.size());
    add(s.nth.data(), 4 * s.nth.size());
    add(&s.turn, sizeof s.turn);
    add(&s.turnOpen, sizeof s.turnOpen);
    add(&s.aliveThreads, sizeof s.aliveThreads);
    for (const sim::WarpState& w : s.warps) {
        for (const sim::Fragment& f : w.fragments) {
            add(&f.pc, sizeof f.pc);
            add(&f.mask, sizeof f.mask);
            add(&f.join, sizeof f.join);
            add(&f.state, sizeof f.state);
        }
        for (const sim::Join& j : w.joins) {
            add(&j.pc, sizeof j.pc);
            add(&j.expected, sizeof j.expected);
            add(&j.arrived, sizeof j.arrived);
        }
        add(&w.alive, sizeof w.alive);
        for (const sim::PendingCopy& c : w.copies) {
            add(&c.number, sizeof c.number);
            add(&c.lanes, sizeof c.lanes);
            add(c.group.data(), sizeof c.group);
            add(c.data.data(), sizeof c.data);
        }
        add(w.commits.data(), 4 * w.commits.size());
        add(&w.clock, sizeof w.clock);
        add(&w.instructions, sizeof w.instructions);
    }
    for (const sim::BarrierState& b : s.barriers)
        add(&b.arrivedThreads, sizeof b.arrivedThreads);
    for (std::size_t a = 0; a < trace.memory().global.count(); ++a)
        add(trace.memory().global.at(a).bytes.data(), trace.memory().global.at(a).bytes.size());
    return d;
}

std::unique_ptr<trace::BlockTrace> traceOf(const std::string& id, const std::vector<std::pair<std::string, std::string>>& defines, std::uint64_t block) {
    LoadRequest request;
    request.subject = id;
    request.defines = defines;
    const Result<LoadedProgram> program = load(request, environment());
    REQUIRE(program);
    const Result<device::Device> device = device::findDevice("h100");
    REQUIRE(device);
    Result<PreparedLaunch> prepared = prepare(*program, {}, *device);
    REQUIRE(prepared);
    return std::make_unique<trace::BlockTrace>(std::make_shared<const sim::Launch>(std::move(prepared->launch)), block, trace::TraceOptions{});
}

} // namespace

TEST_CASE("seeking anywhere equals running there", "[trace]") {
    const auto [id, defines, block] = GENERATE(table<std::string, std::vector<std::pair<std::string, std::string>>, std::uint64_t>({
        {"vector_add", {{"n", "1000"}}, 3},
        {"k03_shared", {{"M", "40"}, {"N", "33"}, {"K", "37"}}, 1},
        {"pair", {{"M", "60"}, {"K", "8"}}, 1},
        {"k11_double_buffered", {{"BM", "64"}, {"BN", "64"}, {"WM", "32"}, {"WN", "32"}, {"TM", "4"}, {"TN", "8"}, {"M", "64"}, {"N", "64"}, {"K", "32"}}, 0},
    }));
    const auto forward = traceOf(id, defines, block);
    const auto count = static_cast<std::uint32_t>(forward->events().size());
    REQUIRE(count > 100);
    // Moments at random, their digests from one forward run.
    std::mt19937 random(7);
    std::vector<std::uint32_t> moments{0, 1, count / 2, count - 1, count};
    for (int i = 0; i < 20; ++i)
        moments.push_back(static_cast<std::uint32_t>(random() % (count + 1)));
    std::sort(moments.begin(), moments.end());
    std::vector<Digest> expected;
    for (const std::uint32_t m : moments) {
        forward->seek(m);
        CHECK(forward->index() == m);
        expected.push_back(digestOf(*forward));
    }
    CHECK_FALSE(expected.front() == expected.back());
    // Back and forth on the same trace.
    std::vector<std::size_t> order(moments.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
        INFO(id << " at " << moments[i]);
        forward->seek(moments[i]);
        CHECK(digestOf(*forward) == expected[i]);
    }
}

TEST_CASE("n steps back undo n steps forward", "[session]") {
    SessionOptions options;
    options.environment = environment();
    Session session(options);
    auto start = session.openKernel("k03_shared", {{"BS", 32}, {"M", 64}, {"N", 64}, {"K", 64}});
    REQUIRE(start->program->ok());
    const StepUnit unit = GENERATE(StepUnit::Event, StepUnit::Instruction, StepUnit::Line, StepUnit::Barrier);
    session.select({{1, 0, 0}, 3, 13});
    std::vector<std::shared_ptr<const Snapshot>> seen{session.seek(0)};
    for (int i = 0; i < 12; ++i) {
        seen.push_back(session.step(unit));
        if (seen.back()->frame.index == seen[seen.size() - 2]->frame.index)
            break;
    }
    if (seen.size() > 1 && seen.back()->frame.index == seen[seen.size() - 2]->frame.index)
        seen.pop_back();
    REQUIRE(seen.size() > 3);
    for (std::size_t i = seen.size() - 1; i-- > 0;) {
        const auto back = session.stepBack(unit);
        CHECK(back->frame.index == seen[i]->frame.index);
        CHECK(back->frame.pc == seen[i]->frame.pc);
        CHECK(back->frame.sentence == seen[i]->frame.sentence);
        REQUIRE(back->frame.registers.size() == seen[i]->frame.registers.size());
        for (std::size_t r = 0; r < back->frame.registers.size(); ++r)
            CHECK(back->frame.registers[r].value == seen[i]->frame.registers[r].value);
        CHECK(back->frame.accesses.size() == seen[i]->frame.accesses.size());
    }
}
