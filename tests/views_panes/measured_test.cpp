// SPDX-License-Identifier: GPL-3.0-or-later
// What was measured, beside the models: ladder, sweep, roofline, their exports, and the hardware's counters in their pane.
#include <catch2/catch.hpp>

#include <cstdlib>

#include <QAbstractItemModel>
#include <QFile>
#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include "engine/session/session.h"
#include "tests/views_panes/support.h"
#include "views/bridge/hardware_store.h"
#include "views/export/charts.h"
#include "views/export/export.h"
#include "views/export/performance_store.h"
#include "views/panes/counters/counters_pane.h"
#include "views/panes/reading/reading_text.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

SweepData sweepOf(const char* gpu = "h200") {
    SweepData d;
    d.deviceId = gpu;
    d.gpu = "H200";
    d.kernel = "k03_shared";
    d.x = {"BS", "Tile", {8, 16, 32}};
    d.y = {{}, {}, {0}}; // no second parameter
    d.fixed = {{"M", 1024}, {"N", 1024}, {"K", 256}};
    for (const double flops : {4e12, 8e12, 9e12}) {
        SweepCell cell;
        cell.state = SweepCell::State::Done;
        cell.flopsPerSecond = flops;
        cell.seconds = 1e-3;
        cell.registers = 32;
        cell.boundBy = "shared";
        d.cells.push_back(cell);
    }
    d.cells[1].state = SweepCell::State::Broken;
    return d;
}

session::MeasuredPoint pointOf(std::map<std::string, std::int64_t> parameters, double seconds, std::optional<double> flops = {}) {
    session::MeasuredPoint out;
    out.kernel = "k03_shared";
    out.parameters = std::move(parameters);
    out.seconds = seconds;
    out.flopsPerSecond = flops;
    out.registersPerThread = 38;
    out.blocksPerSm = 1;
    return out;
}

QString textOf(const QString& path) {
    QFile file(path);
    REQUIRE(file.open(QIODevice::ReadOnly));
    return QString::fromUtf8(file.readAll());
}

SnapshotPtr snapshotOf(const std::string& kernel) {
    session::SessionOptions options;
    options.environment = compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); });
    options.deviceId = "h200";
    session::Session session(options);
    auto snapshot = session.openKernel(kernel, {});
    REQUIRE(snapshot->run);
    return snapshot;
}

QString textAt(QAbstractItemModel& model, const QString& name, const QString& column) {
    int at = -1;
    for (int i = 0; i < model.columnCount(); ++i)
        if (model.headerData(i, Qt::Horizontal).toString() == column)
            at = i;
    REQUIRE(at >= 0);
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.index(row, 0).data().toString() == name)
            return model.index(row, at).data().toString();
    return QStringLiteral("no row");
}

} // namespace

TEST_CASE("a sweep takes the points of its GPU, kernel and parameters", "[measured]") {
    SweepData d = sweepOf();
    addMeasured(d, {"h200",
                    {pointOf({{"BS", 8}, {"M", 1024}, {"N", 1024}, {"K", 256}}, 2e-3), pointOf({{"BS", 16}, {"M", 1024}, {"N", 1024}, {"K", 256}}, 1e-3),
                     pointOf({{"BS", 32}, {"M", 1024}, {"N", 1024}, {"K", 512}}, 1e-3), pointOf({{"M", 1024}}, 1e-3, 1.0)}});
    REQUIRE(d.hasMeasured());
    CHECK(*d.cells[0].measuredFlopsPerSecond == Approx(2e12)); // the work of 4 TFLOP/s for a millisecond, in two
    CHECK(*d.cells[0].modelError() == Approx(1));
    CHECK(d.cells[0].driverRegisters == 38);
    CHECK_FALSE(d.cells[1].measuredFlopsPerSecond); // cannot launch
    CHECK_FALSE(d.cells[2].measuredFlopsPerSecond); // another K; and a point that does not name BS stands for no cell
    addMeasured(d, {"a100", {pointOf({{"BS", 8}}, 1e-3, 7e12)}});
    CHECK_FALSE(d.hasMeasured());
    addMeasured(d, {"", {pointOf({{"BS", 32}}, 1e-3, 6e12)}});
    CHECK(*d.cells[2].measuredFlopsPerSecond == 6e12);
    CHECK(*d.cells[2].modelError() == Approx(0.5));
}

TEST_CASE("the heat map shows both figures of a cell and its error", "[measured]") {
    startApplication();
    SweepData d = sweepOf();
    addMeasured(d, {"h200", {pointOf({{"BS", 32}}, 1e-3, 6e12)}});
    for (const QSizeF& size : {QSizeF(700, 300), QSizeF(380, 240)}) {
        const TextLog log = paintLogged(size, [&](Canvas& c) { paintSweep(c, QRectF(QPointF(), size), d, SweepMeasure::Flops); });
        CHECK(overlapping(log).toStdString() == "");
        CHECK(clipped(log, QRectF(QPointF(), size), true).toStdString() == "");
    }
    const TextLog log = paintLogged({700, 300}, [&](Canvas& c) { paintSweep(c, {0, 0, 700, 300}, d, SweepMeasure::Flops); });
    QStringList texts;
    for (const auto& entry : log.items)
        texts << entry.text;
    CHECK(texts.contains(QStringLiteral("9")));
    CHECK(texts.contains(QStringLiteral("6  +50.0%")));
    CHECK(texts.filter(QStringLiteral("measured")).size() == 1);
}

TEST_CASE("exports hold what is modelled and what was measured", "[measured][export]") {
    startApplication();
    const QTemporaryDir folder;
    SweepData d = sweepOf();
    addMeasured(d, {"h200", {pointOf({{"BS", 32}}, 1e-3, 6e12)}});
    REQUIRE(exportSweep(d, {}, folder.filePath(QStringLiteral("s.json")).toStdString()));
    const auto json = nlohmann::json::parse(textOf(folder.filePath(QStringLiteral("s.json"))).toStdString());
    CHECK(json["basis"] == "modelled and measured");
    CHECK(json["cells"][2]["flops_per_s"] == 9e12);
    CHECK(json["cells"][2]["measured_flops_per_s"] == 6e12);
    CHECK(json["cells"][2]["model_error"].get<double>() == Approx(0.5));
    CHECK(json["cells"][2]["driver_registers"] == 38);
    CHECK_FALSE(json["cells"][0].contains("measured_flops_per_s"));
    REQUIRE(exportSweep(d, {}, folder.filePath(QStringLiteral("s.csv")).toStdString()));
    const auto records = parseCsv(textOf(folder.filePath(QStringLiteral("s.csv"))));
    REQUIRE(records.size() == 4);
    CHECK(records[3].contains(QStringLiteral("6e+12")));
    for (const QStringList& record : records)
        CHECK(record.size() == records[0].size());

    RooflineData roofline;
    roofline.gpu = "H200";
    KernelPoint point;
    point.id = "k03_shared";
    point.flopsPerSecond = 9e12;
    point.measuredFlopsPerSecond = 10e12;
    point.measuredNote = "Measured above the roof";
    roofline.points = {point};
    roofline.compute = {{"FP32", 60e12}};
    REQUIRE(exportRoofline(roofline, {}, folder.filePath(QStringLiteral("r.csv")).toStdString()));
    for (const QStringList& record : parseCsv(textOf(folder.filePath(QStringLiteral("r.csv")))))
        CHECK(record.size() == 14);
    REQUIRE(exportRoofline(roofline, {}, folder.filePath(QStringLiteral("r.json")).toStdString()));
    const auto roof = nlohmann::json::parse(textOf(folder.filePath(QStringLiteral("r.json"))).toStdString());
    CHECK(roof["points"][0]["model_error"].get<double>() == Approx(-0.1));
    CHECK(roof["points"][0]["measured_note"] == "Measured above the roof");
}

TEST_CASE("rungs that were not measured say so, and points of a file stand over the table", "[measured]") {
    startApplication();
    LadderData d;
    d.gpu = "h200";
    LadderEntry entry;
    entry.kernel = entry.name = "t5_wgmma";
    entry.modelledFlopsPerSecond = 500e12;
    d.entries = {entry};
    const TextLog log = paintLogged({545, 300}, [&](Canvas& c) { paintLadder(c, {0, 0, 545, 300}, d); });
    QStringList texts;
    for (const auto& text : log.items)
        texts << text.text;
    CHECK(texts.contains(QStringLiteral("not measured")));
    CHECK(texts.filter(QStringLiteral("%")).isEmpty());

    const QTemporaryDir folder;
    REQUIRE(exportLadder(d, {}, folder.filePath(QStringLiteral("l.json")).toStdString()));
    const auto json = nlohmann::json::parse(textOf(folder.filePath(QStringLiteral("l.json"))).toStdString());
    CHECK_FALSE(json["rungs"][0].contains("measured_flops_per_s"));
    CHECK_FALSE(json["rungs"][0].contains("model_error"));
}

TEST_CASE("a point above its roof is explained, and the driver's registers stand beside ours", "[measured]") {
    Performance p;
    p.deviceId = "h200";
    KernelEntry entry;
    entry.point.id = "k03_shared";
    entry.point.flopsPerSecond = 8e12;
    entry.point.seconds = 1e-3;
    entry.point.boundBy = "shared";
    entry.point.parts = {{"shared", 1e-3}};
    entry.occupancy.registers = 32;
    entry.occupancy.blocksPerSm = 2;
    p.kernels = {entry};
    p.roofline.points = {entry.point};
    const auto values = [](const std::string&) { return std::map<std::string, std::int64_t>{{"BS", 32}}; };
    const auto remarks = [&] {
        QString all;
        for (const Remark& r : remarksOn(p, p.kernels.front()))
            all += r.title + QStringLiteral(": ") + r.text + QLatin1Char('\n');
        return all;
    };
    addMeasured(p, {"h200", {pointOf({{"BS", 32}}, 0.5e-3)}}, session::CodeForm::Written, values);
    CHECK(*p.roofline.points[0].measuredFlopsPerSecond == Approx(16e12));
    CHECK(p.roofline.points[0].measuredNote.find("see it as compiled") != std::string::npos);
    CHECK(remarks().contains(QStringLiteral("Measured above its roof")));
    CHECK(remarks().contains(QStringLiteral("The driver gave 38 registers a thread and 1 block an SM; the model has 32 and 2")));
    addMeasured(p, {"h200", {pointOf({{"BS", 32}}, 1.05e-3)}}, session::CodeForm::Written, values);
    CHECK(p.roofline.points[0].measuredNote.empty());
    CHECK(remarks().contains(QStringLiteral("The model is close")));
    addMeasured(p, {"h200", {pointOf({{"BS", 32}}, 2e-3)}}, session::CodeForm::Written, values);
    CHECK(remarks().contains(QStringLiteral("off by +100.0%")));
    addMeasured(p, {"a100", {pointOf({{"BS", 32}}, 1e-3)}}, session::CodeForm::Written, values);
    CHECK(*p.roofline.points[0].measuredFlopsPerSecond == Approx(4e12));
}

TEST_CASE("the counters pane sets Nsight Compute's counters beside ours", "[measured]") {
    startApplication();
    Intents intents;
    QString message;
    QObject::connect(&intents, &Intents::message, &intents, [&](const QString& text) { message = text; });
    CountersPane pane(&intents);
    pane.setSnapshot(snapshotOf("k01_naive"));
    QAbstractItemModel& model = *pane.table();
    const int rows = model.rowCount();
    CHECK_FALSE(pane.context().contains(QStringLiteral("equal")));
    auto report = session::readNcuCsv(std::string(LANESCOPE_TEST_DATA) + "/ncu/raw.csv");
    REQUIRE(report);
    const auto file = std::make_shared<const session::NcuReport>(std::move(*report));
    HardwareStore::of(&intents)->setCounters(file);
    CHECK(pane.context().contains(QStringLiteral("12 equal, 3 off")));
    CHECK(textAt(model, QStringLiteral("Sectors loaded"), QStringLiteral("Ours")) == QStringLiteral("270,336"));
    CHECK(textAt(model, QStringLiteral("Sectors loaded"), QStringLiteral("Hardware")) == QStringLiteral("270,336"));
    CHECK(textAt(model, QStringLiteral("Sectors loaded"), QStringLiteral("Off by")) == QStringLiteral("equal"));
    CHECK(textAt(model, QStringLiteral("Warp instructions"), QStringLiteral("Off by")) == QStringLiteral("+20%"));
    CHECK(textAt(model, QStringLiteral("Lines looked up"), QStringLiteral("Hardware")) == QStringLiteral("–"));
    CHECK(textAt(model, QStringLiteral("Registers a thread"), QStringLiteral("Off by")) == QStringLiteral("equal"));
    CHECK(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("Hardware:")));
    CHECK(message.isEmpty());
    SECTION("another kernel has no launch in the file") {
        pane.setSnapshot(snapshotOf("k02_coalesced"));
        CHECK(pane.context().contains(QStringLiteral("not in the hardware's file")));
        CHECK(message.contains(QStringLiteral("2 reduce_rows")));
        CHECK(textAt(model, QStringLiteral("Sectors loaded"), QStringLiteral("Off by")).isEmpty());
    }
    SECTION("closed, the pane is as before") {
        HardwareStore::of(&intents)->setCounters(nullptr);
        CHECK(model.rowCount() == rows);
        CHECK_FALSE(pane.context().contains(QStringLiteral("equal")));
    }
}
