// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>

#include <QAbstractItemModel>
#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include "tests/views/fake_snapshot.h"
#include "tests/views_panes/support.h"
#include "views/export/charts.h"
#include "views/export/export.h"
#include "views/panes/map/map_pane.h"
#include "views/panes/reading/reading_text.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

const KernelShape kWarpTiles{256, 168, 65.0 * 1024};

RooflineData roofline(int kernels, unsigned seed = 1) {
    RooflineData d;
    d.gpu = "H100 SXM";
    d.compute = {{"FP32", 66.9e12}};
    d.memory = {{MemoryLevel::L1, "Shared and L1", 33.5e12},
                {MemoryLevel::L2, "L2", 5.6e12},
                {MemoryLevel::Dram, "DRAM", 3.35e12}};
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> u(0, 1);
    for (int i = 0; i < kernels; ++i) {
        KernelPoint p;
        p.id = "k" + std::to_string(i + 1);
        p.title = i % 2 != 0 ? "Shared tiles" : "Coalesced, \"fast\"";
        const double x = std::pow(10, u(random) * 3 - 1.5);
        p.intensity = {x, x * 4, i % 5 == 0 ? std::nullopt : std::optional<double>(x * 9)};
        p.flopsPerSecond = std::min(66.9e12, x * 33.5e12) * (0.05 + 0.9 * u(random));
        p.seconds = 1e-3;
        p.boundBy = "Shared";
        p.parts = {{"Shared", 1e-3}, {"FP32", 4e-4}};
        d.points.push_back(p);
    }
    if (kernels > 0)
        d.selected = "k1";
    return d;
}

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

TEST_CASE("Roofline labels never overlap and stay inside", "[charts]") {
    startApplication();
    for (int kernels : {0, 1, 4, 10, 25})
        for (unsigned seed = 1; seed <= 6; ++seed)
            for (const MemoryLevel axis : {MemoryLevel::L1, MemoryLevel::L2, MemoryLevel::Dram})
                for (const QRectF& rect :
                     {QRectF(0, 0, 760, 494), QRectF(0, 0, 420, 260), QRectF(0, 0, 1400, 800)}) {
                    const RooflineData data = roofline(kernels, seed);
                    const TextLog log = paintLogged(
                        rect.size(), [&](Canvas& c) { paintRoofline(c, rect, data, axis); });
                    // Turned labels have wide boxes: only level texts are compared.
                    TextLog level;
                    for (const TextItem& item : log.items)
                        if (item.bounds.height() < 20)
                            level.items.push_back(item);
                    CHECK(overlapping(level).toStdString() == "");
                    CHECK(clipped(log, rect).toStdString() == "");
                    CHECK(log.contains("FP32, 66.9 TFLOP/s"));
                }
}

TEST_CASE("The roofline's axes hold every point", "[charts]") {
    startApplication();
    RooflineData data = roofline(3);
    data.points[0].intensity[0] = 1e-4;
    data.points[0].flopsPerSecond = 2e7;
    data.points[1].intensity[0] = 3e4;
    data.points[2].intensity[0].reset();
    const QRectF rect(0, 0, 760, 494);
    for (int i = 0; i < 2; ++i) {
        bool hit = false;
        for (double x = 60; x < 742 && !hit; x += 3)
            for (double y = 16; y < 448 && !hit; y += 3)
                hit = rooflineHit(rect, data, MemoryLevel::L1, x, y) == i;
        CHECK(hit);
    }
    for (double x = 60; x < 742; x += 3)
        for (double y = 16; y < 448; y += 3)
            REQUIRE(rooflineHit(rect, data, MemoryLevel::L1, x, y) != 2);
}

TEST_CASE("Occupancy and waves of the mock's kernel", "[charts]") {
    startApplication();
    const auto occupancy = occupancyData("h100", kWarpTiles, "k10");
    REQUIRE(occupancy);
    CHECK(occupancy->blocksPerSm == 1);
    CHECK(occupancy->warpsPerSm == 8);
    CHECK(occupancy->occupancy == Approx(0.125));
    REQUIRE(occupancy->limits.size() == 4);
    CHECK(occupancy->limits[0].blocks == 8);
    CHECK(occupancy->limits[1].blocks == 32);
    CHECK(occupancy->limits[2].blocks == 1);
    CHECK(occupancy->limits[2].isLimiter);
    CHECK(occupancy->limits[3].blocks == 3);
    const auto waves = wavesData("h100", kWarpTiles, 144, "k10");
    REQUIRE(waves);
    CHECK(waves->sms == 132);
    CHECK(waves->waves == 2);
    CHECK(waves->tailBlocks == 12);
    CHECK(waves->idleSms == 120);
    CHECK(waves->slotsUsed == Approx(144.0 / 264));
    CHECK(waves->rows.size() > 5);
    for (const QRectF& rect :
         {QRectF(0, 0, 760, 350), QRectF(0, 0, 460, 230), QRectF(0, 0, 1200, 700)}) {
        for (int curve = 0; curve < 3; ++curve) {
            const TextLog log = paintLogged(
                rect.size(), [&](Canvas& c) { paintOccupancy(c, rect, *occupancy, curve); });
            CHECK(overlapping(log).toStdString() == "");
            CHECK(clipped(log, rect, rect.width() < 500).toStdString() == "");
            CHECK(log.contains("limiter"));
        }
        const TextLog log =
            paintLogged(rect.size(), [&](Canvas& c) { paintWaves(c, rect, *waves); });
        CHECK(overlapping(log).toStdString() == "");
        CHECK(clipped(log, rect, rect.width() < 500).toStdString() == "");
        CHECK(log.contains("54.5%"));
    }
    const auto tooMany = occupancyData("h100", {2048, 32, 0}, "big");
    REQUIRE(tooMany);
    CHECK_FALSE(tooMany->problem.empty());
    CHECK_FALSE(occupancyData("no-such-gpu", kWarpTiles, ""));
}

TEST_CASE("Occupancy labels stay apart for any launch and GPU", "[charts]") {
    startApplication();
    std::mt19937 random(9);
    const auto devices = chartDevices();
    REQUIRE(devices);
    REQUIRE(devices->size() >= 10);
    for (int round = 0; round < 60; ++round) {
        const DeviceEntry& device = (*devices)[random() % devices->size()];
        const KernelShape shape{32 << (random() % 6), int(16 + random() % 200),
                                double(random() % 49152)};
        const auto data = occupancyData(device.id, shape, "kernel");
        REQUIRE(data);
        const auto waves = wavesData(device.id, shape, 1 + random() % 5000, "kernel");
        REQUIRE(waves);
        for (const QRectF& rect : {QRectF(0, 0, 760, 350), QRectF(0, 0, 520, 250)}) {
            INFO(device.id << " " << shape.threads << " " << shape.registers << " "
                           << shape.sharedBytes);
            for (int curve = 0; curve < 3; ++curve) {
                const TextLog log = paintLogged(
                    rect.size(), [&](Canvas& c) { paintOccupancy(c, rect, *data, curve); });
                CHECK(overlapping(log).toStdString() == "");
                CHECK(clipped(log, rect, true).toStdString() == "");
            }
            const TextLog log =
                paintLogged(rect.size(), [&](Canvas& c) { paintWaves(c, rect, *waves); });
            CHECK(overlapping(log).toStdString() == "");
            CHECK(clipped(log, rect, true).toStdString() == "");
        }
    }
}

TEST_CASE("Charts export as PNG, SVG, PDF, CSV and JSON", "[export]") {
    startApplication();
    QTemporaryDir folder;
    const std::string base = folder.path().toStdString() + "/chart";
    const RooflineData data = roofline(6);
    ExportOptions options;
    for (const char* extension : {".png", ".svg", ".pdf", ".csv", ".json"}) {
        INFO(extension);
        REQUIRE(exportRoofline(data, options, base + extension));
        const std::string first = read(base + extension);
        CHECK(first.size() > 500);
        REQUIRE(exportRoofline(data, options, base + extension));
        const bool same = read(base + extension) == first;
        CHECK(same); // no date, no random id
    }
    const std::string svg = read(base + ".svg");
    for (const char* label : {"Modelled, H100 SXM", "FP32, 66.9 TFLOP/s", "TFLOP/s", "k1", "k6",
                              "Arithmetic intensity at L1 and shared memory"})
        CHECK(svg.find(label) != std::string::npos);
    CHECK(svg.find("<image") == std::string::npos); // lines, not pictures of lines

    const std::string pdf = read(base + ".pdf");
    CHECK(pdf.starts_with("%PDF-"));
    CHECK(pdf.find("data.json") != std::string::npos);

    const QImage png(QString::fromStdString(base + ".png"));
    CHECK(png.size() == options.size * 2);
    CHECK(png.text("Description") == "Modelled, H100 SXM");

    const auto csv = parseCsv(QString::fromStdString(read(base + ".csv")));
    REQUIRE(csv.size() == 1 + 4 + 6);
    CHECK(csv[0][0] == "basis");
    for (const QStringList& row : csv)
        CHECK(row.size() == csv[0].size());
    const QStringList& k1 = csv[5];
    CHECK(k1[csv[0].indexOf("title")] == "Coalesced, \"fast\"");
    CHECK(k1[csv[0].indexOf("flops_per_s")].toDouble() == Approx(data.points[0].flopsPerSecond));
    CHECK(k1[csv[0].indexOf("flop_per_byte_l2")].toDouble() ==
          Approx(*data.points[0].intensity[1]));
    CHECK(k1[csv[0].indexOf("flop_per_byte_dram")].isEmpty());

    const auto json = nlohmann::json::parse(read(base + ".json"));
    CHECK(json["basis"] == "modelled");
    CHECK(json["gpu"] == "H100 SXM");
    CHECK(json["points"].size() == 6);
    CHECK(json["points"][0]["flops_per_s"] == Approx(data.points[0].flopsPerSecond));

    const auto bad = exportRoofline(data, options, base + ".docx");
    REQUIRE_FALSE(bad);
    CHECK(bad.error()[0].code == "argument");
    const auto nowhere = exportRoofline(data, options, "/no/such/folder/chart.png");
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.error()[0].code == "file");
    ExportOptions silly;
    silly.size = {10, 10};
    CHECK_FALSE(exportRoofline(data, silly, base + ".png"));
}

TEST_CASE("Occupancy and waves export without a kernel of ours", "[export]") {
    startApplication();
    QTemporaryDir folder;
    const std::string base = folder.path().toStdString() + "/occupancy";
    ExportOptions options;
    options.gpu = "rtx-a6000";
    options.shape = kWarpTiles;
    for (const char* extension : {".png", ".svg", ".pdf", ".csv", ".json"})
        REQUIRE(exportChart(ChartKind::Occupancy, options, base + extension));
    const std::string svg = read(base + ".svg");
    CHECK(svg.find("limiter") != std::string::npos);
    CHECK(svg.find("A6000") != std::string::npos);
    CHECK(svg.find("Modelled") != std::string::npos);
    const auto json = nlohmann::json::parse(read(base + ".json"));
    const auto again = occupancyData("rtx-a6000", kWarpTiles, "");
    CHECK(json["blocks_per_sm"] == again->blocksPerSm);
    CHECK(json["curves"].size() == 3);
    options.gpu = "no-such-gpu";
    CHECK_FALSE(exportChart(ChartKind::Occupancy, options, base + ".svg"));
    CHECK(chartKind("roofline") == ChartKind::Roofline);
    CHECK_FALSE(chartKind("pie"));
}

TEST_CASE("A pane exports its picture and its table", "[export]") {
    startApplication();
    QTemporaryDir folder;
    const std::string base = folder.path().toStdString() + "/map";
    Intents intents;
    std::unique_ptr<Pane> pane(makeMapPane(&intents, nullptr));
    pane->setSnapshot(fakeSnapshot());
    PaneExport options;
    options.gpu = "H100 SXM";
    options.kernel = "pair";
    for (const char* extension : {".png", ".svg", ".pdf", ".csv", ".json"})
        REQUIRE(exportPane(*pane, options, base + extension));
    const std::string svg = read(base + ".svg");
    for (const char* label :
         {"Thread to address map", "A+0x0680", "32 lanes, 1 address", "This step"})
        CHECK(svg.find(label) != std::string::npos);
    const auto csv = parseCsv(QString::fromStdString(read(base + ".csv")));
    CHECK(csv.size() == 65);
    const auto json = nlohmann::json::parse(read(base + ".json"));
    CHECK(json["rows"].size() == 64);
    CHECK(json["rows"][13]["lane"] == 13);
}

TEST_CASE("CSV fields survive a round trip", "[export]") {
    const std::vector<QStringList> records{{"a", "b,c", "d\"e\"", ""},
                                           {"line\nbreak", "", "x", "\"\""}};
    QString text;
    for (const QStringList& record : records)
        text += csvLine(record);
    CHECK(parseCsv(text) == records);
}

TEST_CASE("The reading follows the model's values", "[reading]") {
    Performance p;
    p.gpu = "H100 SXM";
    p.roofline = roofline(1);
    KernelEntry k;
    k.point = p.roofline.points[0];
    k.shape = kWarpTiles;
    k.occupancy = *occupancyData("h100", kWarpTiles, "k1");
    k.waves = *wavesData("h100", kWarpTiles, 144, "k1");
    const auto all = remarksOn(p, k);
    const auto has = [](const std::vector<Remark>& remarks, const QString& part) {
        for (const Remark& r : remarks)
            if (r.title.contains(part) || r.text.contains(part))
                return true;
        return false;
    };
    CHECK(has(all, "The last wave is almost empty"));
    CHECK(has(all, "36.5 TFLOP/s"));
    CHECK(has(all, "Registers hold it to 1 block per SM"));
    CHECK(has(all, "At 128 registers, 2 blocks fit"));
    CHECK(has(all, "Bound by shared memory"));
    k.waves = *wavesData("h100", kWarpTiles, 132 * 20, "k1");
    k.shape.registers = 32;
    k.occupancy = *occupancyData("h100", {256, 32, 0}, "k1");
    const auto other = remarksOn(p, k);
    CHECK(has(other, "The waves are well filled"));
    CHECK_FALSE(has(other, "Registers hold it to 1 block"));
}

TEST_CASE("Chart pictures for people", "[charts]") {
    startApplication();
    const RooflineData data = roofline(8, 4);
    const auto occupancy = *occupancyData("h100", kWarpTiles, "k10");
    const auto waves = *wavesData("h100", kWarpTiles, 144, "k10");
    const auto draw = [&](const QSize& size, ThemeKind kind, const char* name, auto&& paint) {
        QImage image(size, QImage::Format_ARGB32_Premultiplied);
        QPainter painter(&image);
        Canvas canvas(painter, Theme::of(kind));
        paint(canvas, QRectF(QPointF(0, 0), QSizeF(size)));
        CHECK(inkedPixels(image) > 2000);
        keep(image, name);
    };
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        const bool dark = kind == ThemeKind::Dark;
        draw({760, 494}, kind, dark ? "roofline_dark" : "roofline_light",
             [&](Canvas& c, const QRectF& r) { paintRoofline(c, r, data, MemoryLevel::L1); });
        draw({760, 350}, kind, dark ? "occupancy_dark" : "occupancy_light",
             [&](Canvas& c, const QRectF& r) { paintOccupancy(c, r, occupancy, 0); });
        draw({550, 370}, kind, dark ? "waves_dark" : "waves_light",
             [&](Canvas& c, const QRectF& r) { paintWaves(c, r, waves); });
    }
    draw({520, 300}, ThemeKind::Light, "roofline_small",
         [&](Canvas& c, const QRectF& r) { paintRoofline(c, r, data, MemoryLevel::L2); });
    draw({560, 260}, ThemeKind::Light, "occupancy_shared",
         [&](Canvas& c, const QRectF& r) { paintOccupancy(c, r, occupancy, 1); });
    draw({560, 260}, ThemeKind::Dark, "occupancy_block",
         [&](Canvas& c, const QRectF& r) { paintOccupancy(c, r, occupancy, 2); });
}
