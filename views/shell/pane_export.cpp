// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/pane_export.h"

#include <QAbstractItemModel>
#include <QCoreApplication>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include "views/kit/pane.h"

namespace lanescope::views {

namespace {

QString text(const char* source) { return QCoreApplication::translate("lanescope::views::PaneExport", source); }

QString quoted(QString cell) {
    if (cell.contains(QLatin1Char(',')) || cell.contains(QLatin1Char('"')) || cell.contains(QLatin1Char('\n')))
        cell = QLatin1Char('"') + cell.replace(QLatin1String("\""), QLatin1String("\"\"")) + QLatin1Char('"');
    return cell;
}

QString writeCsv(const QAbstractItemModel& model, const QString& path) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Text))
        return file.errorString();
    QStringList row;
    for (int column = 0; column < model.columnCount(); ++column)
        row << quoted(model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    file.write(row.join(QLatin1Char(',')).toUtf8() + '\n');
    for (int line = 0; line < model.rowCount(); ++line) {
        row.clear();
        for (int column = 0; column < model.columnCount(); ++column)
            row << quoted(model.index(line, column).data().toString());
        file.write(row.join(QLatin1Char(',')).toUtf8() + '\n');
    }
    return file.commit() ? QString() : file.errorString();
}

void paintOn(QPaintDevice& device, Pane& pane, const QSizeF& size, const Theme& theme) {
    QPainter painter(&device);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.fillRect(QRectF(QPointF(0, 0), size), theme.pane);
    pane.paint(painter, QRectF(QPointF(0, 0), size), theme);
}

} // namespace

QStringList exportFormats(Pane& pane) {
    QStringList formats{QStringLiteral("png"), QStringLiteral("svg"), QStringLiteral("pdf")};
    if (pane.table())
        formats << QStringLiteral("csv");
    return formats;
}

QString exportPane(Pane& pane, const QString& path, const Theme& theme, QSize size) {
    if (size.isEmpty())
        size = pane.size();
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending == QLatin1String("csv"))
        return pane.table() ? writeCsv(*pane.table(), path) : text("This pane has no table");
    if (ending == QLatin1String("png")) {
        QImage image(size * 2, QImage::Format_ARGB32_Premultiplied);
        image.setDevicePixelRatio(2);
        paintOn(image, pane, size, theme);
        return image.save(path) ? QString() : text("Cannot write the file");
    }
    if (!QFileInfo(QFileInfo(path).absolutePath()).isWritable())
        return text("Cannot write the file");
    if (ending == QLatin1String("svg")) {
        QSvgGenerator svg;
        svg.setFileName(path);
        svg.setSize(size);
        svg.setViewBox(QRect(QPoint(0, 0), size));
        svg.setTitle(pane.title());
        svg.setDescription(pane.context());
        svg.setResolution(96);
        paintOn(svg, pane, size, theme);
        return {};
    }
    if (ending == QLatin1String("pdf")) {
        QPdfWriter pdf(path);
        pdf.setResolution(96);
        pdf.setPageSize(QPageSize(QSizeF(size) * 72 / 96, QPageSize::Point, {}, QPageSize::ExactMatch));
        pdf.setPageMargins(QMarginsF(0, 0, 0, 0));
        pdf.setTitle(pane.title());
        paintOn(pdf, pane, size, theme);
        return {};
    }
    return text("The file's name must end in .png, .svg, .pdf or .csv");
}

} // namespace lanescope::views
