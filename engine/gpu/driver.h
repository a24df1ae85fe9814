// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA driver of this machine, found at run time: no CUDA Toolkit is needed to build or to run, and a machine without a GPU says so
// in one line. Signatures and constants are those of the driver API's binary interface (CUDA Driver API, sections Initialization to
// Execution Control); the clock is read through NVML where that is there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"

namespace lanescope::gpu {

struct GpuInfo {
    std::string name;          ///< "NVIDIA H200"
    int major = 0, minor = 0;  ///< compute capability
    int smCount = 0;
    int l2Bytes = 0;
    std::uint64_t memoryBytes = 0;
    int driverVersion = 0;     ///< newest CUDA that the driver knows, 13000 for 13.0
};

/// "13.0"
std::string versionText(int version);

struct DriverApi; ///< the functions found

/// The first GPU with a context on it; everything is released with the object. One thread.
class Gpu {
public:
    /// Errors (code "gpu"): no driver, no GPU, a GPU that cannot be used; the message is one line.
    static Result<Gpu> open();
    Gpu(Gpu&&) noexcept;
    Gpu& operator=(Gpu&&) noexcept;
    ~Gpu();

    const GpuInfo& info() const { return m_info; }
    const DriverApi& api() const { return *m_api; }
    /// The SM clock now in MHz; none without NVML.
    std::optional<double> smClockMhz() const;

    /// Nothing when the driver call succeeded, else code "gpu", what was done and what the driver says.
    Result<void> check(int status, const std::string& what) const;

private:
    Gpu() = default;
    struct Context;
    std::shared_ptr<const DriverApi> m_api;
    std::unique_ptr<Context> m_context;
    GpuInfo m_info;
};

} // namespace lanescope::gpu
