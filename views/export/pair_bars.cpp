// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/pair_bars.h"

#include <algorithm>

#include "engine/session/comparison.h"
#include "views/export/canvas.h"

namespace lanescope::views {

QString PairBar::text(std::size_t side) const {
    return isShare ? percent(values[side]) : grouped(qint64(values[side]));
}

std::vector<PairBar> pairBars(const session::StepFigures& a, const session::StepFigures& b) {
    std::vector<PairBar> bars;
    if (a.hasGlobal || b.hasGlobal) {
        bars.push_back({QStringLiteral("Sectors"), {double(a.sectors), double(b.sectors)}});
        bars.push_back({QStringLiteral("Lines"), {double(a.lines), double(b.lines)}});
        bars.push_back({QStringLiteral("Bytes used"), {a.shareUsed(), b.shareUsed()}, true});
    }
    if (a.hasShared || b.hasShared)
        bars.push_back(
            {QStringLiteral("Wavefronts"), {double(a.wavefronts), double(b.wavefronts)}});
    return bars;
}

void paintPairBars(Canvas& c, const QRectF& rect, const std::array<QString, 2>& names,
                   const std::vector<PairBar>& bars) {
    const Theme& t = c.theme();
    const double x = rect.left(), right = rect.right();
    const QFont small = Theme::ui(11);
    const double label =
        std::clamp(std::max(Canvas::width(names[0], small), Canvas::width(names[1], small)) + 8,
                   40.0, (right - x) * 0.4);
    double y = rect.top();
    for (const PairBar& bar : bars) {
        c.text(x, y + 12, bar.title, {Theme::ui(11.5), t.tx2});
        const double most = bar.isShare ? 1 : std::max({bar.values[0], bar.values[1], 1.0});
        const double room = right - x - label - 46;
        for (std::size_t i = 0; i < 2; ++i) {
            const double top = y + 17 + 13 * double(i);
            c.textFit(x, top + 10, label - 8, names[i], {small, t.tx3});
            const QRectF box(x + label, top + 1, std::max(1.0, room * bar.values[i] / most), 10);
            if (i == 0)
                c.fill(box, t.acc);
            else
                c.box(box, t.accbd, t.acc);
            c.text(box.right() + 6, top + 10, bar.text(i), {Theme::mono(11, QFont::Medium), t.tx});
        }
        y += kPairHeight;
    }
}

} // namespace lanescope::views
