// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/fragments/fragments_paint.h"

#include <algorithm>
#include <cmath>

#include "views/export/canvas.h"

namespace lanescope::views {
namespace {

QString textOf(const FragmentScene& s, const FragmentGrid& grid, const FragmentCell& cell, bool isMine) {
    const QString name = QStringLiteral("%1%2").arg(grid.matrix.toLower()).arg(cell.index);
    switch (s.mode) {
    case FragmentMode::Lanes: return isMine ? name : QString::number(cell.lane);
    case FragmentMode::Registers: return name;
    case FragmentMode::Values: return elementText(grid.view->element, cell.raw, std::max(2, int((s.cellWidth - 3) / 5.8)));
    }
    return {};
}

bool isInView(const FragmentScene& s, double left, double right) { return left >= s.rect.left() && right <= s.rect.right(); }

void paintCells(Canvas& c, const FragmentScene& s, const FragmentGrid& grid) {
    const Theme& t = c.theme();
    const int group = s.lane / 4;
    for (int row = 0; row < grid.rows; ++row)
        for (int column = 0; column < grid.columns; ++column) {
            const FragmentCell& cell = grid.cell(row, column);
            const QRectF box = s.cellRect(grid, row, column).adjusted(0.5, 0.5, -0.5, -0.5);
            if (!box.intersects(s.rect) || box.bottom() > s.legendTop + 1)
                continue;
            const bool isMine = cell.lane == s.lane, isGroup = cell.lane / 4 == group;
            c.fill(box, isMine ? t.sel : t.laneTint(cell.lane));
            const QFont font = Theme::mono(s.cellHeight >= 16 && s.cellWidth >= 24 ? 11 : 9.5, isMine || isGroup ? QFont::Bold : QFont::Normal);
            const QString text = textOf(s, grid, cell, isMine);
            if (box.height() < 8 || Canvas::width(text, font) > box.width())
                continue; // only when everything had to fit on a small page
            if (!isInView(s, box.center().x() - Canvas::width(text, font) / 2, box.center().x() + Canvas::width(text, font) / 2))
                continue; // half a number would read as another
            c.text(box.center().x(), box.center().y() + font.pixelSize() * 0.36, text, {font, isMine ? t.seltx : isGroup ? t.tx : t.tx2, Align::Center});
        }
}

void paintAxes(Canvas& c, const FragmentScene& s, const FragmentGrid& grid) {
    const Theme& t = c.theme();
    const TextStyle small{Theme::mono(9.5), t.tx3, Align::Center};
    const double right = grid.x + grid.columns * s.cellWidth;
    const TextStyle title{Theme::ui(12, QFont::DemiBold), t.tx};
    // The title stays in view as long as a part of its grid is.
    const double titleX = std::max(grid.x, s.rect.left() + 6), titleEnd = std::min(std::max(right, grid.x + 40) + 24, s.rect.right() - 6);
    const double from = titleX + Canvas::width(grid.title, title.font) + 10;
    if (from - 10 <= titleEnd && grid.y - 34 >= s.rect.top()) {
        c.text(titleX, grid.y - 24, grid.title, title);
        if (titleEnd - from > 24)
            c.textFit(from, grid.y - 24, titleEnd - from, grid.detail, {Theme::ui(11.5), t.tx3});
    }
    const bool hasRowLabels = isInView(s, grid.x - 30, grid.x - 5), hasColumnLabels = grid.y - 16 >= s.rect.top();
    if (!grid.rowAxis.isEmpty() && hasRowLabels && hasColumnLabels)
        c.text(grid.x - 5, grid.y - 6, QStringLiteral("%1\\%2").arg(grid.rowAxis, grid.columnAxis), {Theme::mono(9.5), t.tx3, Align::Right});
    const int everyColumn = s.cellWidth >= 18 ? 1 : s.cellWidth >= 9 ? 2 : 8;
    for (int column = 0; column < grid.columns; column += everyColumn)
        if (const double x = grid.x + (column + 0.5) * s.cellWidth; hasColumnLabels && isInView(s, x - 9, x + 9))
            c.text(x, grid.y - 6, QString::number(column), small);
    const int everyRow = s.cellHeight >= 11 ? 1 : 4;
    for (int row = 0; row < grid.rows; row += everyRow)
        if (const double y = grid.y + (row + 0.5) * s.cellHeight; hasRowLabels && y > s.rect.top() + 20 && y < s.legendTop - 4)
            c.text(grid.x - 6, y + 3.4, QString::number((grid.countsRows ? grid.firstRow : 0) + row % grid.tileRows), {Theme::mono(9.5), t.tx3, Align::Right});
    for (int row = grid.tileRows; row < grid.rows; row += grid.tileRows)
        if (const double y = grid.y + row * s.cellHeight; y < s.legendTop)
            c.line({grid.x, y}, {right, y}, t.line2, 2);
}

/// Row of A and column of B of the chosen element, and the term the walk is at.
void paintOutlines(Canvas& c, const FragmentScene& s) {
    if (s.chosen.grid < 0)
        return;
    const Theme& t = c.theme();
    const FragmentGrid& of = s.grids[std::size_t(s.chosen.grid)];
    const auto dashed = [&](QRectF r) {
        r.setBottom(std::min(r.bottom(), s.legendTop - 1));
        if (r.top() > r.bottom())
            return;
        const QList<double> dash{4, 3};
        c.line(r.topLeft(), r.topRight(), t.selln, 1.5, dash);
        c.line(r.bottomLeft(), r.bottomRight(), t.selln, 1.5, dash);
        c.line(r.topLeft(), r.bottomLeft(), t.selln, 1.5, dash);
        c.line(r.topRight(), r.bottomRight(), t.selln, 1.5, dash);
    };
    const int tile = s.chosen.row / of.tileRows;
    if (s.hasWalk) {
        const FragmentGrid &a = s.grids[std::size_t(s.gridOf('A'))], &b = s.grids[std::size_t(s.gridOf('B'))];
        dashed(s.cellRect(a, s.chosen.row, 0).united(s.cellRect(a, s.chosen.row, a.columns - 1)));
        dashed(s.cellRect(b, tile * b.tileRows, s.chosen.column).united(s.cellRect(b, tile * b.tileRows + b.tileRows - 1, s.chosen.column)));
        if (s.walk.k >= 0) {
            for (const QRectF& r : {s.cellRect(a, s.chosen.row, s.walk.k), s.cellRect(b, tile * b.tileRows + s.walk.k, s.chosen.column)})
                if (r.bottom() < s.legendTop)
                    c.box(r.adjusted(-0.5, -0.5, 0.5, 0.5), {}, t.acc, 2.5);
        }
    }
    const QRectF own = s.cellRect(of, s.chosen.row, s.chosen.column);
    if (own.bottom() < s.legendTop)
        c.box(own.adjusted(-0.5, -0.5, 0.5, 0.5), {}, t.tx, 2);
}

void paintOperators(Canvas& c, const FragmentScene& s) {
    if (!s.hasWalk)
        return;
    const Theme& t = c.theme();
    const auto between = [&](int left, int right, const QString& sign) {
        const FragmentGrid &l = s.grids[std::size_t(left)], &r = s.grids[std::size_t(right)];
        const double x = (l.x + l.columns * s.cellWidth + r.x - 20) / 2;
        if (isInView(s, x - 8, x + 8))
            c.text(x, std::min(l.y + 8 * s.cellHeight, s.legendTop - 10) + 5, sign, {Theme::ui(15), t.tx2, Align::Center});
    };
    between(s.gridOf('A'), s.gridOf('B'), QStringLiteral("×"));
    between(s.gridOf('B'), s.gridOf('C'), QStringLiteral("+"));
}

void paintLegend(Canvas& c, const FragmentScene& s) {
    const Theme& t = c.theme();
    c.fill({s.rect.left(), s.legendTop, s.rect.width(), s.rect.bottom() - s.legendTop}, t.pane);
    if (!s.hasLegend)
        return;
    double x = s.rect.left() + 18;
    const double y = s.legendTop + 16;
    const QFont font = Theme::ui(11), mono = Theme::mono(9.5, QFont::Bold);
    const auto item = [&](const QString& swatch, const QString& text, const QColor& fill, const QColor& ink) {
        const double width = 22 + 6 + Canvas::width(text, font);
        if (x + width > s.rect.right() - 12)
            return;
        c.fill({x, y - 10, 22, 13}, fill);
        c.text(x + 11, y, swatch, {mono, ink, Align::Center});
        c.text(x + 28, y, text, {font, t.tx2});
        x += width + 14;
    };
    const FragmentGrid& first = s.grids.front();
    item(QStringLiteral("%1%2").arg(first.matrix.toLower()).arg(0), QStringLiteral("lane %1").arg(s.lane), t.sel, t.seltx);
    for (int i = 0; i < 4; ++i)
        item(QString::number(i), QStringLiteral("t = %1").arg(i), t.laneTint(i), t.tx2);
    item(QString::number(s.lane / 4 * 4), QStringLiteral("groupID %1").arg(s.lane / 4), t.pane, t.tx);
    if (!s.hasWalk)
        return;
    const FragmentGrid& of = s.grids[std::size_t(s.chosen.grid)];
    const FragmentGrid& a = s.grids[std::size_t(s.gridOf('A'))];
    const int last = a.columns - 1;
    const QString full = QStringLiteral("c%1 = c%1 + Σ A[%2][k] · B[k][%3], k = 0…%4: held by lanes %5 and %6")
                             .arg(of.cell(s.chosen.row, s.chosen.column).index)
                             .arg(s.chosen.row % of.tileRows)
                             .arg(s.chosen.column)
                             .arg(last)
                             .arg(laneRanges(s.lanesOfRow), laneRanges(s.lanesOfColumn));
    const double room = s.rect.right() - 14 - x - 28;
    if (room < 120)
        return;
    const QList<double> dash{3, 2};
    const QRectF r(x + 0.5, y - 9.5, 20, 11);
    c.line(r.topLeft(), r.topRight(), t.selln, 1.5, dash);
    c.line(r.bottomLeft(), r.bottomRight(), t.selln, 1.5, dash);
    c.line(r.topLeft(), r.bottomLeft(), t.selln, 1.5, dash);
    c.line(r.topRight(), r.bottomRight(), t.selln, 1.5, dash);
    c.textFit(x + 28, y, room, full, {font, t.tx2});
}

void paintWalk(Canvas& c, const FragmentScene& s) {
    if (!s.hasWalk)
        return;
    const Theme& t = c.theme();
    if (s.rect.bottom() - s.walkTop < 40) { // one line
        const QString count = QStringLiteral("%1 of %2").arg(s.walk.step).arg(s.walk.steps);
        const double width = Canvas::width(count, Theme::mono(11));
        c.line({s.rect.left(), s.walkTop + 0.5}, {s.rect.right(), s.walkTop + 0.5}, t.line);
        c.text(s.rect.right() - 12, s.walkTop + 19, count, {Theme::mono(11), t.tx3, Align::Right});
        c.textFit(s.rect.left() + 14, s.walkTop + 19, s.rect.width() - width - 40, QStringLiteral("Walk k: ") + s.walk.text, {Theme::mono(11), t.tx});
        return;
    }
    const QRectF r(s.rect.left() + 12, s.walkTop + 4, s.rect.width() - 24, s.rect.bottom() - s.walkTop - 10);
    c.box(r, t.alt, t.line, 1, 4);
    const TextStyle strong{Theme::ui(12, QFont::DemiBold), t.tx};
    const QString title = QStringLiteral("Walk k");
    c.text(r.left() + 10, r.top() + 17, title, strong);
    const double from = r.left() + 10 + Canvas::width(title, strong.font) + 10;
    const QString count = QStringLiteral("%1 of %2").arg(s.walk.step).arg(s.walk.steps);
    const double countWidth = Canvas::width(count, Theme::mono(11));
    c.text(r.right() - 10, r.top() + 17, count, {Theme::mono(11), t.tx3, Align::Right});
    c.textFit(from, r.top() + 17, r.right() - 20 - countWidth - from, s.walk.rule, {Theme::ui(11.5), t.tx3});
    // One box a term: done, present, to come.
    const FragmentGrid& a = s.grids[std::size_t(s.gridOf('A'))];
    const double boxesRight = r.left() + 10 + std::min(a.columns * 9.0, r.width() * 0.3), width = (boxesRight - r.left() - 10) / a.columns;
    for (int k = 0; k < a.columns; ++k) {
        const QRectF box(r.left() + 10 + k * width, r.top() + 27, std::max(1.0, width - 1), 12);
        const bool isDone = std::find(s.walk.done.begin(), s.walk.done.end(), k) != s.walk.done.end();
        c.box(box, isDone ? t.acc : t.cell, {}, 0, 0);
        if (k == s.walk.k)
            c.box(box.adjusted(-1, -2, 1, 2), {}, t.tx, 1.5);
    }
    c.textFit(boxesRight + 12, r.top() + 37, r.right() - 10 - boxesRight - 12, s.walk.text, {Theme::mono(11), t.tx});
}

/// A wgmma's operands in shared memory.
void paintShared(Canvas& c, const FragmentScene& s) {
    if (s.shared.isEmpty())
        return;
    const Theme& t = c.theme();
    c.line({s.rect.left(), s.walkTop + 0.5}, {s.rect.right(), s.walkTop + 0.5}, t.line);
    double y = s.walkTop + 17;
    for (const QString& line : s.shared) {
        c.textFit(s.rect.left() + 14, y, s.rect.width() - 28, line, {Theme::ui(11.5), &line == &s.shared.back() ? t.tx : t.tx2});
        y += 16;
    }
}

} // namespace

void paintFragments(Canvas& c, const FragmentScene& s) {
    const Theme& t = c.theme();
    c.fill(s.rect, t.pane);
    if (!s.emptyText.isEmpty()) {
        c.paragraph({s.rect.left() + 24, s.rect.center().y() - 16, s.rect.width() - 48, 48}, s.emptyText, {Theme::ui(12), t.tx3, Align::Center}, 18);
        return;
    }
    for (const FragmentGrid& grid : s.grids)
        paintCells(c, s, grid);
    for (const FragmentGrid& grid : s.grids)
        paintAxes(c, s, grid);
    paintOperators(c, s);
    paintOutlines(c, s);
    paintLegend(c, s);
    paintWalk(c, s);
    paintShared(c, s);
}

QPointF paintFragmentLane(Canvas& c, const FragmentScene& s, int lane) {
    QPointF at = s.rect.center();
    if (s.grids.empty())
        return at;
    bool isFirst = true;
    for (std::size_t g = 0; g < s.grids.size(); ++g)
        for (const FragmentElement& e : s.elementsOf(int(g), lane)) {
            const QRectF box = s.cellRect(s.grids[g], e.row, e.column);
            if (box.bottom() > s.legendTop)
                continue;
            c.box(box.adjusted(0.5, 0.5, -0.5, -0.5), {}, c.theme().warntx, 1.5);
            if (isFirst)
                at = box.bottomRight();
            isFirst = false;
        }
    return at;
}

} // namespace lanescope::views
