// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/transport/strips.h"

#include <algorithm>
#include <cmath>

#include "views/export/canvas.h"

namespace lanescope::views {
namespace {

using session::FrameView;
using session::WarpState;

double snap(double v) {
    return std::floor(v) + 0.5;
}

QString stateName(WarpState state) {
    switch (state) {
    case WarpState::Ready:
        return QStringLiteral("ready");
    case WarpState::Issued:
        return QStringLiteral("issued");
    case WarpState::AtBarrier:
        return QStringLiteral("barrier");
    case WarpState::Done:
        return QStringLiteral("done");
    }
    return {};
}

/// One strip: runs of equal pixels become one rectangle.
void paintStrip(Canvas& c, const StripLayout& l, const TraceIndex& index, int warp) {
    const Theme& t = c.theme();
    const QRectF row = l.row(warp);
    enum class Mark { Ready, Faint, Half, Solid, Barrier, Done };
    const int pixels = std::max(1, int(row.width()));
    const double perPixel = (l.to - l.from) / pixels;
    QColor half = t.acc, faint = t.acc;
    half.setAlphaF(0.72);
    faint.setAlphaF(0.45);
    const auto flush = [&](Mark mark, int from, int to) {
        const QRectF r(row.left() + from, row.top(), to - from, row.height());
        switch (mark) {
        case Mark::Ready:
            break;
        case Mark::Faint:
            c.fill(r, faint);
            break;
        case Mark::Half:
            c.fill(r, half);
            break;
        case Mark::Solid:
            c.fill(r, t.acc);
            break;
        case Mark::Barrier:
            c.texture(r, Texture::Barrier);
            break;
        case Mark::Done:
            c.texture(r, Texture::Done);
            break;
        }
    };
    Mark current = Mark::Ready;
    int start = 0;
    for (int p = 0; p <= pixels; ++p) {
        Mark mark = Mark::Ready;
        if (p < pixels) {
            const auto a = std::uint32_t(std::clamp(l.from + p * perPixel, 0.0, double(l.events)));
            const auto b = std::uint32_t(std::clamp(
                std::max(l.from + (p + 1) * perPixel, double(a) + 1), 0.0, double(l.events)));
            const std::uint32_t own = b > a ? index.issued(warp, a, b) : 0;
            if (own > 0) {
                // Share of this warp's fair part of the pixel.
                const double share = double(own) * l.warps / double(b - a);
                mark = perPixel <= 1 || share >= 0.75 ? Mark::Solid
                       : share >= 0.3                 ? Mark::Half
                                                      : Mark::Faint;
            } else if (a > index.end(warp)) {
                mark = Mark::Done;
            } else if (b > a && index.waits(warp, a, b)) {
                mark = Mark::Barrier;
            }
        }
        if (p == pixels || mark != current) {
            if (p > start)
                flush(current, start, p);
            current = mark;
            start = p;
        }
    }
}

void paintPhases(Canvas& c, const StripLayout& l, const TraceIndex& index) {
    const Theme& t = c.theme();
    const QRectF bar = l.scrub();
    const QFont font = Theme::ui(11, QFont::Medium);
    double free = bar.left();
    double lastTick = -100;
    for (const Phase& phase : index.phases()) {
        const double a = l.scrubX(phase.events.from), b = l.scrubX(phase.events.to);
        QString text = phase.label() + QStringLiteral(" · ") +
                       counted(phase.events.to - phase.events.from, QStringLiteral("event"));
        if (Canvas::width(text, font) > b - std::max(a, free) - 20)
            text = phase.label();
        const double width = Canvas::width(text, font);
        const bool fits = width <= b - std::max(a, free) - 20;
        if (fits) {
            c.text(std::max(a, free) + 8, bar.bottom() - 3, text, {font, t.tx2});
            free = std::max(a, free) + 8 + width;
        }
        if (phase.endsAtBarrier && b - lastTick >= 3) {
            c.line({snap(b), bar.top() - 2}, {snap(b), bar.bottom() + 2}, t.barhatch, 1.5);
            lastTick = b;
            const QString word = QStringLiteral("barrier");
            const double w = Canvas::width(word, font);
            if (index.phases().size() <= 3 && b - w - 8 > free + 8) {
                c.text(b - 8, bar.bottom() - 3, word, {font, t.barhatch, Align::Right});
                free = b;
            }
        }
    }
}

} // namespace

double niceStep(double range, int most) {
    const double rough = range / std::max(1, most);
    if (!(rough > 0))
        return 1;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double m : {1.0, 2.0, 5.0, 10.0})
        if (m * power >= rough * 0.9999)
            return m * power;
    return 10 * power;
}

int StripLayout::warpAt(double y) const {
    const int warp = int(std::floor((y - top + 1) / pitch));
    return y >= top - 1 && warp < warps ? warp : -1;
}

StripLayout stripLayout(const QRectF& rect, int warps, std::uint32_t events, double from,
                        double to) {
    StripLayout l;
    l.rect = rect;
    l.left = rect.left() + 128;
    l.right = std::max(l.left + 40, rect.right() - 14);
    l.top = rect.top() + 6;
    l.warps = warps;
    l.events = events;
    l.from = from;
    l.to = std::max(to, from + 1);
    const double room = std::max(24.0, rect.height() - 6 - 46);
    l.pitch = std::clamp(room / std::max(1, warps), 2.0, 13.0);
    l.bar = l.pitch >= 6 ? l.pitch - 2 : std::max(1.0, l.pitch - 0.5);
    l.axisY = l.top + l.pitch * std::max(1, warps) + 1;
    l.scrubY = l.axisY + 25;
    return l;
}

void paintStripAxis(Canvas& c, const StripLayout& l, const QString& unit) {
    const Theme& t = c.theme();
    c.line({l.left, snap(l.axisY)}, {l.right, snap(l.axisY)}, t.line2);
    const double step =
        std::max(1.0, niceStep(l.to - l.from, std::max(2, int((l.right - l.left) / 110))));
    const QFont font = Theme::mono(10);
    double free = l.left - 1;
    for (double e = std::ceil(l.from / step) * step; e <= l.to + 0.5; e += step) {
        const double x = snap(std::min(l.x(e), l.right));
        c.line({x, l.axisY}, {x, l.axisY + 5}, t.line2);
        QString text = grouped(qint64(std::llround(e)));
        const bool first = x < l.left + 2;
        if (first)
            text += QLatin1Char(' ') + unit;
        const double width = Canvas::width(text, font);
        const double at = first ? l.left : std::min(x - width / 2, l.right - width);
        if (at < free)
            continue;
        c.text(at, l.axisY + 16, text, {font, t.tx3});
        free = at + width + 14;
    }
}

void paintScrubBar(Canvas& c, const StripLayout& l, const std::function<void()>& content) {
    const Theme& t = c.theme();
    const QRectF bar = l.scrub();
    c.box(bar, t.hdr, {}, 0, 2);
    c.text(l.rect.left() + 12, bar.bottom() - 3, QStringLiteral("Scrub"), {Theme::ui(11), t.tx3});
    content();
    if (l.from > 0 || l.to < l.events) // the part in view
        c.box({l.scrubX(l.from), bar.top() - 1, std::max(3.0, l.scrubX(l.to) - l.scrubX(l.from)),
               bar.height() + 2},
              {}, t.acc, 1, 2);
}

void paintStrips(Canvas& c, const StripLayout& l, const TraceIndex& index) {
    c.fill(l.rect, c.theme().pane);
    for (int warp = 0; warp < l.warps; ++warp) {
        c.fill(l.row(warp), c.theme().alt);
        paintStrip(c, l, index, warp);
    }
    paintStripAxis(c, l, QStringLiteral("events"));
    paintScrubBar(c, l, [&] { paintPhases(c, l, index); });
}

void paintPlayhead(Canvas& c, const StripLayout& l, const FrameView& frame, double position,
                   const QStringList& states) {
    const Theme& t = c.theme();
    // Every how many rows a label has room.
    const int every = std::max(1, int(std::ceil(12.0 / l.pitch)));
    const int selected = std::clamp(frame.warp, 0, std::max(0, l.warps - 1));
    for (int warp = 0; warp < l.warps; ++warp) {
        const bool mine = warp == selected;
        const double y = l.row(warp).center().y();
        if (mine) {
            c.fill({l.rect.left(), y - std::max(6.0, l.pitch / 2), l.left - l.rect.left() - 4,
                    std::max(12.0, l.pitch)},
                   t.accbg);
            c.fill({l.rect.left(), y - std::max(6.0, l.pitch / 2), 3, std::max(12.0, l.pitch)},
                   t.acc);
        }
    }
    for (int warp = 0; warp < l.warps; ++warp) {
        const bool mine = warp == selected;
        const double y = l.row(warp).center().y();
        const bool labelled =
            mine || (warp % every == 0 && std::abs(warp - selected) * l.pitch >= 12);
        if (!labelled)
            continue;
        const WarpState state = std::size_t(warp) < frame.warps.size()
                                    ? frame.warps[std::size_t(warp)]
                                    : WarpState::Ready;
        c.text(l.rect.left() + 12, y + 4, QStringLiteral("Warp %1").arg(warp),
               {Theme::ui(11, mine ? QFont::DemiBold : QFont::Normal), mine ? t.acctx : t.tx});
        if (!states.isEmpty()) {
            c.text(l.rect.left() + 62, y + 4, states.value(warp), {Theme::ui(11), t.tx2});
            continue;
        }
        const QRectF swatch(l.rect.left() + 62, y - 4, 8, 8);
        switch (state) {
        case WarpState::Ready:
            c.box(swatch, t.alt, t.line2);
            break;
        case WarpState::Issued:
            c.fill(swatch, t.acc);
            break;
        case WarpState::AtBarrier:
            c.texture(swatch, Texture::Barrier);
            break;
        case WarpState::Done:
            c.texture(swatch, Texture::Done);
            break;
        }
        c.text(l.rect.left() + 76, y + 4, stateName(state), {Theme::ui(11), t.tx2});
    }
    const double at = std::clamp(position, l.from, l.to);
    const double x = std::round(l.x(at));
    QColor veil = t.pane;
    veil.setAlphaF(0.52f);
    c.fill({x, l.top - 1, l.right - x, l.pitch * l.warps}, veil);
    const double knob = std::round(l.scrubX(position));
    QColor past = t.acc;
    past.setAlphaF(0.16f);
    c.fill({l.left, l.scrubY, knob - l.left, l.scrubHeight}, past);
    const bool inView = position >= l.from && position <= l.to;
    if (inView)
        c.line({x + 0.5, l.top - 4}, {x + 0.5, std::abs(x - knob) < 1 ? l.scrubY : l.axisY}, t.tx,
               1.5);
    c.box({knob - 5, l.scrubY - 3, 11, l.scrubHeight + 6}, t.pane, t.tx, 1.5, 2);
    c.line({knob - 1.5, l.scrubY + 3}, {knob - 1.5, l.scrubY + 11}, t.tx, 1);
    c.line({knob + 2.5, l.scrubY + 3}, {knob + 2.5, l.scrubY + 11}, t.tx, 1);
}

double paintStripLegend(Canvas& c, double x, double baseline, double right) {
    const Theme& t = c.theme();
    const QFont font = Theme::ui(12);
    const auto item = [&](const QString& text, auto&& swatch) {
        const double width = 24 + Canvas::width(text, font);
        if (x + width > right)
            return;
        swatch(QRectF(x, baseline - 9, 18, 10));
        c.text(x + 24, baseline, text, {font, t.tx2});
        x += width + 14;
    };
    item(QStringLiteral("Issued"), [&](const QRectF& r) { c.fill(r, t.acc); });
    item(QStringLiteral("Ready"), [&](const QRectF& r) { c.box(r, t.alt, t.line2); });
    item(QStringLiteral("At barrier"), [&](const QRectF& r) { c.texture(r, Texture::Barrier); });
    item(QStringLiteral("Done"), [&](const QRectF& r) { c.texture(r, Texture::Done); });
    return x;
}

} // namespace lanescope::views
