// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/timing/timing_scene.h"

#include <algorithm>
#include <array>

#include "views/export/canvas.h"
#include "views/export/warp_states.h"

namespace lanescope::views {

namespace {

using timing::WarpState;

std::vector<StallRow> rowsOf(const timing::SmTiming& sm, int warp) {
    std::array<std::uint64_t, timing::kWarpStateCount> own{};
    std::uint64_t all = 0;
    if (warp >= 0)
        for (const timing::Interval& i : sm.intervals(static_cast<std::uint32_t>(warp)))
            if (i.state != WarpState::Done) {
                own[static_cast<std::size_t>(i.state)] += i.end - i.begin;
                all += i.end - i.begin;
            }
    std::vector<StallRow> rows;
    for (std::size_t s = 0; s < own.size(); ++s) {
        const auto state = static_cast<WarpState>(s);
        if (state == WarpState::Done || (sm.stateCycles[s] == 0 && own[s] == 0))
            continue;
        rows.push_back({state, sm.share(state), all == 0 ? 0.0 : double(own[s]) / double(all), sm.stateCycles[s], own[s]});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const StallRow& a, const StallRow& b) { return a.sm > b.sm; });
    return rows;
}

QStringList factsOf(const session::TimingReport& r) {
    const timing::SmTiming& sm = r.sm;
    QStringList out{counted(sm.cycles, QStringLiteral("cycle")),
                    QStringLiteral("%1, %2 on the SM").arg(counted(sm.resident, QStringLiteral("block")), counted(qint64(sm.warps.size()), QStringLiteral("warp"))),
                    QStringLiteral("issue slots used %1").arg(percent(sm.issueUtilisation()))};
    if (sm.overlap() > 0)
        out << QStringLiteral("arithmetic while loads are under way %1").arg(percent(sm.overlap()));
    if (r.shareTimed < 1)
        out << QStringLiteral("first %1 of the blocks timed").arg(percent(r.shareTimed));
    if (r.seconds)
        out << QStringLiteral("launch %1 µs").arg(shortNumber(*r.seconds * 1e6));
    return out;
}

} // namespace

TimingScene timingScene(const session::Snapshot* snapshot) {
    TimingScene out;
    if (snapshot == nullptr || !snapshot->trace) {
        out.problem = QStringLiteral("No trace: the timing appears when the kernel has run");
        return out;
    }
    if (!snapshot->timing) {
        out.problem = snapshot->timingProblem.empty() ? QStringLiteral("The SM is being timed") : QString::fromStdString(snapshot->timingProblem);
        return out;
    }
    const session::TimingReport& report = *snapshot->timing;
    const timing::SmTiming& sm = report.sm;
    out.warp = snapshot->selection.warp;
    out.facts = factsOf(report);
    const int index = smWarp(report, out.warp);
    out.rows = rowsOf(sm, index);
    out.cycle = cycleOf(report, snapshot->frame.index);
    if (index < 0 || out.cycle >= sm.cycles) {
        out.why << QStringLiteral("Warp %1 has ended").arg(out.warp);
        return out;
    }
    const timing::Interval now = sm.at(std::uint32_t(index), out.cycle);
    out.isWaiting = now.state != WarpState::Issued && now.state != WarpState::Done && now.state != WarpState::Drain;
    out.why << QStringLiteral("Warp %1 at cycle %2: %3, cycles %4–%5")
                   .arg(QString::number(out.warp), grouped(out.cycle), QLatin1String(timing::label(now.state)).toString().toLower(), grouped(now.begin), grouped(now.end));
    if (now.state == WarpState::Done)
        return out;
    for (const timing::CauseLink& link : timing::why(sm, *report.program, std::uint32_t(index), out.cycle)) {
        QString text = QString::fromStdString(link.what);
        if (link.issue != timing::kNone)
            text = QStringLiteral("%1–%2  %3").arg(grouped(link.begin), grouped(link.end), text);
        out.why << text;
    }
    return out;
}

void paintTiming(Canvas& c, const QRectF& rect, const TimingScene& scene) {
    const Theme& t = c.theme();
    c.fill(rect, t.pane);
    if (!scene.problem.isEmpty()) {
        c.paragraph(rect.adjusted(16, 16, -16, -16), scene.problem, {Theme::ui(12), t.tx3}, 17);
        return;
    }
    const double left = rect.left() + 12, right = rect.right() - 12;
    double y = rect.top() + 18;
    // Facts flow over as many lines as they need.
    double x = left;
    const TextStyle fact{Theme::ui(12), t.tx2}, first{Theme::ui(12, QFont::DemiBold), t.tx};
    for (const QString& text : scene.facts) {
        const TextStyle& style = text == scene.facts.front() ? first : fact;
        const double width = Canvas::width(text, style.font);
        if (x > left && x + width > right) {
            x = left;
            y += 17;
        }
        if (x > left)
            c.text(x - 11, y, QStringLiteral("·"), {Theme::ui(12), t.tx3});
        x = c.textFit(x, y, right - x, text, style).right() + 18;
    }
    y += 12;
    // Bars: name, the SM's, the warp's.
    double label = 0;
    for (const StallRow& row : scene.rows)
        label = std::max(label, Canvas::width(QLatin1String(timing::label(row.state)), Theme::ui(12)));
    const double swatch = left + 22, number = 48, gap = 14;
    const double barLeft = swatch + label + 12, bar = std::max(24.0, (right - barLeft - 2 * number - gap) / 2);
    const double warpLeft = barLeft + bar + number + gap;
    const TextStyle head{Theme::ui(11), t.tx3};
    y += 10;
    c.text(left, y, QStringLiteral("share of the warps' time"), head);
    c.text(std::max(barLeft, left + Canvas::width(QStringLiteral("share of the warps' time"), head.font) + 10), y, QStringLiteral("SM"), head);
    c.text(warpLeft, y, QStringLiteral("warp %1").arg(scene.warp), head);
    y += 6;
    double most = 0.01;
    for (const StallRow& row : scene.rows)
        most = std::max({most, row.sm, row.warp});
    const double row = 16, rest = rect.bottom() - y - 44;
    const auto shown = std::min(scene.rows.size(), std::size_t(std::max(3.0, rest / row)));
    for (std::size_t i = 0; i < shown; ++i) {
        const StallRow& s = scene.rows[i];
        const QRectF box(left, y + 3, 15, 10);
        const StateLook look = lookOf(s.state);
        if (look == StateLook::Ready)
            c.box(box, t.alt, t.line2);
        else
            fillLook(c, box, look);
        c.text(swatch, y + 12, QLatin1String(timing::label(s.state)), {Theme::ui(12), t.tx});
        for (const auto& [at, share] : {std::pair{barLeft, s.sm}, std::pair{warpLeft, s.warp}}) {
            const double length = std::max(share > 0 ? 1.0 : 0.0, bar * share / most);
            if (look == StateLook::Ready)
                c.box({at, y + 3, length, 10}, t.alt, t.line2);
            else if (length > 0)
                fillLook(c, {at, y + 3, length, 10}, look);
            c.text(at + length + 5, y + 12, percent(share), {Theme::mono(11), share > 0 ? t.tx : t.tx3});
        }
        y += row;
    }
    if (shown < scene.rows.size()) {
        c.text(swatch, y + 11, QStringLiteral("and %1 more").arg(scene.rows.size() - shown), head);
        y += row;
    }
    // The chain of causes, as far as there is room.
    y += 8;
    c.line({left, y + 0.5}, {right, y + 0.5}, t.line);
    y += 16;
    for (qsizetype i = 0; i < scene.why.size() && y < rect.bottom() - 3; ++i) {
        const bool isLast = y + 16 >= rect.bottom() - 3 && i + 1 < scene.why.size();
        const QString text = isLast ? QStringLiteral("… and %1 causes before").arg(scene.why.size() - i) : scene.why[i];
        c.textFit(left + (i == 0 ? 0 : 12), y, right - left - (i == 0 ? 0 : 12), text,
                  {Theme::ui(12, i == 0 ? QFont::DemiBold : QFont::Normal), i == 0 ? t.tx : t.tx2});
        y += 16;
    }
}

} // namespace lanescope::views
