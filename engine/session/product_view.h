// SPDX-License-Identifier: GPL-3.0-or-later
// What a product of matrices computes, and by which generation's rule: from it tensor::Multiplier gives the steps of an element. Of a wgmma
// also where in shared memory its operands lie.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/tensor/matrix_descriptor.h"
#include "engine/tensor/product.h"

namespace lanescope::session {

/// An operand of a wgmma that lies in shared memory, as one warp uses it: of A its 16 rows.
struct SharedOperandView {
    char matrix = 'B';           ///< 'A' or 'B'
    tensor::Element element = tensor::Element::F16;
    int rows = 0, columns = 0;   ///< A: m and k, B: k and n
    int firstRow = 0;            ///< of A: the warp's, in the 64 of its warpgroup
    bool isMnMajor = false;      ///< rows of A or columns of B are contiguous, not k
    std::uint64_t bits = 0;
    tensor::MatrixDescriptor descriptor;

    /// Where the element's byte (of types below a byte: the one it is in) lies in shared memory.
    std::uint64_t addressOf(int row, int column) const;
};

struct ProductView {
    tensor::Product product;
    tensor::Generation generation;
    bool isWarpgroup = false;              ///< wgmma: the part of one warp
    std::vector<SharedOperandView> shared{}; ///< of a wgmma
};

} // namespace lanescope::session
