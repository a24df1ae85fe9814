// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/demo.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QPixmap>
#include <QTimer>

#include <algorithm>
#include <cstdio>

#include "views/bridge/bridge.h"
#include "views/bridge/lesson_model.h"
#include "views/export/export.h"
#include "views/shell/main_window.h"

namespace lanescope::gui {

namespace {

/// How long a picture waits for what its panes still work out: a minute.
constexpr int kLookMs = 50, kMostLooks = 1200;

void settle(int ms) {
    QEventLoop loop;
    QTimer::singleShot(ms, &loop, &QEventLoop::quit);
    loop.exec();
}

bool save(views::MainWindow& window, const QString& path) {
    const bool isSaved = window.grab().save(path);
    std::fprintf(isSaved ? stdout : stderr,
                 isSaved ? "wrote %s\n" : "lanescope-gui: cannot write %s\n", qPrintable(path));
    return isSaved;
}

bool report(const Result<void>& result, const QString& path) {
    if (result)
        std::printf("wrote %s\n", qPrintable(path));
    else
        std::fprintf(stderr, "lanescope-gui: %s\n", toString(result.error()).c_str());
    return result.has_value();
}

} // namespace

bool waitUntilReady(views::MainWindow& window, int limitMs) {
    QElapsedTimer time;
    time.start();
    // Held-back edits and layouts begin a moment later: ready must last for two looks.
    for (int looks = 0; looks < 2;) {
        settle(30);
        looks = window.isReady() ? looks + 1 : 0;
        if (time.elapsed() > limitMs)
            return false;
    }
    return true;
}

int writeScreenshot(views::MainWindow& window, const QString& path) {
    if (!waitUntilReady(window))
        std::fprintf(stderr, "lanescope-gui: the work has not ended after a minute; the picture "
                             "shows it under way\n");
    settle(120);
    const auto isBusy = [&] {
        const auto panes = window.panes();
        return std::any_of(panes.begin(), panes.end(), [](const views::Pane* pane) { return pane->isVisible() && pane->isBusy(); });
    };
    for (int looks = 0; isBusy() && looks < kMostLooks; ++looks)
        settle(kLookMs);
    return save(window, path) ? 0 : 1;
}

int playDemo(views::MainWindow& window, const QString& folder, const QString& gpu) {
    const QDir out(folder);
    if (!QDir().mkpath(folder)) {
        std::fprintf(stderr, "lanescope-gui: cannot make the folder %s\n", qPrintable(folder));
        return 1;
    }
    bool isGood = waitUntilReady(window);
    views::LessonModel& lessons = window.lessons();
    const int steps = lessons.lesson() ? static_cast<int>(lessons.lesson()->steps.size()) : 0;
    for (int step = 0; step < steps; ++step) {
        lessons.setStep(step);
        isGood = waitUntilReady(window) && isGood;
        settle(60);
        isGood = save(window,
                      out.filePath(
                          QStringLiteral("step-%1.png").arg(step + 1, 2, 10, QLatin1Char('0')))) &&
                 isGood;
    }
    for (views::Pane* pane : window.panes()) {
        window.showPane(pane->id());
        settle(40);
        waitUntilReady(window);
        const QString path = out.filePath(QStringLiteral("pane-%1.png").arg(pane->id()));
        isGood = report(window.exportPaneTo(*pane, path), path) && isGood;
    }
    views::ExportOptions options;
    options.gpu = gpu.toStdString();
    for (const auto kind : {views::ChartKind::Roofline, views::ChartKind::Occupancy})
        for (const char* ending : {"svg", "png", "pdf", "csv", "json"}) {
            const QString path = out.filePath(QStringLiteral("%1.%2").arg(
                QLatin1String(views::toString(kind)), QLatin1String(ending)));
            isGood = report(views::exportChart(kind, options, path.toStdString()), path) && isGood;
        }
    return isGood ? 0 : 1;
}

} // namespace lanescope::gui
