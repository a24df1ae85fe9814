// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <memory>

#include <QAbstractItemModel>
#include <QComboBox>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QKeyEvent>

#include "tests/views/fake_snapshot.h"
#include "tests/views_panes/support.h"
#include "views/export/export.h"
#include "views/export/performance_store.h"
#include "views/panes/kernels/kernels_pane.h"
#include "views/panes/occupancy/occupancy_pane.h"
#include "views/panes/reading/reading_pane.h"
#include "views/panes/roofline/roofline_pane.h"
#include "views/panes/runsetup/runsetup_pane.h"
#include "views/panes/waves/waves_pane.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

/// A run whose report holds a model, as the session writes it.
SnapshotPtr modelledRun() {
    auto snapshot = std::make_shared<session::Snapshot>(*fakeSnapshot());
    auto run = std::make_shared<session::RunView>(*snapshot->run);
    run->json = R"({"model":{"time_s":2e-4,"flops_per_s":5e11,"bottleneck":"l1_lines",
        "roofs":{"l1_lines":{"work":1,"time_s":2e-4,"formula":"work / rate"},"fp32":{"work":1,"time_s":2e-6,"formula":"w"}},
        "intensity":{"l1":{"bytes":1.6e9,"flops_per_byte":0.0625},"l2":{"bytes":1.6e9,"flops_per_byte":0.0625}},
        "occupancy":{"registers_per_thread":24}}})";
    snapshot->run = run;
    return snapshot;
}

void waitFor(PerformanceStore& store) {
    QElapsedTimer timer;
    timer.start();
    while (store.isBusy() && timer.elapsed() < 120'000)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
}

} // namespace

TEST_CASE("The open kernel's own figures show at once", "[performance]") {
    startApplication();
    Intents intents;
    PerformanceStore* store = PerformanceStore::of(&intents);
    CHECK(PerformanceStore::of(&intents) == store);
    store->setSnapshot(modelledRun());
    const KernelEntry* k = store->kernel();
    REQUIRE(k != nullptr);
    CHECK(k->point.id == "pair");
    CHECK(k->point.boundBy == "L1 lines");
    CHECK(*k->point.intensity[0] == Approx(1e8 / 1.6e9));
    CHECK_FALSE(k->point.intensity[2]);
    CHECK(k->shape.threads == 256);
    CHECK(k->waves.blocks == 16);
    CHECK(k->occupancy.blocksPerSm == 8);
    store->setSnapshot(fakeSnapshot()); // a run without a model
    CHECK(store->kernel() == nullptr);
    store->setSnapshot(fakeFailure());
    store->setSnapshot(nullptr);
}

TEST_CASE("The catalog's kernels get modelled points, and the panes show them", "[performance]") {
    startApplication();
    Intents intents;
    PerformanceStore* store = PerformanceStore::of(&intents);
    std::vector<std::pair<const char*, std::unique_ptr<Pane>>> panes;
    panes.emplace_back("roofline", makeRooflinePane(&intents, nullptr));
    panes.emplace_back("occupancy", makeOccupancyPane(&intents, nullptr));
    panes.emplace_back("waves", makeWavesPane(&intents, nullptr));
    panes.emplace_back("kernels", makeKernelsPane(&intents, nullptr));
    panes.emplace_back("reading", makeReadingPane(&intents, nullptr));
    for (auto& [name, pane] : panes) // nothing yet
        picture(*pane, {400, 300});
    store->want();
    CHECK(store->isBusy());
    waitFor(*store);
    const auto shown = store->performance();
    INFO(shown->error);
    for (const std::string& note : shown->roofline.notes)
        WARN(note);
    REQUIRE(shown->kernels.size() >= 3);
    for (const KernelEntry& k : shown->kernels) {
        INFO(k.point.id);
        CHECK(k.point.seconds > 0);
        CHECK_FALSE(k.point.boundBy.empty());
        CHECK(k.occupancy.problem.empty());
        CHECK(k.waves.blocks == k.blocks);
        CHECK(k.point.parts.front().seconds == Approx(k.point.seconds));
    }
    CHECK(shown->roofline.points.size() == shown->kernels.size());
    store->select(shown->kernels.back().point.id);
    const QSize sizes[] = {{760, 494}, {760, 350}, {550, 370}, {270, 250}, {270, 360}};
    for (std::size_t i = 0; i < panes.size(); ++i) {
        auto& [name, pane] = panes[i];
        for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
            const QImage image = picture(*pane, sizes[i], kind);
            CHECK(inkedPixels(image) > 1000);
            keep(image,
                 QStringLiteral("p_%1_%2").arg(name, kind == ThemeKind::Dark ? "dark" : "light"));
        }
        REQUIRE(pane->table() != nullptr);
        CHECK(pane->table()->rowCount() > 0);
        CHECK_FALSE(pane->accessibleDescription().isEmpty());
    }
    // Arrow keys walk through the kernels.
    QKeyEvent up(QEvent::KeyPress, Qt::Key_Up, Qt::NoModifier);
    QCoreApplication::sendEvent(panes[3].second.get(), &up);
    CHECK(store->selected() == shown->kernels[shown->kernels.size() - 2].point.id);
}

TEST_CASE("Run setup offers the GPUs and the problem's sizes", "[performance]") {
    startApplication();
    Intents intents;
    std::unique_ptr<Pane> pane(makeRunSetupPane(&intents, nullptr));
    pane->setSnapshot(modelledRun());
    auto* gpu = pane->findChild<QComboBox*>(QStringLiteral("runsetup_gpu"));
    REQUIRE(gpu != nullptr);
    CHECK(gpu->count() >= 10);
    CHECK(gpu->currentData().toString() == "h100");
    QString chosen;
    QObject::connect(&intents, &Intents::setDevice, [&](const QString& id) { chosen = id; });
    emit gpu->activated(0);
    CHECK(chosen == gpu->itemData(0).toString());
    for (const char* name : {"runsetup_M", "runsetup_N", "runsetup_K"})
        CHECK(pane->findChild<QWidget*>(QLatin1String(name)) != nullptr);
    CHECK(pane->findChild<QWidget*>(QStringLiteral("runsetup_BM")) ==
          nullptr); // a tile, not a size
    pane->setStyleSheet(Theme::light().styleSheet());
    pane->resize(270, 220);
    keep(pane->grab().toImage(), "p_runsetup");
}
