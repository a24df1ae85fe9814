// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/gpu_profile.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lanescope::session {

namespace {

std::string unitOf(const std::string& key) {
    for (const device::FigureKind& kind : device::figureKinds())
        if (kind.key == key)
            return std::string(kind.unit);
    return {};
}

/// "nvidia-h200" of "NVIDIA H200".
std::string slug(const std::string& name) {
    std::string out;
    for (const unsigned char c : name)
        if (std::isalnum(c) != 0)
            out += static_cast<char>(std::tolower(c));
        else if (!out.empty() && out.back() != '-')
            out += '-';
    return out;
}

} // namespace

Result<GpuProfile> gpuProfile(const gpu::GpuInfo& gpu, const gpu::Calibration& calibration) {
    GpuProfile out;
    out.skipped = calibration.skipped;
    const std::string measuredOn = fmt::format("measured on {} by lanescope calibrate, CUDA {}", gpu.name, gpu::versionText(gpu.driverVersion));
    if (std::optional<device::Device> known = device::findDeviceByDriverName(gpu.name)) {
        out.device = std::move(*known);
    } else {
        Result<device::Device> bare = device::findDevice(fmt::format("cc{}.{}", gpu.major, gpu.minor));
        if (!bare)
            return failure(bare.error());
        out.device = std::move(*bare);
        out.device.id = slug(gpu.name);
        out.device.name = gpu.name;
        out.device.figures["sm_count"] = {static_cast<double>(gpu.smCount), unitOf("sm_count"), measuredOn, false, {}};
        out.device.figures["l2_size"] = {static_cast<double>(gpu.l2Bytes), unitOf("l2_size"), measuredOn, false, {}};
    }
    out.device.driverNames.clear(); // the description keeps the name
    std::vector<gpu::MeasuredFigure> figures = calibration.figures;
    for (const gpu::MeasuredFigure& f : calibration.figures)
        if (f.key == "dram_copy_bandwidth_measured")
            figures.push_back({"dram_bandwidth", f.value, f.how});
    if (calibration.clockMhz)
        figures.push_back({"boost_clock", *calibration.clockMhz, "SM clock while measuring, median"});
    for (const gpu::MeasuredFigure& f : figures) {
        GpuProfile::Row row{f.key, unitOf(f.key), f.how, {}, {}, f.value};
        device::Figure figure{f.value, row.unit, measuredOn + ": " + f.how, false, {}};
        figure.calibrated = true;
        if (const device::Figure* spec = out.device.figure(f.key)) {
            row.spec = spec->value;
            row.specSource = spec->source;
            figure.described = spec->value;
            figure.note = fmt::format("the description says {:g} ({})", spec->value, spec->source);
        }
        // Shown and not used: a roof of the L2 needs what the L1 keeps from it, which the models do not know; and a line a clock is what the L1
        // does with lines in one bank, as a column of a matrix has them, where this is its best.
        if (f.key != "l2_bandwidth" && f.key != "l1_lines_per_clock")
            out.device.figures[f.key] = std::move(figure);
        out.rows.push_back(std::move(row));
    }
    out.device.id += "-measured";
    out.device.name += ", measured";
    return out;
}

std::string toJson(const GpuProfile& profile) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const GpuProfile::Row& r : profile.rows)
        rows.push_back({{"figure", r.key},
                        {"unit", r.unit},
                        {"measured", r.measured},
                        {"spec", r.spec ? nlohmann::ordered_json(*r.spec) : nlohmann::ordered_json()},
                        {"spec_source", r.specSource},
                        {"how", r.how}});
    return nlohmann::ordered_json{{"kind", "measured"}, {"gpu", profile.device.id}, {"name", profile.device.name}, {"figures", rows}, {"skipped", profile.skipped}}.dump(2);
}

std::string toText(const GpuProfile& profile) {
    std::string out = fmt::format("{} ({})\n{:<30}{:>12}{:>12}  {}\n", profile.device.name, profile.device.id, "figure", "measured", "described", "unit");
    for (const GpuProfile::Row& r : profile.rows)
        out += fmt::format("{:<30}{:>12.4g}{:>12}  {}: {}\n", r.key, r.measured, r.spec ? fmt::format("{:.4g}", *r.spec) : "-", r.unit, r.how);
    for (const std::string& s : profile.skipped)
        out += fmt::format("not measured: {}\n", s);
    return out;
}

} // namespace lanescope::session
