// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/swizzle/swizzle_paint.h"

#include <algorithm>

#include "views/export/canvas.h"
#include "views/kit/icons.h"

namespace lanescope::views {
namespace {

/// Bits of an offset, the highest at the left: those that change, those they are XORed with, and the element's before and after.
double paintBits(Canvas& c, const SwizzlePicture& p, const QRectF& rect) {
    const Theme& t = c.theme();
    const double left = rect.left() + 14, label = 64;
    c.text(left, rect.top() + 20, QStringLiteral("Swizzle %1").arg(QString::fromStdString(model::toString(p.swizzle))), {Theme::ui(12, QFont::DemiBold), t.tx});
    const double titleWidth = Canvas::width(QStringLiteral("Swizzle <9, 99, 9>"), Theme::ui(12, QFont::DemiBold));
    c.textFit(left + titleWidth + 12, rect.top() + 20, rect.right() - left - titleWidth - 24, p.units, {Theme::ui(11.5), t.tx3});
    const double width = std::min(26.0, (rect.width() - 28 - label) / p.offsetBits), top = rect.top() + 52, height = 18;
    const double x0 = left + label;
    const auto xOf = [&](int bit) { return x0 + (p.offsetBits - 1 - bit) * width; };
    const std::uint64_t changed = p.swizzle.changedBits(), source = p.swizzle.sourceBits();
    const QFont mono = Theme::mono(11), small = Theme::mono(9.5);
    const auto row = [&](const QString& name, double y, std::uint64_t value, bool isResult) {
        c.text(left, y + 13, name, {Theme::ui(11), t.tx2});
        for (int bit = 0; bit < p.offsetBits; ++bit) {
            const bool isChanged = (changed >> bit & 1) != 0, isSource = (source >> bit & 1) != 0, isOn = (value >> bit & 1) != 0;
            const bool differs = isResult && ((p.linearByte ^ p.byte) >> bit & 1) != 0;
            c.box({xOf(bit) + 1, y, width - 2, height}, differs ? t.sel : isChanged ? t.accbg : isSource ? t.okbg : t.cell, isChanged ? t.accbd : isSource ? t.ok : t.line, 1, 2);
            if (width >= 9)
                c.text(xOf(bit) + width / 2, y + 13, isOn ? QStringLiteral("1") : QStringLiteral("0"), {mono, differs ? t.seltx : t.tx, Align::Center});
        }
    };
    for (int bit = 0; bit < p.offsetBits; ++bit)
        if (width >= 14 || bit % 4 == 0)
            c.text(xOf(bit) + width / 2, top - 4, QString::number(bit), {small, t.tx3, Align::Center});
    c.text(left, top - 4, QStringLiteral("bit"), {Theme::ui(10.5), t.tx3});
    row(QStringLiteral("in order"), top, p.linearByte, false);
    const double second = top + height + 26;
    for (int i = 0; i < p.swizzle.bits; ++i) {
        const int to = p.swizzle.base + i, from = to + p.swizzle.shift;
        const double xf = xOf(from) + width / 2, xt = xOf(to) + width / 2, y1 = top + height, y2 = second, bend = y1 + 6 + i * 5;
        c.line({xf, y1}, {xf, bend}, t.ok, 1.5);
        c.line({xf, bend}, {xt, bend}, t.ok, 1.5);
        c.line({xt, bend}, {xt, y2}, t.ok, 1.5);
        c.line({xt - 3, y2 - 4}, {xt, y2}, t.ok, 1.5);
        c.line({xt + 3, y2 - 4}, {xt, y2}, t.ok, 1.5);
    }
    if (p.swizzle.bits > 0)
        c.text(left, top + height + 17, QStringLiteral("XOR"), {Theme::mono(11, QFont::Bold), t.oktx});
    row(QStringLiteral("swizzled"), second, p.byte, true);
    c.textFit(left, second + height + 17, rect.width() - 28, p.element.left(1).toUpper() + p.element.mid(1), {Theme::ui(12), t.tx});
    return second + height + 26;
}

void paintPass(Canvas& c, const PassPicture& p, const QRectF& rect) {
    const Theme& t = c.theme();
    const double left = rect.left() + 14, label = 78, number = 26;
    const QFont strong = Theme::ui(12, QFont::DemiBold);
    // The verdict is never shortened; the title gives way.
    const double room = rect.right() - 4 - left - 10 - 20 - Canvas::width(p.verdict, strong);
    c.textFit(left, rect.top() + 14, room, p.title, {strong, t.tx});
    const double x = left + std::min(room, Canvas::width(p.title, strong)) + 10;
    const bool isClean = p.verdict == QLatin1String("conflict-free");
    drawIcon(c.painter(), {x, rect.top() + 2, 16, 16}, isClean ? Icon::Pass : Icon::Warning, isClean ? t.ok : t.wait, t);
    c.textFit(x + 20, rect.top() + 14, rect.right() - x - 24, p.verdict, {strong, isClean ? t.oktx : t.warntx});
    c.textFit(left, rect.top() + 30, rect.width() - 20, p.sum, {Theme::ui(11.5), t.tx2});
    const double gridX = left + label, cell = std::clamp((rect.right() - 8 - number - gridX) / memory::kBanks, 3.0, 16.0), top = rect.top() + 50;
    const double rowHeight = std::clamp((rect.bottom() - top) / double(std::max<std::size_t>(1, p.lanes.size())), 3.0, 16.0);
    for (int bank = 0; bank < memory::kBanks; bank += 4)
        if (cell >= 6 || bank % 8 == 0)
            c.text(gridX + (bank + 0.5) * cell, top - 4, QString::number(bank), {Theme::mono(9.5), t.tx3, Align::Center});
    for (std::size_t i = 0; i < p.lanes.size(); ++i) {
        const auto& lane = p.lanes[i];
        const double y = top + double(i) * rowHeight;
        const bool hasText = rowHeight >= 11 || (i % 4 == 0 && rowHeight >= 3);
        if (hasText && (rowHeight >= 11 || i % 4 == 0))
            c.text(gridX - 6, y + std::min(rowHeight, 11.0) / 2 + 3.6, QStringLiteral("row %1 · %2").arg(lane.row).arg(lane.lane), {Theme::ui(10), t.tx3, Align::Right});
        c.fill({gridX, y + 0.5, cell * memory::kBanks, rowHeight - 1}, t.cell);
        const QRectF box(gridX + lane.firstBank * cell, y + 0.5, cell * std::min(lane.banks, memory::kBanks - lane.firstBank), rowHeight - 1);
        if (lane.isHot)
            c.texture(box, Texture::Waiting);
        else
            c.fill(box, t.acc);
        if (rowHeight >= 11)
            c.text(gridX + memory::kBanks * cell + number / 2, y + rowHeight / 2 + 3.6, QString::number(lane.wavefront), {Theme::mono(11, QFont::DemiBold), lane.wavefront > 1 ? t.warntx : t.oktx, Align::Center});
    }
}

void paintCases(Canvas& c, const SwizzlePicture& p, const QRectF& rect) {
    const Theme& t = c.theme();
    const double left = rect.left() + 14, width = rect.width() - 28;
    const std::array<double, 5> right{0.46, 0.60, 0.74, 0.86, 1.0};
    const std::array<const char*, 4> heads{"Wavefronts", "Minimum", "Excess", "Bytes lost"};
    const QFont small = Theme::ui(11);
    c.text(left, rect.top() + 13, QStringLiteral("Whole tile"), {Theme::ui(11, QFont::DemiBold), t.tx2});
    for (std::size_t i = 0; i < heads.size(); ++i)
        c.text(left + width * right[i + 1], rect.top() + 13, QLatin1String(heads[i]), {small, t.tx3, Align::Right});
    c.line({left, rect.top() + 18.5}, {left + width, rect.top() + 18.5}, t.line);
    double y = rect.top() + 33;
    for (const SwizzleCase& one : p.cases) {
        c.textFit(left, y, width * right[0] - 20, one.name, {Theme::ui(11.5), t.tx});
        const std::array<int, 4> values{one.wavefronts, one.minimum, one.excess, one.bytesWasted};
        for (std::size_t i = 0; i < values.size(); ++i)
            c.text(left + width * right[i + 1], y, grouped(values[i]), {Theme::mono(11, i == 2 ? QFont::Bold : QFont::Normal), i == 2 && values[i] > 0 ? t.warntx : t.tx, Align::Right});
        y += 18;
    }
    QString text;
    if (p.found.empty()) {
        text = QStringLiteral("No swizzle with B ≤ 5, S ≤ 7 is conflict-free");
    } else if (p.found.front().bits == 0) {
        text = QStringLiteral("In order there are no conflicts: no swizzle is needed");
    } else {
        text = QStringLiteral("Conflict-free, smallest first:");
        for (const model::Swizzle& one : p.found)
            text += ' ' + QString::fromStdString(model::toString(one));
    }
    c.textFit(left, y + 2, width, text, {Theme::ui(11.5), t.tx2});
}

} // namespace

void paintSwizzle(Canvas& c, const SwizzlePicture& p, const QRectF& rect) {
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    if (!p.problem.isEmpty()) {
        drawIcon(c.painter(), {rect.left() + 20, rect.top() + 22, 16, 16}, Icon::Error, t.err, t);
        c.paragraph({rect.left() + 44, rect.top() + 22, rect.width() - 64, 80}, p.problem, {Theme::ui(12), t.errtx}, 18);
        return;
    }
    const double below = paintBits(c, p, rect);
    const double table = 40 + 18 * double(p.cases.size()) + 14;
    const QRectF rest(rect.left(), below + 4, rect.width(), rect.bottom() - below - 4 - table);
    if (rest.height() >= 96) {
        paintPass(c, p.passes[0], {rest.left(), rest.top(), rest.width() / 2, rest.height()});
        paintPass(c, p.passes[1], {rest.left() + rest.width() / 2, rest.top(), rest.width() / 2, rest.height()});
    }
    paintCases(c, p, {rect.left(), rect.bottom() - table, rect.width(), table});
}

} // namespace lanescope::views
