// SPDX-License-Identifier: GPL-3.0-or-later
// The window program: options, the session behind the window, and the modes without a display.
#include <QApplication>
#include <QSettings>
#include <QStringList>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "app/gui/demo.h"
#include "app/gui/options.h"
#include "engine/session/simulate.h"
#include "views/bridge/lesson_model.h"
#include "views/bridge/session_backend.h"
#include "views/export/export.h"
#include "views/kit/environment.h"
#include "views/shell/main_window.h"

namespace lanescope::gui {

namespace {

bool hasDisplay() {
    return !qEnvironmentVariableIsEmpty("DISPLAY") ||
           !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
           !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

/// Qt gives up by aborting when the display that is named cannot be reached; we end with a message
/// instead.
void endOnFatal(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type == QtDebugMsg || type == QtInfoMsg)
        return;
    std::fprintf(stderr, "lanescope-gui: %s\n", qPrintable(message));
    if (type != QtFatalMsg)
        return;
    std::fputs("Without a display: lanescope-gui --demo FOLDER plays the first lesson and leaves "
               "pictures there.\n",
               stderr);
    std::_Exit(1);
}

int exportOnly(const Options& options) {
    const auto kind = views::chartKind(options.chart.toStdString());
    if (!kind) {
        std::fprintf(
            stderr,
            "lanescope-gui: there is no chart \"%s\"; there are roofline, occupancy, waves, sweep and ladder\n",
            qPrintable(options.chart));
        return 1;
    }
    views::ExportOptions exportOptions;
    exportOptions.gpu = options.gpu.toStdString();
    for (const QString& kernel : options.kernels)
        exportOptions.kernels.push_back(kernel.toStdString());
    exportOptions.form = options.form;
    exportOptions.sweepX = options.over.value(0).toStdString();
    exportOptions.sweepY = options.over.value(1).toStdString();
    for (const QString& file : options.measured) {
        const auto points = session::readMeasured(file.toStdString());
        if (!points) {
            std::fprintf(stderr, "lanescope-gui: %s\n", toString(points.error()).c_str());
            return 1;
        }
        exportOptions.measured.gpu = points->gpu;
        exportOptions.measured.points.insert(exportOptions.measured.points.end(), points->points.begin(), points->points.end());
    }
    if (options.theme == QLatin1String("dark"))
        exportOptions.theme = views::ThemeKind::Dark;
    if (options.size.isValid())
        exportOptions.size = options.size;
    const auto written = views::exportChart(*kind, exportOptions, options.out.toStdString());
    if (!written)
        std::fprintf(stderr, "lanescope-gui: %s\n", toString(written.error()).c_str());
    return written ? 0 : 1;
}

void openFirst(views::MainWindow& window, const Options& options, QSettings* settings,
               const QString& firstKernel) {
    if (!options.file.isEmpty())
        window.openFile(options.file);
    else if (!options.kernel.isEmpty())
        window.openKernel(options.kernel);
    else if (!options.lesson.isEmpty() && window.openLesson(options.lesson))
        window.lessons().setStep(std::max(0, options.step - 1));
    else if (const QString last =
                 settings ? settings->value(QStringLiteral("lesson")).toString() : QString();
             !last.isEmpty() && window.openLesson(last))
        return;
    else if (!window.openLesson(window.lessons().neighbour(1)) && !firstKernel.isEmpty())
        window.openKernel(firstKernel);
}

int run(int argc, char** argv, const Options& options) {
    QSettings settings(QStringLiteral("lanescope"), QStringLiteral("lanescope"));
    const bool useSettings = options.useSettings && !options.isHeadless();
    if (useSettings && qEnvironmentVariableIsEmpty("QT_SCALE_FACTOR"))
        if (const int percent = settings.value(QStringLiteral("scale"), 100).toInt();
            percent > 100 && percent <= 200)
            qputenv("QT_SCALE_FACTOR", QByteArray::number(percent / 100.0));
    const QtMessageHandler before = qInstallMessageHandler(endOnFatal);
    QApplication app(argc, argv);
    qInstallMessageHandler(before);
    QApplication::setApplicationName(QStringLiteral("lanescope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Lanescope"));
    QApplication::setApplicationVersion(QStringLiteral(LANESCOPE_VERSION));
    QApplication::setStyle(QStringLiteral("Fusion"));
    if (!options.chart.isEmpty())
        return exportOnly(options);

    session::SessionOptions sessionOptions;
    sessionOptions.environment = views::ownEnvironment();
    sessionOptions.deviceId = options.gpu.toStdString();
    views::WindowOptions windowOptions;
    windowOptions.backend = views::sessionBackend(sessionOptions);
    windowOptions.lessons = views::engineLessons(sessionOptions.environment);
    if (const auto kernels = session::builtInKernels())
        for (const auto& kernel : **kernels)
            windowOptions.kernels.emplace_back(QString::fromStdString(kernel.id),
                                               QString::fromStdString(kernel.title));
    windowOptions.settings = useSettings ? &settings : nullptr;
    if (!options.theme.isEmpty())
        windowOptions.theme = options.theme == QLatin1String("dark") ? views::ThemeKind::Dark
                                                                     : views::ThemeKind::Light;
    for (const QString& problem : windowOptions.lessons->errors())
        std::fprintf(stderr, "lanescope-gui: %s\n", qPrintable(problem));

    const QString firstKernel =
        windowOptions.kernels.empty() ? QString() : windowOptions.kernels.front().first;
    views::MainWindow window(std::move(windowOptions));
    if (options.size.isValid())
        window.resize(options.size);
    window.show();
    if (!options.lesson.isEmpty() && !window.lessons().source().open(options.lesson)) {
        std::fprintf(stderr,
                     "lanescope-gui: there is no lesson \"%s\"; lanescope lessons lists them\n",
                     qPrintable(options.lesson));
        return 1;
    }
    openFirst(window, options, useSettings ? &settings : nullptr, firstKernel);
    if (options.form)
        emit window.intents().setForm(*options.form);
    for (const QString& file : options.measured)
        window.openMeasuredFile(file);
    if (!options.counters.isEmpty())
        window.openCountersFile(options.counters);
    if (!options.pane.isEmpty())
        window.showPane(options.pane);
    if (!options.screenshot.isEmpty())
        return writeScreenshot(window, options.screenshot);
    if (!options.demoFolder.isEmpty())
        return playDemo(window, options.demoFolder, options.gpu);
    return QApplication::exec();
}

} // namespace

} // namespace lanescope::gui

int main(int argc, char** argv) {
    using namespace lanescope::gui;
    try {
        QStringList arguments;
        for (int i = 0; i < argc; ++i)
            arguments << QString::fromLocal8Bit(argv[i]);
        const ParseResult parsed = parseOptions(arguments);
        if (!parsed.options)
            return parsed.status;
        if (parsed.options->isHeadless()) {
            qputenv("QT_QPA_PLATFORM", "offscreen");
        } else if (!hasDisplay()) {
            std::fprintf(
                stderr,
                "lanescope-gui: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set).\n"
                "Without one: lanescope-gui --demo FOLDER plays the first lesson and leaves "
                "pictures there.\n");
            return 1;
        }
        return run(argc, argv, *parsed.options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lanescope-gui: %s\n", error.what());
        return 1;
    }
}
