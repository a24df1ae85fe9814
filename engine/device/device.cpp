// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/device.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/embedded_file.h"
#include "engine/base/file.h"
#include "engine/device/json_reader.h"

namespace lanescope::embedded {
std::span<const EmbeddedFile> devices();
}

namespace lanescope::device {

using nlohmann::json;

namespace {

constexpr std::string_view kLimitsFile = "limits.json";

std::optional<ComputeCapability> parseCapability(std::string_view text) {
    const auto dot = text.find('.');
    const auto isNumber = [](std::string_view digits) {
        return !digits.empty() && digits.size() <= 3 &&
               std::all_of(digits.begin(), digits.end(),
                           [](char c) { return c >= '0' && c <= '9'; });
    };
    if (dot == std::string_view::npos || !isNumber(text.substr(0, dot)) ||
        !isNumber(text.substr(dot + 1)))
        return std::nullopt;
    return ComputeCapability{std::stoi(std::string(text.substr(0, dot))),
                             std::stoi(std::string(text.substr(dot + 1)))};
}

void readFigures(const json& object, const std::string& where, const std::string& path,
                 Diagnostics& errors, std::map<std::string, Figure, std::less<>>& figures) {
    for (const auto& [key, value] : object.items()) {
        const std::string place = where + "." + key;
        JsonReader reader(value, place, path, errors);
        const auto& kinds = figureKinds();
        const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                       [&](const FigureKind& k) { return k.key == key; });
        if (kind == kinds.end()) {
            reader.error("there is no such figure", "see the other descriptions for the names");
            continue;
        }
        if (!value.is_object()) {
            reader.error(
                "not an object",
                fmt::format("write {{\"value\": ..., \"unit\": \"{}\", \"source\": \"...\"}}",
                            kind->unit));
            continue;
        }
        Figure figure{reader.number("value"), reader.text("unit"), reader.text("source"),
                      reader.flag("assumed"), reader.optionalText("note")};
        figure.calibrated = reader.flag("calibrated");
        if (value.contains("described"))
            figure.described = reader.number("described");
        if (!figure.unit.empty() && figure.unit != kind->unit)
            reader.error(fmt::format("the unit is \"{}\", not \"{}\"", figure.unit, kind->unit),
                         fmt::format("give the value in {}", kind->unit));
        figures[key] = std::move(figure);
    }
}

Limits readLimits(JsonReader& row, JsonReader& common, const std::string& commonSource) {
    const auto shared = [&](const char* member, int least) {
        const auto own = row.optionalInteger(member, least);
        return own ? *own : common.integer(member, least);
    };
    Limits limits;
    limits.warpSize = shared("warp_size", 32);
    limits.threadsPerBlock = shared("threads_per_block", 1);
    limits.threadsPerSm = row.integer("threads_per_sm", 1);
    limits.blocksPerSm = row.integer("blocks_per_sm", 1);
    limits.registersPerSm = shared("registers_per_sm", 1);
    limits.registersPerBlock = shared("registers_per_block", 1);
    limits.registersPerThread = row.integer("registers_per_thread", 1);
    limits.registerAllocationUnit = shared("register_allocation_unit", 1);
    limits.subPartitions = row.integer("sub_partitions", 1);
    limits.registerCheckPartitions =
        row.integer("register_check_partitions", 1, limits.subPartitions);
    limits.sharedBytesPerSm = row.integer("shared_bytes_per_sm", 1);
    limits.sharedBytesPerBlock = shared("shared_bytes_per_block", 1);
    limits.sharedBytesPerBlockOptIn = row.integer("shared_bytes_per_block_opt_in", 1);
    limits.sharedBytesReservedPerBlock = row.integer("shared_bytes_reserved_per_block", 0);
    limits.sharedAllocationUnitBytes = row.integer("shared_allocation_unit_bytes", 1);
    if (const json* sizes = row.array("carve_out_bytes", true))
        for (const json& size : *sizes) {
            if (size.is_number_integer())
                limits.carveOutBytes.push_back(size.get<int>());
            else
                row.error("\"carve_out_bytes\" holds something that is not a whole number");
        }
    if (limits.carveOutBytes.empty() ||
        !std::is_sorted(limits.carveOutBytes.begin(), limits.carveOutBytes.end()))
        row.error("\"carve_out_bytes\" is not an ascending list of sizes");
    limits.unifiedL1Bytes = row.optionalInteger("unified_l1_bytes", 1);
    limits.barriersPerSm = row.optionalInteger("barriers_per_sm", 1);
    limits.source = fmt::format("{}; {}", row.text("source"), commonSource);
    return limits;
}

/// What limits.json says about one compute capability.
struct Capability {
    Limits limits;
    std::map<std::string, Figure, std::less<>> figures;
};

std::string_view embeddedFile(std::string_view name) {
    for (const EmbeddedFile& file : embedded::devices())
        if (file.name == name)
            return file.bytes;
    return {};
}

Result<std::vector<Capability>> parseCapabilities() {
    const std::string path(kLimitsFile);
    auto text = parseJson(embeddedFile(kLimitsFile), path);
    if (!text)
        return failure(text.error());
    Diagnostics errors;
    JsonReader file(*text, "", path, errors);
    const json* common = file.object("common", true);
    const json* rows = file.array("capabilities", true);
    if (common == nullptr || rows == nullptr)
        return failure(errors);
    JsonReader commonReader(*common, "common", path, errors);
    const std::string commonSource = commonReader.text("source");

    std::vector<Capability> capabilities;
    for (const json& row : *rows) {
        const std::string name = row.is_object() ? row.value("capability", "") : "";
        JsonReader reader(row, "capability " + name, path, errors);
        const auto capability = parseCapability(name);
        if (!capability) {
            reader.error("\"capability\" is not of the form \"9.0\"");
            continue;
        }
        Capability entry;
        entry.limits = readLimits(reader, commonReader, commonSource);
        entry.limits.capability = *capability;
        if (const json* figures = commonReader.object("figures", false))
            readFigures(*figures, "common.figures", path, errors, entry.figures);
        if (const json* figures = reader.object("figures", false))
            readFigures(*figures, name + ".figures", path, errors, entry.figures);
        capabilities.push_back(std::move(entry));
    }
    if (!errors.empty())
        return failure(errors);
    std::sort(capabilities.begin(), capabilities.end(), [](const auto& a, const auto& b) {
        return a.limits.capability < b.limits.capability;
    });
    return capabilities;
}

/// The file is built in and does not change: read once.
const Result<std::vector<Capability>>& readCapabilities() {
    static const Result<std::vector<Capability>> capabilities = parseCapabilities();
    return capabilities;
}

Result<Capability> findCapability(std::string_view text, const SourceRange& where) {
    const auto& capabilities = readCapabilities();
    if (!capabilities)
        return failure(capabilities.error());
    const auto wanted = parseCapability(text);
    std::vector<std::string> known;
    for (const Capability& entry : *capabilities) {
        if (wanted && entry.limits.capability == *wanted)
            return entry;
        known.push_back(toString(entry.limits.capability));
    }
    return failure("device", fmt::format("compute capability \"{}\" is not known", text), where,
                   fmt::format("known are {}", fmt::join(known, ", ")));
}

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower;
}

std::vector<std::string> productIds() {
    std::vector<std::string> ids;
    for (const EmbeddedFile& file : embedded::devices())
        if (file.name != kLimitsFile)
            ids.emplace_back(file.name.substr(0, file.name.rfind('.')));
    std::sort(ids.begin(), ids.end());
    return ids;
}

Result<Device> readOwn(const std::filesystem::path& path) {
    const Result<std::string> text = readFile(path, std::uintmax_t{1} << 20);
    return text ? parseDevice(*text, path.string()) : Result<Device>(failure(text.error()));
}

/// Descriptions in the user's folder, by file name.
std::vector<std::filesystem::path> ownFiles() {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(ownDevicesFolder(), none))
        if (entry.path().extension() == ".json")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

std::filesystem::path ownDevicesFolder() {
    const auto variable = [](const char* name) { return std::filesystem::path(std::getenv(name) != nullptr ? std::getenv(name) : ""); };
    if (const auto folder = variable("LANESCOPE_GPUS"); !folder.empty())
        return folder;
    const auto data = variable("XDG_DATA_HOME");
    return (data.empty() ? variable("HOME") / ".local" / "share" : data) / "lanescope" / "gpus";
}

std::string toString(ComputeCapability capability) {
    return fmt::format("{}.{}", capability.major, capability.minor);
}

const Figure* Device::figure(std::string_view key) const {
    const auto it = figures.find(key);
    return it != figures.end() ? &it->second : nullptr;
}

std::optional<double> Device::value(std::string_view key) const {
    const Figure* found = figure(key);
    return found != nullptr ? std::optional(found->value) : std::nullopt;
}

Result<Device> parseDevice(std::string_view text, std::string path) {
    auto parsed = parseJson(text, path);
    if (!parsed)
        return failure(parsed.error());
    if (!parsed->is_object())
        return failure("device", "a GPU description is a JSON object", {path, 1, 1});
    Diagnostics errors;
    JsonReader reader(*parsed, "", path, errors);
    Device device;
    device.id = reader.text("id");
    device.name = reader.text("name");
    if (lowerCase(device.id).starts_with("cc") && parseCapability(device.id.substr(2)))
        reader.error(fmt::format("the id \"{}\" stands for a bare compute capability", device.id),
                     "choose another id");
    const std::string capability = reader.text("compute_capability");
    if (!capability.empty()) {
        auto found = findCapability(capability, {path, 0, 0});
        if (found) {
            device.limits = std::move(found->limits);
            device.figures = std::move(found->figures);
        } else {
            errors.insert(errors.end(), found.error().begin(), found.error().end());
        }
    }
    if (const json* figures = reader.object("figures", true))
        readFigures(*figures, "figures", path, errors, device.figures);
    for (const char* needed : {"sm_count", "boost_clock", "fp32_lanes_per_sm"})
        if (device.figure(needed) == nullptr)
            reader.error(fmt::format("figures.{} is missing", needed),
                         "a GPU needs it for every time that is modelled");
    for (const auto& [key, list] : {std::pair{"notes", &device.notes}, std::pair{"driver_names", &device.driverNames}})
        if (const json* texts = reader.array(key, false))
            for (const json& entry : *texts) {
                if (entry.is_string())
                    list->push_back(entry.get<std::string>());
                else
                    reader.error(fmt::format("\"{}\" holds something that is not a text", key));
            }
    if (!errors.empty())
        return failure(errors);
    return device;
}

Result<Device> findDevice(std::string_view id) {
    const std::string wanted = lowerCase(id);
    if (wanted.starts_with("cc") && parseCapability(std::string_view(wanted).substr(2))) {
        auto capability = findCapability(std::string_view(wanted).substr(2), {});
        if (!capability)
            return failure(capability.error());
        Device device;
        device.limits = std::move(capability->limits);
        device.figures = std::move(capability->figures);
        device.id = "cc" + toString(device.limits.capability);
        device.name = "compute capability " + toString(device.limits.capability);
        return device;
    }
    if (const std::string file = wanted + ".json"; file != kLimitsFile)
        if (const auto text = embeddedFile(file); !text.empty())
            return parseDevice(text, file);
    if (wanted.ends_with(".json"))
        return readOwn(std::string(id));
    for (const std::filesystem::path& file : ownFiles())
        if (lowerCase(file.stem().string()) == wanted)
            return readOwn(file);
    return failure("device", fmt::format("there is no GPU \"{}\"", id), {},
                   fmt::format("use one of {}, or ccX.Y for a bare compute capability",
                               fmt::join(productIds(), ", ")));
}

std::optional<Device> findDeviceByDriverName(std::string_view name) {
    const Result<std::vector<Device>> devices = allDevices();
    if (!devices)
        return std::nullopt;
    for (const Device& device : *devices)
        if (std::find(device.driverNames.begin(), device.driverNames.end(), name) != device.driverNames.end())
            return device;
    return std::nullopt;
}

Result<std::vector<Device>> allDevices() {
    std::vector<Device> devices;
    Diagnostics errors;
    for (const std::string& id : productIds()) {
        auto device = findDevice(id);
        if (device)
            devices.push_back(std::move(*device));
        else
            errors.insert(errors.end(), device.error().begin(), device.error().end());
    }
    if (!errors.empty())
        return failure(errors);
    for (const std::filesystem::path& file : ownFiles())
        if (auto device = readOwn(file))
            devices.push_back(std::move(*device));
    std::stable_sort(devices.begin(), devices.end(), [](const Device& a, const Device& b) {
        return a.limits.capability < b.limits.capability;
    });
    return devices;
}

Result<std::vector<Limits>> allLimits() {
    const auto& capabilities = readCapabilities();
    if (!capabilities)
        return failure(capabilities.error());
    std::vector<Limits> limits;
    for (const Capability& entry : *capabilities)
        limits.push_back(entry.limits);
    return limits;
}

std::string toJson(const Device& device) {
    json figures = json::object();
    for (const auto& [key, figure] : device.figures) {
        json entry = {{"value", figure.value}, {"unit", figure.unit}, {"source", figure.source}};
        if (figure.assumed)
            entry["assumed"] = true;
        if (!figure.note.empty())
            entry["note"] = figure.note;
        if (figure.calibrated)
            entry["calibrated"] = true;
        if (figure.described)
            entry["described"] = *figure.described;
        figures[key] = std::move(entry);
    }
    json object = {{"id", device.id},
                   {"name", device.name},
                   {"compute_capability", toString(device.limits.capability)},
                   {"figures", std::move(figures)}};
    if (!device.notes.empty())
        object["notes"] = device.notes;
    if (!device.driverNames.empty())
        object["driver_names"] = device.driverNames;
    return object.dump(1) + "\n";
}

} // namespace lanescope::device
