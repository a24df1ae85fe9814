// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a pane to a file: its picture as PNG, SVG or PDF, its table as CSV, by the file's ending.
#pragma once

#include <QSize>
#include <QString>

namespace lanescope::views {

class Pane;
struct Theme;

/// Empty on success, else what went wrong. `size` in pixels; empty: the pane's own.
QString exportPane(Pane& pane, const QString& path, const Theme& theme, QSize size = {});
/// The endings that this pane can be written as: "png svg pdf" and "csv" when it has a table.
QStringList exportFormats(Pane& pane);

} // namespace lanescope::views
