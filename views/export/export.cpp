// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/export.h"

#include <functional>

#include <QAbstractItemModel>
#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSaveFile>
#include <QSvgGenerator>

#include <nlohmann/json.hpp>

#include "engine/base/csv.h"
#include "views/export/canvas.h"
#include "views/export/chart_documents.h"
#include "views/kit/pane.h"

namespace lanescope::views {
namespace {

constexpr double kHead = 32;

/// Title and caption, then the picture: a chart on its own must say what it is.
void paintDocument(QPainter& painter, const Document& d, const QSizeF& size, const Theme& theme) {
    Canvas c(painter, theme);
    c.fill({0, 0, size.width(), size.height()}, theme.pane);
    d.paint(painter, QRectF(0, kHead, size.width(), size.height() - kHead), theme);
    c.fill({0, 0, size.width(), kHead}, theme.alt);
    c.line({0, kHead - 0.5}, {size.width(), kHead - 0.5}, theme.line);
    const QFont strong = Theme::ui(13, QFont::DemiBold), plain = Theme::ui(12);
    const QRectF title = c.text(14, 21, d.title, {strong, theme.tx});
    const QString maker = QStringLiteral("Lanescope");
    const double left = size.width() - 14 - Canvas::width(maker, plain);
    c.text(left, 21, maker, {plain, theme.tx3});
    c.textFit(title.right() + 12, 21, left - title.right() - 24, d.caption, {plain, theme.tx2});
}

Result<void> writeBytes(const QByteArray& bytes, const std::string& path) {
    QSaveFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return failure("file", "cannot write " + path + ": " + file.errorString().toStdString(), {},
                       "choose a folder that exists and that you may write to");
    return {};
}

QByteArray pngOf(const Document& d, QSize size, double scale, const Theme& theme) {
    QImage image(size * scale, QImage::Format_ARGB32);
    image.setDevicePixelRatio(scale);
    image.setDotsPerMeterX(3780); // 96 dots an inch: one pixel is one unit of the layout
    image.setDotsPerMeterY(3780);
    image.fill(theme.pane);
    {
        QPainter painter(&image);
        paintDocument(painter, d, size, theme);
    }
    image.setText(QStringLiteral("Title"), d.title);
    image.setText(QStringLiteral("Description"), d.caption);
    image.setText(QStringLiteral("Software"), QStringLiteral("Lanescope"));
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

QByteArray svgOf(const Document& d, QSize size, const Theme& theme) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(96);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(d.title);
    generator.setDescription(d.caption);
    {
        QPainter painter(&generator);
        paintDocument(painter, d, size, theme);
    }
    return buffer.data();
}

QByteArray pdfOf(const Document& d, QSize size, const Theme& theme) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(96);
        writer.setTitle(d.title + QStringLiteral(" – ") + d.caption);
        writer.setCreator(QStringLiteral("Lanescope"));
        writer.setPageSize(QPageSize(QSizeF(size) * 0.75, QPageSize::Point));
        writer.setPageMargins(QMarginsF());
        writer.addFileAttachment(QStringLiteral("data.json"),
                                 QByteArray::fromStdString(d.json.dump(2)),
                                 QStringLiteral("application/json"));
        QPainter painter(&writer);
        paintDocument(painter, d, size, theme);
    }
    // Qt writes the time of day and a random id; other bytes of the same length keep the offsets.
    QByteArray bytes = buffer.data();
    const auto blank = [&](const QByteArray& key, const QByteArray& stop) {
        for (qsizetype at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + key.size())) {
            const qsizetype end = bytes.indexOf(stop, at + key.size());
            for (qsizetype i = at + key.size(); i < end && i < at + 400; ++i)
                if (std::isxdigit(static_cast<unsigned char>(bytes[i])) != 0)
                    bytes[i] = '0';
        }
    };
    blank("/CreationDate (D:", ")");
    blank("/ModDate (D:", ")");
    blank("/ID [", "]");
    return bytes;
}

QByteArray csvOf(const Document& d) {
    QStringList head = d.columns;
    head.prepend(QStringLiteral("gpu"));
    head.prepend(QStringLiteral("basis"));
    QString text = csvLine(head);
    for (QStringList row : d.rows) {
        row.prepend(d.gpu);
        row.prepend(d.basis);
        text += csvLine(row);
    }
    return text.toUtf8();
}

Result<void> write(const Document& d, QSize size, double scale, ThemeKind kind,
                   const std::string& path) {
    const QString extension = QFileInfo(QString::fromStdString(path)).suffix().toLower();
    const Theme& theme = Theme::of(kind);
    const bool picture = extension == QLatin1String("png") || extension == QLatin1String("svg") ||
                         extension == QLatin1String("pdf");
    if (picture &&
        (size.width() < 100 || size.height() < 100 || size.width() > 8000 || size.height() > 8000))
        return failure("argument",
                       "a picture of " + std::to_string(size.width()) + " x " +
                           std::to_string(size.height()) + " pixels cannot be drawn",
                       {}, "use 100 to 8000 pixels each way");
    if (extension == QLatin1String("png"))
        return writeBytes(pngOf(d, size, scale, theme), path);
    if (extension == QLatin1String("svg"))
        return writeBytes(svgOf(d, size, theme), path);
    if (extension == QLatin1String("pdf"))
        return writeBytes(pdfOf(d, size, theme), path);
    if (extension == QLatin1String("csv"))
        return writeBytes(csvOf(d), path);
    if (extension == QLatin1String("json"))
        return writeBytes(QByteArray::fromStdString(d.json.dump(2) + "\n"), path);
    return failure("argument", "cannot tell the format of " + path + " by its extension", {},
                   "end the name in .png, .svg, .pdf, .csv or .json");
}

/// A cell as JSON: numbers as numbers.
Json cell(const QString& text) {
    bool isNumber = false;
    const double v = text.toDouble(&isNumber);
    if (!isNumber || text.startsWith(QLatin1String("0x")))
        return text.toStdString();
    return v == double(qint64(v)) && !text.contains('.') && !text.contains('e') ? Json(qint64(v))
                                                                                : Json(v);
}

} // namespace

std::optional<ChartKind> chartKind(std::string_view name) {
    for (const ChartKind kind : {ChartKind::Roofline, ChartKind::Occupancy, ChartKind::Waves,
                                 ChartKind::Sweep, ChartKind::Ladder})
        if (name == toString(kind))
            return kind;
    return std::nullopt;
}

const char* toString(ChartKind kind) {
    switch (kind) {
    case ChartKind::Roofline:
        return "roofline";
    case ChartKind::Occupancy:
        return "occupancy";
    case ChartKind::Waves:
        return "waves";
    case ChartKind::Sweep:
        return "sweep";
    case ChartKind::Ladder:
        return "ladder";
    }
    return "";
}

QStringList exportExtensions() {
    return {QStringLiteral(".png"), QStringLiteral(".svg"), QStringLiteral(".pdf"),
            QStringLiteral(".csv"), QStringLiteral(".json")};
}

Result<void> exportRoofline(const RooflineData& data, const ExportOptions& o,
                            const std::string& path) {
    return write(rooflineDocument(data, o.axis), o.size, o.scale, o.theme, path);
}

Result<void> exportOccupancy(const OccupancyData& data, const ExportOptions& o,
                             const std::string& path) {
    return write(occupancyDocument(data, o.curve), o.size, o.scale, o.theme, path);
}

Result<void> exportWaves(const WavesData& data, const ExportOptions& o, const std::string& path) {
    return write(wavesDocument(data), o.size, o.scale, o.theme, path);
}

Result<void> exportLadder(const LadderData& data, const ExportOptions& o,
                          const std::string& path) {
    return write(ladderDocument(data), o.size, o.scale, o.theme, path);
}

Result<void> exportSweep(const SweepData& data, const ExportOptions& o, const std::string& path) {
    return write(sweepDocument(data, o.measure), o.size, o.scale, o.theme, path);
}

Result<void> exportChart(ChartKind kind, const ExportOptions& o, const std::string& path) {
    if (kind == ChartKind::Occupancy && o.shape) {
        const auto data =
            occupancyData(o.gpu, *o.shape, o.kernels.empty() ? "" : o.kernels.front());
        return data ? exportOccupancy(*data, o, path) : failure(data.error());
    }
    if (kind == ChartKind::Ladder) {
        LadderRequest request{o.gpu, o.ladder, o.form.value_or(session::CodeForm::Compiled), o.measured};
        request.unmeasured = o.ladder != "sgemm";
        const auto ladder = modelLadder(request);
        return ladder ? exportLadder(*ladder, o, path) : failure(ladder.error());
    }
    if (kind == ChartKind::Sweep) {
        if (o.kernels.empty())
            return failure("argument", "a sweep is of one kernel", {}, "name it with --kernel");
        SweepRequest sweep{o.gpu, o.kernels.front(), o.sizes, o.sweepX, o.sweepY, o.form.value_or(session::CodeForm::Written)};
        auto data = planSweep(sweep);
        if (!data)
            return failure(data.error());
        if (!data->problem.empty())
            return failure("argument", data->problem, {}, "`lanescope kernels` lists kernels and parameters");
        runSweep(*data, nullptr, {});
        addMeasured(*data, o.measured);
        return exportSweep(*data, o, path);
    }
    PerformanceRequest request;
    request.deviceId = o.gpu;
    request.kernelIds = o.kernels;
    request.form = o.form.value_or(session::CodeForm::Written);
    request.sizes = chartSizes();
    for (const auto& [name, value] : o.sizes)
        request.sizes[name] = value;
    auto performance = modelPerformance(request);
    if (!performance)
        return failure(performance.error());
    addMeasured(*performance, o.measured, request.form, [&](const std::string&) { return request.sizes; });
    if (kind == ChartKind::Roofline)
        return exportRoofline(performance->roofline, o, path);
    if (performance->kernels.empty())
        return failure("argument", "there is no kernel to show", {}, "name one with --kernel");
    const KernelEntry& kernel = performance->kernels.front();
    return kind == ChartKind::Occupancy ? exportOccupancy(kernel.occupancy, o, path)
                                        : exportWaves(kernel.waves, o, path);
}

Result<void> exportPane(Pane& pane, const PaneExport& o, const std::string& path) {
    Document d;
    d.title = pane.title();
    d.gpu = QString::fromStdString(o.gpu);
    d.caption = o.gpu.empty() ? QStringLiteral("Modelled") : modelledCaption(o.gpu, o.kernel);
    if (!pane.context().isEmpty())
        d.caption += QStringLiteral(" · ") + pane.context();
    d.paint = [&pane](QPainter& painter, const QRectF& rect, const Theme& theme) {
        pane.paint(painter, rect, theme);
    };
    d.json = documentHead(pane.id().toUtf8().constData(), o.gpu);
    d.json["kernel"] = o.kernel;
    const QAbstractItemModel* table = pane.table();
    const QString extension = QFileInfo(QString::fromStdString(path)).suffix().toLower();
    const bool needsTable = extension == QLatin1String("csv") || extension == QLatin1String("json");
    if (table == nullptr && needsTable)
        return failure("argument", "the pane " + pane.title().toStdString() + " has no table", {},
                       "export it as .png, .svg or .pdf");
    // In a PDF the data comes along only when it is small.
    constexpr int kMostAttached = 10'000;
    if (table != nullptr && (needsTable || table->rowCount() <= kMostAttached)) {
        for (int column = 0; column < table->columnCount(); ++column)
            d.columns += table->headerData(column, Qt::Horizontal).toString();
        Json rows = Json::array();
        for (int row = 0; row < table->rowCount(); ++row) {
            QStringList fields;
            Json record = Json::object();
            for (int column = 0; column < table->columnCount(); ++column) {
                fields += table->index(row, column).data().toString();
                record[d.columns[column].toStdString()] = cell(fields.back());
            }
            d.rows.push_back(std::move(fields));
            rows.push_back(std::move(record));
        }
        d.json["rows"] = std::move(rows);
    }
    return write(d, o.size, o.scale, o.theme, path);
}

QString csvLine(const QStringList& fields) {
    QStringList quoted;
    static const QRegularExpression special(QStringLiteral("[\",\r\n]"));
    for (QString field : fields) {
        if (field.contains(special)) {
            field.replace('"', QStringLiteral("\"\""));
            field = '"' + field + '"';
        }
        quoted += field;
    }
    return quoted.join(',') + QStringLiteral("\r\n");
}

std::vector<QStringList> parseCsv(const QString& text) {
    std::vector<QStringList> records;
    for (const CsvRecord& record : csvRecords(text.toStdString())) {
        QStringList& fields = records.emplace_back();
        for (const std::string& field : record.fields)
            fields += QString::fromStdString(field);
    }
    return records;
}

} // namespace lanescope::views
