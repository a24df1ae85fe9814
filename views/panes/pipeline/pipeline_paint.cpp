// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/pipeline/pipeline_paint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <QPainterPath>

#include "views/export/canvas.h"
#include "views/kit/paint.h"

namespace lanescope::views {
namespace {

using State = timing::PipelineTiming::SlotState;

void fillSpan(Canvas& c, const QRectF& r, SpanLook look) {
    const Theme& t = c.theme();
    switch (look) {
    case SpanLook::Wait: c.texture(r, Texture::Waiting); break;
    case SpanLook::Compute: c.fill(r, t.acc); break;
    case SpanLook::InFlight: c.texture(r, Texture::InFlight); break;
    case SpanLook::Landed: c.texture(r, Texture::Landed); break;
    case SpanLook::Ask: c.fill(r, t.ok); break;
    }
}

QColor borderOf(const Theme& t, SpanLook look) {
    return look == SpanLook::Wait ? t.wait : look == SpanLook::InFlight || look == SpanLook::Ask ? t.ok : look == SpanLook::Landed ? t.line2 : t.acc;
}

void paintRows(Canvas& c, const PipelineScene& s) {
    const Theme& t = c.theme();
    const double right = s.plotX + s.plotWidth;
    const QFont font = Theme::ui(11, QFont::DemiBold);
    for (const PipelineRow& row : s.rows) {
        const bool isWarps = &row - s.rows.data() < std::ptrdiff_t(s.rows.size() - s.ring.size());
        c.text(s.rect.left() + 14, row.y + s.rowHeight / 2 + 4, row.name, {Theme::ui(11.5, isWarps ? QFont::DemiBold : QFont::Normal), t.tx});
        for (const PipelineSpan& span : row.spans) {
            const double x0 = std::clamp(s.xOf(span.begin), s.plotX, right), x1 = std::clamp(s.xOf(span.end), s.plotX, right);
            if (x1 - x0 < 0.3)
                continue;
            const QRectF r(x0, row.y + 1.5, x1 - x0, s.rowHeight - 3);
            fillSpan(c, r, span.look);
            if (r.width() > 4)
                c.box(r, {}, borderOf(t, span.look), 1);
            const double width = Canvas::width(span.text, font);
            if (span.text.isEmpty() || width + 6 > r.width() || r.height() < 11)
                continue;
            const bool isSolid = span.look == SpanLook::Compute || span.look == SpanLook::Ask;
            if (!isSolid)
                c.fill({r.center().x() - width / 2 - 3, r.top() + 2, width + 6, r.height() - 4}, t.pane);
            c.text(r.center().x(), r.center().y() + 4, span.text, {font, isSolid ? t.onissue : span.look == SpanLook::Wait ? t.warntx : t.oktx, Align::Center});
        }
    }
}

double stepFor(double range, double width) {
    const double least = range / std::max(1.0, width / 80);
    const double power = std::pow(10.0, std::floor(std::log10(std::max(1.0, least))));
    for (const double f : {1.0, 2.0, 5.0, 10.0})
        if (f * power >= least)
            return f * power;
    return 10 * power;
}

void paintAxis(Canvas& c, const PipelineScene& s) {
    const Theme& t = c.theme();
    c.line({s.plotX, s.axisY + 0.5}, {s.plotX + s.plotWidth, s.axisY + 0.5}, t.line2);
    c.text(s.rect.left() + 14, s.axisY + 15, QStringLiteral("Cycle"), {Theme::ui(11), t.tx3});
    const double step = stepFor(s.to - s.from, s.plotWidth);
    for (double cycle = std::ceil(s.from / step) * step; cycle <= s.to; cycle += step) {
        const double x = s.xOf(cycle);
        c.line({x, s.axisY}, {x, s.axisY + 4}, t.line2);
        const QString text = grouped(qint64(cycle));
        const double half = Canvas::width(text, Theme::mono(10)) / 2;
        if (x - half >= s.plotX - 8 && x + half <= s.plotX + s.plotWidth + 10)
            c.text(x, s.axisY + 15, text, {Theme::mono(10), t.tx3, Align::Center});
    }
    double x = s.plotX;
    double y = s.axisY + 32;
    const auto item = [&](SpanLook look, const QString& text) {
        const double width = 24 + Canvas::width(text, Theme::ui(11));
        if (x + width > s.plotX + s.plotWidth + 4) { // on to the next line, if there is one
            if (y + 22 > s.rect.bottom())
                return;
            x = s.plotX;
            y += 18;
        }
        fillSpan(c, {x, y - 9, 18, 11}, look);
        c.box({x, y - 9, 18, 11}, {}, borderOf(t, look), 1);
        c.text(x + 24, y, text, {Theme::ui(11), t.tx2});
        x += width + 16;
    };
    if (!s.mbarriers.empty() && s.rows.front().name == QStringLiteral("Producer"))
        item(SpanLook::Ask, QStringLiteral("producer asks"));
    item(SpanLook::InFlight, QStringLiteral("copy in flight"));
    item(SpanLook::Landed, QStringLiteral("landed, not read yet"));
    item(SpanLook::Wait, QStringLiteral("warps wait"));
    item(SpanLook::Compute, QStringLiteral("read and multiplied"));
}

void paintCursor(Canvas& c, const PipelineScene& s) {
    const Theme& t = c.theme();
    if (s.cursor < s.from || s.cursor > s.to)
        return;
    const double x = s.xOf(s.cursor);
    c.line({x, s.rect.top() + 8}, {x, s.axisY}, t.tx, 1.5);
    c.polygon({{x - 5, s.rect.top() + 4}, {x + 5, s.rect.top() + 4}, {x, s.rect.top() + 11}}, t.tx);
}

/// A slot's part of the ring.
void paintArc(Canvas& c, const QPointF& middle, double outer, double inner, double from, double to, const RingSlot& slot) {
    const Theme& t = c.theme();
    QPainterPath path;
    const QRectF big(middle.x() - outer, middle.y() - outer, 2 * outer, 2 * outer), small(middle.x() - inner, middle.y() - inner, 2 * inner, 2 * inner);
    path.arcMoveTo(big, from);
    path.arcTo(big, from, to - from);
    path.arcTo(small, to, from - to);
    path.closeSubpath();
    QPainter& p = c.painter();
    p.save();
    p.setRenderHint(QPainter::Antialiasing);
    QBrush brush(t.cell);
    QColor border = t.line2;
    switch (slot.look) {
    case State::InUse:
        brush = QBrush(t.acc);
        border = t.acc;
        break;
    case State::InFlight:
        brush = c.isVector() ? QBrush(t.okbg) : t.brush(Texture::InFlight, p.device()->devicePixelRatioF());
        border = t.ok;
        break;
    case State::Landed:
        brush = c.isVector() ? QBrush(t.alt) : t.brush(Texture::Landed, p.device()->devicePixelRatioF());
        break;
    case State::Used:
    case State::Empty: break;
    }
    p.setBrush(brush);
    p.setPen(QPen(border, 1.25));
    p.drawPath(path);
    p.restore();
}

void paintRing(Canvas& c, const PipelineScene& s, const QPointF& middle, double outer) {
    const Theme& t = c.theme();
    const double inner = outer * 0.52, n = double(s.ring.size());
    const auto pointAt = [&](double turn, double radius) {
        const double angle = turn * 2 * std::numbers::pi;
        return QPointF(middle.x() + radius * std::sin(angle), middle.y() - radius * std::cos(angle));
    };
    for (std::size_t i = 0; i < s.ring.size(); ++i) {
        const double begin = double(i) / n, end = double(i + 1) / n, gap = s.ring.size() > 1 ? 2.0 : 0.0;
        paintArc(c, middle, outer, inner, 90 - 360 * begin - gap, 90 - 360 * end + gap, s.ring[i]);
        const QPointF label = pointAt((begin + end) / 2, (outer + inner) / 2);
        const QFont font = Theme::ui(11, QFont::Bold);
        const double width = Canvas::width(s.ring[i].tile, font);
        const bool isInUse = s.ring[i].look == State::InUse;
        if (!isInUse)
            c.fill({label.x() - width / 2 - 2, label.y() - 7, width + 4, 14}, t.pane);
        c.text(label.x(), label.y() + 4, s.ring[i].tile, {font, isInUse ? t.onissue : t.tx, Align::Center});
        const QPointF number = pointAt((begin + end) / 2, outer + 9);
        c.text(number.x(), number.y() + 4, QString::number(i), {Theme::mono(9.5), t.tx3, Align::Center});
    }
    // Solid: the slot that is read, inside the ring; hollow: the one that was asked for last, outside.
    const auto marker = [&](int slot, double radius, double size, bool isSolid) {
        if (slot < 0)
            return;
        const double turn = (slot + 0.5) / n - (isSolid ? 0 : std::min(0.22 / n, 0.06));
        const QList<QPointF> triangle{pointAt(turn, radius + (isSolid ? size : -size)), pointAt(turn - 0.03, radius), pointAt(turn + 0.03, radius)};
        if (isSolid)
            c.polygon(triangle, t.acc);
        else
            c.polyline({triangle[0], triangle[1], triangle[2], triangle[0]}, t.ok, 1.5);
    };
    marker(s.readSlot, inner - 12, 9, true);
    marker(s.writeSlot, outer + 12, 9, false);
    if (inner > 26) {
        c.polygon({{middle.x() - 20, middle.y() - 2}, {middle.x() - 12, middle.y() - 2}, {middle.x() - 16, middle.y() - 9}}, t.acc);
        c.text(middle.x() - 8, middle.y() - 1, QStringLiteral("read"), {Theme::ui(10.5), t.tx2});
        c.polyline({{middle.x() - 20, middle.y() + 12}, {middle.x() - 12, middle.y() + 12}, {middle.x() - 16, middle.y() + 5}, {middle.x() - 20, middle.y() + 12}}, t.ok, 1.2);
        c.text(middle.x() - 8, middle.y() + 13, QStringLiteral("write"), {Theme::ui(10.5), t.tx2});
    }
}

void paintSide(Canvas& c, const PipelineScene& s) {
    if (s.side.isEmpty())
        return;
    const Theme& t = c.theme();
    c.line({s.side.left() + 0.5, s.side.top()}, {s.side.left() + 0.5, s.side.bottom()}, t.line);
    const double outer = std::clamp((s.side.height() - 44) / 2, 26.0, 62.0);
    const QPointF middle(s.side.left() + 26 + outer, s.side.top() + std::min(s.side.height() / 2, outer + 30));
    paintRing(c, s, middle, outer);
    const double x = middle.x() + outer + 28, right = s.side.right() - 12;
    double y = s.side.top() + 20;
    c.text(x, y, QStringLiteral("Slot"), {Theme::ui(10.5), t.tx3});
    c.text(x + 32, y, QStringLiteral("Tile"), {Theme::ui(10.5), t.tx3});
    c.textFit(x + 64, y, right - x - 64, QStringLiteral("At %1").arg(grouped(s.cursor)), {Theme::ui(10.5), t.tx3});
    c.line({x, y + 5.5}, {right, y + 5.5}, t.line);
    for (std::size_t i = 0; i < s.ring.size() && y + 20 < s.side.bottom() - 40; ++i) {
        y += 19;
        if (!s.ring[i].mbarrier.isEmpty())
            y += i == 0 ? 0 : 3;
        c.text(x, y, QString::number(i), {Theme::mono(11), t.tx});
        c.text(x + 32, y, s.ring[i].tile, {Theme::mono(11), t.tx});
        c.textFit(x + 64, y, right - x - 64, s.ring[i].state, {Theme::mono(11), t.tx2});
        if (!s.ring[i].mbarrier.isEmpty()) {
            y += 14;
            c.textFit(x + 14, y, right - x - 14, s.ring[i].mbarrier, {Theme::ui(10.5), t.tx3});
        }
    }
    c.textFit(x, s.side.bottom() - 24, right - x, s.busyName, {Theme::ui(11.5), t.tx2});
    c.text(x, s.side.bottom() - 8, percent(s.busy), {Theme::mono(12, QFont::Bold), t.tx});
    c.textFit(x + 52, s.side.bottom() - 8, right - x - 52, QStringLiteral("modelled"), {Theme::ui(10.5), t.tx3});
}

void paintEmpty(Canvas& c, const QRectF& rect, const QString& text) {
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    c.paragraph({rect.left() + 24, rect.center().y() - 16, rect.width() - 48, 48}, text, {Theme::ui(12), t.tx3, Align::Center}, 18);
}

} // namespace

void paintTimeline(Canvas& c, const PipelineScene& s) {
    if (!s.emptyText.isEmpty())
        return paintEmpty(c, s.rect, s.emptyText);
    c.fill(s.rect, c.theme().pane);
    paintRows(c, s);
    paintAxis(c, s);
    paintSide(c, s);
    paintCursor(c, s);
}

void paintGroups(Canvas& c, const PipelineScene& s) {
    if (!s.emptyText.isEmpty())
        return paintEmpty(c, s.rect, s.emptyText);
    const Theme& t = c.theme();
    c.fill(s.rect, t.pane);
    const double left = s.rect.left() + 14, width = s.rect.width() - 28;
    const auto row = [&](double y, const QStringList& texts, const std::vector<double>& share, const QFont& font, const QColor& ink) {
        double x = left;
        for (int i = 0; i < texts.size(); ++i) {
            c.textFit(x, y, share[std::size_t(i)] * width - 8, texts[i], {font, ink});
            x += share[std::size_t(i)] * width;
        }
    };
    double y = s.rect.top() + 18;
    const auto head = [&](const QStringList& columns, const std::vector<double>& share) {
        row(y, columns, share, Theme::ui(11), t.tx3);
        c.line({left, y + 6.5}, {left + width, y + 6.5}, t.line);
        y += 22;
    };
    const auto body = [&](const std::vector<QStringList>& rows, std::size_t first, std::size_t count, const std::vector<double>& share) {
        for (std::size_t i = first; i < rows.size() && i < first + count; ++i, y += 18) {
            if (i % 2 == 1)
                c.fill({left - 6, y - 13, width + 12, 18}, t.alt);
            row(y, rows[i], share, Theme::mono(11), t.tx);
        }
    };
    if (!s.mbarriers.empty()) {
        const std::vector<double> share{0.16, 0.07, 0.09, 0.09, 0.22, 0.17, 0.20};
        head(mbarrierColumns(), share);
        body(s.mbarriers, 0, std::size_t(std::max(0.0, (s.rect.bottom() - y) / 18)), share);
        y += 10;
        if (s.rect.bottom() - y < 40)
            return;
    }
    const std::vector<double> share{0.07, 0.07, 0.07, 0.10, 0.10, 0.12, 0.11, 0.14, 0.22};
    head(s.groupColumns, share);
    const int capacity = std::max(1, int((s.rect.bottom() - y + 10) / 18));
    // Those about the cursor.
    int first = 0;
    for (std::size_t i = 0; i < s.groups.size(); ++i)
        if (QString digits = s.groups[i][4]; digits.remove(',').toUInt() <= s.cursor)
            first = int(i);
    first = std::clamp(first - capacity / 2, 0, std::max(0, int(s.groups.size()) - capacity));
    body(s.groups, std::size_t(first), std::size_t(capacity), share);
}

void paintStages(Canvas& c, const StageChart& chart, const QRectF& rect) {
    if (!chart.problem.isEmpty())
        return paintEmpty(c, rect, chart.problem);
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    const double tableWidth = std::min(300.0, rect.width() * 0.36);
    const QRectF plot(rect.left() + 60, rect.top() + 34, rect.width() - tableWidth - 84, rect.height() - 84);
    c.text(rect.left() + 14, rect.top() + 18, QStringLiteral("Busy fraction against the number of stages, modelled"), {Theme::ui(12, QFont::DemiBold), t.tx});
    const auto at = [&](double stages, double busy) { return QPointF(plot.left() + (stages - 0.5) / 6 * plot.width(), plot.bottom() - busy * plot.height()); };
    for (int i = 0; i <= 4; ++i) {
        const double y = at(1, i / 4.0).y();
        c.line({plot.left(), y}, {plot.right(), y}, t.grid);
        c.text(plot.left() - 8, y + 4, percent(i / 4.0), {Theme::mono(10), t.tx3, Align::Right});
    }
    c.line({plot.left(), plot.bottom()}, {plot.right(), plot.bottom()}, t.line2);
    for (int n = 1; n <= 6; ++n)
        c.text(at(n, 0).x(), plot.bottom() + 15, QString::number(n), {Theme::mono(10), t.tx3, Align::Center});
    c.text(plot.center().x(), plot.bottom() + 30, QStringLiteral("stages"), {Theme::ui(11), t.tx3, Align::Center});
    QList<QPointF> dashed, solid;
    for (std::size_t i = 0; i < chart.formula.size(); ++i)
        dashed << at(double(i + 1), chart.formula[i]);
    c.polyline(dashed, t.tx3, 1.5, {5, 4});
    for (const session::StagePoint& point : chart.points)
        if (point.busy)
            solid << at(point.stages, *point.busy);
    c.polyline(solid, t.acc, 1.75);
    for (const session::StagePoint& point : chart.points)
        if (point.busy) {
            const QPointF p = at(point.stages, *point.busy);
            c.circle(p, 4.5, t.pane, t.acc, 2);
            if (point.stages == chart.present)
                c.circle(p, 8, {}, t.selln, 1.5);
        }
    const double x = rect.right() - tableWidth, right = rect.right() - 14;
    double y = rect.top() + 18;
    c.text(x, y, QStringLiteral("Stages"), {Theme::ui(11), t.tx3});
    c.text(x + tableWidth * 0.42, y, QStringLiteral("Cycles"), {Theme::ui(11), t.tx3, Align::Right});
    c.text(x + tableWidth * 0.66, y, QStringLiteral("Busy"), {Theme::ui(11), t.tx3, Align::Right});
    c.text(right, y, QStringLiteral("By formula"), {Theme::ui(11), t.tx3, Align::Right});
    c.line({x, y + 5.5}, {right, y + 5.5}, t.line);
    for (std::size_t n = 1; n <= chart.formula.size(); ++n) {
        y += 18;
        const auto point = std::find_if(chart.points.begin(), chart.points.end(), [&](const session::StagePoint& p) { return p.stages == int(n); });
        const bool isPresent = int(n) == chart.present;
        c.text(x, y, QString::number(n) + (isPresent ? QStringLiteral(" (open)") : QString()), {Theme::mono(11, isPresent ? QFont::Bold : QFont::Normal), t.tx});
        if (point != chart.points.end() && point->busy) {
            c.text(x + tableWidth * 0.42, y, grouped(point->cycles), {Theme::mono(11), t.tx, Align::Right});
            c.text(x + tableWidth * 0.66, y, percent(*point->busy), {Theme::mono(11), t.tx, Align::Right});
        } else if (point != chart.points.end()) {
            c.textFit(x + 52, y, tableWidth * 0.66 - 52, QString::fromStdString(point->problem), {Theme::ui(10.5), t.warntx});
        }
        c.text(right, y, percent(chart.formula[n - 1]), {Theme::mono(11), t.tx2, Align::Right});
    }
    y += 22;
    c.paragraph({x, y - 10, tableWidth - 14, std::max(20.0, rect.bottom() - y)},
                QStringLiteral("Formula: min(1, n × compute / (compute + latency)), with this kernel's medians: %1 cycles of compute, %2 of latency a tile.%3")
                    .arg(grouped(qint64(chart.computeCycles)), grouped(qint64(chart.latencyCycles)), chart.isBusy ? QStringLiteral(" Timing …") : QString()),
                {Theme::ui(11), t.tx3}, 15);
    c.circle({plot.left() + 8, rect.bottom() - 10}, 4, t.pane, t.acc, 2);
    c.text(plot.left() + 18, rect.bottom() - 6, QStringLiteral("timing of the SM"), {Theme::ui(11), t.tx2});
    const double legend = plot.left() + 18 + Canvas::width(QStringLiteral("timing of the SM"), Theme::ui(11)) + 18;
    c.line({legend, rect.bottom() - 10}, {legend + 20, rect.bottom() - 10}, t.tx3, 1.5, {5, 4});
    c.text(legend + 26, rect.bottom() - 6, QStringLiteral("formula"), {Theme::ui(11), t.tx2});
}

} // namespace lanescope::views
