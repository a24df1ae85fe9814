// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs on this machine's GPU from the window, with the stand-in for the driver (tests/gpu/fake_driver.cpp): one after another, with progress,
// cancelled, without a GPU, and faults as findings.
#include <catch2/catch.hpp>

#include <QAbstractItemModel>
#include <QTimer>

#include "engine/session/snapshot.h"
#include "tests/views/application.h"
#include "views/bridge/hardware_store.h"
#include "views/kit/pane.h"
#include "views/panes/findings/findings_pane.h"

using namespace lanescope;
using namespace lanescope::views;

namespace {

/// A store whose jobs find the stand-in in this mode.
struct Bench {
    Intents intents;
    HardwareStore* store = nullptr;
    session::MeasuredPoints points;
    QStringList activities;
    QString report;

    explicit Bench(const char* mode) {
        views::test::application();
        qputenv("LD_LIBRARY_PATH", LANESCOPE_FAKE_DRIVER);
        setMode(mode);
        store = HardwareStore::of(&intents, QStringLiteral(LANESCOPE_PROGRAM));
        QObject::connect(store, &HardwareStore::measured, store, [this](const session::MeasuredPoints& measured) {
            points.gpu = measured.gpu;
            points.points.insert(points.points.end(), measured.points.begin(), measured.points.end());
        });
        QObject::connect(store, &HardwareStore::changed, store, [this] {
            if (!store->activity().isEmpty() && (activities.isEmpty() || activities.last() != store->activity()))
                activities << store->activity();
        });
        QObject::connect(store, &HardwareStore::reported, store, [this](const QString& text, const session::MeasuredPoints&) { report = text; });
    }
    ~Bench() {
        qunsetenv("LD_LIBRARY_PATH");
        qunsetenv("FAKE_CUDA");
    }
    static void setMode(const char* mode) { qputenv("FAKE_CUDA", mode); }
    void run(std::vector<GpuJob> jobs) {
        store->start(std::move(jobs));
        REQUIRE(views::test::waitFor([this] { return !store->isRunning(); }, 60'000));
    }
};

GpuJob vectorAdd() { return runJob(QStringLiteral("vector_add"), {{"n", 5000}}); }

QString findingsOf(FindingsPane& pane) {
    QString all;
    for (int row = 0; row < pane.table()->rowCount(); ++row)
        all += pane.table()->index(row, 0).data().toString() + QStringLiteral(": ") + pane.table()->index(row, 2).data().toString() + QLatin1Char('\n');
    return all;
}

} // namespace

TEST_CASE("without a GPU nothing runs, and a line says so") {
    Bench bench("no_gpu");
    bench.run({vectorAdd(), vectorAdd()});
    CHECK(bench.store->note().contains(QStringLiteral("finds no GPU")));
    CHECK(bench.store->note().count(QLatin1Char('\n')) == 0);
    CHECK(bench.store->faults().empty());
    CHECK(bench.points.points.empty());
    CHECK(bench.activities == QStringList{QStringLiteral("Looking for a GPU")});
}

TEST_CASE("kernels are measured one after another, with progress") {
    Bench bench("");
    bench.run({vectorAdd(), runJob(QStringLiteral("k01_naive"), {{"M", 32}, {"N", 32}, {"K", 32}})});
    CHECK(bench.store->note() == QStringLiteral("2 points measured on this machine's GPU."));
    REQUIRE(bench.points.points.size() == 2);
    CHECK(bench.points.gpu == "h200");
    CHECK(bench.points.points[1].kernel == "k01_naive");
    CHECK(bench.points.points[1].registersPerThread == 12);
    CHECK(bench.activities == QStringList{QStringLiteral("Looking for a GPU"), QStringLiteral("Measuring vector_add, 1 of 2"), QStringLiteral("Measuring k01_naive, 2 of 2")});
    CHECK(bench.report.isEmpty()); // of several there is none
    bench.run({vectorAdd()});
    CHECK(bench.report.contains(QStringLiteral("measured")));
    CHECK(bench.report.contains(QStringLiteral("8 blocks an SM with 12 registers a thread by the driver")));
    CHECK(bench.store->note() == QStringLiteral("1 point measured on this machine's GPU."));
}

TEST_CASE("a sweep brings all of its points, with progress") {
    Bench bench("");
    const GpuJob job{QStringLiteral("the sweep"), QStringLiteral("k01_naive"),
                     {QStringLiteral("sweep"), QStringLiteral("k01_naive"), QStringLiteral("--over"), QStringLiteral("BX=16,32"), QStringLiteral("-D"), QStringLiteral("M=32"), QStringLiteral("-D"),
                      QStringLiteral("N=32"), QStringLiteral("-D"), QStringLiteral("K=32"), QStringLiteral("--run"), QStringLiteral("--progress")},
                     {}};
    bench.run({job});
    CHECK(bench.points.points.size() == 2);
    CHECK(bench.activities.contains(QStringLiteral("Measuring the sweep, 2 of 2")));
    CHECK(bench.store->faults().empty());
}

TEST_CASE("a fault on the GPU is a finding of the kernel, until it runs") {
    Bench bench("fault");
    FindingsPane pane(&bench.intents);
    auto program = std::make_shared<session::ProgramView>();
    program->id = "vector_add";
    auto snapshot = std::make_shared<session::Snapshot>();
    snapshot->program = program;
    pane.setSnapshot(snapshot);
    bench.run({vectorAdd()});
    REQUIRE(bench.store->faults().size() == 1);
    CHECK(bench.store->faults()[0].kernel == QStringLiteral("vector_add"));
    CHECK(findingsOf(pane).contains(QStringLiteral("On this machine's GPU: the kernel faulted: an illegal memory access")));
    CHECK(pane.badge() == QStringLiteral("1"));
    auto other = std::make_shared<session::ProgramView>();
    other->id = "k01_naive";
    auto another = std::make_shared<session::Snapshot>();
    another->program = other;
    pane.setSnapshot(another);
    CHECK(findingsOf(pane).isEmpty());
    pane.setSnapshot(snapshot);
    Bench::setMode("");
    bench.run({vectorAdd()});
    CHECK(bench.store->faults().empty());
    CHECK(findingsOf(pane).isEmpty());
}

TEST_CASE("the other kernels run though one faults, and points measured before are kept") {
    Bench bench("");
    bench.run({runJob(QStringLiteral("k01_naive"), {{"M", -4}}), vectorAdd()});
    CHECK(bench.points.points.size() == 1);
    REQUIRE(bench.store->faults().size() == 1);
    CHECK(bench.store->faults()[0].kernel == QStringLiteral("k01_naive"));
}

TEST_CASE("a kernel that hangs is cancelled with those behind it") {
    Bench bench("hang");
    QTimer::singleShot(1500, bench.store, &HardwareStore::cancel);
    bench.run({vectorAdd(), vectorAdd()});
    CHECK(bench.store->note().contains(QStringLiteral("cancelled")));
    CHECK(bench.store->faults().empty());
    CHECK(bench.points.points.empty());
    bench.store->cancel(); // nothing runs any more
    CHECK_FALSE(bench.store->isRunning());
}
