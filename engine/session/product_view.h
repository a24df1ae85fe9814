// SPDX-License-Identifier: GPL-3.0-or-later
// What a product of matrices computes, and by which generation's rule: from it tensor::Multiplier gives the steps of an element.
#pragma once

#include "engine/tensor/product.h"

namespace lanescope::session {

struct ProductView {
    tensor::Product product;
    tensor::Generation generation;
};

} // namespace lanescope::session
