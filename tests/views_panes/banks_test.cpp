// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <memory>
#include <random>

#include <QAbstractItemModel>

#include "engine/memory/access.h"
#include "tests/views/fake_snapshot.h"
#include "tests/views_panes/support.h"
#include "views/panes/banks/banks_paint.h"
#include "views/panes/banks/banks_pane.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

session::AccessView shared(LaneMask active, int bytes,
                           const std::function<std::uint64_t(int)>& address,
                           memory::SharedKind kind = memory::SharedKind::Load) {
    session::AccessView view;
    view.space = ptx::Space::Shared;
    view.active = active;
    view.bytesPerLane = bytes;
    view.elementBytes = 4;
    view.array = "As";
    view.isStore = kind == memory::SharedKind::Store;
    view.isAtomic = kind == memory::SharedKind::Atomic;
    for (int lane = 0; lane < kWarpSize; ++lane)
        view.addresses[std::size_t(lane)] = address(lane);
    view.shared = memory::sharedCost(view.addresses, active, bytes, kind);
    view.passes = memory::sharedPasses(view.addresses, active, bytes, kind);
    return view;
}

std::shared_ptr<session::Snapshot> with(std::vector<session::AccessView> accesses, int lane = 13) {
    auto snapshot = std::make_shared<session::Snapshot>(*fakeSnapshot());
    snapshot->frame.accesses = std::move(accesses);
    snapshot->frame.currentAccess = -1;
    snapshot->selection.lane = lane;
    return snapshot;
}

const QRectF kWide(0, 0, 982, 320), kNarrow(0, 0, 640, 220);

} // namespace

TEST_CASE("The wavefronts drawn are the wavefronts counted", "[banks]") {
    std::mt19937 random(11);
    const auto any = [&](std::uint64_t n) { return random() % n; };
    for (int round = 0; round < 2000; ++round) {
        const int width = 1 << any(5);
        const auto kind = any(3) == 0   ? memory::SharedKind::Store
                          : any(4) == 0 ? memory::SharedKind::Atomic
                                        : memory::SharedKind::Load;
        if (kind == memory::SharedKind::Atomic && width > 8)
            continue;
        const std::uint64_t stride = any(40), span = 1 + any(200);
        const auto view = shared(
            any(3) == 0 ? LaneMask(random()) : kFullMask, width,
            [&](int lane) {
                return (any(2) != 0 ? std::uint64_t(lane) * stride : any(span)) *
                       std::uint64_t(width);
            },
            kind);
        INFO("width " << width << " kind " << int(kind));
        CHECK(int(wavefrontsOf(view).size()) == view.shared.wavefronts);
        CHECK(int(view.passes.size()) == view.shared.passes);
    }
}

TEST_CASE("The sum names minimum and excess apart", "[banks]") {
    startApplication();
    const auto conflict = with({shared(
        kFullMask, 4, [](int l) { return 128u * unsigned(l % 8) + 4u * unsigned(l / 8); })});
    BankScene scene = makeBankScene(conflict.get(), -1, kWide);
    CHECK(scene.verdict == "8-way conflict");
    CHECK(scene.sum == "8 wavefronts = 1 minimum + 7 excess");
    const auto vector = with({shared(kFullMask, 16, [](int l) { return 16u * unsigned(l); })});
    scene = makeBankScene(vector.get(), -1, kWide);
    CHECK(scene.verdict == "conflict-free");
    CHECK(scene.sum == "4 wavefronts = 4 minimum + 0 excess");
    const auto broadcast = with({shared(kFullMask, 4, [](int) { return 64u; })});
    scene = makeBankScene(broadcast.get(), -1, kWide);
    CHECK(scene.verdict == "conflict-free");
    CHECK(scene.sharedWords == 1);
    CHECK(scene.rows.size() == 1);
}

TEST_CASE("Bank texts stay apart and inside", "[banks]") {
    startApplication();
    std::mt19937 random(5);
    const auto any = [&](std::uint64_t n) { return random() % n; };
    for (int round = 0; round < 120; ++round) {
        const int width = 4 << any(3);
        const std::uint64_t stride = 1 + any(40);
        const auto snapshot =
            with({shared(any(3) == 0 ? LaneMask(random()) : kFullMask, width,
                         [&](int l) { return std::uint64_t(l) * stride * unsigned(width); })},
                 int(any(32)));
        for (const QRectF& rect : {kWide, kNarrow}) {
            const BankScene scene = makeBankScene(snapshot.get(), -1, rect);
            const TextLog log =
                paintLogged(rect.size(), [&](Canvas& c) { paintBanks(c, scene, snapshot->frame); });
            CHECK(overlapping(log).toStdString() == "");
            CHECK(clipped(log, rect, true).toStdString() == "");
            for (const BankRow& row : scene.rows)
                for (int bank = 0; bank < 32; ++bank)
                    if (const LaneMask lanes = row.cells[std::size_t(bank)].lanes; lanes != 0)
                        CHECK(hasLane(lanes, scene.laneAt(scene.cellRect(row, bank).center())));
        }
    }
}

TEST_CASE("The bank pane paints and lists what it shows", "[banks]") {
    startApplication();
    Intents intents;
    std::unique_ptr<Pane> pane(makeBanksPane(&intents, nullptr));
    std::unique_ptr<QWidget> controls(pane->headerControls());
    pane->setSnapshot(fakeSnapshot());
    CHECK(pane->table()->rowCount() == 0);
    keep(picture(*pane, {982, 320}), "banks_empty");
    pane->setSnapshot(with(
        {shared(kFullMask, 4, [](int l) { return 128u * unsigned(l % 8) + 4u * unsigned(l / 8); }),
         shared(
             kFullMask, 4, [](int l) { return 4u * unsigned(l / 4); },
             memory::SharedKind::Store)}));
    CHECK(pane->table()->rowCount() == 32 + 8);
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        const QImage image = picture(*pane, {982, 320}, kind);
        CHECK(inkedPixels(image) > 3000);
        keep(image, kind == ThemeKind::Dark ? "banks_dark" : "banks_light");
    }
    keep(picture(*pane, {640, 220}), "banks_small");
    pane->setSnapshot(with({shared(kFullMask, 4, [](int l) { return 128u * unsigned(l); })}));
    keep(picture(*pane, {982, 260}, ThemeKind::Dark), "banks_32way");
    pane->setSnapshot(with({shared(kFullMask, 16, [](int l) { return 16u * unsigned(l); })}));
    keep(picture(*pane, {982, 260}), "banks_vector");
    pane->setSnapshot(with({shared(0xffffu, 4, [](int l) { return 4u * unsigned(l / 4); })}));
    keep(picture(*pane, {982, 260}), "banks_broadcast");
    pane->setSnapshot(with({shared(0, 4, [](int) { return 0u; })}));
    keep(picture(*pane, {982, 260}), "banks_none");
}
