// SPDX-License-Identifier: GPL-3.0-or-later
// What `ncu --csv` prints (Nsight Compute): hardware counters by launch. Both of its forms are read - a row a launch (--page raw: names, then
// units, then values) and a row a metric (--page details, or --metrics without a page) - with what stands around them in a terminal's
// output, in any number format, and with units scaled as ncu scales them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/base/lane_mask.h"

namespace lanescope::session {

struct NcuValue {
    double value = 0;      ///< in `unit`
    double resolution = 0; ///< half of the last digit that was printed; 0: exact
    std::string unit;      ///< without a prefix: "byte", "s", "Hz", "inst", "%"; as printed otherwise
};

struct NcuLaunch {
    std::string id;       ///< ncu's number of the launch; empty: not said
    std::string kernel;   ///< as printed, "mm_naive(int, int, int, const float *, const float *, float *)"
    std::string function; ///< its bare name, "mm_naive"
    std::optional<Dim3> grid, block;
    std::string capability; ///< "9.0"; empty: not said
    std::map<std::string, NcuValue, std::less<>> metrics;
};

struct NcuReport {
    std::string path;
    std::vector<NcuLaunch> launches; ///< at least one
};

/// Fields that are no numbers (names, "n/a") are no metrics. Errors (code "ncu"): no such CSV, with what ncu itself says where it does.
Result<NcuReport> parseNcuCsv(std::string_view text, const std::string& path);
Result<NcuReport> readNcuCsv(const std::string& path);

/// The launch with this id or, without one, of this function: one with this grid and block where there is one, else the first. Errors (code
/// "ncu") list the launches that there are.
Result<const NcuLaunch*> chooseLaunch(const NcuReport& report, const std::string& function, const Dim3& grid, const Dim3& block,
                                      const std::string& id = {});

/// "mm_naive" of "void ns::mm_naive<32>(int)" and of _Z8mm_naivei.
std::string bareFunctionName(const std::string& kernel);

} // namespace lanescope::session
