// SPDX-License-Identifier: GPL-3.0-or-later
// The session's switch between the PTX as written and as compiled.
#include <cstdlib>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "engine/session/session.h"

using namespace lanescope;
using namespace lanescope::session;
using Catch::Matchers::Contains;

namespace {

SessionOptions options() {
    SessionOptions out;
    out.environment = compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
    return out;
}

std::uint64_t sharedLoads(const Snapshot& s) {
    REQUIRE(s.run);
    return nlohmann::json::parse(s.run->json)["counters"]["shared_load_instructions"].get<std::uint64_t>();
}

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

const std::map<std::string, std::int64_t> kSizes{{"M", 128}, {"N", 128}, {"K", 64}};

} // namespace

TEST_CASE("as compiled the window gets merged loads, their own text and the same result", "[session][form]") {
    Session session(options());
    const auto written = session.openKernel("k05_tile2d", kSizes);
    REQUIRE(written->program->ok());
    CHECK(written->program->form == CodeForm::Written);
    CHECK_THAT(written->program->formChanges, Contains("shared loads merged"));
    for (const auto& i : written->program->instructions) {
        CHECK(i.mergedLines.empty());
        CHECK(i.ptxLine == i.writtenLine);
    }
    const auto compiled = session.setForm(CodeForm::Compiled);
    REQUIRE(compiled->program->ok());
    CHECK(compiled->program->form == CodeForm::Compiled);
    CHECK(compiled->program->formChanges == written->program->formChanges);
    CHECK(compiled->run->verified);
    CHECK(sharedLoads(*compiled) * 4 <= sharedLoads(*written) * 2);
    // Every instruction stands at its line of the text, and one of 16 bytes names the three others that it loads for.
    const std::vector<std::string> text = linesOf(compiled->program->ptxText);
    std::size_t wide = 0;
    std::set<std::uint32_t> lines;
    for (const auto& i : compiled->program->instructions) {
        REQUIRE(i.ptxLine >= 1);
        REQUIRE(i.ptxLine <= text.size());
        CHECK_THAT(text[i.ptxLine - 1], Contains(i.text));
        CHECK(lines.insert(i.ptxLine).second);
        if (i.text.find("ld.shared.v4") != std::string::npos && i.mergedLines.size() == 3)
            ++wide;
    }
    CHECK(wide >= 2);
    REQUIRE(compiled->run->ptxLineExecutions.size() <= text.size() + 1);
    CHECK(sharedLoads(*session.setForm(CodeForm::Written)) == sharedLoads(*written));
}

TEST_CASE("the trace stays at the same moment when the form is switched", "[session][form]") {
    Session session(options());
    const auto opened = session.openKernel("k05_tile2d", kSizes);
    REQUIRE(opened->trace);
    session.select({{0, 0, 0}, 3, 5});
    const auto count = static_cast<std::uint32_t>(opened->trace->events.size());
    int same = 0;
    for (std::uint32_t index = 0; index <= count; index += count / 23 + 1) {
        const auto before = session.seek(index);
        const auto after = session.setForm(CodeForm::Compiled);
        REQUIRE(after->trace);
        CHECK(after->selection == before->selection);
        if (before->frame.hasStep && after->frame.hasStep) {
            // What the warp has just done, or the last thing before it that both forms do.
            const auto& there = before->program->instructions[before->frame.pc];
            const auto& here = after->program->instructions[after->frame.pc];
            same += there.writtenLine == here.writtenLine;
        }
        const auto back = session.setForm(CodeForm::Written);
        CHECK(back->frame.index <= before->frame.index);
        if (index == 0)
            CHECK(after->frame.index == 0);
    }
    CHECK(same >= 8);
    // At the end of the trace both are at their end: the last instruction is executed equally often.
    session.seek(count);
    const auto atEnd = session.setForm(CodeForm::Compiled);
    CHECK_FALSE(atEnd->frame.nextPc);
}

TEST_CASE("a kernel without shared memory is the same in both forms, and the choice stays for the next", "[session][form]") {
    Session session(options());
    const auto naive = session.openKernel("k01_naive", {{"M", 64}, {"N", 64}, {"K", 64}});
    REQUIRE(naive->program->ok());
    CHECK(naive->program->formChanges.empty());
    const auto compiled = session.setForm(CodeForm::Compiled);
    CHECK(compiled->run->counters.total.executions == naive->run->counters.total.executions);
    CHECK(compiled->trace->events.size() == naive->trace->events.size());
    const auto next = session.openKernel("k03_shared", kSizes);
    REQUIRE(next->program->ok());
    CHECK(next->program->form == CodeForm::Compiled);
    CHECK_FALSE(next->program->formChanges.empty());
}
