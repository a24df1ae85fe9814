// SPDX-License-Identifier: GPL-3.0-or-later
// Waves: a square per SM for the first and the last wave, the share of slots that the grid uses,
// and the same grid on other GPUs.
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

struct Grid {
    double x, y, cell;
    int columns;
};

/// One square per SM; `busy` of them hold `most` blocks or fewer.
void paintSms(Canvas& c, const Grid& g, std::int64_t sms, std::int64_t blocks, std::int64_t perSm) {
    const Theme& t = c.theme();
    for (std::int64_t i = 0; i < sms; ++i) {
        // Blocks are spread evenly: the first (blocks mod sms) SMs have one more.
        const std::int64_t own = blocks / sms + (i < blocks % sms ? 1 : 0);
        const double inset = g.cell >= 6 ? 2 : 1;
        const QRectF box(g.x + double(i % g.columns) * g.cell, g.y + double(i / g.columns) * g.cell,
                         g.cell - inset, g.cell - inset);
        if (own == 0) {
            c.box(box, t.pane, t.line2, g.cell >= 6 ? 1 : 0.5);
            continue;
        }
        const double share = std::min(1.0, double(own) / double(std::max<std::int64_t>(1, perSm)));
        if (share < 1)
            c.box(box, t.pane, t.acc, 1);
        c.fill({box.left(), box.bottom() - box.height() * share, box.width(), box.height() * share},
               t.acc);
    }
}

double paintTable(Canvas& c, const QRectF& rect, const WavesData& d) {
    const Theme& t = c.theme();
    const double rowHeight = 22;
    if (d.rows.empty() || rect.height() < 2 * rowHeight)
        return 0;
    const double w = rect.width();
    const double columns[] = {rect.left() + 14, rect.left() + w * 0.46, rect.left() + w * 0.62,
                              rect.left() + w * 0.76, rect.right() - 14};
    const char* heads[] = {"Same grid on", "SMs", w < 400 ? "Per SM" : "Blocks/SM", "Waves", "Slots used"};
    c.line({rect.left(), snap(rect.top())}, {rect.right(), snap(rect.top())}, t.line);
    for (int i = 0; i < 5; ++i)
        c.text(columns[i], rect.top() + 15, QLatin1String(heads[i]),
               {Theme::ui(11, QFont::Medium), t.tx3, i == 0 ? Align::Left : Align::Right});
    double y = rect.top() + rowHeight;
    c.line({rect.left(), snap(y)}, {rect.right(), snap(y)}, t.line);
    int row = 0;
    for (const WavesRow& r : d.rows) {
        if (y + rowHeight > rect.bottom() + 0.5)
            break;
        if (r.current) {
            c.fill({rect.left(), y, w, rowHeight}, t.accbg);
            c.fill({rect.left(), y, 3, rowHeight}, t.acc);
        } else if (row % 2 == 1) {
            c.fill({rect.left(), y, w, rowHeight}, t.alt);
        }
        const int weight = r.current ? QFont::DemiBold : QFont::Normal;
        c.textFit(columns[0], y + 15, columns[1] - columns[0] - 44, str(r.gpu),
                  {Theme::ui(12, weight), t.tx});
        const TextStyle number{Theme::mono(11, r.current ? QFont::DemiBold : QFont::Medium), t.tx,
                               Align::Right};
        c.text(columns[1], y + 15, grouped(r.sms), number);
        c.text(columns[2], y + 15, grouped(r.blocksPerSm), number);
        c.text(columns[3], y + 15, grouped(r.waves), number);
        c.text(columns[4], y + 15, percent(r.slotsUsed), number);
        y += rowHeight;
        ++row;
    }
    return y - rect.top();
}

} // namespace

void paintWaves(Canvas& c, const QRectF& rect, const WavesData& d) {
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    if (!d.problem.empty() || d.waves == 0) {
        c.textFit(rect.center().x(), rect.center().y(), rect.width() - 32,
                  d.problem.empty() ? QStringLiteral("Waves appear when a kernel is open")
                                    : str(d.problem),
                  {Theme::ui(12), t.tx3, Align::Center});
        return;
    }
    const double left = rect.left() + 14, right = rect.right() - 14;
    const bool two = d.waves > 1;
    const double each = two ? (right - left - 34) / 2 : right - left;
    // Cells as large as width and a third of the height allow.
    Grid g{left, rect.top() + 46, 11, 22};
    const double tall = std::clamp(rect.height() * 0.32, 40.0, 120.0);
    for (g.cell = 11; g.cell > 3; g.cell -= 0.5) {
        g.columns = std::max(1, int(each / g.cell));
        if (std::ceil(double(d.sms) / g.columns) * g.cell <= tall)
            break;
    }
    g.columns = int(std::min<std::int64_t>(g.columns, d.sms));
    const double gridHeight = std::ceil(double(d.sms) / g.columns) * g.cell;
    const std::int64_t first = std::min(d.blocks, d.capacity);
    const std::int64_t last = d.tailBlocks > 0 ? d.tailBlocks : d.capacity;
    const auto head = [&](double x, const QString& title, std::int64_t blocks) {
        const std::int64_t busy = std::min(blocks, d.sms);
        c.textFit(x, rect.top() + 22, each, title, {Theme::ui(12, QFont::DemiBold), t.tx});
        QString text = QStringLiteral("%1 of %2 SMs busy").arg(grouped(busy), grouped(d.sms));
        if (busy < d.sms)
            text += QStringLiteral(", %1 idle").arg(grouped(d.sms - busy));
        c.textFit(x, rect.top() + 38, each, text, {Theme::ui(11.5), t.tx2});
    };
    head(left,
         d.fullWaves > 1 ? QStringLiteral("Waves 1 to %1")
                               .arg(grouped(two && d.tailBlocks == 0 ? d.waves - 1 : d.fullWaves))
                         : QStringLiteral("Wave 1"),
         first);
    paintSms(c, g, d.sms, first, d.blocksPerSm);
    if (two) {
        Grid h = g;
        h.x = left + each + 34;
        head(h.x, QStringLiteral("Wave %1").arg(grouped(d.waves)), last);
        paintSms(c, h, d.sms, last, d.blocksPerSm);
        const double ax = left + each + 12, ay = rect.top() + 46 + gridHeight / 2;
        c.polygon({{ax, ay - 6}, {ax + 9, ay}, {ax, ay + 6}}, t.tx3);
    }
    // Slots used over the time of all waves, taken as equally long.
    const double y = rect.top() + 46 + gridHeight + 12;
    const double wave = (right - left) / double(d.waves);
    c.texture({left, y, right - left, 14}, Texture::Unused);
    c.box({left, y, right - left, 14}, {}, t.acc);
    c.fill({left, y, wave * double(d.waves - 1), 14}, t.acc);
    c.fill({left + wave * double(d.waves - 1), y, wave * double(last) / double(d.capacity), 14},
           t.acc);
    if (wave > 6)
        for (std::int64_t i = 1; i < d.waves; ++i)
            c.fill({left + wave * double(i) - 1, y, 2, 14}, t.pane);
    const QString used =
        QStringLiteral("%1 of %2 slots used: %3")
            .arg(grouped(d.blocks), grouped(d.waves * d.capacity), percent(d.slotsUsed));
    const QFont strong = Theme::ui(11.5, QFont::DemiBold);
    const QRectF box = c.text(right, y + 30, used, {strong, t.tx, Align::Right});
    const QString time = d.waves == 1
                             ? QStringLiteral("Time: one wave")
                             : QStringLiteral("Time: %1 equal waves").arg(grouped(d.waves));
    if (left + Canvas::width(time, Theme::ui(11)) < box.left() - 10)
        c.text(left, y + 30, time, {Theme::ui(11), t.tx3});
    paintTable(c, {rect.left(), y + 42, rect.width(), rect.bottom() - y - 42}, d);
}

} // namespace lanescope::views
