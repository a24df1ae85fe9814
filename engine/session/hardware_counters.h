// SPDX-License-Identifier: GPL-3.0-or-later
// Our counts beside the hardware's: metrics of a launch under Nsight Compute's names, matched with those of its CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session/ncu_report.h"
#include "engine/session/simulate.h"

namespace lanescope::session {

/// A figure of ours that the hardware has, too.
struct NamedMetric {
    std::string ncuName; ///< "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    std::string id;      ///< of sim::Metric; empty for the others
    std::string label, unit, help;
    double value = 0;
    enum class Kind : std::uint8_t { Counted, Launch, Modelled } kind = Kind::Counted; ///< from events; of the launch and its residency; of a model of time
};
/// The counters that Nsight Compute has, then registers, occupancy, waves, modelled time.
std::vector<NamedMetric> namedMetrics(const SimReport& report);

struct HardwareFigure {
    NamedMetric ours;
    std::optional<double> hardware; ///< in our unit; none: not in the CSV
    double resolution = 0;          ///< to which the CSV prints it
    std::string from;               ///< how it came about where the CSV has another metric of the same: "smsp__inst_executed.avg of 528"
    bool isEqual = false;           ///< to the last digit printed
    std::string remark;             ///< why the two need not be the same; empty: they should
    double difference() const { return ours.value - hardware.value_or(0); }
    /// difference() / hardware; none at zero.
    std::optional<double> relative() const;
};

struct HardwareComparison {
    std::string file, launchId, kernel;
    std::size_t launches = 0; ///< of this function in the file
    std::optional<Dim3> grid, block; ///< of the hardware's launch
    std::vector<std::string> notes; ///< what makes the two no match: grid, GPU, sampled counts
    /// Those that differ without a known reason, those that differ for one, the equal ones, those that the CSV lacks; the largest difference
    /// first.
    std::vector<HardwareFigure> figures;
    std::size_t equal = 0, different = 0, missing = 0;
    std::size_t others = 0; ///< metrics of the CSV that this program does not have
    const HardwareFigure* find(std::string_view ncuName) const;
};

/// What was simulated, for the comparison.
struct SimulatedLaunch {
    std::string function; ///< the kernel's bare name
    Dim3 grid, block;
    std::string capability; ///< of the GPU that is modelled, "9.0"
    std::uint64_t blocksSimulated = 0, blocksInGrid = 0;
    bool isScaled = false, isExact = true, isFinished = true; ///< as SimReport
    bool isAsWritten = true;                                  ///< the PTX, not as ptxas compiles it
};
/// Our side of a comparison, which needs no program any more.
struct HardwareSide {
    SimulatedLaunch launch;
    std::vector<NamedMetric> metrics;
};
HardwareSide hardwareSide(const LoadedProgram& program, const PreparedLaunch& prepared, const device::Device& device, const SimReport& report);

/// `launchId`: empty to choose by name, grid and block. Errors: those of chooseLaunch.
Result<HardwareComparison> compareWithHardware(const HardwareSide& ours, const NcuReport& report, const std::string& launchId = {});

std::string toJson(const HardwareComparison& comparison);
std::string toText(const HardwareComparison& comparison);
/// "17,301,504", "99.8", "1.23e-05".
std::string figureText(double value);

} // namespace lanescope::session
