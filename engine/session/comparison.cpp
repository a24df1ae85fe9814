// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/sim/lanes/formats.h"

namespace lanescope::session {

using Json = nlohmann::ordered_json;

namespace {

/// Distances up to this part of the largest magnitude come from summing in another order.
constexpr double kRounding32 = 1e-4, kRounding16 = 1e-2;

template <class T>
T bitsAt(const std::vector<std::uint8_t>& bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

/// The element's value when its type is floating point.
std::optional<double> floatAt(const OutputView& output, std::size_t offset) {
    const std::vector<std::uint8_t>& bytes = *output.bytes;
    if (output.type == "f32")
        return bitsAt<float>(bytes, offset);
    if (output.type == "f64")
        return bitsAt<double>(bytes, offset);
    if (output.type == "f16")
        return sim::lanes::halfToFloat(bitsAt<std::uint16_t>(bytes, offset));
    if (output.type == "bf16")
        return sim::lanes::bfloatToFloat(bitsAt<std::uint16_t>(bytes, offset));
    return std::nullopt;
}

std::string pairName(const std::string& left, const std::string& right) {
    return left == right ? left : fmt::format("{} and {}", left, right);
}

ComparedOutput compareOutputs(const OutputView& left, const OutputView& right) {
    ComparedOutput out;
    out.left = left.name;
    out.right = right.name;
    const std::string names = pairName(left.name, right.name);
    out.isComparable = left.type == right.type && left.bytes->size() == right.bytes->size();
    if (!out.isComparable) {
        const auto shape = [](const OutputView& o) { return fmt::format("{} {}", o.bytes->size() / static_cast<std::size_t>(o.elementBytes), o.type); };
        out.sentence = fmt::format("{}: {} against {}, not comparable", names, shape(left), shape(right));
        return out;
    }
    const auto size = static_cast<std::size_t>(left.elementBytes);
    out.elements = left.bytes->size() / size;
    double largest = 0, magnitude = 0;
    bool isFloat = false, isFinite = true;
    for (std::size_t offset = 0; offset + size <= left.bytes->size(); offset += size) {
        const std::optional<double> a = floatAt(left, offset);
        if (a && std::isfinite(*a))
            magnitude = std::max(magnitude, std::fabs(*a));
        if (std::memcmp(left.bytes->data() + offset, right.bytes->data() + offset, size) == 0)
            continue;
        ++out.differing;
        if (!a)
            continue;
        isFloat = true;
        const double distance = std::fabs(*a - *floatAt(right, offset));
        if (std::isfinite(distance))
            largest = std::max(largest, distance);
        else
            isFinite = false;
    }
    if (out.differing == 0) {
        out.sentence = fmt::format("{}: {} elements, equal bit for bit", names, out.elements);
        return out;
    }
    out.sentence = fmt::format("{}: {} of {} elements differ", names, out.differing, out.elements);
    if (isFloat && isFinite) {
        out.largestDifference = largest;
        out.relativeDifference = magnitude > 0 ? largest / magnitude : largest;
        out.sentence += fmt::format(", by at most {:.2g} ({:.1g} of the largest value)", largest, *out.relativeDifference);
    } else if (isFloat) {
        out.sentence += ", some infinite or NaN on one side only";
    }
    return out;
}

bool isRounding(const ComparedOutput& output, const std::string& type) {
    const double limit = type == "f16" || type == "bf16" ? kRounding16 : kRounding32;
    return output.relativeDifference && *output.relativeDifference <= limit;
}

void compareResults(Comparison& out, const RunView& left, const RunView& right) {
    const auto complete = [](const RunView& run) { return run.finished && run.blocksSimulated == run.blocksInGrid; };
    if (!complete(left) || !complete(right)) {
        out.results = "Results are not compared: not all blocks were simulated";
        return;
    }
    const std::size_t pairs = std::min(left.outputs.size(), right.outputs.size());
    bool areEqual = true, isRounded = true, areComparable = true;
    for (std::size_t i = 0; i < pairs; ++i) {
        out.outputs.push_back(compareOutputs(left.outputs[i], right.outputs[i]));
        const ComparedOutput& o = out.outputs.back();
        areComparable = areComparable && o.isComparable;
        areEqual = areEqual && o.isEqual();
        isRounded = isRounded && (o.isEqual() || isRounding(o, left.outputs[i].type));
    }
    for (const auto* longer : {&left.outputs, &right.outputs})
        for (std::size_t i = pairs; i < longer->size(); ++i) {
            ComparedOutput alone;
            const bool isLeft = longer == &left.outputs;
            (isLeft ? alone.left : alone.right) = (*longer)[i].name;
            alone.sentence = fmt::format("{}: written by the {} one only", (*longer)[i].name, isLeft ? "left" : "right");
            out.outputs.push_back(std::move(alone));
        }
    if (pairs == 0) {
        out.results = left.outputs.empty() && right.outputs.empty() ? "Neither launch changed a buffer" : "Only one launch changed a buffer";
        return;
    }
    if (!areComparable) {
        out.results = "Results are not comparable: " + out.outputs.front().sentence;
        return;
    }
    if (areEqual) {
        out.verdict = ResultVerdict::Equal;
        out.results = pairs == 1 ? "Results are equal: " + out.outputs.front().sentence
                                 : fmt::format("Results are equal bit for bit in all {} outputs", pairs);
        return;
    }
    out.verdict = isRounded ? ResultVerdict::Rounding : ResultVerdict::Different;
    const auto first = std::find_if(out.outputs.begin(), out.outputs.end(), [](const ComparedOutput& o) { return !o.isEqual(); });
    out.results = (isRounded ? "Results differ by rounding: " : "Results differ: ") + first->sentence;
}

ComparedFigure modelled(const char* id, const char* label, const char* unit, const char* help, double left, double right) {
    return {id, label, unit, help, true, left, right};
}

void addModel(Comparison& out, const ModelView& left, const ModelView& right) {
    out.figures.push_back(modelled("model_seconds", "Time", "s", "Modelled time of the launch: its slowest roof.",
                                   left.seconds.value_or(0), right.seconds.value_or(0)));
    out.figures.push_back(modelled("model_flops_per_second", "FLOP per second", "FLOP/s",
                                   "Modelled floating-point operations a second.", left.flopsPerSecond.value_or(0),
                                   right.flopsPerSecond.value_or(0)));
    out.figures.push_back(modelled("model_occupancy", "Occupancy", "1", "Resident warps of the most that an SM holds.",
                                   left.occupancy.value_or(0), right.occupancy.value_or(0)));
    out.figures.push_back(modelled("model_registers", "Registers a thread", "registers",
                                   "ptxas's figure where the kernel is as shipped, else estimated from the PTX.", left.registersPerThread,
                                   right.registersPerThread));
}

} // namespace

bool scalesWithLaunch(const sim::Metric& metric) {
    return metric.unit != "1" && metric.unit != "%" && metric.unit.find("per") == std::string_view::npos &&
           metric.unit.find('/') == std::string_view::npos;
}

std::optional<double> ComparedFigure::ratio() const {
    if (left == 0 || right == 0)
        return std::nullopt;
    return left / right;
}

double ComparedFigure::factor() const {
    if (left == right)
        return 1;
    if (left == 0 || right == 0)
        return std::numeric_limits<double>::infinity();
    return std::max(left / right, right / left);
}

const ComparedFigure* Comparison::find(const std::string& id) const {
    const auto found = std::find_if(figures.begin(), figures.end(), [&](const ComparedFigure& f) { return f.id == id; });
    return found == figures.end() ? nullptr : &*found;
}

StepFigures stepFigures(const FrameView& frame) {
    StepFigures out;
    for (const AccessView& a : frame.accesses)
        if (a.space == ptx::Space::Shared) {
            out.hasShared = true;
            out.wavefronts += a.shared.wavefronts;
            out.passes += a.shared.passes;
        } else {
            out.hasGlobal = true;
            out.sectors += a.global.sectors;
            out.lines += a.global.lines;
            out.bytesUsed += a.global.bytes;
            out.bytesMoved += static_cast<std::int64_t>(memory::kSectorBytes) * a.global.sectors;
        }
    return out;
}

Comparison compare(const RunView& left, const RunView& right, CountBase base) {
    Comparison out;
    const auto scale = [base](const RunView& run, const sim::Metric& metric) {
        if (base == CountBase::Launch || !scalesWithLaunch(metric))
            return 1.0;
        return run.counters.fmaLanes > 0 ? 1000.0 / static_cast<double>(run.counters.fmaLanes) : 0.0;
    };
    for (const sim::Metric& m : sim::metrics())
        out.figures.push_back({std::string(m.id), std::string(m.label), std::string(m.unit), std::string(m.help), false,
                               m.value(left.counters) * scale(left, m), m.value(right.counters) * scale(right, m)});
    addModel(out, left.model, right.model);
    std::erase_if(out.figures, [](const ComparedFigure& f) { return f.left == 0 && f.right == 0; });
    compareResults(out, left, right);
    return out;
}

std::string toJson(const Comparison& comparison, const std::string& left, const std::string& right) {
    Json figures = Json::array();
    for (const ComparedFigure& f : comparison.figures)
        figures.push_back({{"id", f.id},
                           {"label", f.label},
                           {"unit", f.unit},
                           {"kind", f.isModelled ? "modelled" : "counted"},
                           {"left", f.left},
                           {"right", f.right},
                           {"difference", f.difference()},
                           {"ratio", f.ratio() ? Json(*f.ratio()) : Json()}});
    Json outputs = Json::array();
    for (const ComparedOutput& o : comparison.outputs)
        outputs.push_back({{"left", o.left},
                           {"right", o.right},
                           {"elements", o.elements},
                           {"differing", o.differing},
                           {"equal", o.isEqual()},
                           {"largest_difference", o.largestDifference ? Json(*o.largestDifference) : Json()},
                           {"message", o.sentence}});
    const char* const verdicts[] = {"equal", "rounding", "different", "not-comparable"};
    return Json{{"left", left},
                {"right", right},
                {"figures", figures},
                {"results", {{"verdict", verdicts[static_cast<std::size_t>(comparison.verdict)]}, {"message", comparison.results}, {"outputs", outputs}}}}
        .dump(2);
}

std::string toText(const Comparison& comparison, const std::string& left, const std::string& right) {
    std::string out = fmt::format("left   {}\nright  {}\n\n{:<34}{:>16}{:>16}{:>16}{:>10}\n", left, right, "", "left", "right", "difference", "ratio");
    for (const ComparedFigure& f : comparison.figures)
        out += fmt::format("{:<34}{:>16.6g}{:>16.6g}{:>16.6g}{:>10}\n", f.label + (f.isModelled ? " (modelled)" : ""), f.left, f.right,
                           f.difference(), f.ratio() ? fmt::format("{:.4g}", *f.ratio()) : "-");
    out += '\n' + comparison.results + '\n';
    for (const ComparedOutput& o : comparison.outputs)
        out += "  " + o.sentence + '\n';
    return out;
}

} // namespace lanescope::session
