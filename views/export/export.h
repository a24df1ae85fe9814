// SPDX-License-Identifier: GPL-3.0-or-later
// Charts and panes as files: PNG, SVG, PDF, CSV and JSON, chosen by the path's extension. Needs a
// QGuiApplication (the offscreen platform will do) but no window. Every file says that its figures
// are modelled and for which GPU, and holds no date: the same input gives the same bytes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <QSize>
#include <QStringList>

#include "engine/base/diagnostic.h"
#include "views/export/chart_data.h"
#include "views/export/chart_source.h"
#include "views/export/ladder_data.h"
#include "views/export/sweep_data.h"
#include "views/kit/theme.h"

class QPainter;
class QRectF;

namespace lanescope::views {

class Pane;

enum class ChartKind { Roofline, Occupancy, Waves, Sweep, Ladder };
/// "roofline", "occupancy", "waves", "sweep", "ladder".
std::optional<ChartKind> chartKind(std::string_view name);
const char* toString(ChartKind kind);

struct ExportOptions {
    std::string gpu = "h100";
    std::vector<std::string> kernels; ///< empty: all (roofline) or the first of the catalog
    std::map<std::string, std::int64_t> sizes; ///< problem sizes, as `M` = 1024
    ThemeKind theme = ThemeKind::Light;
    QSize size{1000, 600};              ///< pixels at scale 1
    double scale = 2;                   ///< of PNG
    MemoryLevel axis = MemoryLevel::L1; ///< roofline
    int curve = 0;                      ///< occupancy: 0 registers, 1 shared memory, 2 block size
    std::string sweepX, sweepY;         ///< sweep: parameters; empty: the kernel's first two
    SweepMeasure measure = SweepMeasure::Flops; ///< sweep
    session::MeasuredPoints measured;           ///< drawn beside the model (roofline, sweep, ladder)
    std::string ladder = "sgemm";               ///< which ladder
    std::optional<KernelShape> shape;   ///< occupancy of a launch that is no kernel of ours
    std::optional<session::CodeForm> form; ///< none: as compiled for the ladder, whose measurements are, as written for the others
};

/// Models and writes a chart. Errors: unknown GPU or kernel, code "argument" for an extension that
/// is none of ours, code "file" when it cannot be written.
Result<void> exportChart(ChartKind kind, const ExportOptions& options, const std::string& path);
/// The same for figures that are there already.
Result<void> exportRoofline(const RooflineData& data, const ExportOptions& options,
                            const std::string& path);
Result<void> exportOccupancy(const OccupancyData& data, const ExportOptions& options,
                             const std::string& path);
Result<void> exportWaves(const WavesData& data, const ExportOptions& options,
                         const std::string& path);
Result<void> exportLadder(const LadderData& data, const ExportOptions& options,
                          const std::string& path);
Result<void> exportSweep(const SweepData& data, const ExportOptions& options,
                         const std::string& path);

struct PaneExport {
    std::string gpu, kernel;
    ThemeKind theme = ThemeKind::Light;
    QSize size{1000, 600};
    double scale = 2;
};
/// A pane as it is: its picture, or (CSV, JSON) its table. Error also when it has no table.
Result<void> exportPane(Pane& pane, const PaneExport& options, const std::string& path);

/// Extensions that exportChart and exportPane write, with the dot.
QStringList exportExtensions();

/// RFC 4180: fields with comma, quote or line break are quoted.
QString csvLine(const QStringList& fields);
/// The fields of a CSV text, record by record.
std::vector<QStringList> parseCsv(const QString& text);

} // namespace lanescope::views
