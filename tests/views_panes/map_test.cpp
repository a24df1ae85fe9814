// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <memory>
#include <random>

#include <QAbstractItemModel>

#include "engine/memory/access.h"
#include "tests/views/fake_snapshot.h"
#include "tests/views_panes/support.h"
#include "views/panes/map/map_paint.h"
#include "views/panes/map/map_pane.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

/// The fake snapshot with other accesses in its frame.
std::shared_ptr<session::Snapshot> withAccesses(std::vector<session::AccessView> accesses,
                                                int lane = 13) {
    auto snapshot = std::make_shared<session::Snapshot>(*fakeSnapshot());
    snapshot->frame.accesses = std::move(accesses);
    snapshot->selection.lane = lane;
    return snapshot;
}

session::AccessView access(LaneMask active, int bytes,
                           const std::function<std::uint64_t(int)>& address,
                           const std::string& array = std::string("A")) {
    session::AccessView view;
    view.active = active;
    view.bytesPerLane = bytes;
    view.array = array;
    view.arrayBase = 0x1000000;
    view.arrayBytes = 1 << 20;
    view.elementBytes = std::min(bytes, 8);
    for (int lane = 0; lane < kWarpSize; ++lane)
        view.addresses[std::size_t(lane)] = view.arrayBase + address(lane);
    view.global = memory::globalCost(view.addresses, active, bytes);
    return view;
}

TextLog paintScene(const MapScene& scene, const session::Snapshot& snapshot) {
    return paintLogged(scene.rect.size(), [&](Canvas& c) { paintMap(c, scene, snapshot.frame); });
}

const QRectF kMock(0, 0, 982, 464), kSmall(0, 0, 640, 300);

} // namespace

TEST_CASE("The map of the naive step has a row per lane and one for the broadcast", "[map]") {
    startApplication();
    const auto snapshot = fakeSnapshot();
    REQUIRE(snapshot->frame.accesses.size() == 2);
    const MapScene scene = makeMapScene(snapshot.get(), {}, kMock);
    REQUIRE(scene.rows.size() == 33);
    CHECK(scene.sectors == 33);
    CHECK(scene.lines == 33);
    CHECK(scene.bytes == 132);
    CHECK(scene.accesses[1].isUniform);
    for (int lane = 0; lane < 32; ++lane) { // level with their lanes: straight connectors
        CHECK(scene.rows[std::size_t(lane)].lanes == 1u << lane);
        CHECK(scene.rows[std::size_t(lane)].y == Approx(scene.lanes[std::size_t(lane)].y));
    }
    const TextLog log = paintScene(scene, *snapshot);
    CHECK(overlapping(log).toStdString() == "");
    CHECK(clipped(log, kMock).toStdString() == "");
    CHECK(log.contains("12.5%"));
    CHECK(log.contains("32 lanes, 1 address"));
    CHECK(log.contains("each to its own line"));
}

TEST_CASE("Every lane can be hit on its chip and on its bytes", "[map]") {
    startApplication();
    const auto snapshot = fakeSnapshot();
    for (const QRectF& rect : {kMock, kSmall, QRectF(10, 20, 1200, 600)})
        for (const bool coalesced : {false, true}) {
            const auto shown =
                coalesced ? withAccesses({access(kFullMask, 4,
                                                 [](int l) { return std::uint64_t(4 * l + 64); })})
                          : std::make_shared<session::Snapshot>(*snapshot);
            const MapScene scene = makeMapScene(shown.get(), {}, rect);
            for (int lane = 0; lane < 32; ++lane) {
                CHECK(scene.laneAt(scene.lanes[std::size_t(lane)].chip.center(), shown->frame) ==
                      lane);
                for (const MapRow& row : scene.rows) {
                    const auto& a = scene.accesses[std::size_t(row.access)];
                    if (a.isUniform || row.count > 1 || !hasLane(row.lanes, lane))
                        continue;
                    const auto& view = shown->frame.accesses[std::size_t(a.source)];
                    const double byte =
                        double(view.addresses[std::size_t(lane)] % 128) + view.bytesPerLane / 2.0;
                    CHECK(scene.laneAt({scene.byteX(byte), row.y}, shown->frame) == lane);
                }
            }
        }
}

TEST_CASE("Rows never overlap and the selected lane stays unfolded", "[map]") {
    startApplication();
    std::mt19937 random(7);
    const auto any = [&](std::uint64_t n) { return random() % n; };
    for (int round = 0; round < 300; ++round) {
        std::vector<session::AccessView> accesses;
        const std::size_t count = any(5);
        for (std::size_t i = 0; i < count; ++i) {
            const int width = 1 << any(5);
            const std::uint64_t spread = std::uint64_t{1} << (7 + any(12));
            const std::uint64_t stride = any(2) != 0 ? std::uint64_t(width) << any(9) : 0;
            accesses.push_back(access(any(4) == 0   ? LaneMask(random())
                                      : any(9) == 0 ? 0
                                                    : kFullMask,
                                      width, [&](int lane) {
                                          return stride != 0 ? std::uint64_t(lane) * stride
                                                             : any(spread) / std::uint64_t(width) *
                                                                   std::uint64_t(width);
                                      }));
        }
        const auto snapshot = withAccesses(accesses, int(any(32)));
        const QRectF rect(0, 0, 360 + double(any(900)), 160 + double(any(500)));
        const MapScene scene = makeMapScene(snapshot.get(), {}, rect);
        for (std::size_t i = 1; i < scene.rows.size(); ++i)
            REQUIRE(scene.rows[i].y - scene.rows[i].height / 2 >=
                    scene.rows[i - 1].y + scene.rows[i - 1].height / 2 - 0.01);
        if (!scene.rows.empty()) {
            CHECK(scene.rows.front().y - scene.rows.front().height / 2 >= scene.top - 0.01);
            if (rect.height() > 300)
                CHECK(scene.rows.back().y + scene.rows.back().height / 2 <= scene.bottom + 0.01);
        }
        if (scene.note.isEmpty())
            for (const MapAccess& a : scene.accesses) {
                LaneMask lanes = 0;
                int lines = 0;
                for (const MapRow& row : scene.rows)
                    if (scene.accesses[std::size_t(row.access)].source == a.source) {
                        lanes |= row.lanes;
                        lines += row.count;
                        if (row.count > 1)
                            CHECK_FALSE(row.selected);
                    }
                CHECK(lanes == snapshot->frame.accesses[std::size_t(a.source)].active);
                CHECK(lines == a.lines);
            }
        const TextLog log = paintScene(scene, *snapshot);
        CHECK(log.items.size() > 0);
    }
}

TEST_CASE("Lines folded at an equal stride say how many and how far", "[map]") {
    startApplication();
    const auto snapshot =
        withAccesses({access(kFullMask, 4, [](int l) { return 256u * unsigned(l); })}, 5);
    const MapScene scene = makeMapScene(snapshot.get(), {}, QRectF(0, 0, 800, 220));
    REQUIRE(scene.rows.size() == 3); // lanes 0-4, lane 5, lanes 6-31
    CHECK(scene.rows[0].count == 5);
    CHECK(scene.rows[0].stride == 256);
    CHECK(scene.rows[1].selected);
    CHECK(scene.rows[2].count == 26);
    CHECK(scene.rows[2].label2.toStdString() == QStringLiteral("26 × 256 B").toStdString());
}

TEST_CASE("A step without global memory says so", "[map]") {
    startApplication();
    const auto none = withAccesses({});
    const MapScene scene = makeMapScene(none.get(), {}, kMock);
    CHECK(scene.emptyTitle == "This step touches no global memory");
    CHECK(paintScene(scene, *none).contains("no global memory"));

    session::AccessView as = access(
        kFullMask, 4, [](int l) { return 4u * unsigned(l); }, "As");
    as.space = ptx::Space::Shared;
    const auto shared = withAccesses({as});
    CHECK(makeMapScene(shared.get(), {}, kMock).emptyText == "The bank view shows these accesses.");

    const auto failed = fakeFailure();
    CHECK_FALSE(makeMapScene(failed.get(), {}, kMock).emptyTitle.isEmpty());
    CHECK(makeMapScene(nullptr, {}, kMock).emptyTitle == "No kernel is open");
}

TEST_CASE("The map pane paints in both themes and sizes", "[map]") {
    startApplication();
    Intents intents;
    std::unique_ptr<Pane> pane(makeMapPane(&intents, nullptr));
    std::unique_ptr<QWidget> controls(pane->headerControls());
    pane->setSnapshot(fakeSnapshot());
    CHECK(pane->context().startsWith("warp 3 · line 8"));
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark})
        for (const QSize size : {QSize(982, 464), QSize(660, 300)}) {
            const QImage image = picture(*pane, size, kind);
            CHECK(inkedPixels(image) > 5000);
            keep(image, QStringLiteral("map_%1_%2")
                            .arg(kind == ThemeKind::Dark ? "dark" : "light")
                            .arg(size.width()));
        }
    REQUIRE(pane->table() != nullptr);
    CHECK(pane->table()->rowCount() == 64);
    pane->setSnapshot(
        withAccesses({access(kFullMask, 4, [](int l) { return std::uint64_t(4 * l + 32); }),
                      access(
                          kFullMask, 4, [](int) { return std::uint64_t(512); }, "B")}));
    keep(picture(*pane, {982, 464}), "map_coalesced");
    std::mt19937 random(3);
    pane->setSnapshot(withAccesses(
        {access(0x0fff00ffu, 16, [&](int) { return std::uint64_t(random() % 4096 * 16); }),
         access(
             kFullMask, 8, [&](int l) { return std::uint64_t(8 * l); }, "C")}));
    keep(picture(*pane, {982, 464}, ThemeKind::Dark), "map_random");
    pane->setSnapshot(withAccesses({}));
    keep(picture(*pane, {982, 464}), "map_empty");
}
