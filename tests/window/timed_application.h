// SPDX-License-Identifier: GPL-3.0-or-later
// An application that measures how long each widget takes to paint.
#pragma once

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QWidget>

#include <map>

namespace lanescope::views::test {

class TimedApplication : public QApplication {
public:
    struct PaintTime {
        int count = 0;
        double ms = 0;
    };

    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        if (event->type() != QEvent::Paint)
            return QApplication::notify(receiver, event);
        QElapsedTimer timer;
        timer.start();
        const bool result = QApplication::notify(receiver, event);
        PaintTime& time = m_paintTimes[nameOf(receiver)];
        ++time.count;
        time.ms += static_cast<double>(timer.nsecsElapsed()) / 1e6;
        return result;
    }

    /// By object name, or by the first named parent's and the class.
    std::map<QString, PaintTime> takePaintTimes() { return std::exchange(m_paintTimes, {}); }

private:
    static QString nameOf(const QObject* object) {
        QString name = QString::fromLatin1(object->metaObject()->className());
        for (const QObject* at = object; at; at = at->parent())
            if (!at->objectName().isEmpty() && !at->objectName().startsWith(QLatin1String("qt_")))
                return at->objectName() + QLatin1Char(' ') + name;
        return name;
    }

    std::map<QString, PaintTime> m_paintTimes;
};

} // namespace lanescope::views::test
