// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of the models that need no trace: Little's law, launch overhead, scaling, launch order. Values to paint, each with the
// explanations of the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include "engine/base/diagnostic.h"
#include "engine/model/explanation.h"

namespace lanescope::views {

class Canvas;

enum class ModelFigure : std::uint8_t { Latency, Launch, Scaling, Order };
inline constexpr int kModelFigures = 4;
QString titleOf(ModelFigure figure);

struct ModelSeries {
    QString name;
    std::vector<QPointF> points;
    bool isDashed = false;
};

/// Bars made of parts, such as work and launches.
struct ModelBar {
    QString name;
    std::vector<double> parts;
    QString text;
};

/// Blocks of a grid in the order in which they are launched.
struct ModelOrder {
    QString name, text;
    std::int64_t rows = 0, columns = 0;
    std::vector<std::int64_t> waveOf; ///< by tile, row by row
};

struct ModelFigureData {
    ModelFigure figure = ModelFigure::Latency;
    QString heading;          ///< what is shown, in a sentence
    QString xTitle, yTitle;
    bool isLog2 = false;      ///< both axes
    bool isShare = false;     ///< y is 0 to 1
    double xMost = 1, yMost = 1;
    std::vector<ModelSeries> series;
    std::optional<QPointF> mark; ///< the open kernel
    QString markText;
    QStringList partNames; ///< of the bars
    std::vector<ModelBar> bars;
    std::vector<ModelOrder> orders;
    std::vector<model::Explanation> explanations;
    QString problem; ///< not empty: nothing to show, and why
    QStringList columns;
    std::vector<QStringList> rows; ///< the same as a table
};

struct ModelFigureInput {
    std::string deviceId = "h100";
    QString kernel;
    double warpsPerSm = 0; ///< of the open kernel; 0: none
    std::int64_t blocksPerSm = 1;
};

ModelFigureData modelFigure(ModelFigure figure, const ModelFigureInput& input);

void paintModelFigure(Canvas& canvas, const QRectF& rect, const ModelFigureData& data);
/// The explanations in its place: formulas, inputs, sources, assumptions, in one or two columns.
void paintExplanations(Canvas& canvas, const QRectF& rect, const ModelFigureData& data);
/// The same as lines; those that belong to a figure begin with two spaces.
QStringList explanationLines(const ModelFigureData& data);

} // namespace lanescope::views
