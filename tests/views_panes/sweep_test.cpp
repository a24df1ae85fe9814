// SPDX-License-Identifier: GPL-3.0-or-later
// The sweep: what is planned, what cells hold, and the heat map.
#include <catch2/catch.hpp>

#include <memory>

#include <QFile>
#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include "engine/model/roofline.h"
#include "tests/views_panes/support.h"
#include "views/export/export.h"
#include "views/export/sweep_data.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

/// 3 x 2, with a broken and a waiting cell.
SweepData handmade() {
    SweepData d;
    d.gpu = "RTX A6000";
    d.kernel = "k03_shared";
    d.x = {"BM", "Rows", {32, 64, 128}};
    d.y = {"BN", "Columns", {8, 16}};
    d.fixed = {{"K", 1024}};
    const auto done = [](double flops, double occupancy, double wavefronts, double registers) {
        return SweepCell{SweepCell::State::Done, flops, occupancy, wavefronts, registers, "dram", {}};
    };
    SweepCell broken;
    broken.state = SweepCell::State::Broken;
    broken.problem = "BM x BN must be a multiple of the threads";
    d.cells = {done(1e12, 0.5, 70, 34), done(2e12, 0.25, 60, 40), broken, done(4e12, 1, 90, 32), SweepCell{}, done(3e12, 0.75, 62.5, 64)};
    return d;
}

} // namespace

TEST_CASE("a sweep is planned over the first tile parameter and another one", "[sweep]") {
    const auto plan = planSweep({"rtx-a6000", "k03_shared", {{"M", 64}, {"N", 128}, {"K", 32}}, "BS", "K"});
    REQUIRE(plan);
    CHECK(plan->gpu == "RTX A6000");
    CHECK(plan->x.name == "BS");
    CHECK(plan->y.name == "K");
    CHECK(plan->cells.size() == plan->columns() * plan->rows());
    CHECK(plan->done() == 0);
    CHECK(plan->fixed == std::map<std::string, std::int64_t>{{"M", 64}, {"N", 128}});
    REQUIRE(plan->currentY);
    CHECK(plan->y.values[*plan->currentY] == 32);
    const std::size_t last = plan->cells.size() - 1;
    CHECK(plan->parametersOf(last).at("BS") == plan->x.values.back());
    CHECK(plan->parametersOf(last).at("K") == plan->y.values.back());
    CHECK(plan->parametersOf(last).at("M") == 64);

    CHECK_FALSE(planSweep({"rtx-a6000", "k03_shared", {}, "ZZ", ""}));
    CHECK_FALSE(planSweep({"no-gpu", "k03_shared", {}, "", ""}));
    const auto none = planSweep({"rtx-a6000", "mine.cu", {}, "", ""});
    REQUIRE(none);
    CHECK_FALSE(none->problem.empty());
}

TEST_CASE("a cell is what the roofline says of that tile; a size that is refused says why", "[sweep]") {
    const auto plan = planSweep({"rtx-a6000", "k03_shared", {{"M", 1024}, {"N", 1024}, {"K", 1024}}, "BS", "M"});
    REQUIRE(plan);
    REQUIRE(plan->currentX);
    REQUIRE(plan->currentY);
    const SweepCell cell = sweepCell(*plan, *plan->currentY * plan->columns() + *plan->currentX);
    REQUIRE(cell.state == SweepCell::State::Done);
    PerformanceRequest request;
    request.deviceId = "rtx-a6000";
    request.kernelIds = {"k03_shared"};
    request.sizes = {{"M", 1024}, {"N", 1024}, {"K", 1024}};
    const auto performance = modelPerformance(request);
    REQUIRE(performance);
    CHECK(cell.flopsPerSecond == performance->kernels[0].point.flopsPerSecond);
    CHECK(cell.occupancy == performance->kernels[0].occupancy.occupancy);

    SweepData impossible = *plan;
    impossible.x.values[0] = 4096; // threads of a block squared
    const SweepCell broken = sweepCell(impossible, 0);
    CHECK(broken.state == SweepCell::State::Broken);
    CHECK(broken.problem.find("BS") != std::string::npos);
}

TEST_CASE("the open kernel's tile is its own: others are modelled with theirs", "[performance]") {
    PerformanceRequest request;
    request.deviceId = "h100";
    request.kernelIds = {"k04_tile1d", "k09_autotuned"};
    request.sizes = {{"M", 512}, {"N", 512}, {"K", 64}};
    const auto plain = modelPerformance(request);
    REQUIRE(plain);
    REQUIRE(plain->kernels.size() == 2);
    request.tiledKernel = "k09_autotuned";
    request.tile = {{"BM", 64}, {"BN", 64}};
    const auto tiled = modelPerformance(request);
    REQUIRE(tiled);
    REQUIRE(tiled->kernels.size() == 2);
    CHECK(tiled->kernels[0].point.flopsPerSecond == plain->kernels[0].point.flopsPerSecond);
    CHECK(tiled->kernels[1].blocks == 64); // 512 / 64 each way
    CHECK(plain->kernels[1].blocks == 16); // 512 / 128
}

TEST_CASE("the best cell by each measure", "[sweep]") {
    const SweepData d = handmade();
    CHECK(d.best(SweepMeasure::Flops) == std::size_t{3});
    CHECK(d.best(SweepMeasure::Occupancy) == std::size_t{3});
    CHECK(d.best(SweepMeasure::Wavefronts) == std::size_t{1});
    CHECK(d.best(SweepMeasure::Registers) == std::size_t{3});
    CHECK(d.done() == 5);
    CHECK_FALSE(SweepData{}.best(SweepMeasure::Flops));
}

TEST_CASE("cancelling keeps what is done", "[sweep]") {
    auto plan = planSweep({"rtx-a6000", "k03_shared", {{"M", 64}, {"N", 64}, {"K", 32}}, "BS", "M"});
    REQUIRE(plan);
    std::atomic<bool> cancel{false};
    runSweep(*plan, &cancel, [&](std::size_t cell) { cancel = cell == 1; });
    CHECK(plan->done() == 2);
    CHECK_FALSE(plan->isComplete());
}

TEST_CASE("the heat map is legible, and every cell can be hit", "[sweep]") {
    startApplication();
    const SweepData d = handmade();
    for (const QSizeF size : {QSizeF(900, 420), QSizeF(420, 260)})
        for (int measure = 0; measure < kSweepMeasures; ++measure) {
            const TextLog log = paintLogged(size, [&](Canvas& c) { paintSweep(c, QRectF(QPointF(), size), d, SweepMeasure(measure)); });
            CHECK(overlapping(log).toStdString() == "");
            CHECK(clipped(log, QRectF(QPointF(), size), true).toStdString() == "");
            CHECK(log.contains("modelled"));
            CHECK(log.contains("cannot launch"));
        }
    const QRectF rect(0, 0, 900, 420);
    std::vector<int> hits(d.cells.size());
    for (double y = 0; y < rect.height(); y += 4)
        for (double x = 0; x < rect.width(); x += 4)
            if (const auto cell = sweepHit(rect, d, {x, y})) {
                REQUIRE(*cell < d.cells.size());
                ++hits[*cell];
            }
    for (const int n : hits)
        CHECK(n > 20);
    CHECK_FALSE(sweepHit(rect, d, {2, 2}));
    CHECK_FALSE(sweepHit(rect, SweepData{}, {300, 200}));
}

TEST_CASE("a sweep is exported like any chart", "[sweep][export]") {
    startApplication();
    const QTemporaryDir folder;
    const SweepData d = handmade();
    for (const char* ending : {"png", "svg", "pdf", "csv", "json"}) {
        const QString path = folder.filePath(QStringLiteral("sweep.") + QLatin1String(ending));
        INFO(ending);
        REQUIRE(exportSweep(d, {}, path.toStdString()));
        CHECK(QFile(path).size() > 300);
    }
    QFile json(folder.filePath(QStringLiteral("sweep.json")));
    REQUIRE(json.open(QIODevice::ReadOnly));
    const auto parsed = nlohmann::json::parse(json.readAll().toStdString());
    CHECK(parsed["basis"] == "modelled");
    REQUIRE(parsed["cells"].size() == 6);
    CHECK(parsed["cells"][3]["flops_per_s"] == 4e12);
    CHECK(parsed["cells"][2]["problem"] == "BM x BN must be a multiple of the threads");
    QFile csv(folder.filePath(QStringLiteral("sweep.csv")));
    REQUIRE(csv.open(QIODevice::ReadOnly));
    const auto records = parseCsv(QString::fromUtf8(csv.readAll()));
    REQUIRE(records.size() == 7);
    CHECK(records[0].contains(QStringLiteral("BM")));
    CHECK(exportChart(ChartKind::Sweep, {}, folder.filePath(QStringLiteral("x.png")).toStdString()).has_value() == false);
}
