// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views_panes/support.h"

#include <QApplication>
#include <QDir>
#include <QPainter>

namespace lanescope::views::test {

void startApplication() {
    if (QApplication::instance() != nullptr)
        return;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    static int count = 1;
    static char name[] = "test_views_panes";
    static char* arguments[] = {name, nullptr};
    new QApplication(count, arguments); // lives as long as the program
}

TextLog paintLogged(const QSizeF& size, const std::function<void(Canvas&)>& paint, ThemeKind kind) {
    startApplication();
    QImage image(size.toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    TextLog log;
    Canvas canvas(painter, Theme::of(kind), &log);
    paint(canvas);
    return log;
}

QString overlapping(const TextLog& log) {
    for (std::size_t i = 0; i < log.items.size(); ++i)
        for (std::size_t k = i + 1; k < log.items.size(); ++k) {
            const QRectF common = log.items[i].bounds.intersected(log.items[k].bounds);
            if (common.width() > 1 && common.height() > 1)
                return QStringLiteral("'%1' and '%2' overlap by %3 x %4")
                    .arg(log.items[i].text, log.items[k].text)
                    .arg(common.width())
                    .arg(common.height());
        }
    return {};
}

QString clipped(const TextLog& log, const QRectF& rect, bool elisionAllowed) {
    for (const TextItem& item : log.items) {
        if (!rect.adjusted(-0.5, -0.5, 0.5, 0.5).contains(item.bounds))
            return QStringLiteral("'%1' leaves the pane: %2..%3 x %4..%5")
                .arg(item.text)
                .arg(item.bounds.left())
                .arg(item.bounds.right())
                .arg(item.bounds.top())
                .arg(item.bounds.bottom());
        if (item.elided && !elisionAllowed)
            return QStringLiteral("'%1' is shortened").arg(item.text);
    }
    return {};
}

int inkedPixels(const QImage& image) {
    int count = 0;
    const QRgb first = image.pixel(0, 0);
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            count += image.pixel(x, y) != first;
    return count;
}

QImage picture(Pane& pane, const QSize& size, ThemeKind kind) {
    const Theme& theme = Theme::of(kind);
    pane.setTheme(theme);
    pane.resize(size);
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(theme.pane);
    QPainter painter(&image);
    pane.paint(painter, QRectF(QPointF(0, 0), QSizeF(size)), theme);
    return image;
}

void keep(const QImage& image, const QString& name) {
    const QString folder = qEnvironmentVariable("LANESCOPE_PICTURES");
    if (folder.isEmpty())
        return;
    QDir().mkpath(folder);
    image.save(folder + '/' + name + QStringLiteral(".png"));
}

} // namespace lanescope::views::test
