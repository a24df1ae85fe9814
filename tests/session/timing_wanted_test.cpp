// SPDX-License-Identifier: GPL-3.0-or-later
// The timing of the SM in the session's snapshots: made when wanted, again after each change, with figures of the user's.
#include <cstdlib>

#include <catch2/catch.hpp>

#include "engine/session/session.h"
#include "engine/session/timing.h"

using namespace lanescope;
using namespace lanescope::session;
using Catch::Matchers::Contains;

namespace {

SessionOptions options() {
    SessionOptions out;
    out.environment = compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
    out.deviceId = "h200";
    return out;
}

} // namespace

TEST_CASE("the timing is made when somebody wants it, and is always of what is shown", "[session][timing]") {
    Session session(options());
    CHECK_FALSE(session.openKernel("k03_shared", {})->timing);
    const auto wanted = session.setTimingWanted(true);
    REQUIRE(wanted->timing);
    CHECK(wanted->timing->sm.issueOfEvent.size() == wanted->trace->events.size());
    // Steps keep it, changes make it anew.
    CHECK(session.step(StepUnit::Instruction)->timing == wanted->timing);
    const auto other = session.setParameters({{"BS", 16}});
    REQUIRE(other->timing);
    CHECK(other->timing != wanted->timing);
    CHECK(other->timing->sm.issueOfEvent.size() == other->trace->events.size());
    // Not wanted any more: what is there stays until it would be stale.
    CHECK(session.setTimingWanted(false)->timing == other->timing);
    CHECK_FALSE(session.setParameters({{"BS", 32}})->timing);
    CHECK(session.snapshot()->timingProblem.empty());
}

TEST_CASE("figures of the user's time the block again, and another GPU has its own", "[session][timing]") {
    Session session(options());
    session.setTimingWanted(true);
    const auto opened = session.openKernel("k03_shared", {});
    REQUIRE(opened->timing);
    const auto slower = session.setTimingFigures({{"issue_latency_dram", 3000}});
    REQUIRE(slower->timing);
    CHECK(slower->timing->sm.cycles > opened->timing->sm.cycles + 1000);
    const auto& figures = slower->timing->parameters.figures;
    const auto set = std::find_if(figures.begin(), figures.end(), [](const timing::NamedFigure& f) { return f.overridden; });
    REQUIRE(set != figures.end());
    CHECK(set->key == "issue_latency_dram");
    CHECK(set->figure.value == 3000);
    REQUIRE(set->published);
    CHECK(*set->published < 3000);
    CHECK(set->least <= 1);
    CHECK(set->most >= 3000);
    // They stay for the next program.
    const auto next = session.openKernel("k02_coalesced", {});
    REQUIRE(next->timing);
    CHECK(std::any_of(next->timing->parameters.figures.begin(), next->timing->parameters.figures.end(), [](const auto& f) { return f.overridden; }));
    const auto reset = session.setTimingFigures({});
    CHECK(std::none_of(reset->timing->parameters.figures.begin(), reset->timing->parameters.figures.end(), [](const auto& f) { return f.overridden; }));
    session.setTimingFigures({{"issue_latency_dram", 3000}});
    const auto elsewhere = session.setDevice("rtx-a6000");
    CHECK(std::none_of(elsewhere->timing->parameters.figures.begin(), elsewhere->timing->parameters.figures.end(), [](const auto& f) { return f.overridden; }));
    const auto wrong = session.setTimingFigures({{"latency_of_nothing", 3}});
    CHECK_FALSE(wrong->timing);
    CHECK_THAT(wrong->timingProblem, Contains("latency_of_nothing"));
}

TEST_CASE("a line whose access has no line of its own is found by its array", "[session]") {
    Session session(options());
    const auto opened = session.openKernel("k03_shared", {});
    REQUIRE(opened->trace);
    const std::string& text = opened->program->cudaText;
    const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
    session.select({{0, 0, 0}, 3, 5});
    // Past the text: no instruction has that line.
    const auto store = session.runToLine(lines + 10, {"C", true});
    REQUIRE(store->frame.hasStep);
    REQUIRE(store->frame.accesses.size() >= 1);
    CHECK(store->frame.accesses.back().array == "C");
    CHECK(store->frame.accesses.back().isStore);
    const std::uint32_t there = store->frame.index;
    CHECK(session.runToLine(lines + 10, {"A", true})->frame.index == there); // A is not stored to
    CHECK(session.runToLine(lines + 10)->frame.index == there);
    const auto load = session.runToLine(lines + 10, {"A", false});
    CHECK(load->frame.accesses.back().array == "A");
    CHECK_FALSE(load->frame.accesses.back().isStore);
}
