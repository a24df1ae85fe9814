// SPDX-License-Identifier: GPL-3.0-or-later
// NVIDIA's own matrix product, as a measure for ours: cuBLAS found at run time, called and timed like a kernel of ours. Constants are those of
// cublas_api.h and library_types.h (cuBLAS 11 to 13).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gpu/launch_time.h"

namespace lanescope::gpu {

/// C (m x n) = A (m x k) B (k x n), all row by row, sums in f32.
struct CublasProduct {
    /// Of A, B and C: cublasSgemm without TF32, or cublasGemmEx. Power and so the clock depend on the operands' bits: they are random in
    /// [-1, 1) with every bit that the type has, as those of the kernels of the catalog.
    enum class Type : std::uint8_t { F32, F16, Bf16 } type = Type::F32;
    std::int64_t m = 0, n = 0, k = 0;
};
/// Of a measured point: "cublas_sgemm", "cublas_gemm_f16", "cublas_gemm_bf16".
std::optional<CublasProduct::Type> cublasType(std::string_view point);

struct CublasRun {
    std::string version; ///< "13.0.2"
    KernelTime time;
};

/// `folders`: searched after those of the dynamic linker. Operands are random, and sampled elements of the result are checked. Errors (code
/// "cublas"): there is no cuBLAS, it refuses, or its result is wrong; code "gpu" as runKernel.
Result<CublasRun> timeCublas(const Gpu& gpu, const CublasProduct& product, const TimeOptions& options, const std::vector<std::filesystem::path>& folders = {});

} // namespace lanescope::gpu
