// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/map/map_paint.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "views/export/canvas.h"
#include "views/export/pair_bars.h"
#include "views/kit/paint.h"

namespace lanescope::views {
namespace {

using session::AccessView;
using session::FrameView;

/// Colours of the accesses of a step, in turn.
struct Ink {
    QColor line, ground, hatch, text;
    int direction;
};

Ink inkOf(const Theme& t, int colour) {
    switch (colour % 4) {
    case 0:
        return {t.acc, t.accbg, t.accbd, t.acctx, 1};
    case 1:
        return {t.ok, t.okbg, t.ok, t.oktx, -1};
    case 2:
        return {t.barhatch, t.barbg, t.barhatch, t.tx, 1};
    default:
        return {t.err, t.errbg, t.err, t.errtx, -1};
    }
}

const MapAccess& accessOf(const MapScene& scene, const MapRow& row) {
    return scene.accesses[std::size_t(row.access)];
}

double snap(double v) {
    return std::floor(v) + 0.5;
}

void paintHeads(Canvas& c, const MapScene& s) {
    const Theme& t = c.theme();
    c.text(s.laneX + s.laneWidth / 2, s.headerY, QStringLiteral("Lane"),
           {Theme::ui(11), t.tx3, Align::Center});
    c.text(s.addressX - 8, s.headerY,
           s.index ? QStringLiteral("Line starts") : QStringLiteral("Line address"),
           {Theme::ui(11), t.tx3});
    const double room = s.addressX - 8 - (s.portX + 12) - 8;
    if (!s.caption.isEmpty() && Canvas::width(s.caption, Theme::ui(11, QFont::Medium)) <= room)
        c.text(s.portX + 12, s.headerY, s.caption, {Theme::ui(11, QFont::Medium), t.acctx});
    for (int sector = 0; sector < 4; ++sector) {
        const double middle = s.byteX(sector * 32) + 16 * s.bytePx;
        const bool roomy = s.bytePx >= 2.1;
        c.text(middle, s.headerY - 13,
               roomy ? QStringLiteral("Sector %1").arg(sector) : QString::number(sector),
               {Theme::ui(11, QFont::Medium), t.tx2, Align::Center});
        c.text(middle, s.headerY,
               (roomy ? QStringLiteral("bytes %1–%2") : QStringLiteral("%1–%2"))
                   .arg(sector * 32)
                   .arg(sector * 32 + 31),
               {Theme::ui(10.5), t.tx3, Align::Center});
    }
}

void paintBand(Canvas& c, const MapScene& s) {
    const MapLane& lane = s.lanes[std::size_t(s.lane)];
    const double left = s.laneX - 10;
    for (const MapRow& row : s.rows) {
        if (!row.selected || accessOf(s, row).isUniform)
            continue;
        // One band when lane and row are level, else the row alone.
        const double from = std::abs(row.y - lane.y) < 1 ? left : s.addressX - 12;
        c.fill({from, row.y - row.height / 2 - 1, s.memoryRight() + 6 - from, row.height + 2},
               c.theme().warnbg);
    }
}

/// Lanes that all read one address hang on a line at the left, which leads to their row.
void paintBuses(Canvas& c, const MapScene& s, const FrameView& frame) {
    int bus = 0;
    for (const MapRow& row : s.rows) {
        const MapAccess& access = accessOf(s, row);
        if (!access.isUniform)
            continue;
        const Ink ink = inkOf(c.theme(), access.colour);
        const double x = s.laneX - 18 - 6 * std::min(bus++, 3);
        double first = row.y;
        forEachLane(row.lanes, [&](int l) {
            const MapLane& lane = s.lanes[std::size_t(l)];
            first = std::min(first, lane.y);
            c.line({x, lane.y}, {s.laneX, lane.y}, ink.line, 1);
        });
        c.line({x, first - 0.5}, {x, row.y + 1}, ink.line, 2);
        c.line({x - 1, row.y}, {s.addressX - 14, row.y}, ink.line, 2);
        const QString text = QStringLiteral("%1, 1 address")
                                 .arg(counted(laneCount(row.lanes), QStringLiteral("lane")));
        const QFont font = Theme::ui(11, QFont::Medium);
        const double width = Canvas::width(text, font) + 10;
        const double left = std::max(s.laneX + 2, (s.portX + s.addressX - width) / 2 - 6);
        if (left + width <= s.addressX - 12) {
            c.box({left, row.y - 7.5, width, 15}, ink.ground, {}, 0, 2);
            c.text(left + width / 2, row.y + 3.5, text, {font, ink.text, Align::Center});
        }
        const AccessView& view = frame.accesses[std::size_t(access.source)];
        const double start =
            s.byteX(double(view.addresses[std::size_t(firstLane(row.lanes))] % kLineBytes));
        c.line({s.memoryX - 12, row.y}, {std::max(s.memoryX - 11, start - 5), row.y}, ink.line, 2);
    }
}

void arrowHead(Canvas& c, QPointF tip, const QColor& color) {
    c.polygon({{tip.x() - 6, tip.y() - 2.6}, tip, {tip.x() - 6, tip.y() + 2.6}}, color);
}

void paintConnectors(Canvas& c, const MapScene& s) {
    for (const MapRow& row : s.rows) {
        const MapAccess& access = accessOf(s, row);
        if (access.isUniform)
            continue;
        const Ink ink = inkOf(c.theme(), access.colour);
        QColor faint = ink.line;
        faint.setAlphaF(0.75);
        const QPointF end(s.addressX - 12, row.y);
        for (int l = 0; l < kWarpSize;) {
            if (!hasLane(row.lanes, l)) {
                ++l;
                continue;
            }
            const int run = std::countr_one(row.lanes >> l);
            if (run == 1) {
                const bool strong = l == s.lane;
                c.connector({s.portX, s.lanes[std::size_t(l)].y}, end, strong ? ink.line : faint,
                            strong ? 2 : 1);
            } else { // neighbours share a bracket and one connector
                const double a = s.lanes[std::size_t(l)].y;
                const double b = s.lanes[std::size_t(l + run - 1)].y;
                const double x = s.portX + 6 + 4 * access.colour % 12;
                for (int k = l; k < l + run; ++k)
                    c.line({s.portX, s.lanes[std::size_t(k)].y}, {x, s.lanes[std::size_t(k)].y},
                           faint, 1);
                c.line({x, a - 0.5}, {x, b + 0.5}, ink.line, 1.5);
                c.connector({x, (a + b) / 2}, end, ink.line, 1.5);
                if (hasLane(row.lanes, s.lane) && s.lane >= l && s.lane < l + run)
                    c.line({s.portX, s.lanes[std::size_t(s.lane)].y},
                           {x, s.lanes[std::size_t(s.lane)].y}, ink.line, 2);
            }
            l += run;
        }
    }
}

int firstByte(const MapRow& row) {
    for (int b = 0; b < kLineBytes; ++b)
        if (row.used.test(std::size_t(b)))
            return b;
    return 0;
}

void paintLanes(Canvas& c, const MapScene& s) {
    const Theme& t = c.theme();
    for (int l = 0; l < kWarpSize; ++l) {
        const MapLane& lane = s.lanes[std::size_t(l)];
        const bool selected = l == s.lane;
        QRectF chip = lane.chip;
        if (selected && chip.height() < 10)
            chip = QRectF(chip.left(), lane.y - 5.5, chip.width(), 11);
        c.box(chip,
              selected      ? t.acc
              : lane.active ? t.alt
                            : t.pane,
              selected      ? t.acc
              : lane.active ? t.line2
                            : t.line,
              0.8, 2);
        if (lane.active && !accessOf(s, s.rows.front()).isUniform)
            c.circle({s.portX, lane.y}, 1.8, inkOf(t, accessOf(s, s.rows.front()).colour).line, {});
    }
    for (int l = 0; l < kWarpSize; ++l) {
        const MapLane& lane = s.lanes[std::size_t(l)];
        const bool selected = l == s.lane;
        if (lane.labelled)
            c.text(s.laneX + s.laneWidth / 2, lane.y + 3.5, QString::number(l),
                   {Theme::mono(9.5, selected ? QFont::Bold : QFont::Medium),
                    selected      ? t.onacc
                    : lane.active ? t.tx2
                                  : t.tx3,
                    Align::Center});
    }
}

void paintWords(Canvas& c, const MapScene& s, const FrameView& frame, const MapRow& row,
                const Ink& ink) {
    const Theme& t = c.theme();
    const double top = row.y - row.height / 2;
    for (int b = 0; b < kLineBytes;) {
        if (!row.used.test(std::size_t(b))) {
            ++b;
            continue;
        }
        int end = b + 1; // runs stop at sector borders, where the picture has a gap
        while (end < kLineBytes && row.used.test(std::size_t(end)) && end % kSectorBytes != 0)
            ++end;
        c.fill({s.byteX(b), top, (end - b) * s.bytePx, row.height}, ink.line);
        b = end;
    }
    const AccessView& view = frame.accesses[std::size_t(accessOf(s, row).source)];
    const double word = view.bytesPerLane * s.bytePx;
    if (row.count > 1 || accessOf(s, row).isUniform)
        return;
    const bool numbers = word >= 13 && row.height >= 12 && laneCount(row.lanes) > 1;
    LaneMask drawn = 0;
    forEachLane(row.lanes, [&](int l) {
        const std::uint64_t address = view.addresses[std::size_t(l)];
        if (address / kLineBytes * kLineBytes != row.line || l == s.lane)
            return;
        const double x = s.byteX(double(address % kLineBytes));
        if (numbers && address % kSectorBytes != 0) // words of one run stay countable
            c.line({x, top}, {x, top + row.height}, t.pane, 0.8);
        bool taken = hasLane(row.lanes, s.lane) && view.addresses[std::size_t(s.lane)] == address;
        forEachLane(drawn, [&](int other) {
            taken = taken || view.addresses[std::size_t(other)] == address;
        });
        drawn |= 1u << l;
        if (numbers && !taken)
            c.text(x + word / 2, row.y + 3.5, QString::number(l),
                   {Theme::mono(9.5, QFont::Medium), t.onacc, Align::Center});
    });
    if (!row.selected || laneCount(row.lanes) < 2)
        return;
    const std::uint64_t address = view.addresses[std::size_t(s.lane)];
    if (address / kLineBytes * kLineBytes != row.line)
        return;
    const QRectF mine(s.byteX(double(address % kLineBytes)) - 0.5, top - 1.5, word + 1,
                      row.height + 3);
    c.box(mine, t.sel, t.selln, 1.5);
    if (numbers)
        c.text(mine.center().x(), row.y + 3.5, QString::number(s.lane),
               {Theme::mono(9.5, QFont::Bold), t.seltx, Align::Center});
}

void paintRow(Canvas& c, const MapScene& s, const FrameView& frame, const MapRow& row) {
    const Theme& t = c.theme();
    const MapAccess& access = accessOf(s, row);
    const Ink ink = inkOf(t, access.colour);
    const double top = row.y - row.height / 2;
    for (int sector = 0; sector < 4; ++sector) {
        const QRectF box(s.byteX(sector * 32), top, 32 * s.bytePx, row.height);
        const bool moved = ((row.sectors >> sector) & 1u) != 0;
        if (moved)
            c.stripes(box, ink.ground, ink.hatch, 1.2, 5, ink.direction);
        else
            c.fill(box, t.pane);
        c.box(box, {}, moved ? ink.line : t.line, 1);
    }
    paintWords(c, s, frame, row, ink);
    QColor faint = ink.line;
    faint.setAlphaF(row.selected ? 1.0 : 0.75);
    if (row.count == 1) {
        const double tip = s.byteX(firstByte(row)) - 0.5;
        if (laneCount(row.lanes) == 1)
            c.line({s.memoryX - 14, row.y}, {std::max(s.memoryX - 10, tip - 5), row.y}, faint,
                   row.selected ? 2 : 1);
        else if (!access.isUniform)
            c.line({s.memoryX - 14, row.y}, {s.memoryX - 6, row.y}, ink.line, 1.5);
        const bool toBytes = laneCount(row.lanes) == 1 || access.isUniform;
        arrowHead(c, {toBytes ? std::max(s.memoryX, tip) : s.memoryX - 0.5, row.y}, ink.line);
    }
    const TextStyle style{
        Theme::mono(10, row.selected && !access.isUniform ? QFont::Bold : QFont::Normal),
        row.selected ? t.tx : t.tx3};
    if (row.count == 1) {
        c.text(s.addressX - 8, row.y + 3.5, row.label, style);
    } else {
        c.text(s.addressX - 8, row.y - 2, row.label, style);
        c.textFit(s.addressX - 8, row.y + 10, s.memoryX - s.addressX + 4, row.label2,
                  {Theme::ui(10.5), t.tx3});
        // A stack: two more edges behind the sectors.
        for (int k = 1; k <= 2; ++k)
            c.line({s.memoryX + 3, top + 8.0 * k}, {s.memoryRight() - 3, top + 8.0 * k}, t.pane,
                   1.5);
    }
}

void paintLegend(Canvas& c, const MapScene& s) {
    const Theme& t = c.theme();
    const double y = s.body.bottom() - 10;
    double x = s.laneX;
    const QFont font = Theme::ui(11);
    const auto item = [&](const QString& text, auto&& swatch) {
        const double width = 22 + Canvas::width(text, font);
        if (x + width > s.body.right() - 8)
            return;
        swatch(QRectF(x, y - 8, 16, 9));
        c.text(x + 22, y + 0.5, text, {font, t.tx2});
        x += width + 16;
    };
    for (const int index : s.shown) {
        const MapAccess& access = s.accesses[std::size_t(index)];
        const Ink ink = inkOf(t, access.colour);
        item(QStringLiteral("bytes used (%1)").arg(access.array),
             [&](const QRectF& r) { c.fill(r, ink.line); });
        if (index == s.shown.front())
            item(QStringLiteral("moved, not used"), [&](const QRectF& r) {
                c.stripes(r, ink.ground, ink.hatch, 1.2, 5, ink.direction);
                c.box(r, {}, ink.line);
            });
    }
    item(QStringLiteral("not requested"), [&](const QRectF& r) { c.box(r, t.pane, t.line2); });
    item(QStringLiteral("lane to bytes"), [&](const QRectF& r) {
        c.line({r.left(), r.center().y()}, {r.right() - 5, r.center().y()}, t.acc, 1.4);
        c.polygon({{r.right() - 6, r.top() + 1.5},
                   {r.right(), r.center().y()},
                   {r.right() - 6, r.bottom() - 1.5}},
                  t.acc);
    });
    if (!s.note.isEmpty())
        c.textFit(s.memoryX - 8, s.headerY - 13, s.memoryX - s.body.left() - 16, s.note,
                  {Theme::ui(11), t.warntx, Align::Right});
}

void paintBox(Canvas& c, const QRectF& box, const QString& value, const QString& label) {
    const Theme& t = c.theme();
    c.box(box, t.alt, t.line, 1, 4);
    c.text(box.left() + 11, box.top() + 25, value, {Theme::ui(20, QFont::DemiBold), t.tx});
    c.text(box.left() + 11, box.top() + 41, label, {Theme::ui(11), t.tx2});
}

double paintLoadTable(Canvas& c, const MapScene& s, double y, double bottom) {
    const Theme& t = c.theme();
    const QRectF& r = s.rail;
    const double cols[] = {r.left() + 14, r.left() + 106, r.left() + 146, r.right() - 14};
    const TextStyle head{Theme::ui(11, QFont::Medium), t.tx3, Align::Right};
    c.text(cols[0], y + 15, QStringLiteral("Access"), {head.font, head.color});
    c.text(cols[1], y + 15, QStringLiteral("Sect."), head);
    c.text(cols[2], y + 15, QStringLiteral("Lines"), head);
    c.text(cols[3], y + 15, QStringLiteral("Used"), head);
    c.line({r.left(), snap(y + 22)}, {r.right(), snap(y + 22)}, t.line);
    y += 22;
    int row = 0;
    for (const int index : s.shown) {
        const MapAccess& a = s.accesses[std::size_t(index)];
        const bool last = y + 44 > bottom && std::size_t(row) + 1 < s.shown.size();
        if (row % 2 == 1)
            c.fill({r.left() + 1, y, r.width() - 1, 22}, t.alt);
        if (last) {
            c.text(cols[0], y + 15,
                   QStringLiteral("%1 more").arg(s.shown.size() - std::size_t(row)),
                   {Theme::ui(11), t.tx3});
            return y + 22;
        }
        c.fill({cols[0], y + 6, 9, 9}, inkOf(t, a.colour).line);
        const TextStyle number{Theme::mono(11, QFont::Medium), t.tx, Align::Right};
        c.textFit(cols[0] + 15, y + 15, 56, a.name, {Theme::ui(12), t.tx});
        c.text(cols[1], y + 15, QString::number(a.sectors), number);
        c.text(cols[2], y + 15, QString::number(a.lines), number);
        c.text(cols[3], y + 15, percent(a.used()), number);
        y += 22;
        ++row;
    }
    return y;
}

void paintRail(Canvas& c, const MapScene& s, const FrameView& frame) {
    if (s.rail.isEmpty())
        return;
    const Theme& t = c.theme();
    const QRectF& r = s.rail;
    c.fill(r, t.pane);
    c.line({snap(r.left()), r.top()}, {snap(r.left()), r.bottom()}, t.line);
    const double x = r.left() + 14;
    c.text(x, r.top() + 22, QStringLiteral("This step"), {Theme::ui(12, QFont::DemiBold), t.tx});
    const double half = (r.width() - 28 - 6) / 2;
    paintBox(c, {x, r.top() + 34, half, 51}, grouped(s.sectors),
             s.sectors == 1 ? QStringLiteral("sector") : QStringLiteral("sectors"));
    paintBox(c, {x + half + 6, r.top() + 34, half, 51}, grouped(s.lines),
             s.lines == 1 ? QStringLiteral("line") : QStringLiteral("lines"));
    const QRectF share(x, r.top() + 91, r.width() - 28, 66);
    const int moved = s.sectors * kSectorBytes;
    const double used = moved == 0 ? 0 : double(s.bytes) / moved;
    paintBox(c, share, moved == 0 ? QStringLiteral("–") : percent(used),
             QStringLiteral("of bytes used: %1 of %2").arg(grouped(s.bytes), grouped(moved)));
    const QRectF bar(share.left() + 11, share.bottom() - 16, share.width() - 22, 8);
    c.texture(bar, Texture::Unused);
    c.fill({bar.left(), bar.top(), bar.width() * used, bar.height()}, t.acc);
    double y = paintLoadTable(c, s, r.top() + 166, r.bottom() - 4);

    if (s.compared && y + 34 + 3 * kPairHeight < r.bottom()) {
        const auto name = [&](std::size_t i) { return QStringLiteral("line %1").arg((*s.compared)[i].line); };
        y += 12;
        c.line({r.left(), snap(y)}, {r.right(), snap(y)}, t.line);
        y += 21;
        c.text(x, y, QStringLiteral("Line %1 and line %2").arg((*s.compared)[0].line).arg((*s.compared)[1].line),
               {Theme::ui(12, QFont::DemiBold), t.tx});
        std::vector<PairBar> bars = pairBars((*s.compared)[0].figures, (*s.compared)[1].figures);
        bars.resize(std::min<std::size_t>(bars.size(), 3)); // the bank view has the wavefronts
        paintPairBars(c, {x, y + 5, r.width() - 28, r.bottom() - y}, {name(0), name(1)}, bars);
        y += 1 + kPairHeight * double(bars.size());
    }
    const QStringList details = laneDetails(s, frame, s.lane);
    const double needs = 40 + 16.0 * std::min<qsizetype>(details.size(), 3);
    if (y + needs > r.bottom())
        return;
    y += 12;
    c.line({r.left(), snap(y)}, {r.right(), snap(y)}, t.line);
    y += 21;
    c.text(x, y, QStringLiteral("Lane %1").arg(s.lane), {Theme::ui(12, QFont::DemiBold), t.tx});
    int i = 0;
    for (const QString& line : details) {
        const bool head = details.size() > 1 && i % 3 == 0;
        y += head && i > 0 ? 22 : 17;
        if (y > r.bottom() - 6)
            break;
        const bool words = i % 3 == 2 || details.size() == 1;
        c.textFit(x, y, r.width() - 28, line,
                  {words ? Theme::ui(11) : Theme::mono(11, head ? QFont::DemiBold : QFont::Normal),
                   words ? t.tx2 : t.tx});
        ++i;
    }
    if (!s.shared.isEmpty() && y + 40 < r.bottom())
        c.paragraph({x, y + 12, r.width() - 28, 40},
                    s.shared.join(QStringLiteral(", ")) + QStringLiteral(": see the bank view."),
                    {Theme::ui(11.5), t.tx3}, 15);
}

} // namespace

void paintMap(Canvas& c, const MapScene& s, const FrameView& frame) {
    const Theme& t = c.theme();
    c.fill(s.rect, t.pane);
    if (!s.emptyTitle.isEmpty()) {
        const double y = s.body.center().y();
        const double width = s.rect.width() - 32;
        c.textFit(s.rect.center().x(), y - 6, width, s.emptyTitle,
                  {Theme::ui(12, QFont::DemiBold), t.tx2, Align::Center});
        c.textFit(s.rect.center().x(), y + 14, width, s.emptyText,
                  {Theme::ui(12), t.tx3, Align::Center});
        return;
    }
    paintHeads(c, s);
    if (!s.rows.empty()) {
        paintBand(c, s);
        paintBuses(c, s, frame);
        paintConnectors(c, s);
        for (const MapRow& row : s.rows)
            paintRow(c, s, frame, row);
        paintLanes(c, s);
    } else {
        c.text(s.body.center().x(), s.body.center().y(),
               QStringLiteral("No lane takes part: the guard is false in all of them"),
               {Theme::ui(12), t.tx3, Align::Center});
    }
    paintLegend(c, s);
    paintRail(c, s, frame);
}

QPointF paintMapLane(Canvas& c, const MapScene& s, const FrameView& frame, int lane) {
    if (lane < 0 || lane >= int(s.lanes.size()) || !s.emptyTitle.isEmpty())
        return {};
    const Theme& t = c.theme();
    const MapLane& l = s.lanes[std::size_t(lane)];
    c.box(l.chip.adjusted(-2, -2, 2, 2), {}, t.acc, 1.5, 3);
    QPointF at(s.portX, l.y);
    for (const MapRow& row : s.rows) {
        if (!hasLane(row.lanes, lane))
            continue;
        const AccessView& view = frame.accesses[std::size_t(accessOf(s, row).source)];
        const std::uint64_t address = view.addresses[std::size_t(lane)];
        const double x = s.byteX(double(address % kLineBytes));
        const QRectF mark(x - 1.5, row.y - row.height / 2 - 1.5, view.bytesPerLane * s.bytePx + 3,
                          row.height + 3);
        c.box(mark, {}, t.tx, 1.5);
        if (at.x() <= s.portX)
            at = {s.byteX(96) + 8, row.y};
    }
    return at;
}

} // namespace lanescope::views
