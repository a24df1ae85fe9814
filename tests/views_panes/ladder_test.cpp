// SPDX-License-Identifier: GPL-3.0-or-later
// The ladder's chart: what it shows of the engine's figures.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

#include <QAbstractItemModel>
#include <QFile>
#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include "engine/session/ladder.h"
#include "tests/views_panes/support.h"
#include "views/export/export.h"
#include "views/export/ladder_data.h"
#include "views/panes/ladder/ladder_pane.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

LadderData handmade() {
    LadderData d;
    d.gpu = "rtx-a6000";
    d.title = "SGEMM on an RTX A6000";
    d.bestName = "cuBLAS";
    d.bestFlopsPerSecond = 23.2e12;
    const char* names[] = {"1 Naive", "2 Global memory coalescing", "3 Shared memory caching", "4 1D block tiling", "5 2D block tiling",
                           "6 Vectorised memory access", "8 No bank conflicts (offset)", "7 No bank conflicts (linearised)", "9 Autotuned",
                           "10 Warp tiling", "11 Double buffering"};
    for (int i = 0; i < 11; ++i) {
        LadderEntry e;
        e.kernel = std::to_string(100 + i);
        e.name = names[i];
        e.measuredFlopsPerSecond = 0.3e12 + 2e12 * i;
        if (i != 10) {
            e.modelledFlopsPerSecond = e.measuredFlopsPerSecond * (i % 2 == 0 ? 1.05 : 0.7);
            e.error = i % 2 == 0 ? 0.05 : -0.3;
        }
        e.isClose = i % 2 == 0 && i != 10;
        e.reason = "why";
        d.entries.push_back(e);
    }
    d.selected = "102";
    return d;
}

} // namespace

TEST_CASE("the ladder is legible and marks what the model misses", "[ladder]") {
    startApplication();
    const LadderData d = handmade();
    for (const QSizeF& size : {QSizeF(545, 520), QSizeF(330, 330), QSizeF(1000, 600)}) {
        const TextLog log = paintLogged(size, [&](Canvas& c) { paintLadder(c, QRectF(QPointF(), size), d); });
        CHECK(overlapping(log).toStdString() == "");
        CHECK(clipped(log, QRectF(QPointF(), size), true).toStdString() == "");
        CHECK(log.contains("modelled"));
        CHECK(log.contains("measured"));
        CHECK(log.contains(QStringLiteral("+5.0%")));
        CHECK(log.contains(QStringLiteral("▼ −30.0%")));
        CHECK(log.contains("not modelled"));
    }
    const QRectF rect(0, 0, 545, 520);
    std::vector<int> hits(d.entries.size());
    for (double y = 0; y < rect.height(); y += 2)
        if (const auto rung = ladderHit(rect, d, {200, y}))
            ++hits[*rung];
    for (const int n : hits)
        CHECK(n >= 10);
    CHECK_FALSE(ladderHit(rect, d, {200, 5}));
    CHECK_FALSE(ladderHit(rect, LadderData{}, {200, 200}));
}

TEST_CASE("there is a table for the A6000 and one for the H200, and no other is made up", "[ladder]") {
    std::vector<std::string> gpus;
    for (const LadderTable& table : ladderTables())
        gpus.push_back(table.gpu);
    CHECK(std::find(gpus.begin(), gpus.end(), "rtx-a6000") != gpus.end());
    CHECK(std::find(gpus.begin(), gpus.end(), "h200") != gpus.end());
    CHECK_FALSE(modelLadder({"t4", "sgemm", session::CodeForm::Written}));
}

TEST_CASE("the ladder is exported with both figures", "[ladder][export]") {
    startApplication();
    const QTemporaryDir folder;
    const LadderData d = handmade();
    for (const char* ending : {"png", "svg", "pdf", "csv", "json"}) {
        INFO(ending);
        const QString path = folder.filePath(QStringLiteral("ladder.") + QLatin1String(ending));
        REQUIRE(exportLadder(d, {}, path.toStdString()));
        CHECK(QFile(path).size() > 300);
    }
    QFile json(folder.filePath(QStringLiteral("ladder.json")));
    REQUIRE(json.open(QIODevice::ReadOnly));
    const auto parsed = nlohmann::json::parse(json.readAll().toStdString());
    CHECK(parsed["basis"] == "modelled and measured");
    CHECK(parsed["rungs"][1]["model_error"] == -0.3);
    CHECK(parsed["rungs"][1]["measured_flops_per_s"] == 2.3e12);
    CHECK_FALSE(parsed["rungs"][10].contains("modelled_flops_per_s"));
}

TEST_CASE("the pane's table waits for the model", "[ladder]") {
    startApplication();
    Intents intents;
    std::unique_ptr<Pane> pane(makeLadderPane(&intents, nullptr));
    std::unique_ptr<QWidget> controls(pane->headerControls());
    REQUIRE(pane->table() != nullptr);
    CHECK(pane->table()->rowCount() == 0);
    CHECK(inkedPixels(picture(*pane, {545, 520})) > 100);
}
