// SPDX-License-Identifier: GPL-3.0-or-later
// What the bank view shows of one access to shared memory, placed. Rows are wavefronts: in each, a
// bank serves one word; the lanes that read this word share it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <QRectF>
#include <QString>
#include <QStringList>

#include "engine/session/snapshot.h"

namespace lanescope::views {

struct BankCell {
    LaneMask lanes = 0;     ///< 0: the bank is idle in this wavefront
    std::uint64_t word = 0; ///< byte offset of the word
};

struct BankRow {
    int pass = 0;   ///< from 0
    int number = 0; ///< wavefront of the access, from 1
    int inPass = 0; ///< 0: the one that the width needs; more: conflicts
    int folded = 0; ///< not 0: this row stands for so many wavefronts left out
    LaneMask lanes = 0;
    std::array<BankCell, memory::kBanks> cells{};
    double y = 0; ///< top
};

struct BankAccess {
    int source = 0; ///< index into FrameView::accesses
    QString name;   ///< "As load"
};

struct BankScene {
    QRectF rect, rail;
    QString emptyTitle, emptyText;
    std::vector<BankAccess> accesses;
    int access = 0;                         ///< index into accesses
    std::vector<BankRow> rows;              ///< as shown, top to bottom
    std::array<int, memory::kBanks> hits{}; ///< words each bank serves in this access
    int wavefronts = 0, passes = 0;         ///< as the engine counts them
    int degree = 1;                         ///< words of the busiest bank in the worst pass
    int sharedWords = 0;                    ///< words read by several lanes of one pass
    int lane = 0;
    QString verdict, sum;

    double gridX = 0, gridY = 0, cellWidth = 11, rowHeight = 15;
    QRectF cellRect(const BankRow& row, int bank) const {
        return {gridX + bank * cellWidth, row.y, cellWidth, rowHeight};
    }
    double gridRight() const { return gridX + memory::kBanks * cellWidth; }
    /// The lane at a position (the first of those that share a word, the selected one if among
    /// them), -1: none.
    int laneAt(QPointF at) const;
};

/// `chosen`: index of the access to shared memory, -1: the one made by this step, else the first.
BankScene makeBankScene(const session::Snapshot* snapshot, int chosen, const QRectF& rect);

/// Tooltip lines of a lane: array and offset, bank and word, wavefront, who shares the word.
QStringList bankDetails(const BankScene& scene, const session::FrameView& frame, int lane);
/// "other banks", "one bank, other words: a conflict", "one word"; empty when a lane is not active.
QString bankDistanceText(const BankScene& scene, const session::FrameView& frame, int first,
                         int second);

/// All wavefronts of an access in order: what the rows are before folding.
std::vector<BankRow> wavefrontsOf(const session::AccessView& access);

} // namespace lanescope::views
