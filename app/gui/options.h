// SPDX-License-Identifier: GPL-3.0-or-later
// The window program's command line.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

#include "engine/session/code_form.h"

namespace lanescope::gui {

struct Options {
    QString lesson, kernel, file;
    QString theme; ///< "light", "dark" or empty
    QSize size;
    QString screenshot; ///< PNG to write; the window is not shown
    QString demoFolder; ///< not empty: play the first lesson offscreen and leave pictures here
    QString chart;      ///< not empty: export this chart and quit
    QString gpu = QStringLiteral("h100");
    QString out;
    QStringList kernels; ///< of the roofline
    QStringList measured; ///< files of measured points
    QString counters;     ///< of Nsight Compute
    QString pane;         ///< to bring to the front
    QStringList over;    ///< parameters of the sweep, one or two
    std::optional<session::CodeForm> form;
    int step = 0;        ///< of the lesson, from 1; 0: the first
    bool useSettings = true;

    bool isHeadless() const {
        return !screenshot.isEmpty() || !demoFolder.isEmpty() || !chart.isEmpty();
    }
};

/// Prints help, version or what is wrong and gives the exit status instead when the program must
/// end.
struct ParseResult {
    std::optional<Options> options;
    int status = 0;
};
ParseResult parseOptions(const QStringList& arguments);

} // namespace lanescope::gui
