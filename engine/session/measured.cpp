// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/measured.h"

#include <cmath>
#include <filesystem>

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
    const Result<std::string> text = readFile(path, std::uintmax_t{16} << 20);
    return text ? parseMeasured(*text, path) : failure(text.error());
}

Result<MeasuredPoints> parseMeasured(std::string_view text, const std::string& path) {
    const auto wrong = [&](std::string what) {
        return failure(
            "measured", std::move(what), {path, 0, 0},
            R"(a file is like {"gpu": "h200", "points": [{"kernel": "k01_naive", "time_s": 0.0012}]})");
    };
    const json root = json::parse(text, nullptr, false);
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
                                          std::pair{"flops_per_s", &point.flopsPerSecond}, std::pair{"clock_mhz", &point.clockMhz}}) {
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
        for (const auto& [key, target] : {std::pair{"registers_per_thread", &point.registersPerThread}, std::pair{"blocks_per_sm", &point.blocksPerSm}}) {
            if (!row.contains(key))
                continue;
            if (!row[key].is_number_integer() || row[key].get<std::int64_t>() < 0 || row[key].get<std::int64_t>() > 1'000'000)
                return wrong(fmt::format("point {} ({}): {} must be a whole number", i, point.kernel, key));
            *target = row[key].get<int>();
        }
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

namespace {

using Json = nlohmann::ordered_json;

Json pointJson(const MeasuredPoint& point) {
    Json out{{"kernel", point.kernel}};
    if (point.seconds)
        out["time_s"] = *point.seconds;
    if (point.flopsPerSecond)
        out["flops_per_s"] = *point.flopsPerSecond;
    if (point.registersPerThread)
        out["registers_per_thread"] = *point.registersPerThread;
    if (point.blocksPerSm)
        out["blocks_per_sm"] = *point.blocksPerSm;
    if (point.clockMhz)
        out["clock_mhz"] = *point.clockMhz;
    if (!point.parameters.empty())
        out["parameters"] = point.parameters;
    return out;
}

} // namespace

std::string toJson(const MeasuredPoints& points) {
    Json out;
    if (!points.gpu.empty())
        out["gpu"] = points.gpu;
    out["points"] = Json::array();
    for (const MeasuredPoint& point : points.points)
        out["points"].push_back(pointJson(point));
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<void> saveMeasured(const std::string& path, const MeasuredPoints& points) {
    MeasuredPoints all;
    std::error_code none;
    if (std::filesystem::exists(path, none)) {
        Result<MeasuredPoints> before = readMeasured(path);
        if (!before && before.error().front().code == "measured")
            return failure("measured", "the file holds no measured points and is left alone", {path, 0, 0}, "choose another name for --save");
        if (!before)
            return failure(before.error());
        if (before->gpu != points.gpu)
            return failure("measured", fmt::format("the file holds points of {}, these were measured on {}", before->gpu.empty() ? "another GPU" : before->gpu, points.gpu), {path, 0, 0},
                           "choose another name for --save");
        all = std::move(*before);
    }
    all.gpu = points.gpu;
    for (const MeasuredPoint& point : points.points) {
        std::erase_if(all.points, [&](const MeasuredPoint& other) { return other.kernel == point.kernel && other.parameters == point.parameters; });
        all.points.push_back(point);
    }
    return writeFile(path, toJson(all));
}

} // namespace lanescope::session
