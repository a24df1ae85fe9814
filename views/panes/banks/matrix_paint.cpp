// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/banks/matrix_paint.h"

#include <algorithm>

#include "views/export/canvas.h"
#include "views/kit/icons.h"

namespace lanescope::views {
namespace {

void paintHead(Canvas& c, const MatrixScene& s, const MatrixSide& side) {
    const Theme& t = c.theme();
    const bool isClean = side.degree == 1;
    const QFont strong = Theme::ui(12, QFont::DemiBold);
    const double left = side.rect.left() + 16, y = s.rect.top() + 20, right = side.gridX + memory::kBanks * s.cellWidth + 52;
    c.text(left, y, side.title, {strong, t.tx});
    double x = left + Canvas::width(side.title, strong) + 12;
    const double sumWidth = Canvas::width(side.sum, strong), room = right - sumWidth - 10 - x;
    if (room > 24) {
        drawIcon(c.painter(), {x, y - 12, 16, 16}, isClean ? Icon::Pass : Icon::Warning, isClean ? t.ok : t.wait, t);
        c.textFit(x + 20, y, room - 20, side.verdict, {strong, isClean ? t.oktx : t.warntx});
    }
    c.textFit(std::max(x, right - sumWidth), y, right - std::max(x, right - sumWidth) + 1, side.sum, {strong, t.tx});
    const double hy = s.gridY - 6;
    c.text(left, hy, QStringLiteral("Row, lane"), {Theme::ui(10.5), t.tx3});
    for (int bank = 0; bank < memory::kBanks; bank += 4)
        c.text(side.gridX + (bank + 2) * s.cellWidth, hy, s.cellWidth >= 9 ? QStringLiteral("%1–%2").arg(bank).arg(bank + 3) : QString::number(bank), {Theme::mono(9.5), t.tx3, Align::Center});
    c.text(right, hy, QStringLiteral("Wavefront"), {Theme::ui(10.5), t.tx3, Align::Right});
}

void paintRows(Canvas& c, const MatrixScene& s, const MatrixSide& side) {
    const Theme& t = c.theme();
    const double left = side.rect.left() + 16, base = s.rowHeight / 2 + 3.6;
    for (int i = 0; i < 8; ++i) {
        const MatrixRow& row = side.rows[std::size_t(i)];
        const QRectF r = s.rowRect(side, i);
        const bool isMine = row.lane == s.lane, waits = row.wavefront > 1, isHot = side.hits[std::size_t(row.bank)] > 1;
        if (isMine)
            c.box({left - 6, r.top(), side.gridX - left + 2, s.rowHeight - 1}, t.sel, {}, 0, 2);
        const QFont font = Theme::ui(10.5, isMine ? QFont::Bold : QFont::Normal);
        if (row.tileRow >= 0)
            c.text(left, r.top() + base, QStringLiteral("row %1").arg(row.tileRow), {font, isMine ? t.seltx : t.tx2});
        c.text(side.gridX - 8, r.top() + base, QStringLiteral("lane %1").arg(row.lane), {font, isMine ? t.seltx : t.tx3, Align::Right});
        for (int bank = 0; bank < memory::kBanks; bank += 4) {
            const QRectF chunk(side.gridX + bank * s.cellWidth + 0.5, r.top() + 0.5, 4 * s.cellWidth - 1, s.rowHeight - 1.5);
            if (bank != row.bank) {
                c.fill(chunk, t.cell);
                continue;
            }
            if (isHot)
                c.texture(chunk, Texture::Waiting);
            else
                c.fill(chunk, t.acc);
            for (int line = 1; line < 4; ++line)
                c.line({chunk.left() + line * s.cellWidth, chunk.top()}, {chunk.left() + line * s.cellWidth, chunk.bottom()}, isHot ? t.wait : t.pane, 1);
            const QString text = QString::number(row.lane);
            const QFont number = Theme::mono(9.5, QFont::Bold);
            const double width = Canvas::width(text, number);
            if (isHot)
                c.fill({chunk.center().x() - width / 2 - 2, chunk.top() + 1, width + 4, chunk.height() - 2}, t.pane);
            else
                c.fill({chunk.center().x() - width / 2 - 1, chunk.top() + 1, width + 2, chunk.height() - 2}, t.acc);
            c.text(chunk.center().x(), chunk.center().y() + 3.4, text, {number, isHot ? t.warntx : t.onacc, Align::Center});
            if (isMine)
                c.box(chunk.adjusted(-1, -1, 1, 1), {}, t.selln, 2);
        }
        c.text(side.gridX + memory::kBanks * s.cellWidth + 26, r.top() + base, QString::number(row.wavefront), {Theme::mono(11, QFont::DemiBold), waits ? t.warntx : t.oktx, Align::Center});
    }
    const double top = s.gridY + 8 * s.rowHeight + 3;
    c.line({side.gridX, top}, {side.gridX + memory::kBanks * s.cellWidth, top}, t.line2);
    c.text(left, top + 13, QStringLiteral("Rows per bank"), {Theme::ui(10.5), t.tx3});
    for (int bank = 0; bank < memory::kBanks; bank += 4) {
        const int hits = side.hits[std::size_t(bank)];
        c.text(side.gridX + (bank + 2) * s.cellWidth, top + 13, QString::number(hits), {Theme::mono(10, hits > 1 ? QFont::Bold : QFont::Normal), hits > 1 ? t.warntx : hits > 0 ? t.tx : t.tx3, Align::Center});
    }
}

} // namespace

void paintMatrix(Canvas& c, const MatrixScene& s) {
    const Theme& t = c.theme();
    c.fill(s.rect, t.pane);
    for (const MatrixSide& side : s.sides) {
        paintHead(c, s, side);
        paintRows(c, s, side);
    }
    if (s.sides.size() > 1)
        c.line({s.sides[1].rect.left() + 0.5, s.rect.top() + 10}, {s.sides[1].rect.left() + 0.5, s.rect.bottom() - 26}, t.line);
    const QString note = s.sides.size() > 1 ? QStringLiteral("%1. A row is 16 bytes, four banks; the other picture is the same read with the rows elsewhere.").arg(s.layout)
                                            : QStringLiteral("%1. A row is 16 bytes, four banks.").arg(s.layout);
    c.textFit(s.rect.left() + 16, s.rect.bottom() - 8, s.rect.width() - 32, note.left(1).toUpper() + note.mid(1), {Theme::ui(11), t.tx2});
}

QPointF paintMatrixLane(Canvas& c, const MatrixScene& s, int lane) {
    QPointF at = s.rect.center();
    for (const MatrixSide& side : s.sides)
        for (int i = 0; i < 8; ++i)
            if (const MatrixRow& row = side.rows[std::size_t(i)]; row.lane == lane) {
                const QRectF r(side.gridX + row.bank * s.cellWidth, s.rowRect(side, i).top(), 4 * s.cellWidth, s.rowHeight);
                c.box(r, {}, c.theme().warntx, 1.5);
                if (side.isPresent)
                    at = r.bottomRight();
            }
    return at;
}

QStringList matrixDetails(const MatrixScene& s, int lane) {
    QStringList lines;
    for (const MatrixSide& side : s.sides)
        for (const MatrixRow& row : side.rows)
            if (row.lane == lane)
                lines += QStringLiteral("%1: byte %2, banks %3–%4, wavefront %5").arg(side.title).arg(row.address).arg(row.bank).arg(row.bank + 3).arg(row.wavefront);
    if (lines.isEmpty())
        lines += QStringLiteral("lane %1 gives a row of matrix %2").arg(lane).arg(lane / 8);
    return lines;
}

} // namespace lanescope::views
