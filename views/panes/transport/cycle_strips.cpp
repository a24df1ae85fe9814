// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/transport/cycle_strips.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "views/export/canvas.h"

namespace lanescope::views {
namespace {

using timing::Issue;
using timing::WarpState;

/// Cycles of each look in every pixel of a row, from the issues in view.
class RowCoverage {
public:
    RowCoverage(const timing::SmTiming& sm, int warp, double from, double to, int pixels)
        : m_from(from), m_perPixel((to - from) / pixels), m_cover(std::size_t(pixels)) {
        const timing::WarpTiming& w = sm.warps[std::size_t(warp)];
        const auto& list = w.issues;
        auto it = std::partition_point(list.begin(), list.end(), [&](std::uint32_t i) {
            return sm.issues[i].cycle + sm.issues[i].slotsUsed <= from;
        });
        std::uint32_t at = 0;
        for (auto before = it; before != list.begin();) {
            --before;
            if (sm.issues[*before].slotsUsed != 0) {
                at = sm.issues[*before].cycle + sm.issues[*before].slotsUsed;
                break;
            }
        }
        for (; it != list.end() && at < to; ++it) {
            const Issue& i = sm.issues[*it];
            if (i.slotsUsed == 0)
                continue;
            at = add(at, i.ready, lookOf(i.waiting));
            at = add(at, i.free, lookOf(i.throttle));
            at = add(at, i.cycle, StateLook::Ready);
            at = add(at, i.cycle + i.slotsUsed, StateLook::Issued);
        }
        if (it == list.end()) {
            at = add(at, w.end, StateLook::Fetch);
            add(at, std::max(std::uint32_t(std::ceil(to)), sm.cycles), StateLook::Done);
        }
    }

    /// The look that fills most of a pixel, an issue counting when it is a third of it.
    StateLook at(int pixel) const {
        const auto& c = m_cover[std::size_t(pixel)];
        if (c[int(StateLook::Issued)] >= m_perPixel / 3)
            return StateLook::Issued;
        StateLook most = StateLook::Ready;
        float best = 0;
        for (int l = 1; l < kLooks; ++l)
            if (c[std::size_t(l)] > best) {
                best = c[std::size_t(l)];
                most = StateLook(l);
            }
        return most;
    }
    double issued(int pixel) const {
        return double(m_cover[std::size_t(pixel)][int(StateLook::Issued)]) / m_perPixel;
    }

private:
    double m_from, m_perPixel;
    std::vector<std::array<float, kLooks>> m_cover;

    std::uint32_t add(std::uint32_t at, std::uint32_t end, StateLook look) {
        if (end <= at)
            return at;
        const double a = (at - m_from) / m_perPixel, b = (end - m_from) / m_perPixel;
        const int first = std::max(0, int(std::floor(a)));
        const int last = std::min(int(m_cover.size()) - 1, int(std::ceil(b)) - 1);
        for (int p = first; p <= last; ++p)
            m_cover[std::size_t(p)][std::size_t(look)] +=
                float((std::min(b, p + 1.0) - std::max(a, double(p))) * m_perPixel);
        return end;
    }
};

void paintRow(Canvas& c, const StripLayout& l, const timing::SmTiming& sm, int row, int warp) {
    const QRectF r = l.row(row);
    const int pixels = std::max(1, int(r.width()));
    const RowCoverage cover(sm, warp, l.from, l.to, pixels);
    QColor faint = c.theme().acc;
    int start = 0;
    for (int p = 1; p <= pixels; ++p)
        if (p == pixels || cover.at(p) != cover.at(start)) {
            fillLook(c, {r.left() + start, r.top(), double(p - start), r.height()},
                     cover.at(start));
            start = p;
        }
    // Where issues are few among much waiting, a line along the foot is as high as their share.
    if (r.height() >= 6)
        for (int p = 0; p < pixels; ++p)
            if (const double share = cover.issued(p);
                share > 0.02 && cover.at(p) != StateLook::Issued)
                c.fill({r.left() + p, r.bottom() - std::max(1.0, share * r.height()), 1,
                        std::max(1.0, share * r.height())},
                       faint);
}

void paintSummary(Canvas& c, const StripLayout& l, const timing::SmTiming& sm) {
    const QRectF bar = l.scrub();
    const QString text =
        QStringLiteral("%1 on the SM · %2 · issue slots %3 used")
            .arg(counted(sm.resident, QStringLiteral("block")),
                 counted(sm.cycles, QStringLiteral("cycle")), percent(sm.issueUtilisation()));
    c.textFit(bar.left() + 8, bar.bottom() - 3, bar.width() - 16, text,
              {Theme::ui(11, QFont::Medium), c.theme().tx2});
}

} // namespace

void paintCycleStrips(Canvas& c, const StripLayout& l, const session::TimingReport& timing) {
    c.fill(l.rect, c.theme().pane);
    for (int row = 0; row < l.warps; ++row) {
        c.fill(l.row(row), c.theme().alt);
        if (const int warp = smWarp(timing, row); warp >= 0)
            paintRow(c, l, timing.sm, row, warp);
    }
    paintStripAxis(c, l, QStringLiteral("cycles, modelled"));
    paintScrubBar(c, l, [&] { paintSummary(c, l, timing.sm); });
}

QStringList paintCycleLegend(Canvas& c, const QRectF& area) {
    const Theme& t = c.theme();
    const QFont font = Theme::ui(11);
    const bool hasTwoRows = area.height() >= 34;
    double width = 0;
    for (const LookName& item : lookNames())
        width += 30 + Canvas::width(QLatin1String(item.name), font);
    const bool isOneRow = !hasTwoRows || width - 10 <= area.width();
    double x = area.left(), baseline = isOneRow ? area.center().y() + 4 : area.top() + 15;
    bool isLast = isOneRow;
    QStringList left;
    for (const LookName& item : lookNames()) {
        const QString text = QLatin1String(item.name);
        const double needed = 20 + Canvas::width(text, font);
        if (x + needed > area.right() && !isLast) {
            isLast = true;
            x = area.left();
            baseline += 15;
        }
        if (x + needed > area.right() || !left.isEmpty()) {
            left << text;
            continue;
        }
        const QRectF swatch(x, baseline - 9, 15, 10);
        if (item.look == StateLook::Ready)
            c.box(swatch, t.alt, t.line2);
        else
            fillLook(c, swatch, item.look);
        c.text(x + 19, baseline, text, {font, t.tx2});
        x += needed + 10;
    }
    if (!left.isEmpty())
        c.text(x, baseline, QStringLiteral("+%1").arg(left.size()), {Theme::ui(11, QFont::DemiBold), t.tx2});
    return left;
}

QStringList statesAt(const session::TimingReport& timing, int warps, std::uint32_t cycle) {
    static const std::array<const char*, kLooks> kWords{"issued", "memory", "shared", "latency", "pipe full",
                                                        "barrier", "ready", "code", "done"};
    QStringList out;
    for (int warp = 0; warp < warps; ++warp) {
        const int index = smWarp(timing, warp);
        const StateLook look = index < 0 || cycle >= timing.sm.cycles
                                   ? StateLook::Done
                                   : lookOf(timing.sm.at(std::uint32_t(index), cycle).state);
        out << QLatin1String(kWords[std::size_t(look)]);
    }
    return out;
}

QStringList describe(const session::TimingReport& timing, int warp, std::uint32_t cycle) {
    const int index = smWarp(timing, warp);
    if (index < 0 || cycle >= timing.sm.cycles)
        return {};
    const timing::Interval i = timing.sm.at(std::uint32_t(index), cycle);
    QStringList out{QStringLiteral("Warp %1, cycles %2–%3: %4")
                        .arg(QString::number(warp), grouped(i.begin), grouped(i.end),
                             QLatin1String(timing::label(i.state)).toString().toLower())};
    out << QLatin1String(timing::help(i.state));
    const auto chain =
        timing::why(timing.sm, *timing.program, std::uint32_t(index), cycle);
    if (!chain.empty() && i.state != WarpState::Done)
        out << QString::fromStdString(chain.front().what);
    if (i.state != WarpState::Issued && i.state != WarpState::Done)
        out << QStringLiteral("Click for the chain of causes");
    return out;
}

} // namespace lanescope::views
