// SPDX-License-Identifier: GPL-3.0-or-later
// Banks of ldmatrix, swizzle editor, pipeline and feeding calculator.
#include <catch2/catch.hpp>

#include <memory>

#include <QAbstractItemModel>
#include <QPushButton>
#include <QSpinBox>

#include "engine/model/swizzle.h"
#include "tests/views/fake_snapshot.h"
#include "tests/views_panes/support.h"
#include "views/panes/banks/banks_pane.h"
#include "views/panes/banks/matrix_paint.h"
#include "views/panes/feeding/feeding_pane.h"
#include "views/panes/feeding/feeding_scene.h"
#include "views/panes/pipeline/pipeline_paint.h"
#include "views/panes/pipeline/pipeline_pane.h"
#include "views/panes/swizzle/swizzle_paint.h"
#include "views/panes/swizzle/swizzle_pane.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

/// The second ldmatrix.x4 of a tile of 64 rows.
session::AccessView matrixAccess(const model::TileLayout& layout, int index = 1) {
    const model::WarpAccess warp = model::accessAt(layout, model::TileAccess::Ldmatrix, index);
    session::AccessView view;
    view.space = ptx::Space::Shared;
    view.isMatrix = true;
    view.active = warp.active;
    view.bytesPerLane = 16;
    view.elementBytes = 2;
    view.array = "As";
    view.arrayBytes = layout.bytes();
    view.addresses = warp.addresses;
    view.shared = memory::sharedCost(view.addresses, view.active, 16, memory::SharedKind::Matrix);
    view.passes = memory::sharedPasses(view.addresses, view.active, 16, memory::SharedKind::Matrix);
    return view;
}

model::TileLayout tile(int rowBytes, model::Swizzle swizzle = {}, int pad = 0) { return {64, rowBytes, 2, pad, swizzle}; }

std::shared_ptr<session::Snapshot> with(session::AccessView access) {
    auto snapshot = std::make_shared<session::Snapshot>(*fakeSnapshot());
    snapshot->frame.accesses = {std::move(access)};
    snapshot->frame.currentAccess = 0;
    return snapshot;
}

/// A ring of slots filled ahead: loads of 500 cycles, tiles of 200.
std::shared_ptr<session::Snapshot> withPipeline(std::uint32_t slotCount, std::uint32_t tiles) {
    auto snapshot = std::make_shared<session::Snapshot>(*fakeSnapshot());
    auto report = std::make_shared<session::TimingReport>();
    timing::PipelineTiming& p = report->pipeline;
    p.slotCount = slotCount;
    p.isTensor = true;
    std::vector<std::uint32_t> end(tiles, 0);
    for (std::uint32_t i = 0; i < tiles; ++i) {
        timing::PipelineTile t;
        t.tile = t.group = i;
        t.slot = i % slotCount;
        t.bytes = 32768;
        t.asked = i < slotCount ? 10 * i : end[i - slotCount];
        t.landed = t.asked + 500;
        t.committed = t.asked + 5;
        t.waited = t.landed + 2;
        t.firstRead = std::max(t.landed + 4, i == 0 ? 0 : end[i - 1]);
        t.computeBegin = t.firstRead;
        t.computeEnd = end[i] = t.firstRead + 200;
        t.lastRead = t.firstRead + 150;
        p.tiles.push_back(t);
    }
    p.cycles = report->sm.cycles = end.back() + 100;
    p.busy = 0.63;
    snapshot->timing = report;
    return snapshot;
}

void checkTexts(const QRectF& rect, const std::function<void(Canvas&)>& paint) {
    const TextLog log = paintLogged(rect.size(), paint);
    CHECK_FALSE(log.items.empty());
    CHECK(overlapping(log).toStdString() == "");
    CHECK(clipped(log, rect, true).toStdString() == "");
}

} // namespace

TEST_CASE("ldmatrix: the kernel's layout and another beside it, minimum and excess apart", "[banks]") {
    startApplication();
    const QRectF wide(0, 0, 982, 240), narrow(0, 0, 560, 200);
    const MatrixScene linear = makeMatrixScene(matrixAccess(tile(128)), 13, -1, wide);
    REQUIRE(linear.sides.size() == 2);
    CHECK(linear.matrix == 1);
    CHECK(linear.sides[0].isPresent);
    CHECK(linear.sides[0].verdict == "8-way conflict");
    CHECK(linear.sides[0].sum == "32 wavefronts = 4 minimum + 28 excess");
    CHECK(linear.sides[0].rows[5].wavefront == 6);
    CHECK(linear.sides[0].rows[5].tileRow == 13);
    CHECK(linear.sides[1].sum == "4 wavefronts = 4 minimum + 0 excess");
    CHECK(linear.sides[1].title == "With XOR swizzle <3, 4, 3>");
    const MatrixScene swizzled = makeMatrixScene(matrixAccess(tile(128, {3, 4, 3})), 13, 0, wide);
    REQUIRE(swizzled.sides.size() == 2);
    CHECK(swizzled.matrix == 0);
    CHECK(swizzled.sides[1].isPresent);
    CHECK(swizzled.sides[1].verdict == "conflict-free");
    CHECK(swizzled.sides[0].verdict == "8-way conflict");
    CHECK(swizzled.layout.contains("<3, 4, 3>"));
    const MatrixScene padded = makeMatrixScene(matrixAccess(tile(128, {}, 16)), 13, -1, wide);
    REQUIRE(padded.sides.size() == 2);
    CHECK(padded.sides[0].title == "Without padding");
    CHECK(padded.sides[0].degree == 8);
    CHECK(padded.sides[1].degree == 1);
    CHECK(makeMatrixScene(matrixAccess(tile(128)), 13, -1, narrow).sides.size() == 1);
    for (const MatrixScene& scene : {linear, swizzled, padded}) {
        checkTexts(wide, [&](Canvas& c) { paintMatrix(c, scene); });
        for (const MatrixSide& side : scene.sides)
            for (int i = 0; i < 8; ++i)
                CHECK(scene.laneAt(scene.rowRect(side, i).center()) == side.rows[std::size_t(i)].lane);
    }
    const MatrixScene small = makeMatrixScene(matrixAccess(tile(128)), 13, -1, narrow);
    checkTexts(narrow, [&](Canvas& c) { paintMatrix(c, small); });
    Intents intents;
    std::unique_ptr<Pane> pane(makeBanksPane(&intents, nullptr));
    std::unique_ptr<QWidget> controls(pane->headerControls());
    pane->setSnapshot(with(matrixAccess(tile(128))));
    keep(picture(*pane, {982, 240}), "banks_ldmatrix");
    keep(picture(*pane, {982, 240}, ThemeKind::Dark), "banks_ldmatrix_dark");
    CHECK(pane->accessibleDescription().contains("matrix 1"));
    CHECK(pane->table()->rowCount() == 32 * 4);
}

TEST_CASE("The swizzle editor's verdicts are whole at every width", "[swizzle]") {
    startApplication();
    for (int access = 0; access < model::kTileAccesses; ++access)
        for (const double width : {560.0, 700.0, 982.0, 1366.0}) {
            SwizzleInput input;
            input.access = model::TileAccess(access);
            const SwizzlePicture p = makeSwizzlePicture(input);
            const QRectF rect(0, 0, width, 480);
            const TextLog log = paintLogged(rect.size(), [&](Canvas& c) { paintSwizzle(c, p, rect); });
            INFO(width);
            CHECK(clipped(log, rect, true).toStdString() == "");
            for (const PassPicture& pass : p.passes)
                CHECK(std::any_of(log.items.begin(), log.items.end(), [&](const TextItem& item) { return item.text == pass.verdict && !item.elided; }));
        }
}

TEST_CASE("The swizzle editor follows the kernel and finds the smallest swizzle", "[swizzle]") {
    startApplication();
    const SwizzlePicture picture343 = makeSwizzlePicture({});
    REQUIRE(picture343.problem.isEmpty());
    CHECK(picture343.byte == 416);
    REQUIRE(picture343.cases.size() == 3);
    CHECK(picture343.cases[0].excess == 448);
    CHECK(picture343.cases[1].excess == 0);
    CHECK(picture343.cases[2].bytesWasted == 1024);
    CHECK(picture343.found.front() == model::Swizzle{3, 4, 3});
    SwizzleInput torn;
    torn.m = 3;
    CHECK(makeSwizzlePicture(torn).problem.contains("M must be at least 4"));
    for (int i = 0; i < model::kTileAccesses; ++i) {
        SwizzleInput input;
        input.access = model::TileAccess(i);
        for (const QRectF& rect : {QRectF(0, 0, 750, 420), QRectF(0, 0, 420, 300)})
            checkTexts(rect, [&](Canvas& c) { paintSwizzle(c, makeSwizzlePicture(input), rect); });
    }
    checkTexts({0, 0, 420, 300}, [&](Canvas& c) { paintSwizzle(c, makeSwizzlePicture(torn), {0, 0, 420, 300}); });
    Intents intents;
    std::unique_ptr<Pane> pane(makeSwizzlePane(&intents, nullptr));
    pane->setSnapshot(with(matrixAccess(tile(64))));
    CHECK(pane->findChild<QSpinBox*>("swizzle.rowBytes")->value() == 64);
    CHECK(pane->context().contains("as the kernel reads it"));
    auto* search = pane->findChild<QPushButton*>("swizzle.search");
    search->click();
    CHECK(pane->findChild<QSpinBox*>("swizzle.b")->value() == 2);
    CHECK(pane->findChild<QSpinBox*>("swizzle.s")->value() == 3);
    search->click(); // the next one
    CHECK((pane->findChild<QSpinBox*>("swizzle.b")->value() != 2 || pane->findChild<QSpinBox*>("swizzle.s")->value() != 3 || pane->findChild<QSpinBox*>("swizzle.m")->value() != 4));
    // What the user has set stays while stepping.
    pane->setSnapshot(with(matrixAccess(tile(128))));
    CHECK(pane->findChild<QSpinBox*>("swizzle.rowBytes")->value() == 64);
    keep(picture(*pane, {982, 420}), "swizzle");
    CHECK(pane->table()->rowCount() > 3);
}

TEST_CASE("A ring of bulk copies: who fills it, and its mbarriers at the cursor", "[pipeline]") {
    startApplication();
    for (const std::uint32_t slotCount : {1u, 3u, 6u}) {
        const auto snapshot = withPipeline(slotCount, 8);
        auto report = std::make_shared<session::TimingReport>(*snapshot->timing);
        timing::PipelineTiming& p = report->pipeline;
        p.producer = 0;
        p.askLength = 48;
        for (std::uint32_t slot = 0; slot < slotCount; ++slot) {
            timing::PipelineMbarrier full, empty;
            full.name = "full[" + std::to_string(slot) + "]";
            empty.name = "empty[" + std::to_string(slot) + "]";
            full.slot = empty.slot = slot;
            full.countsBytes = true;
            for (timing::PipelineTile& tile : p.tiles)
                if (tile.slot == slot) {
                    tile.mbarrier = slot;
                    tile.waitPc = 0;
                    const auto number = std::uint32_t(full.phases.size());
                    full.phases.push_back({number, tile.landed, {{tile.asked, 0, 0}, {tile.landed - 200, 16384, 0}, {tile.landed, 16384, 0}}, {{4, tile.asked, tile.landed + 80, 0}, {5, tile.asked, tile.landed + 80, 0}}});
                    empty.phases.push_back({number, tile.lastRead, {{tile.lastRead - 5, 0, 4}, {tile.lastRead, 0, 5}}, {{0, tile.lastRead - 60, tile.lastRead + 80, 0}}});
                    p.askCycles.push_back(tile.asked);
                }
            p.mbarriers.insert(p.mbarriers.begin() + slot, full);
            p.mbarriers.push_back(empty);
        }
        std::sort(p.askCycles.begin(), p.askCycles.end());
        snapshot->timing = report;
        const std::uint32_t cursor = p.tiles[0].landed - 100;
        const PipelineScene scene = makePipelineScene(snapshot.get(), cursor, {0, 0, 982, 240});
        REQUIRE(scene.rows.size() == slotCount + 2);
        CHECK(scene.rows[0].name == "Producer");
        CHECK(scene.rows[1].name == "Consumers");
        REQUIRE(scene.mbarriers.size() == 2 * slotCount);
        CHECK(scene.mbarriers[0] == QStringList{"full[0]", "0", "0", "0", "16 KB of 32 KB", "1 of 1", "4–5"});
        CHECK(scene.mbarriers[slotCount] == QStringList{"empty[0]", "0", "0", "0", "–", "0 of 2", "–"});
        CHECK(scene.ring[0].mbarrier == "parity 0, 16 KB of 32 KB");
        CHECK(scene.groupColumns.front() == "Phase");
        CHECK(scene.groups[0].last().endsWith("full[0]"));
        for (const QRectF& rect : {QRectF(0, 0, 982, 240), QRectF(0, 0, 796, 270), QRectF(0, 0, 520, 180), QRectF(0, 0, 420, 170)}) {
            const PipelineScene s = makePipelineScene(snapshot.get(), cursor, rect);
            checkTexts(rect, [&](Canvas& c) { paintTimeline(c, s); });
            checkTexts(rect, [&](Canvas& c) { paintGroups(c, s); });
        }
    }
}

TEST_CASE("The pipeline shows a slot's loads, waits and use, and the ring at the cursor", "[pipeline]") {
    startApplication();
    const QRectF wide(0, 0, 982, 220), narrow(0, 0, 520, 180);
    const auto snapshot = withPipeline(4, 8);
    const PipelineScene scene = makePipelineScene(snapshot.get(), 560, wide);
    REQUIRE(scene.rows.size() == 5);
    CHECK(scene.rows[0].spans.front().text == "wait: first tile");
    CHECK(scene.ring.size() == 4);
    CHECK(scene.ring[0].tile == "k0");
    CHECK(scene.ring[0].state == "mma to 704");
    CHECK(scene.ring[1].state == "landed 510");
    CHECK(scene.readSlot == 0);
    CHECK(scene.writeSlot == -1); // all four have landed, none may be filled again
    CHECK(makePipelineScene(snapshot.get(), 100, wide).writeSlot == 3);
    CHECK(makePipelineScene(snapshot.get(), 100, wide).ring[2].state == "lands 520");
    // One slot: it is read or written, never both.
    const auto single = withPipeline(1, 8);
    for (std::uint32_t cycle = 0; cycle < single->timing->pipeline.cycles; cycle += 50) {
        const PipelineScene s = makePipelineScene(single.get(), cycle, wide);
        CHECK((s.readSlot < 0 || s.writeSlot < 0));
    }
    CHECK(scene.cycleAt(scene.xOf(560)) == Approx(560).margin(2));
    for (const std::uint32_t tiles : {1u, 8u, 64u})
        for (const std::uint32_t slotCount : {1u, 2u, 6u})
            for (const QRectF& rect : {wide, narrow}) {
                const auto one = withPipeline(slotCount, tiles);
                const PipelineScene s = makePipelineScene(one.get(), 900, rect);
                checkTexts(rect, [&](Canvas& c) { paintTimeline(c, s); });
                checkTexts(rect, [&](Canvas& c) { paintGroups(c, s); });
                for (const PipelineRow& row : s.rows)
                    for (std::size_t i = 1; i < row.spans.size(); ++i)
                        CHECK(row.spans[i].begin >= row.spans[i - 1].end);
            }
    const StageChart chart = stageChartOf(snapshot.get());
    CHECK(chart.computeCycles == 200);
    CHECK(chart.latencyCycles == 500);
    CHECK(chart.formula[0] == Approx(200.0 / 700));
    CHECK(chart.formula[3] == 1.0);
    checkTexts({0, 0, 982, 240}, [&](Canvas& c) { paintStages(c, chart, {0, 0, 982, 240}); });
    Intents intents;
    std::unique_ptr<Pane> pane(makePipelinePane(&intents, nullptr));
    pane->setSnapshot(fakeSnapshot());
    CHECK(pane->accessibleDescription().contains("has not been timed"));
    pane->setSnapshot(snapshot);
    CHECK(pane->table()->rowCount() == 8);
    keep(picture(*pane, {982, 220}), "pipeline");
    keep(picture(*pane, {982, 220}, ThemeKind::Dark), "pipeline_dark");
}

TEST_CASE("The feeding calculator gives the course's figures", "[feeding]") {
    startApplication();
    const FeedingPicture p = makeFeedingPicture({});
    REQUIRE(p.problem.isEmpty());
    CHECK(p.warp.leastSquare == 64);
    CHECK(p.tiles.size() == 3);
    CHECK(p.stages.needed == 3);
    CHECK(p.stages.fit == 4);
    CHECK(feedingRows(p).size() == p.explanations.size() + 3 + 6);
    for (const QRectF& rect : {QRectF(0, 0, 600, 340), QRectF(0, 0, 380, 300)})
        checkTexts(rect, [&](Canvas& c) { paintFeeding(c, p, rect); });
    FeedingInput none;
    none.deviceId = "cc9.0";
    CHECK_FALSE(makeFeedingPicture(none).problem.isEmpty());
    FeedingInput large;
    large.rows = 256;
    CHECK(makeFeedingPicture(large).tiles.size() == 4);
    Intents intents;
    std::unique_ptr<Pane> pane(makeFeedingPane(&intents, nullptr));
    keep(picture(*pane, {760, 360}), "feeding");
    CHECK(pane->table()->rowCount() > 10);
}
