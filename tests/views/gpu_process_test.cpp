// SPDX-License-Identifier: GPL-3.0-or-later
// The window's way to this machine's GPU, with the stand-in for the driver (tests/gpu/fake_driver.cpp): points come back and are drawn over
// the modelled ones; faults, hangs and missing drivers are one line.
#include <catch2/catch.hpp>

#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>

#include "engine/session/simulate.h"
#include "engine/session/snapshot.h"
#include "tests/views/application.h"
#include "views/bridge/gpu_process.h"
#include "views/export/performance_store.h"
#include "views/kit/pane.h"

using namespace lanescope;
using namespace lanescope::views;

namespace {

struct Outcome {
    QString report, message;
    session::MeasuredPoints points;
    qint64 ms = 0;
};

Outcome outcomeOf(GpuProcess& process, const std::function<void()>& start) {
    Outcome out;
    views::test::application();
    QEventLoop loop;
    QElapsedTimer timer;
    timer.start();
    QObject::connect(&process, &GpuProcess::finished, &loop, [&](const QString& report, const session::MeasuredPoints& points, const QStringList&) {
        out.report = report;
        out.points = points;
        loop.quit();
    });
    QObject::connect(&process, &GpuProcess::failed, &loop, [&](const QString& message, const session::MeasuredPoints& points) {
        out.message = message;
        out.points = points;
        loop.quit();
    });
    QTimer::singleShot(30000, &loop, &QEventLoop::quit);
    QTimer::singleShot(0, &loop, start);
    loop.exec();
    out.ms = timer.elapsed();
    return out;
}

Outcome run(const char* mode, const QString& text = {}) {
    qputenv("LD_LIBRARY_PATH", LANESCOPE_FAKE_DRIVER);
    qputenv("FAKE_CUDA", mode);
    GpuProcess process(nullptr, QStringLiteral(LANESCOPE_PROGRAM));
    const Outcome out = outcomeOf(process, [&] { process.start(runJob(QStringLiteral("vector_add"), {{"n", 5000}}, text)); });
    qunsetenv("LD_LIBRARY_PATH");
    qunsetenv("FAKE_CUDA");
    return out;
}

} // namespace

TEST_CASE("a run on the GPU comes back with its points, and the roofline shows them over the model") {
    const Outcome out = run("");
    INFO(out.message.toStdString());
    REQUIRE(out.points.points.size() == 1);
    CHECK(out.points.gpu == "h200");
    CHECK(out.points.points[0].parameters.at("n") == 5000);
    CHECK(out.report.contains(QStringLiteral("equals the reference")));
    CHECK(out.report.contains(QStringLiteral("measured")));

    Intents intents;
    auto* store = PerformanceStore::of(&intents);
    auto program = std::make_shared<session::ProgramView>();
    program->id = "vector_add";
    auto ran = std::make_shared<session::RunView>();
    ran->deviceId = "h200";
    auto snapshot = std::make_shared<session::Snapshot>();
    snapshot->program = program;
    snapshot->run = ran;
    store->setSnapshot(snapshot);
    store->want();
    const auto point = [&]() -> const KernelPoint* {
        for (const KernelPoint& p : store->performance()->roofline.points)
            if (p.id == "vector_add")
                return &p;
        return nullptr;
    };
    QEventLoop loop;
    QObject::connect(store, &PerformanceStore::changed, &loop, [&] {
        if (!store->isBusy() && point() != nullptr)
            loop.quit();
    });
    QTimer::singleShot(120000, &loop, &QEventLoop::quit);
    loop.exec();
    REQUIRE(point() != nullptr);
    CHECK_FALSE(point()->measuredFlopsPerSecond);
    session::MeasuredPoints measured;
    measured.gpu = "h200";
    const auto kernels = session::builtInKernels();
    const std::int64_t n = store->size("n", catalog::findKernel(**kernels, "vector_add")->findParameter("n")->defaultValue);
    measured.points = {{"vector_add", {{"n", n}}, {}, 3e9}};
    measured.points.push_back({"vector_add", {{"n", 77}}, {}, 5e9}); // another size
    SECTION("of this GPU") {
        store->addMeasured(measured);
        CHECK(point()->measuredFlopsPerSecond == 3e9);
    }
    SECTION("of this GPU, calibrated or not") {
        measured.gpu = "";
        store->addMeasured(measured);
        CHECK(point()->measuredFlopsPerSecond == 3e9);
    }
    SECTION("of another one") {
        measured.gpu = "a100";
        store->addMeasured(measured);
        CHECK_FALSE(point()->measuredFlopsPerSecond);
    }
}

TEST_CASE("what goes wrong on the GPU is one line in the window") {
    CHECK(run("fault").message.contains(QStringLiteral("illegal memory access")));
    CHECK(run("die").message.contains(QStringLiteral("died")));
    CHECK(run("no_gpu").message.contains(QStringLiteral("finds no GPU")));
    CHECK(run("", QStringLiteral("this is not CUDA")).message.contains(QStringLiteral("vector_add.cu")));
    GpuProcess missing(nullptr, QStringLiteral("/nonexistent/lanescope"));
    CHECK(outcomeOf(missing, [&] { missing.start(runJob(QStringLiteral("vector_add"), {})); }).message.contains(QStringLiteral("not beside this one")));
    CHECK_FALSE(missing.isRunning());
}

TEST_CASE("a run that hangs is cancelled at once") {
    qputenv("LD_LIBRARY_PATH", LANESCOPE_FAKE_DRIVER);
    qputenv("FAKE_CUDA", "hang");
    GpuProcess process(nullptr, QStringLiteral(LANESCOPE_PROGRAM));
    const Outcome out = outcomeOf(process, [&] {
        process.start(runJob(QStringLiteral("vector_add"), {}));
        QTimer::singleShot(500, &process, &GpuProcess::cancel);
    });
    qunsetenv("LD_LIBRARY_PATH");
    qunsetenv("FAKE_CUDA");
    CHECK(out.message.contains(QStringLiteral("cancelled")));
    CHECK(out.ms < 20000);
    CHECK_FALSE(process.isRunning());
}
