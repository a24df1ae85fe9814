// SPDX-License-Identifier: GPL-3.0-or-later
// Occupancy: blocks that each resource allows, and occupancy over one quantity.
#include <algorithm>
#include <cmath>

#include "views/export/canvas.h"
#include "views/export/charts.h"

namespace lanescope::views {
namespace {

double snap(double v) {
    return std::floor(v) + 0.5;
}
QString str(const std::string& s) {
    return QString::fromStdString(s);
}

void paintLimits(Canvas& c, const QRectF& rect, const OccupancyData& d) {
    const Theme& t = c.theme();
    const double x0 = rect.left() + 14, right = rect.right() - 14, x1 = right - 34;
    c.textFit(x0, rect.top() + 22, right - x0, QStringLiteral("Blocks per SM each resource allows"),
              {Theme::ui(12, QFont::DemiBold), t.tx});
    const int most = std::max(2, d.maxBlocks);
    const double decades = std::log2(double(most)) + 1;
    const auto x = [&](double blocks) {
        return x0 + (std::log2(std::min(blocks, double(most))) + 1) / decades * (x1 - x0);
    };
    const double rows = double(std::max<std::size_t>(1, d.limits.size()));
    const double foot = 62;
    const double pitch = std::clamp((rect.height() - 34 - foot) / rows, 34.0, 59.0);
    double y = rect.top() + 36;
    for (const OccupancyLimit& limit : d.limits) {
        const QFont name = Theme::ui(12, limit.isLimiter ? QFont::DemiBold : QFont::Medium);
        const double nameRight = c.text(x0, y + 12, str(limit.name), {name, t.tx}).right();
        QString detail = str(limit.detail);
        if (Canvas::width(detail, Theme::ui(11)) > right - nameRight - 12)
            detail.remove(QStringLiteral(" per block"));
        c.textFit(right, y + 12, right - nameRight - 12, detail,
                  {Theme::ui(11), t.tx3, Align::Right});
        const double bar = y + 17;
        c.fill({x0, bar, x1 - x0, 15}, t.alt);
        const QString value = limit.blocks ? QString::number(*limit.blocks) : QStringLiteral("–");
        if (limit.blocks && *limit.blocks > 0) {
            const QRectF box(x0, bar, x(*limit.blocks) - x0, 15);
            if (limit.isLimiter) {
                c.texture(box, Texture::Waiting);
                c.box(box, {}, t.warntx);
            } else {
                c.box(box, t.kind == ThemeKind::Light ? QColor(0xC9, 0xD6, 0xE0) : t.line, t.line2);
            }
        }
        if (limit.isLimiter) {
            const QFont font = Theme::ui(11, QFont::DemiBold);
            const double width = 27 + Canvas::width(QStringLiteral("limiter"), font);
            const double end = limit.blocks && *limit.blocks > 0 ? x(*limit.blocks) : x0;
            const double left = std::min(end + 9, x1 - width - 2);
            c.box({left, bar, width, 15}, t.warnbg, t.warntx, 1, 2);
            c.polygon({{left + 7, bar + 11.5}, {left + 11.5, bar + 3.5}, {left + 16, bar + 11.5}},
                      t.warntx);
            c.text(left + 21, bar + 11.5, QStringLiteral("limiter"), {font, t.warntx});
        }
        c.text(
            right, bar + 12, value,
            {Theme::mono(13, limit.isLimiter ? QFont::Bold : QFont::Medium), t.tx, Align::Right});
        y += pitch;
    }
    const double axis = y + 2;
    c.line({x0, snap(axis)}, {x1, snap(axis)}, t.line2);
    for (int v = 1; v <= most; v *= 2) {
        const double at = snap(x(v));
        c.line({at, axis}, {at, axis + 4}, t.line2);
        c.text(at, axis + 16, QString::number(v), {Theme::ui(10.5), t.tx3, Align::Center});
    }
    if (axis + 31 < rect.bottom() - 22)
        c.text((x0 + x1) / 2, axis + 31, QStringLiteral("blocks per SM, log scale"),
               {Theme::ui(11), t.tx3, Align::Center});
    QString launch = QStringLiteral("%1 threads, %2 registers, %3 shared").arg(d.threads).arg(d.registers).arg(bytesText(d.sharedBytes));
    const TextStyle style{Theme::ui(11.5), t.tx2};
    if (d.driverRegisters && d.driverBlocksPerSm && axis + 31 < rect.bottom() - 38) {
        c.textFit(x0, rect.bottom() - 23, right - x0, launch, style);
        launch = QStringLiteral("By the driver: %1 registers, %2 per SM").arg(*d.driverRegisters).arg(counted(*d.driverBlocksPerSm, QStringLiteral("block")));
    }
    c.textFit(x0, rect.bottom() - 8, right - x0, launch, style);
}

QString tickText(double v, const std::string& unit) {
    return unit == "KB" ? shortNumber(v) : grouped(qint64(std::llround(v)));
}

/// Occupancy at x: the value of the last point at or before it.
double valueAt(const OccupancyCurveData& curve, double x, int* blocks = nullptr) {
    std::size_t i = 0;
    while (i + 1 < curve.x.size() && curve.x[i + 1] <= x)
        ++i;
    if (blocks != nullptr && i < curve.blocks.size())
        *blocks = curve.blocks[i];
    return curve.occupancy.empty() ? 0 : curve.occupancy[i];
}

void paintCurve(Canvas& c, const QRectF& rect, const OccupancyData& d,
                const OccupancyCurveData& curve) {
    const Theme& t = c.theme();
    c.textFit(rect.left() + 16, rect.top() + 22, rect.width() - 32, str(curve.title),
              {Theme::ui(12, QFont::DemiBold), t.tx});
    const double left = rect.left() + 54, right = rect.right() - 20;
    const double top = rect.top() + 44, bottom = rect.bottom() - 46;
    if (curve.x.size() < 2 || right - left < 60 || bottom - top < 40)
        return;
    const double low = curve.x.front(), high = curve.x.back();
    const auto px = [&](double v) { return left + (v - low) / (high - low) * (right - left); };
    const auto py = [&](double share) { return bottom - share * (bottom - top); };
    for (int p = 0; p <= 100; p += bottom - top > 120 ? 25 : 50) {
        const double y = snap(py(p / 100.0));
        c.line({left, y}, {right, y}, p == 0 ? t.line2 : t.grid);
        c.text(left - 7, y + 4, QStringLiteral("%1%").arg(p), {Theme::ui(11), t.tx2, Align::Right});
    }
    // Ticks in steps that suit hardware: powers of two.
    double step = 1;
    while ((high - low) / step > std::max(2.0, (right - left) / 42))
        step *= 2;
    double free = left - 20;
    for (double v = std::ceil(low / step) * step; v <= high + 1e-9; v += step) {
        const double x = snap(px(v));
        c.line({x, bottom}, {x, bottom + 4}, t.line2);
        const QString text = tickText(v, curve.unit);
        const double half = Canvas::width(text, Theme::ui(11)) / 2;
        if (x - half < free || x + half > rect.right() - 2)
            continue;
        c.text(x, bottom + 17, text, {Theme::ui(11), t.tx2, Align::Center});
        free = x + half + 8;
    }
    c.text((left + right) / 2, rect.bottom() - 10, str(curve.axis),
           {Theme::ui(11.5), t.tx2, Align::Center});
    QList<QPointF> line;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (i > 0 && curve.occupancy[i] != curve.occupancy[i - 1]) {
            const double x = (px(curve.x[i]) + px(curve.x[i - 1])) / 2;
            line += {x, py(curve.occupancy[i - 1])};
            line += {x, py(curve.occupancy[i])};
        } else if (i == 0 || i + 1 == curve.x.size()) {
            line += {px(curve.x[i]), py(curve.occupancy[i])};
        }
    }
    line += {right, py(curve.occupancy.back())};
    QList<QPointF> area = line;
    area += {right, bottom};
    area += {left, bottom};
    QColor ground = t.accbg;
    ground.setAlphaF(0.55f);
    c.polygon(area, ground);
    c.polyline(line, t.acc, 2.25);

    int blocks = 0;
    const double share = valueAt(curve, curve.currentX, &blocks);
    const double mx = std::clamp(px(curve.currentX), left, right), my = py(share);
    c.line({mx, top - 12}, {mx, bottom}, t.warntx, 1.2, {3, 3});
    c.circle({mx, my}, 5.5, t.pane, t.acc, 2);
    const QString head =
        QStringLiteral("%1%2 %3")
            .arg(d.kernel.empty() ? QString() : str(d.kernel) + QStringLiteral(": "))
            .arg(tickText(curve.currentX, curve.unit), str(curve.unit));
    const QString tail =
        QStringLiteral("%1, %2, %3")
            .arg(counted(d.blocksPerSm, QStringLiteral("block")),
                 counted(d.warpsPerSm, QStringLiteral("warp")), percent(d.occupancy));
    const QFont strong = Theme::ui(12, QFont::DemiBold), plain = Theme::ui(11.5);
    const double width = std::max(Canvas::width(head, strong), Canvas::width(tail, plain));
    // Beside the mark, where the curve does not run through it; further right when it would.
    const auto isClear = [&](double x, double y) {
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            const double cx = px(curve.x[i]), cy = py(curve.occupancy[i]);
            const double before = i > 0 ? py(curve.occupancy[i - 1]) : cy;
            if (cx > x - 4 && cx < x + width + 4 && std::max(cy, before) > y - 13 &&
                std::min(cy, before) < y + 22)
                return false;
        }
        const double level = py(valueAt(curve, low + (x - left) / (right - left) * (high - low)));
        return level < y - 13 || level > y + 22;
    };
    const bool onRight = mx + 8 + width <= rect.right() - 4;
    double x = onRight ? mx + 8 : std::max(left + width, mx - 8), y = top - 2;
    const Align align = onRight ? Align::Left : Align::Right;
    const double leftEnd = onRight ? x : x - width;
    if (!isClear(leftEnd, y)) {
        bool placed = false;
        for (const double dy : {0.0, 26.0, 60.0, 100.0})
            for (double shift = 0;
                 !placed && y + dy + 22 < bottom && leftEnd + shift + width <= rect.right() - 4;
                 shift += 8)
                if (isClear(leftEnd + shift, y + dy)) {
                    x += shift;
                    y += dy;
                    placed = true;
                }
    }
    c.textHalo(x, y, head, {strong, t.tx, align}, t.pane);
    c.textHalo(x, y + 16, tail, {plain, t.tx2, align}, t.pane);
}

} // namespace

void paintOccupancy(Canvas& c, const QRectF& rect, const OccupancyData& d, int curve) {
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    if (!d.problem.empty() || d.limits.empty()) {
        c.textFit(rect.center().x(), rect.center().y(), rect.width() - 32,
                  d.problem.empty() ? QStringLiteral("Occupancy appears when a kernel is open")
                                    : str(d.problem),
                  {Theme::ui(12), d.problem.empty() ? t.tx3 : t.errtx, Align::Center});
        return;
    }
    const double split = std::clamp(rect.width() * 0.44, 200.0, 320.0);
    paintLimits(c, {rect.left(), rect.top(), split, rect.height()}, d);
    c.line({snap(rect.left() + split), rect.top() + 10},
           {snap(rect.left() + split), rect.bottom() - 10}, t.line);
    paintCurve(c, {rect.left() + split, rect.top(), rect.width() - split, rect.height()}, d,
               d.curves[std::size_t(std::clamp(curve, 0, 2))]);
}

} // namespace lanescope::views
