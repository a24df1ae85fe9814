// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as documents: picture, table and JSON of the same figures. Inside of the exports.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <QString>
#include <QStringList>

#include <nlohmann/json.hpp>

#include "views/export/chart_data.h"
#include "views/export/ladder_data.h"
#include "views/export/sweep_data.h"

class QPainter;
class QRectF;

namespace lanescope::views {

struct Theme;

using Json = nlohmann::ordered_json;

/// A thing to export: how to paint it, and its data.
struct Document {
    QString title;   ///< "Roofline"
    QString caption; ///< "Modelled, H100 SXM"
    std::function<void(QPainter&, const QRectF&, const Theme&)> paint;
    QStringList columns;
    std::vector<QStringList> rows;
    Json json;
    QString gpu;
    QString basis = QStringLiteral("modelled"); ///< of each row
};

/// "program", "chart", "basis", "gpu": what every JSON begins with.
Json documentHead(const char* chart, const std::string& gpu);
/// "Modelled, H100 SXM · k03_shared".
QString modelledCaption(const std::string& gpu, const std::string& kernel = {});

/// These paint from `data`, which must outlive the document.
Document rooflineDocument(const RooflineData& data, MemoryLevel axis);
Document occupancyDocument(const OccupancyData& data, int curve);
Document wavesDocument(const WavesData& data);
Document ladderDocument(const LadderData& data);
Document sweepDocument(const SweepData& data, SweepMeasure measure);

} // namespace lanescope::views
