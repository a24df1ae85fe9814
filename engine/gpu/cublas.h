// SPDX-License-Identifier: GPL-3.0-or-later
// NVIDIA's own matrix product, as a measure for ours: cuBLAS found at run time, called and timed like a kernel of ours. Constants are those of
// cublas_api.h and library_types.h (cuBLAS 11 to 13).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/gpu/launch_time.h"

namespace lanescope::gpu {

/// C (m x n) = A (m x k) B (k x n), all row by row.
struct CublasProduct {
    enum class Type : std::uint8_t {
        F32,         ///< cublasSgemm without TF32
        F16SumsInF32 ///< cublasGemmEx: f16 operands, sums and C in f32
    } type = Type::F32;
    std::int64_t m = 0, n = 0, k = 0;
};

struct CublasRun {
    std::string version; ///< "13.0.2"
    KernelTime time;
};

/// `folders`: searched after those of the dynamic linker. Operands are random, and sampled elements of the result are checked. Errors (code
/// "cublas"): there is no cuBLAS, it refuses, or its result is wrong; code "gpu" as runKernel.
Result<CublasRun> timeCublas(const Gpu& gpu, const CublasProduct& product, const TimeOptions& options, const std::vector<std::filesystem::path>& folders = {});

} // namespace lanescope::gpu
