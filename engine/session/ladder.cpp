// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/ladder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/embedded_file.h"

namespace lanescope::embedded {
std::span<const EmbeddedFile> ladders();
}

namespace lanescope::session {

using nlohmann::json;

namespace {

constexpr double kClose = 0.15;

catalog::Overrides numbers(const json& object) {
    catalog::Overrides out;
    for (const auto& [name, value] : object.items())
        out[name] = value.get<std::int64_t>();
    return out;
}

double sumOfRoofs(const model::RooflinePoint& point) {
    double seconds = 0;
    for (const model::RoofTime& time : point.times)
        seconds += time.seconds;
    return seconds;
}

std::string secondRoof(const model::RooflinePoint& point) {
    const model::RoofTime* second = nullptr;
    for (const model::RoofTime& time : point.times)
        if (time.kind != point.bottleneck && (second == nullptr || time.seconds > second->seconds))
            second = &time;
    if (second == nullptr)
        return {};
    return fmt::format("{} needs {:.0f}% of that time", toString(second->kind),
                       100 * second->seconds / point.seconds);
}

} // namespace

const char* toString(Agreement agreement) {
    switch (agreement) {
    case Agreement::Close:
        return "close";
    case Agreement::TooSlow:
        return "too_slow";
    case Agreement::Tail:
        return "tail";
    case Agreement::NoOverlap:
        return "no_overlap";
    case Agreement::Latency:
        return "latency";
    case Agreement::NotModelled:
        return "not_modelled";
    }
    std::abort(); // the switch is complete
}

Result<MeasuredLadder> parseLadder(std::string_view text, const std::string& path) {
    try {
        const json root = json::parse(text);
        MeasuredLadder ladder;
        ladder.gpu = root.at("gpu").get<std::string>();
        ladder.title = root.at("title").get<std::string>();
        ladder.source = root.at("source").get<std::string>();
        ladder.sizes = numbers(root.at("sizes"));
        ladder.bestName = root.at("best").at("name").get<std::string>();
        ladder.bestFlopsPerSecond = 1e9 * root.at("best").at("gflops").get<double>();
        double flops = 2;
        for (const auto& [name, value] : ladder.sizes)
            flops *= double(value);
        for (const json& row : root.at("rungs")) {
            MeasuredRung rung;
            rung.kernel = row.at("kernel").get<std::string>();
            rung.name = row.at("name").get<std::string>();
            rung.parameters = numbers(row.value("parameters", json::object()));
            rung.flopsPerSecond = row.contains("ms") ? flops / (1e-3 * row["ms"].get<double>())
                                                     : 1e9 * row.at("gflops").get<double>();
            rung.note = row.value("note", "");
            if (!(rung.flopsPerSecond > 0) || !std::isfinite(rung.flopsPerSecond))
                return failure("ladder", fmt::format("{} has no rate above 0", rung.name),
                               {path, 0, 0}, "give \"gflops\" or \"ms\"");
            ladder.rungs.push_back(std::move(rung));
        }
        return ladder;
    } catch (const json::exception& e) {
        return failure("ladder", e.what(), {path, 0, 0},
                       "a table has gpu, title, source, sizes, best and rungs");
    }
}

Result<std::vector<MeasuredLadder>> measuredLadders() {
    std::vector<MeasuredLadder> all;
    for (const EmbeddedFile& file : embedded::ladders()) {
        Result<MeasuredLadder> ladder = parseLadder(file.bytes, std::string(file.name));
        if (!ladder)
            return failure(ladder.error());
        all.push_back(std::move(*ladder));
    }
    return all;
}

void judge(LadderRung& rung, CodeForm form) {
    if (!rung.modelled)
        return;
    const model::RooflinePoint& point = rung.modelled->point;
    const double measured = rung.measured.flopsPerSecond;
    const double sum = sumOfRoofs(point);
    rung.error = point.flopsPerSecond / measured - 1;
    rung.flopsPerSecondWithoutOverlap = point.flopsPerSecond * point.seconds / sum;
    const auto tera = [](double flops) { return fmt::format("{:.3g} TFLOP/s", flops / 1e12); };
    const std::string bound = toString(point.bottleneck);
    if (std::abs(rung.error) <= kClose) {
        rung.agreement = Agreement::Close;
        rung.reason = fmt::format("bound by {}; {}", bound, secondRoof(point));
    } else if (rung.error < 0) {
        rung.agreement = Agreement::TooSlow;
        rung.reason = fmt::format(
            "measured above the {} roof, so the kernel does less of that work than we count: {}", bound,
            form == CodeForm::Written
                ? "ptxas merges neighbouring accesses of the PTX into wider ones (see it as compiled)"
                : "the compiled form still has more of it than what ptxas made");
    } else {
        const double used = rung.modelled->waves ? rung.modelled->waves->slotsUsed : 1;
        const double occupancy = rung.modelled->occupancy.occupancy;
        if (point.flopsPerSecond * used / measured - 1 <= kClose) {
            rung.agreement = Agreement::Tail;
            rung.reason = fmt::format("the blocks fill {:.0f}% of the slots of their {} waves, and "
                                      "the roof takes them as full",
                                      100 * used, rung.modelled->waves->waves);
        } else if (measured >= rung.flopsPerSecondWithoutOverlap * (1 - kClose)) {
            rung.agreement = Agreement::NoOverlap;
            rung.reason = fmt::format(
                "bound by {} if everything overlaps; {}. One after another all roofs give {}, the "
                "measurement lies between: at {:.0f}% occupancy parts of it wait for each other",
                bound, secondRoof(point), tera(rung.flopsPerSecondWithoutOverlap),
                100 * occupancy);
        } else {
            rung.agreement = Agreement::Latency;
            rung.reason = fmt::format(
                "below even {}, all roofs one after another: {} warps an SM ({:.0f}% occupancy) do "
                "not hide the latency of its loads and barriers, which a roof does not see",
                tera(rung.flopsPerSecondWithoutOverlap), rung.modelled->occupancy.warpsPerSm,
                100 * occupancy);
        }
    }
    if (!rung.measured.note.empty())
        rung.reason += fmt::format(" ({})", rung.measured.note);
}

Result<Ladder> ladder(const std::string& gpu, const compile::Environment& environment,
                      const LadderOptions& options) {
    const Result<device::Device> device = device::findDevice(gpu);
    if (!device)
        return failure(device.error());
    const Result<std::vector<MeasuredLadder>> tables = measuredLadders();
    if (!tables)
        return failure(tables.error());
    const auto table = std::find_if(tables->begin(), tables->end(),
                                    [&](const MeasuredLadder& t) { return t.gpu == device->id; });
    if (table == tables->end()) {
        std::vector<std::string> gpus;
        for (const MeasuredLadder& t : *tables)
            gpus.push_back(t.gpu);
        return failure("ladder", fmt::format("no ladder was measured on {}", device->name), {},
                       fmt::format("there are tables for {}", fmt::join(gpus, ", ")));
    }
    Ladder result;
    result.table = *table;
    result.form = options.form;
    for (const MeasuredRung& measured : table->rungs) {
        if (options.progress)
            options.progress(result.rungs.size(), table->rungs.size());
        LadderRung rung;
        rung.measured = measured;
        catalog::Overrides parameters = measured.parameters;
        for (const auto& [name, value] : table->sizes)
            parameters[name] = value;
        for (const auto& [name, value] : options.sizes)
            parameters[name] = value;
        Result<ModelledKernel> modelled =
            modelKernel(*device, measured.kernel, parameters, environment, options.form,
                        options.cancel);
        if (options.cancel != nullptr && options.cancel->load())
            return failure("cancelled", "cancelled");
        if (modelled)
            rung.modelled = std::move(*modelled);
        else
            rung.reason = toString(modelled.error().front());
        judge(rung, options.form);
        result.rungs.push_back(std::move(rung));
    }
    if (options.progress)
        options.progress(result.rungs.size(), table->rungs.size());
    return result;
}

} // namespace lanescope::session
