// SPDX-License-Identifier: GPL-3.0-or-later
// What the bank view shows of ldmatrix and stmatrix: one 8x8 matrix as eight row reads over 32 banks, in the layout that the kernel
// uses and in another one beside it: unswizzled, unpadded, or swizzled where the kernel's rows lie in order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <QRectF>
#include <QString>
#include <QStringList>

#include "engine/session/snapshot.h"

namespace lanescope::views {

struct MatrixRow {
    int lane = 0;
    std::uint64_t address = 0;
    int bank = 0;      ///< the first of four
    int wavefront = 1; ///< of the matrix, from 1
    int tileRow = -1;  ///< row of the tile, -1: not known
};

struct MatrixSide {
    QString title;
    bool isPresent = false;      ///< as the kernel has it
    std::array<MatrixRow, 8> rows{};
    std::array<int, memory::kBanks> hits{}; ///< rows of this matrix that want the bank
    int wavefronts = 0, passes = 0; ///< of the whole access
    int degree = 1;              ///< of this matrix
    QRectF rect;
    double gridX = 0;
    QString verdict, sum;
};

struct MatrixScene {
    QRectF rect;
    int matrices = 0, matrix = 0;
    int lane = 0;
    QString layout; ///< "rows 128 bytes apart, <3, 4, 3>"
    std::vector<MatrixSide> sides; ///< one or two
    double gridY = 0, rowHeight = 15, cellWidth = 10;
    int laneAt(QPointF at) const; ///< -1: none
    QRectF rowRect(const MatrixSide& side, int row) const { return {side.gridX, gridY + row * rowHeight, cellWidth * memory::kBanks, rowHeight}; }
};

/// `matrix` -1: that of the selected lane.
MatrixScene makeMatrixScene(const session::AccessView& access, int lane, int matrix, const QRectF& rect);

} // namespace lanescope::views
