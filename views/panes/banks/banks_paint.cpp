// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/banks/banks_paint.h"

#include <algorithm>
#include <cmath>

#include "views/export/canvas.h"
#include "views/kit/icons.h"

namespace lanescope::views {
namespace {

using session::AccessView;

double snap(double v) {
    return std::floor(v) + 0.5;
}

QColor emptyCell(const Theme& t) {
    return t.kind == ThemeKind::Light ? t.win : t.alt;
}

void paintTop(Canvas& c, const BankScene& s) {
    const Theme& t = c.theme();
    const double left = s.rect.left() + 18, y = s.rect.top() + 20;
    const bool clean = s.wavefronts <= s.passes;
    const QFont strong = Theme::ui(12, QFont::DemiBold);
    drawIcon(c.painter(), {left, y - 12, 16, 16}, clean ? Icon::Pass : Icon::Warning,
             clean ? t.ok : t.wait, t);
    const double right = s.gridRight() + 56;
    const double sumWidth = Canvas::width(s.sum, strong);
    c.text(right, y, s.sum, {strong, t.tx, Align::Right});
    QString verdict = s.verdict;
    if (s.sharedWords > 0)
        verdict += QStringLiteral(" · %1 by several lanes")
                       .arg(counted(s.sharedWords, QStringLiteral("word read"),
                                    QStringLiteral("words read")));
    if (Canvas::width(verdict, strong) > right - sumWidth - left - 40)
        verdict = s.verdict;
    c.textFit(left + 22, y, right - sumWidth - left - 34, verdict,
              {strong, clean ? t.oktx : t.warntx});
    // Bank numbers: each one where it fits, else every fourth.
    const double hy = s.gridY - 6;
    c.text(left, hy, QStringLiteral("Pass, lanes"), {Theme::ui(10.5), t.tx3});
    const bool each = s.cellWidth >= 14;
    for (int bank = 0; bank < memory::kBanks; bank += each ? 1 : 4) {
        const double x =
            each ? s.gridX + (bank + 0.5) * s.cellWidth : s.gridX + (bank + 2) * s.cellWidth;
        c.text(x, hy,
               each || s.cellWidth < 9 ? QString::number(bank)
                                       : QStringLiteral("%1–%2").arg(bank).arg(bank + 3),
               {Theme::mono(each ? 9.5 : 10), t.tx3, Align::Center});
    }
    c.text(s.gridRight() + 56, hy, QStringLiteral("Wavefront"),
           {Theme::ui(10.5), t.tx3, Align::Right});
}

void paintCell(Canvas& c, const BankScene& s, const BankRow& row, int bank) {
    const Theme& t = c.theme();
    const BankCell& cell = row.cells[std::size_t(bank)];
    const QRectF box = s.cellRect(row, bank).adjusted(0.5, 0.5, -0.5, -1.5);
    if (cell.lanes == 0) {
        c.fill(box, emptyCell(t));
        return;
    }
    const bool waits = row.inPass > 0, shared = laneCount(cell.lanes) > 1;
    const QString text = shared ? QStringLiteral("×%1").arg(laneCount(cell.lanes))
                                : QString::number(firstLane(cell.lanes));
    const QFont font = Theme::mono(9.5, QFont::DemiBold);
    const double width = Canvas::width(text, font);
    const bool fits = width <= box.width() - 1 && box.height() >= 9;
    if (waits)
        c.texture(box, Texture::Waiting);
    else
        c.fill(box, shared ? t.ok : t.acc);
    if (shared && !fits) // a mark in place of the number
        c.circle(box.center(), std::min(2.0, box.width() / 4), t.pane, {});
    if (!fits)
        return;
    if (waits)
        c.fill({box.center().x() - width / 2 - 0.5, box.top() + 0.5, width + 1, box.height() - 1},
               t.pane);
    c.text(box.center().x(), box.center().y() + 3.4, text,
           {font, waits ? t.warntx : t.onacc, Align::Center});
}

void paintRows(Canvas& c, const BankScene& s, const AccessView& access) {
    const Theme& t = c.theme();
    const double left = s.rect.left() + 18;
    const double base = s.rowHeight / 2 + 3;
    for (const BankRow& row : s.rows) {
        const bool mine = hasLane(row.lanes, s.lane) && row.folded == 0;
        if (row.folded != 0) {
            c.textFit(
                s.gridX + 4, row.y + base, s.gridRight() - s.gridX - 8,
                QStringLiteral("%1 more, lanes %2")
                    .arg(counted(row.folded, QStringLiteral("wavefront")), laneRanges(row.lanes)),
                {Theme::ui(10.5), t.warntx});
            continue;
        }
        if (mine)
            c.box({left - 6, row.y, s.gridX - left + 2, s.rowHeight - 1}, t.sel, {}, 0, 2);
        const QColor strong = mine ? t.seltx : t.tx2, faint = mine ? t.seltx : t.tx3;
        if (row.inPass == 0)
            c.text(left, row.y + base, QStringLiteral("pass %1").arg(row.pass + 1),
                   {Theme::ui(10.5, mine ? QFont::Bold : QFont::Normal), strong});
        const QString lanes = row.inPass == 0 && access.passes.size() > 1 && s.degree == 1
                                  ? laneRanges(access.passes[std::size_t(row.pass)])
                                  : laneRanges(row.lanes);
        c.textFit(left + 44, row.y + base, s.gridX - left - 50, lanes,
                  {Theme::ui(10.5, mine ? QFont::Bold : QFont::Normal), faint});
        for (int bank = 0; bank < memory::kBanks; ++bank)
            paintCell(c, s, row, bank);
        c.text(
            s.gridRight() + 28, row.y + base, QString::number(row.number),
            {Theme::mono(11, QFont::DemiBold), row.inPass > 0 ? t.warntx : t.oktx, Align::Center});
    }
    // Outlines last, so that neighbours do not cover them.
    for (const BankRow& row : s.rows)
        for (int bank = 0; bank < memory::kBanks; ++bank)
            if (row.folded == 0 && hasLane(row.cells[std::size_t(bank)].lanes, s.lane))
                c.box(s.cellRect(row, bank).adjusted(-0.5, -0.5, 0.5, -0.5), {}, t.selln, 2);
}

void paintHits(Canvas& c, const BankScene& s) {
    const Theme& t = c.theme();
    const double top = s.rows.back().y + s.rowHeight + 3;
    c.line({s.gridX, snap(top)}, {s.gridRight(), snap(top)}, t.line2);
    c.text(s.rect.left() + 18, top + 13, QStringLiteral("Words per bank"),
           {Theme::ui(10.5), t.tx3});
    const int least = std::max(1, s.passes);
    for (int bank = 0; bank < memory::kBanks; ++bank) {
        const int hits = s.hits[std::size_t(bank)];
        const bool each = s.cellWidth >= 13 || (hits < 10 && s.cellWidth >= 6);
        if (!each)
            continue;
        const bool hot = s.wavefronts > s.passes && hits > least;
        c.text(s.gridX + (bank + 0.5) * s.cellWidth, top + 13, QString::number(hits),
               {Theme::mono(10, hot ? QFont::Bold : QFont::Normal),
                hot        ? t.warntx
                : hits > 0 ? t.tx
                           : t.tx3,
                Align::Center});
    }
}

void paintLegend(Canvas& c, const BankScene& s) {
    const Theme& t = c.theme();
    const double y = s.rect.bottom() - 9, end = s.rail.isEmpty() ? s.rect.right() : s.rail.left();
    double x = s.rect.left() + 18;
    const QFont font = Theme::ui(11);
    const auto item = [&](const QString& text, auto&& swatch) {
        const double width = 22 + Canvas::width(text, font);
        if (x + width > end - 6)
            return;
        swatch(QRectF(x, y - 9, 16, 10));
        c.text(x + 22, y, text, {font, t.tx2});
        x += width + 16;
    };
    item(QStringLiteral("word of one lane"), [&](const QRectF& r) { c.fill(r, t.acc); });
    item(QStringLiteral("word shared by lanes (broadcast)"),
         [&](const QRectF& r) { c.fill(r, t.ok); });
    item(QStringLiteral("conflict: served later"),
         [&](const QRectF& r) { c.texture(r, Texture::Waiting); });
    item(QStringLiteral("idle"), [&](const QRectF& r) { c.box(r, emptyCell(t), t.line2); });
}

void paintRail(Canvas& c, const BankScene& s, const AccessView& access) {
    if (s.rail.isEmpty())
        return;
    const Theme& t = c.theme();
    const QRectF& r = s.rail;
    const double x = r.left() + 14;
    c.line({snap(r.left()), r.top()}, {snap(r.left()), r.bottom()}, t.line);
    double y = r.top() + 22;
    const auto row = [&](const QString& label, const QString& value) {
        if (y > r.bottom() - 8)
            return;
        c.text(x, y, label, {Theme::ui(11.5), t.tx2});
        c.text(r.right() - 14, y, value, {Theme::mono(11, QFont::DemiBold), t.tx, Align::Right});
        y += 18;
    };
    c.text(x, y, QStringLiteral("This access"), {Theme::ui(12, QFont::DemiBold), t.tx});
    y += 20;
    row(QStringLiteral("Wavefronts"), QString::number(s.wavefronts));
    row(QStringLiteral("Minimum (passes)"), QString::number(s.passes));
    row(QStringLiteral("Excess"), QString::number(std::max(0, s.wavefronts - s.passes)));
    row(QStringLiteral("Bytes per lane"), QString::number(access.bytesPerLane));
    y += 12;
    if (y > r.bottom() - 40)
        return;
    c.text(x, y, QStringLiteral("Lane %1").arg(s.lane), {Theme::ui(12, QFont::DemiBold), t.tx});
    y += 20;
    if (!hasLane(access.active, s.lane)) {
        c.text(x, y, QStringLiteral("not active"), {Theme::ui(11.5), t.tx3});
        return;
    }
    const std::uint64_t address = access.addresses[std::size_t(s.lane)];
    const auto bank = [](std::uint64_t a) { return a / memory::kBankBytes % memory::kBanks; };
    const std::uint64_t last = address + std::uint64_t(std::max(1, access.bytesPerLane)) - 1;
    if (!access.array.empty() && access.elementBytes > 0)
        row(QStringLiteral("Element"),
            QStringLiteral("%1[%2]")
                .arg(QString::fromStdString(access.array))
                .arg((address - access.arrayBase) / std::uint64_t(access.elementBytes)));
    row(QStringLiteral("Byte"), grouped(qint64(address)));
    row(bank(address) == bank(last) ? QStringLiteral("Bank") : QStringLiteral("Banks"),
        bank(address) == bank(last) ? QString::number(bank(address))
                                    : QStringLiteral("%1–%2").arg(bank(address)).arg(bank(last)));
    for (const BankRow& w : s.rows)
        if (w.folded == 0 && hasLane(w.lanes, s.lane)) {
            row(QStringLiteral("Wavefront"), QString::number(w.number));
            break;
        }
    const std::string& value = access.values[std::size_t(s.lane)];
    // A wide access has several: one below the other.
    const QStringList values = QString::fromStdString(value).split(QStringLiteral(", "), Qt::SkipEmptyParts);
    constexpr double kTighter = 4;
    for (int i = 0; i < values.size(); ++i, y -= kTighter)
        row(i > 0 ? QString() : values.size() > 1 ? QStringLiteral("Values") : QStringLiteral("Value"), values[i]);
}

} // namespace

void paintBanks(Canvas& c, const BankScene& s, const session::FrameView& frame) {
    const Theme& t = c.theme();
    c.fill(s.rect, t.pane);
    if (!s.emptyTitle.isEmpty()) {
        c.textFit(s.rect.center().x(), s.rect.center().y() - 6, s.rect.width() - 32, s.emptyTitle,
                  {Theme::ui(12, QFont::DemiBold), t.tx2, Align::Center});
        c.textFit(s.rect.center().x(), s.rect.center().y() + 14, s.rect.width() - 32, s.emptyText,
                  {Theme::ui(12), t.tx3, Align::Center});
        return;
    }
    const AccessView& access =
        frame.accesses[std::size_t(s.accesses[std::size_t(s.access)].source)];
    paintTop(c, s);
    if (s.rows.empty()) {
        c.text((s.gridX + s.gridRight()) / 2, s.gridY + 30,
               QStringLiteral("No lane takes part in this access"),
               {Theme::ui(12), t.tx3, Align::Center});
    } else {
        paintRows(c, s, access);
        paintHits(c, s);
    }
    paintLegend(c, s);
    paintRail(c, s, access);
}

QPointF paintBanksLane(Canvas& c, const BankScene& s, int lane) {
    QPointF at = s.rect.center();
    if (!s.emptyTitle.isEmpty() || lane < 0)
        return at;
    bool isFirst = true;
    for (const BankRow& row : s.rows)
        for (int bank = 0; bank < memory::kBanks; ++bank)
            if (row.folded == 0 && hasLane(row.cells[std::size_t(bank)].lanes, lane)) {
                c.box(s.cellRect(row, bank).adjusted(-0.5, -0.5, 0.5, -0.5), {}, c.theme().tx, 1.5);
                if (isFirst)
                    at = s.cellRect(row, bank).topRight() + QPointF(8, 4);
                isFirst = false;
            }
    return at;
}

} // namespace lanescope::views
