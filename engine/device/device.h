// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptions of GPUs: the residency limits of their compute capability, and figures (clocks,
// rates, sizes, latencies), each with its unit and source. Data: assets/devices/*.json, one file a
// GPU, and limits.json with the limits of every compute capability.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"

namespace lanescope::device {

/// A number with where it comes from.
struct Figure {
    double value = 0;
    std::string unit;
    std::string source;
    /// A simplification or a choice of ours, not a published or measured figure.
    bool assumed = false;
    std::string note;
    bool calibrated = false; ///< measured on this very GPU by `lanescope calibrate`
    std::optional<double> described{}; ///< calibrated: what the GPU's description says, where it says something
};

/// What can be named in a device's "figures": the key in the JSON and the unit it must have.
struct FigureKind {
    std::string_view key;
    std::string_view unit;
    std::string_view description;
};
const std::vector<FigureKind>& figureKinds();

struct ComputeCapability {
    int major = 0;
    int minor = 0;
    auto operator<=>(const ComputeCapability&) const = default;
};
std::string toString(ComputeCapability capability); ///< "9.0"

/// What may reside on an SM, and in which units it is allocated. Sizes in bytes, registers of 32
/// bits.
struct Limits {
    ComputeCapability capability;
    int warpSize = 32;
    int threadsPerBlock = 1024;
    int threadsPerSm = 0;
    int blocksPerSm = 0;
    int registersPerSm = 0;
    int registersPerBlock = 0;
    int registersPerThread = 255;
    int registerAllocationUnit = 256; ///< a warp's registers are rounded up to this
    int subPartitions = 4;            ///< each with its own part of the registers
    /// A block's warps are rounded up to this many when its registers are checked; subPartitions
    /// but on 6.0.
    int registerCheckPartitions = 4;
    int sharedBytesPerSm = 0;
    int sharedBytesPerBlock = 49152; ///< the most of static shared memory
    int sharedBytesPerBlockOptIn = 0;
    int sharedBytesReservedPerBlock = 0;
    int sharedAllocationUnitBytes = 128;
    std::vector<int> carveOutBytes;    ///< sizes that the shared part of the L1 can have, ascending
    std::optional<int> unifiedL1Bytes; ///< L1 and shared memory together
    std::optional<int> barriersPerSm;  ///< absent where barriers do not limit residency
    std::string source;

    int warpsPerSm() const { return threadsPerSm / warpSize; }
};

struct Device {
    std::string id;   ///< "h200", "cc9.0"
    std::string name; ///< "NVIDIA H200 SXM", "compute capability 9.0"
    Limits limits;
    std::map<std::string, Figure, std::less<>> figures;
    std::vector<std::string> notes;
    std::vector<std::string> driverNames; ///< what cuDeviceGetName and nvidia-smi call it

    /// Null when the description does not have it: what needs it is then absent, never guessed.
    const Figure* figure(std::string_view key) const;
    std::optional<double> value(std::string_view key) const;
    /// False for a bare compute capability, which has limits and rates per clock only.
    bool isProduct() const { return figure("sm_count") != nullptr; }
};

/// Descriptions of the user's own (`lanescope calibrate` writes them), beside the built-in ones: $LANESCOPE_GPUS, else lanescope/gpus in
/// the user's data folder ($XDG_DATA_HOME or ~/.local/share). Files <id>.json.
std::filesystem::path ownDevicesFolder();

/// A built-in GPU or one of the user's own by id (any case), the path of a description (*.json), or ccX.Y for a bare compute capability. Error (code "device")
/// lists what there is.
Result<Device> findDevice(std::string_view id);

/// The built-in GPU that a driver calls so; nothing when there is none.
std::optional<Device> findDeviceByDriverName(std::string_view name);

/// The built-in GPUs and the user's own, by compute capability, then id. One of the user's own that cannot be read is left out.
Result<std::vector<Device>> allDevices();

/// Limits of every compute capability that is known, ascending.
Result<std::vector<Limits>> allLimits();

/// A description of a GPU as in assets/devices; path is what errors name. All errors are reported,
/// not only the first.
Result<Device> parseDevice(std::string_view json, std::string path);

/// The description as JSON, in the form that parseDevice reads.
std::string toJson(const Device& device);

} // namespace lanescope::device
