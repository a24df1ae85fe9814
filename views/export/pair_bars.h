// SPDX-License-Identifier: GPL-3.0-or-later
// Two steps beside each other as pairs of bars: sectors, lines, share of bytes used, wavefronts.
#pragma once

#include <array>
#include <vector>

#include <QRectF>
#include <QString>

namespace lanescope::session {
struct StepFigures;
}

namespace lanescope::views {

class Canvas;

struct PairBar {
    QString title;
    std::array<double, 2> values{};
    bool isShare = false; ///< of 1, else bars are of the larger value
    QString text(std::size_t side) const;
};

/// Those that one of the two has: of global memory, of shared memory.
std::vector<PairBar> pairBars(const session::StepFigures& first, const session::StepFigures& second);

/// Height of a pair with its title.
inline constexpr double kPairHeight = 47;
/// From the top of the rectangle; the first bar of a pair is filled, the second one light.
void paintPairBars(Canvas& canvas, const QRectF& rect, const std::array<QString, 2>& names,
                   const std::vector<PairBar>& bars);

} // namespace lanescope::views
