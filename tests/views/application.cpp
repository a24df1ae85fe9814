// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/application.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QThread>

namespace lanescope::views::test {

QApplication& application() {
    static QApplication* const instance = [] {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        static int count = 1;
        static char name[] = "test";
        static char* arguments[] = {name, nullptr};
        QApplication::setStyle(QStringLiteral("Fusion"));
        return new QApplication(count, arguments);
    }();
    return *instance;
}

bool waitFor(const std::function<bool()>& condition, int limitMs) {
    QElapsedTimer time;
    time.start();
    while (!condition()) {
        if (time.elapsed() > limitMs)
            return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(2);
    }
    return true;
}

void settle(int ms) {
    QElapsedTimer time;
    time.start();
    waitFor([&] { return time.elapsed() >= ms; }, ms + 1000);
}

} // namespace lanescope::views::test
