// SPDX-License-Identifier: GPL-3.0-or-later
// What a kernel's outputs must be, computed on the CPU from the very bytes of its inputs. Kinds,
// their sizes, inputs and outputs (arrays are row-major; every output is checked against the same
// expectation):
//   vector_add  n         a, b -> c           exact
//   matmul      M, N, K   A (M x K), B (K x N) -> C (M x N)
//               in double; |error| <= min(K + 1, 6 sqrt(K) + 2) 2^-24 sum|a b| of that element. K +
//               1 bounds any order of f32 additions, with or without fma (Higham, Accuracy and
//               Stability, section 3.1); rounding errors of random data grow with sqrt(K) (Higham
//               and Mary, SIAM J. Sci. Comput. 41, 2019), and 6 of their standard deviations keep
//               the bound narrow enough to notice one lost product. f16 and bf16 inputs likewise: tensor
//               cores cut each group of 16 products to f32, at most 2^-23 of it, K / 16 times. An output
//               of f16 or bf16 may differ by half a unit in its last place more
//   copy        n         in -> out           exact
//   transpose   M, N      in (M x N) -> out (N x M)  exact
//   sum         n         in -> out (1)       as matmul, with K = n
//   block_sum   n, per    in -> out (ceil(n / per))  sums of `per` elements each, the last of what
//               is left; as matmul, with K = per
//   map         n         any -> out          out[i] = value, exact after one rounding to the type
//               of the first input. `value` is an expression over i, the parameters and the inputs'
//               names, each standing for its element at `index` (an expression over i; i itself when
//               it has none). Where an index is beyond its array nothing is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/catalog/expression.h"

namespace lanescope::catalog {

struct Reference;

struct ReferenceArgument {
    std::size_t index = 0; ///< into the kernel's arguments
    std::string name;
    std::string type; ///< "f32", "f64", "f16", "bf16", "i32", "u32", "u8"; empty: f32
};

struct ResolvedReference {
    std::string kind;
    std::map<std::string, std::int64_t> sizes;
    std::vector<ReferenceArgument> inputs, outputs;
    std::string value = {};                       ///< map
    std::map<std::string, std::string> index = {}; ///< map: by input
    Values parameters = {};                       ///< map: what the expressions may name
};

/// Why a manifest's reference cannot be used (unknown kind, a size or argument missing); nothing
/// when it can.
std::optional<std::string> problemOf(const Reference& reference);

struct OutputCheck {
    std::string name;
    std::uint64_t checkedElements = 0; ///< all, or an even sample when all would take too long
    std::uint64_t mismatches = 0;
    std::uint64_t firstIndex = 0; ///< of the first mismatch by index; valid when mismatches > 0
    double got = 0, expected = 0; ///< at firstIndex
    double maxError = 0;  ///< largest |got - expected| of the elements checked; infinite for a NaN
    double tolerance = 0; ///< allowed at firstIndex, or the largest allowed when all match
};

struct ReferenceReport {
    bool matches = true;
    std::vector<OutputCheck> outputs;
    std::string rule; ///< the tolerance in words
};

/// `before[i]`, `after[i]`: the bytes of the kernel's i-th argument before and after the launch;
/// inputs are taken from the former, outputs from the latter. Errors (code "reference"): unknown
/// kind, an array too short. At most 2^27 multiply-adds are done.
Result<ReferenceReport> checkReference(const ResolvedReference& reference,
                                       std::span<const std::span<const std::byte>> before,
                                       std::span<const std::span<const std::byte>> after);

} // namespace lanescope::catalog
