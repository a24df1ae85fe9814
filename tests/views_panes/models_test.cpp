// SPDX-License-Identifier: GPL-3.0-or-later
// Little's law, launches, scaling and launch order as pictures and tables.
#include <catch2/catch.hpp>

#include <memory>

#include <QAbstractItemModel>
#include <QCoreApplication>
#include <QMouseEvent>

#include "engine/device/device.h"
#include "engine/model/launch_order.h"
#include "engine/model/littles_law.h"
#include "tests/views/fake_snapshot.h"
#include "tests/views_panes/support.h"
#include "views/export/model_figures.h"
#include "views/panes/models/models_pane.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

TEST_CASE("each figure is legible at the sizes of the page and explains itself", "[models]") {
    startApplication();
    const ModelFigureInput input{"h200", QStringLiteral("k02_coalesced"), 32, 1};
    for (int i = 0; i < kModelFigures; ++i) {
        const ModelFigureData data = modelFigure(ModelFigure(i), input);
        INFO(titleOf(ModelFigure(i)).toStdString());
        CHECK(data.problem.toStdString() == "");
        CHECK_FALSE(data.rows.empty());
        for (const QStringList& row : data.rows)
            CHECK(row.size() == data.columns.size());
        REQUIRE_FALSE(data.explanations.empty());
        const QString text = explanationLines(data).join('\n');
        CHECK(text.contains(QStringLiteral("modelled")));
        for (const model::Explanation& e : data.explanations)
            CHECK(text.contains(QString::fromStdString(e.formula)));
        for (const QSizeF& size : {QSizeF(755, 290), QSizeF(1000, 560)}) {
            const TextLog log = paintLogged(size, [&](Canvas& c) { paintModelFigure(c, QRectF(QPointF(), size), data); });
            CHECK(overlapping(log).toStdString() == "");
            CHECK(clipped(log, QRectF(QPointF(), size), true).toStdString() == "");
            const TextLog why = paintLogged(size, [&](Canvas& c) { paintExplanations(c, QRectF(QPointF(), size), data); });
            CHECK(clipped(why, QRectF(QPointF(), size), false).toStdString() == "");
            CHECK(why.contains(QStringLiteral("modelled")));
        }
    }
}

TEST_CASE("Little's law marks the open kernel where the model has it", "[models]") {
    const auto h200 = device::findDevice("h200");
    REQUIRE(h200);
    const ModelFigureData data = modelFigure(ModelFigure::Latency, {"h200", QStringLiteral("k"), 16, 1});
    REQUIRE(data.mark);
    model::LatencyInput input;
    input.warpsPerSm = 16;
    const auto expected = model::latencyHiding(*h200, input);
    REQUIRE(expected);
    CHECK(data.mark->x() == 16);
    CHECK(data.mark->y() == expected->share);
    CHECK_FALSE(modelFigure(ModelFigure::Latency, {"h200", {}, 0, 1}).mark);
    CHECK_FALSE(modelFigure(ModelFigure::Latency, {"cc9.0", {}, 0, 1}).problem.isEmpty());
}

TEST_CASE("the order of blocks is the model's, tile by tile", "[models]") {
    const ModelFigureData data = modelFigure(ModelFigure::Order, {"h200", {}, 0, 1});
    REQUIRE(data.orders.size() == 2);
    const ModelOrder& grouped = data.orders[1];
    const std::int64_t wave = std::int64_t(device::findDevice("h200")->value("sm_count").value_or(0));
    REQUIRE(wave > 0);
    for (const std::int64_t program : {std::int64_t{0}, std::int64_t{9}, wave, grouped.rows * grouped.columns - 1}) {
        const model::TileIndex tile = model::tileOf(program, grouped.rows, grouped.columns, 8);
        CHECK(grouped.waveOf[std::size_t(tile.row * grouped.columns + tile.column)] == program / wave);
    }
}

TEST_CASE("a click on the models pane shows formula and sources, another hides them", "[models]") {
    startApplication();
    Intents intents;
    std::unique_ptr<Pane> pane(makeModelsPane(&intents, nullptr));
    std::unique_ptr<QWidget> controls(pane->headerControls());
    pane->setSnapshot(fakeSnapshot());
    const QImage plain = picture(*pane, {800, 400});
    CHECK(inkedPixels(plain) > 2000);
    const auto click = [&] {
        QMouseEvent event(QEvent::MouseButtonPress, QPointF(200, 200), QPointF(200, 200), Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(pane.get(), &event);
    };
    click();
    CHECK(picture(*pane, {800, 400}) != plain);
    click();
    CHECK(picture(*pane, {800, 400}) == plain);
    CHECK(pane->table()->rowCount() > 10);
}
