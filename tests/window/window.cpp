// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/window/window.h"

#include <cstdlib>

#include <QAbstractItemModel>
#include <QElapsedTimer>

#include "engine/session/simulate.h"
#include "tests/views/application.h"
#include "views/bridge/session_backend.h"

namespace lanescope::views::test {

std::unique_ptr<MainWindow> realWindow(ThemeKind theme, QSize size) {
    return realWindow(theme, size, compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); }));
}

std::unique_ptr<MainWindow> realWindow(ThemeKind theme, QSize size, const compile::Environment& environment) {
    session::SessionOptions session;
    session.environment = environment;
    WindowOptions options;
    options.backend = sessionBackend(session);
    options.lessons = engineLessons(session.environment);
    if (const auto kernels = session::builtInKernels())
        for (const auto& kernel : **kernels)
            options.kernels.emplace_back(QString::fromStdString(kernel.id), QString::fromStdString(kernel.title));
    options.theme = theme;
    auto window = std::make_unique<MainWindow>(std::move(options));
    window->resize(size);
    window->show();
    return window;
}

bool waitUntilReady(MainWindow& window) {
    int looks = 0;
    QElapsedTimer since;
    since.start();
    return waitFor([&] {
        if (!window.isReady()) {
            looks = 0;
            since.restart();
        } else if (since.elapsed() > 60) {
            ++looks;
            since.restart();
        }
        return looks >= 3;
    }, 30'000);
}

bool waitUntilModelled(MainWindow& window) {
    if (!waitFor([&] {
            Pane* roofline = window.pane(QStringLiteral("roofline"));
            const QAbstractItemModel* table = roofline->table();
            return !roofline->isBusy() && table != nullptr && table->rowCount() > 1;
        }, 60'000))
        return false;
    return waitUntilReady(window);
}

} // namespace lanescope::views::test
