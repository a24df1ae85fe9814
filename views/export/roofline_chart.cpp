// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline: log-log, several roofs, modelled points hollow and measured ones filled. Labels are
// placed one after the other, each where it touches nothing that is there already.
#include <algorithm>
#include <cmath>

#include "views/export/canvas.h"
#include "views/export/charts.h"

namespace lanescope::views {
namespace {

double snap(double v) {
    return std::floor(v) + 0.5;
}

struct Plot {
    QRectF area;
    double xLow = -2, xHigh = 2, yLow = -1, yHigh = 2; ///< log10 of FLOP/B and of FLOP/s
    double x(double v) const {
        return area.left() + (std::log10(v) - xLow) / (xHigh - xLow) * area.width();
    }
    double y(double v) const {
        return area.bottom() - (std::log10(v) - yLow) / (yHigh - yLow) * area.height();
    }
};

double peak(const RooflineData& data) {
    double best = 0;
    for (const ComputeRoof& roof : data.compute)
        best = std::max(best, roof.flopsPerSecond);
    return best;
}

/// Roofs that the axis shows: the axis's own level and those farther from the SM.
std::vector<MemoryRoof> roofsOn(const RooflineData& data, MemoryLevel axis) {
    std::vector<MemoryRoof> roofs;
    for (const MemoryRoof& roof : data.memory)
        if (roof.level >= axis && roof.bytesPerSecond > 0)
            roofs.push_back(roof);
    return roofs;
}

/// Axes that hold every point and every ridge, in whole thirds of a decade.
Plot plotFor(const QRectF& rect, const RooflineData& data, MemoryLevel axis) {
    Plot p;
    p.area = QRectF(QPointF(rect.left() + 60, rect.top() + 16),
                    QPointF(rect.right() - 18, rect.bottom() - 46));
    const double top = peak(data);
    double xLow = 0.1, xHigh = 20, yLow = top > 0 ? top / 500 : 1e10, yHigh = top > 0 ? top : 1e12;
    for (const MemoryRoof& roof : roofsOn(data, axis))
        if (top > 0) {
            xHigh = std::max(xHigh, top / roof.bytesPerSecond * 4);
            xLow = std::min(xLow, top / roof.bytesPerSecond / 60);
        }
    for (const KernelPoint& point : data.points) {
        const auto& intensity = point.intensity[std::size_t(axis)];
        if (!intensity || *intensity <= 0)
            continue;
        xLow = std::min(xLow, *intensity / 2);
        xHigh = std::max(xHigh, *intensity * 2);
        for (const double flops : {point.flopsPerSecond, point.measuredFlopsPerSecond.value_or(0)})
            if (flops > 0) {
                yLow = std::min(yLow, flops / 3);
                yHigh = std::max(yHigh, flops);
            }
    }
    const auto down = [](double v) { return std::floor(std::log10(v) * 3) / 3; };
    const auto up = [](double v) { return std::ceil(std::log10(v) * 3) / 3; };
    p.xLow = down(xLow);
    p.xHigh = up(xHigh);
    p.yLow = down(yLow);
    p.yHigh = up(yHigh * 1.35);
    return p;
}

/// What is on the plot already, so that labels stay clear of it.
class Occupied {
public:
    explicit Occupied(QRectF area) : m_area(area) {}
    void add(const QRectF& r) { m_boxes.push_back(r); }
    /// A line that labels had better not cross.
    void addLine(QPointF from, QPointF to) {
        const int steps = std::max(1, int(std::hypot(to.x() - from.x(), to.y() - from.y()) / 6));
        for (int i = 0; i <= steps; ++i) {
            const QPointF at = from + (to - from) * (double(i) / steps);
            m_lines.push_back({at.x() - 3, at.y() - 3, 6, 6});
        }
    }
    bool isFree(const QRectF& r, bool ofLines = false) const {
        const auto touches = [&](const QRectF& b) { return b.intersects(r); };
        return m_area.contains(r) && std::none_of(m_boxes.begin(), m_boxes.end(), touches) &&
               (!ofLines || std::none_of(m_lines.begin(), m_lines.end(), touches));
    }

private:
    QRectF m_area;
    std::vector<QRectF> m_boxes, m_lines;
};

QString perSecond(double flops) {
    return flops >= 1e12  ? shortNumber(flops / 1e12) + QStringLiteral(" TFLOP/s")
           : flops >= 1e9 ? shortNumber(flops / 1e9) + QStringLiteral(" GFLOP/s")
                          : shortNumber(flops / 1e6) + QStringLiteral(" MFLOP/s");
}

QString bandwidth(double bytes) {
    return bytes >= 1e12 ? shortNumber(bytes / 1e12) + QStringLiteral(" TB/s")
                         : shortNumber(bytes / 1e9) + QStringLiteral(" GB/s");
}

QString levelName(MemoryLevel axis) {
    switch (axis) {
    case MemoryLevel::L1:
        return QStringLiteral("at L1 and shared memory");
    case MemoryLevel::L2:
        return QStringLiteral("at L2");
    case MemoryLevel::Dram:
        return QStringLiteral("at DRAM");
    }
    return {};
}

/// Tick label of a power of ten: 0.01, 1, 1,000.
QString decade(int power) {
    if (power >= 0)
        return grouped(qint64(std::llround(std::pow(10.0, power))));
    return QStringLiteral("0.") + QString(-power - 1, '0') + '1';
}

void paintGrid(Canvas& c, const Plot& p, MemoryLevel axis, const QRectF& rect) {
    const Theme& t = c.theme();
    const TextStyle tick{Theme::ui(11), t.tx2, Align::Center};
    // Vertical: TFLOP/s, so powers are shifted by 12.
    for (int power = int(std::floor(p.yLow)); power <= int(std::ceil(p.yHigh)); ++power)
        for (int m = 1; m < 10; ++m) {
            const double v = m * std::pow(10.0, power);
            if (std::log10(v) < p.yLow - 1e-9 || std::log10(v) > p.yHigh + 1e-9)
                continue;
            const double y = snap(p.y(v));
            if (m == 1) {
                c.line({p.area.left(), y}, {p.area.right(), y}, t.grid);
                c.text(p.area.left() - 8, y + 4, decade(power - 12),
                       {tick.font, tick.color, Align::Right});
            } else {
                c.line({p.area.left(), y}, {p.area.left() + 3, y}, t.line2);
            }
        }
    for (int power = int(std::floor(p.xLow)); power <= int(std::ceil(p.xHigh)); ++power)
        for (int m = 1; m < 10; ++m) {
            const double v = m * std::pow(10.0, power);
            if (std::log10(v) < p.xLow - 1e-9 || std::log10(v) > p.xHigh + 1e-9)
                continue;
            const double x = snap(p.x(v));
            if (m == 1) {
                c.line({x, p.area.top()}, {x, p.area.bottom()}, t.grid);
                c.text(x, p.area.bottom() + 17, decade(power), tick);
            } else {
                c.line({x, p.area.bottom()}, {x, p.area.bottom() - 3}, t.line2);
            }
        }
    c.polyline({{snap(p.area.left()), p.area.top()},
                {snap(p.area.left()), snap(p.area.bottom())},
                {p.area.right(), snap(p.area.bottom())}},
               t.line2, 1);
    c.text(p.area.center().x(), rect.bottom() - 10,
           QStringLiteral("Arithmetic intensity %1, FLOP per byte").arg(levelName(axis)),
           {Theme::ui(11.5), t.tx2, Align::Center});
    c.textRotated({rect.left() + 16, p.area.center().y()}, -90, 0, QStringLiteral("TFLOP/s"),
                  {Theme::ui(11.5), t.tx2, Align::Center});
}

struct RoofInk {
    QColor line, text;
    double width;
    QList<double> dash;
};

RoofInk inkOf(const Theme& t, MemoryLevel level) {
    switch (level) {
    case MemoryLevel::L1:
        return {t.roofShared, t.oktx, 2.25, {}};
    case MemoryLevel::L2:
        return {t.roofL2, t.warntx, 2, {6, 4}};
    case MemoryLevel::Dram:
        return {t.roofDram, t.errtx, 2, {8, 3, 2, 3}};
    }
    return {};
}

/// The visible part of a memory roof, in log10 of FLOP/B; false when there is none.
bool visiblePart(const Plot& p, double bandwidthBytes, double top, double& from, double& to) {
    from = std::max(p.xLow, p.yLow - std::log10(bandwidthBytes));
    to = std::min(p.xHigh, std::log10(top / bandwidthBytes));
    return to > from;
}

void paintRoofLines(Canvas& c, const Plot& p, const RooflineData& data, MemoryLevel axis) {
    const Theme& t = c.theme();
    const double top = peak(data);
    if (top <= 0)
        return;
    const std::vector<MemoryRoof> roofs = roofsOn(data, axis);
    double ridge = p.xHigh, from = 0, to = 0;
    // What no kernel can reach is shaded.
    for (const MemoryRoof& roof : roofs)
        ridge = std::min(ridge, std::log10(top / roof.bytesPerSecond));
    for (const MemoryRoof& roof : roofs)
        if (std::abs(std::log10(top / roof.bytesPerSecond) - ridge) < 1e-9 &&
            visiblePart(p, roof.bytesPerSecond, top, from, to)) {
            const double x0 = std::pow(10, from), x1 = std::pow(10, to);
            c.polygon({{p.x(x0), p.area.top()},
                       {p.x(x0), p.y(x0 * roof.bytesPerSecond)},
                       {p.x(x1), p.y(x1 * roof.bytesPerSecond)},
                       {p.area.right(), p.y(top)},
                       {p.area.right(), p.area.top()}},
                      t.alt);
            break;
        }
    for (auto roof = roofs.rbegin(); roof != roofs.rend(); ++roof) {
        if (!visiblePart(p, roof->bytesPerSecond, top, from, to))
            continue;
        const RoofInk ink = inkOf(t, roof->level);
        const double x0 = std::pow(10, from), x1 = std::pow(10, to);
        c.line({p.x(x0), p.y(x0 * roof->bytesPerSecond)}, {p.x(x1), p.y(x1 * roof->bytesPerSecond)},
               ink.line, ink.width, ink.dash);
    }
    for (const ComputeRoof& roof : data.compute) {
        const bool highest = roof.flopsPerSecond >= top * 0.999;
        const double start =
            std::max(std::pow(10, std::max(p.xLow, ridge)) * (roof.flopsPerSecond / top),
                     std::pow(10, p.xLow));
        c.line({p.x(start), p.y(roof.flopsPerSecond)}, {p.area.right(), p.y(roof.flopsPerSecond)},
               t.roofCompute, highest ? 2.25 : 1.5,
               highest ? QList<double>{} : QList<double>{4, 3});
    }
}

/// Small boxes along a turned text, for the overlap check.
std::vector<QRectF> boxesAlong(QPointF middle, double degrees, double dy, double width) {
    std::vector<QRectF> boxes;
    const double a = degrees * M_PI / 180;
    for (double s = -width / 2; s <= width / 2; s += 6) {
        const double px = s, py = dy - 4;
        const QPointF at(middle.x() + px * std::cos(a) - py * std::sin(a),
                         middle.y() + px * std::sin(a) + py * std::cos(a));
        boxes.push_back({at.x() - 6, at.y() - 6, 12, 12});
    }
    return boxes;
}

void labelRoofs(Canvas& c, const Plot& p, const RooflineData& data, MemoryLevel axis,
                Occupied& taken) {
    const Theme& t = c.theme();
    const double top = peak(data);
    const QFont font = Theme::ui(11.5, QFont::DemiBold);
    for (const ComputeRoof& roof : data.compute) {
        const QString text = QString::fromStdString(roof.label) + QStringLiteral(", ") +
                             perSecond(roof.flopsPerSecond);
        const double width = Canvas::width(text, font);
        const double y0 = p.y(roof.flopsPerSecond), right = p.area.right() - 4;
        const auto boxAt = [&](double end, double dy) {
            return QRectF(end - width - 2, y0 + dy - 11, width + 4, 14);
        };
        double end = right, shift = -7; // when every place is taken: over the points at the right
        bool placed = false;
        for (const double dy : {-7.0, 15.0})
            for (double x = right; !placed && x - width > p.area.center().x(); x -= 16)
                if (taken.isFree(boxAt(x, dy))) {
                    end = x;
                    shift = dy;
                    placed = true;
                }
        c.textHalo(end, y0 + shift, text, {font, t.tx, Align::Right}, t.pane);
        taken.add(boxAt(end, shift));
    }
    const double slope =
        -std::atan2(p.area.height() / (p.yHigh - p.yLow), p.area.width() / (p.xHigh - p.xLow)) *
        180 / M_PI;
    for (const MemoryRoof& roof : roofsOn(data, axis)) {
        double from = 0, to = 0;
        if (top <= 0 || !visiblePart(p, roof.bytesPerSecond, top, from, to))
            continue;
        const QString text = QString::fromStdString(roof.label) + QStringLiteral(", ") +
                             bandwidth(roof.bytesPerSecond);
        const double width = Canvas::width(text, font);
        bool placed = false;
        for (const double share : {0.3, 0.4, 0.5, 0.2, 0.6, 0.7, 0.8, 0.12, 0.9}) {
            const double v = std::pow(10, from + (to - from) * share);
            const QPointF at(p.x(v), p.y(v * roof.bytesPerSecond));
            const bool farthest = roof.level == MemoryLevel::Dram; // below: nothing is under it
            for (const double dy : {farthest ? 17.0 : -8.0, farthest ? -8.0 : 17.0}) {
                const auto boxes = boxesAlong(at, slope, dy, width);
                if (!std::all_of(boxes.begin(), boxes.end(),
                                 [&](const QRectF& b) { return taken.isFree(b); }))
                    continue;
                c.textRotated(at, slope, dy, text,
                              {font, inkOf(t, roof.level).text, Align::Center});
                for (const QRectF& b : boxes)
                    taken.add(b);
                placed = true;
                break;
            }
            if (placed)
                break;
        }
    }
}

void paintPoint(Canvas& c, QPointF at, bool measured, bool selected) {
    const Theme& t = c.theme();
    c.circle(at, 4.5, measured ? t.acc : t.pane, t.acc, 1.75);
    if (selected)
        c.circle(at, 8, {}, t.acc, 1.5);
}

/// A label beside its point, at the nearest free place; far ones get a thin leader.
bool labelPoint(Canvas& c, QPointF at, const KernelPoint& point, bool selected, bool withTitle,
                bool clearOfLines, Occupied& taken) {
    const Theme& t = c.theme();
    const QFont strong = Theme::ui(12, QFont::DemiBold), plain = Theme::ui(12);
    const QString id = QString::fromStdString(point.id);
    QString title = QString::fromStdString(point.title);
    if (!withTitle || title == id)
        title.clear();
    const double gap = title.isEmpty() ? 0 : 5;
    const double idWidth = Canvas::width(id, strong);
    const double width = idWidth + gap + Canvas::width(title, plain);
    for (const double radius : {selected ? 13.0 : 10.0, 18.0, 28.0, 40.0, 56.0})
        for (const double angle :
             {180.0, 0.0, 225.0, 45.0, 270.0, 90.0, 315.0, 135.0, 200.0, 340.0}) {
            const double a = angle * M_PI / 180, dx = std::cos(a) * radius,
                         dy = std::sin(a) * radius;
            const double left = dx > 1    ? at.x() + dx
                                : dx < -1 ? at.x() + dx - width
                                          : at.x() - width / 2;
            const double middle = at.y() + dy;
            const QRectF box(left - 2, middle - 8, width + 4, 16);
            if (!taken.isFree(box, clearOfLines))
                continue;
            if (radius > 20)
                c.line({at.x() + dx * 6 / radius, at.y() + dy * 6 / radius},
                       {at.x() + dx * 0.95, at.y() + dy * 0.95}, t.line2, 1);
            c.textHalo(left, middle + 4, id, {strong, selected ? t.acctx : t.tx}, t.pane);
            if (!title.isEmpty())
                c.textHalo(left + idWidth + gap, middle + 4, title, {plain, t.tx2}, t.pane);
            taken.add(box);
            return true;
        }
    return false;
}

void paintLegend(Canvas& c, const Plot& p, bool measured, bool fartherRoofs, Occupied& taken) {
    const Theme& t = c.theme();
    const double x = p.area.left() + 14, y = p.area.top() + 20;
    const QFont font = Theme::ui(11.5);
    double right = x + 18 + Canvas::width(QStringLiteral("modelled"), font);
    double bottom = y + 6;
    const bool roomy = p.area.height() > 240 && p.area.width() > 420;
    const QString note1 = QStringLiteral("A point above the L2 or DRAM roof"),
                  note2 = QStringLiteral("is fed from a nearer memory.");
    if (measured)
        right += 18 + 18 + Canvas::width(QStringLiteral("measured"), font);
    if (fartherRoofs && roomy) {
        right = std::max(right, x + Canvas::width(note1, Theme::ui(11)));
        bottom = y + 42;
    }
    const QRectF box(x - 8, y - 16, right - x + 16, bottom - y + 16);
    c.fill(box, t.alt);
    taken.add(box);
    c.circle({x + 5, y - 4}, 4.5, t.pane, t.acc, 1.75);
    c.text(x + 18, y, QStringLiteral("modelled"), {font, t.tx});
    if (measured) {
        const double mx = x + 36 + Canvas::width(QStringLiteral("modelled"), font);
        c.circle({mx + 5, y - 4}, 4.5, t.acc, t.acc, 1.75);
        c.text(mx + 18, y, QStringLiteral("measured"), {font, t.tx});
    }
    if (fartherRoofs && roomy) {
        c.text(x, y + 22, note1, {Theme::ui(11), t.tx3});
        c.text(x, y + 37, note2, {Theme::ui(11), t.tx3});
    }
}

} // namespace

void paintRoofline(Canvas& c, const QRectF& rect, const RooflineData& data, MemoryLevel axis) {
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    if (peak(data) <= 0) {
        const QString why = data.notes.empty() ? QStringLiteral("No roofs for this GPU")
                                               : QString::fromStdString(data.notes.front());
        c.textFit(rect.center().x(), rect.center().y(), rect.width() - 32, why,
                  {Theme::ui(12), t.tx3, Align::Center});
        return;
    }
    const Plot p = plotFor(rect, data, axis);
    paintRoofLines(c, p, data, axis);
    paintGrid(c, p, axis, rect);
    Occupied taken(p.area);
    std::vector<std::pair<const KernelPoint*, QPointF>> placed;
    bool measured = false;
    for (const KernelPoint& point : data.points) {
        const auto& intensity = point.intensity[std::size_t(axis)];
        if (!intensity || *intensity <= 0 || point.flopsPerSecond <= 0)
            continue;
        const double x = p.x(*intensity);
        placed.push_back({&point, {x, p.y(point.flopsPerSecond)}});
        const double r = point.id == data.selected ? 9.5 : 6;
        taken.add({x - r, placed.back().second.y() - r, 2 * r, 2 * r});
        if (point.measuredFlopsPerSecond) {
            measured = true;
            taken.add({x - 6, p.y(*point.measuredFlopsPerSecond) - 6, 12, 12});
        }
    }
    paintLegend(c, p, measured, axis == MemoryLevel::L1 && roofsOn(data, axis).size() > 1, taken);
    labelRoofs(c, p, data, axis, taken);
    for (const auto& [point, at] : placed)
        if (point->measuredFlopsPerSecond)
            c.line(at, {at.x(), p.y(*point->measuredFlopsPerSecond)}, t.acc, 1.75);
    for (const auto& [point, at] : placed) {
        paintPoint(c, at, false, point->id == data.selected);
        if (point->measuredFlopsPerSecond)
            paintPoint(c, {at.x(), p.y(*point->measuredFlopsPerSecond)}, true, false);
    }
    // The selected kernel's label first: it gets the best place.
    std::stable_sort(placed.begin(), placed.end(), [&](const auto& a, const auto& b) {
        return (a.first->id == data.selected) > (b.first->id == data.selected);
    });
    const double top = peak(data);
    for (const MemoryRoof& roof : roofsOn(data, axis)) {
        double from = 0, to = 0;
        if (!visiblePart(p, roof.bytesPerSecond, top, from, to))
            continue;
        const double x0 = std::pow(10, from), x1 = std::pow(10, to);
        taken.addLine({p.x(x0), p.y(x0 * roof.bytesPerSecond)},
                      {p.x(x1), p.y(x1 * roof.bytesPerSecond)});
    }
    const bool titles = p.area.width() > 480 && placed.size() <= 12;
    for (const auto& [point, at] : placed) {
        const bool selected = point->id == data.selected;
        for (const auto& [title, clear] :
             {std::pair{titles, true}, {titles, false}, {false, true}, {false, false}})
            if (labelPoint(c, at, *point, selected, title, clear, taken))
                break;
    }
}

int rooflineHit(const QRectF& rect, const RooflineData& data, MemoryLevel axis, double x,
                double y) {
    if (peak(data) <= 0)
        return -1;
    const Plot p = plotFor(rect, data, axis);
    int best = -1;
    double nearest = 10;
    for (std::size_t i = 0; i < data.points.size(); ++i) {
        const auto& intensity = data.points[i].intensity[std::size_t(axis)];
        if (!intensity || *intensity <= 0 || data.points[i].flopsPerSecond <= 0)
            continue;
        const double d = std::hypot(p.x(*intensity) - x, p.y(data.points[i].flopsPerSecond) - y);
        if (d < nearest) {
            nearest = d;
            best = int(i);
        }
    }
    return best;
}

} // namespace lanescope::views
