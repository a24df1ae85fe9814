// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/measured.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"

namespace lanescope::session {

using nlohmann::json;

bool MeasuredPoint::isOf(const catalog::Kernel& of, const std::map<std::string, std::int64_t>& values) const {
    if (kernel != of.id)
        return false;
    for (const auto& [name, value] : parameters) {
        const catalog::Parameter* known = of.findParameter(name);
        const auto set = values.find(name);
        if (known != nullptr && value != (set != values.end() ? set->second : known->defaultValue))
            return false;
    }
    return true;
}

Result<MeasuredPoints> readMeasured(const std::string& path) {
    const auto wrong = [&](std::string what) {
        return failure(
            "measured", std::move(what), {path, 0, 0},
            R"(a file is like {"gpu": "h200", "points": [{"kernel": "k01_naive", "time_s": 0.0012}]})");
    };
    const Result<std::string> text = readFile(path, std::uintmax_t{16} << 20);
    if (!text)
        return failure(text.error());
    const json root = json::parse(*text, nullptr, false);
    if (root.is_discarded())
        return wrong("this is not JSON");
    if (!root.is_object() || !root.contains("points") || !root["points"].is_array())
        return wrong("there is no list \"points\"");
    MeasuredPoints out;
    if (root.contains("gpu") && !root["gpu"].is_string())
        return wrong("\"gpu\" is no name");
    out.gpu = root.value("gpu", "");
    for (std::size_t i = 0; i < root["points"].size(); ++i) {
        const json& row = root["points"][i];
        if (!row.is_object() || !row.contains("kernel") || !row["kernel"].is_string())
            return wrong(fmt::format("point {} has no \"kernel\"", i));
        MeasuredPoint point;
        point.kernel = row["kernel"].get<std::string>();
        for (const auto& [key, target] : {std::pair{"time_s", &point.seconds},
                                          std::pair{"flops_per_s", &point.flopsPerSecond}}) {
            if (!row.contains(key))
                continue;
            const double value = row[key].is_number() ? row[key].get<double>() : -1;
            if (!(value > 0) || !std::isfinite(value))
                return wrong(fmt::format("point {} ({}): {} must be a number above 0", i,
                                         point.kernel, key));
            *target = value;
        }
        if (!point.seconds && !point.flopsPerSecond)
            return wrong(
                fmt::format("point {} ({}) has neither time_s nor flops_per_s", i, point.kernel));
        if (row.contains("parameters") && row["parameters"].is_object())
            for (const auto& [name, value] : row["parameters"].items()) {
                if (!value.is_number_integer())
                    return wrong(fmt::format("point {} ({}): the parameter {} must be a whole number", i, point.kernel, name));
                point.parameters[name] = value.get<std::int64_t>();
            }
        out.points.push_back(std::move(point));
    }
    return out;
}

} // namespace lanescope::session
