// SPDX-License-Identifier: GPL-3.0-or-later
// What the performance charts paint and export: plain values, modelled unless they say measured.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::views {

/// Where bytes are counted on the roofline's axis.
enum class MemoryLevel : std::uint8_t { L1, L2, Dram };
inline constexpr int kMemoryLevels = 3;

struct MemoryRoof {
    MemoryLevel level = MemoryLevel::L1;
    std::string label;         ///< "Shared and L1"
    double bytesPerSecond = 0; ///< whole GPU
};

struct ComputeRoof {
    std::string label; ///< "FP32"
    double flopsPerSecond = 0;
};

struct KernelPoint {
    std::string id, title;
    /// FLOP per byte at each level; none: no traffic there, the kernel is not on that axis.
    std::array<std::optional<double>, kMemoryLevels> intensity;
    double flopsPerSecond = 0; ///< modelled
    std::optional<double> measuredFlopsPerSecond;
    std::string measuredNote; ///< a measurement above the roof: what that means
    /// Modelled / measured - 1; above 0: the model is faster.
    std::optional<double> modelError() const {
        return measuredFlopsPerSecond && *measuredFlopsPerSecond > 0 ? std::optional(flopsPerSecond / *measuredFlopsPerSecond - 1) : std::nullopt;
    }
    double seconds = 0;  ///< modelled
    std::string boundBy; ///< "L1 lines", "FP32"
    std::string formula; ///< how the time came about
    /// Seconds that each roof alone would take, slowest first.
    struct Part {
        std::string roof;
        double seconds = 0;
    };
    std::vector<Part> parts;
};

struct RooflineData {
    std::string gpu;
    std::vector<ComputeRoof> compute;
    ComputeRoof tensor; ///< of f16 with f32 sums; among `compute` when a kernel is above the others. 0: the device has none
    std::vector<MemoryRoof> memory;
    std::vector<KernelPoint> points;
    std::string selected;           ///< id of the highlighted kernel
    std::vector<std::string> notes; ///< kernels that have no point, and why
};

struct OccupancyLimit {
    std::string name;          ///< "Registers"
    std::string detail;        ///< "43,008 of 65,536 per block"
    std::optional<int> blocks; ///< none: no limit
    bool isLimiter = false;
};

struct OccupancyCurveData {
    std::string title, axis;       ///< "Occupancy by registers per thread", "Registers per thread"
    std::string unit;              ///< "registers", "KB", "threads"
    std::vector<double> x;         ///< ascending
    std::vector<double> occupancy; ///< 0..1
    std::vector<int> blocks;       ///< per SM
    double currentX = 0;
};

struct OccupancyData {
    std::string gpu, kernel;
    int threads = 0, registers = 0;
    double sharedBytes = 0;
    std::vector<OccupancyLimit> limits;
    int blocksPerSm = 0, warpsPerSm = 0, maxWarps = 0, maxBlocks = 0;
    double occupancy = 0;
    std::array<OccupancyCurveData, 3> curves; ///< registers, shared memory, block size
    std::string problem;                      ///< not empty: the launch does not fit the GPU
    std::optional<int> driverRegisters, driverBlocksPerSm; ///< as the driver reported them when the kernel was measured
};

/// The same grid on a GPU.
struct WavesRow {
    std::string gpu;
    std::int64_t sms = 0, blocksPerSm = 0, waves = 0, tailBlocks = 0;
    double slotsUsed = 0;
    bool current = false;
};

struct WavesData {
    std::string gpu, kernel;
    std::int64_t blocks = 0, sms = 0, blocksPerSm = 0, capacity = 0, waves = 0, fullWaves = 0;
    std::int64_t tailBlocks = 0, idleSms = 0;
    double slotsUsed = 0;
    std::vector<WavesRow> rows;
    std::string problem; ///< not empty: nothing to show, and why
};

} // namespace lanescope::views
