// SPDX-License-Identifier: GPL-3.0-or-later
// What the swizzle editor shows of a tile: the bits of an offset that the swizzle changes, the worst read before and after, wavefronts
// of the whole tile in order, swizzled and padded.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QRectF>
#include <QString>
#include <QStringList>

#include "engine/model/swizzle.h"

namespace lanescope::views {

struct SwizzleInput {
    model::TileLayout tile; ///< its swizzle is that of the editor, its padding the alternative's
    int b = 3, m = 4, s = 3;
    int unitBytes = 1;      ///< M counts in: 1, or the element's bytes
    model::TileAccess access = model::TileAccess::Ldmatrix;
    int row = 3, column = 8;
};

/// One pass of the worst access: which banks each lane's bytes lie in.
struct PassPicture {
    QString title, verdict, sum;
    int degree = 1;
    struct Lane {
        int lane = 0, row = 0, firstBank = 0, banks = 1, wavefront = 1;
        bool isHot = false;
    };
    std::vector<Lane> lanes;
};

struct SwizzleCase {
    QString name;
    int wavefronts = 0, minimum = 0, excess = 0, degree = 1, bytesWasted = 0;
};

struct SwizzlePicture {
    QString problem; ///< not empty: nothing else
    model::Swizzle swizzle;
    int offsetBits = 13; ///< shown
    std::array<PassPicture, 2> passes; ///< in order, swizzled
    std::vector<SwizzleCase> cases;
    std::vector<model::Swizzle> found; ///< conflict-free, the smallest first
    std::uint64_t linearByte = 0, byte = 0;
    QString element; ///< "row 3, column 8: byte 400 in order, 416 swizzled, bank 8"
    QString units;
};

SwizzlePicture makeSwizzlePicture(const SwizzleInput& input);

} // namespace lanescope::views
