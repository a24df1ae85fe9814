// SPDX-License-Identifier: GPL-3.0-or-later
// Two launches side by side: their counters by name, what the models say of them, and whether they computed the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/snapshot.h"

namespace lanescope::session {

/// What counts are given per.
enum class CountBase : std::uint8_t {
    Launch,
    ThousandFma ///< per 1,000 multiply-adds of lanes; ratios and percentages stay as they are
};

/// Whether a metric grows with the launch, so that per 1,000 FMA makes sense of it.
bool scalesWithLaunch(const sim::Metric& metric);

struct ComparedFigure {
    std::string id, label, unit, help; ///< as sim::Metric; unit "1" is a share
    bool isModelled = false;           ///< from a model, not counted
    double left = 0, right = 0;
    double difference() const { return right - left; }
    /// left / right; none when either is zero.
    std::optional<double> ratio() const;
    /// How far apart they are whichever is larger: at least 1; infinite when just one is zero, 1 when both are.
    double factor() const;
};

/// An output of the left launch and the one of the right launch that stands for it.
struct ComparedOutput {
    std::string left, right; ///< names; empty: there is none
    std::uint64_t elements = 0, differing = 0;
    /// Floating point: the largest distance, and that over the largest magnitude of the left side.
    std::optional<double> largestDifference, relativeDifference;
    bool isComparable = false; ///< both are there, with the same type and size
    bool isEqual() const { return isComparable && differing == 0; }
    std::string sentence; ///< "C and D: 4,096 elements, equal bit for bit"
};

enum class ResultVerdict : std::uint8_t {
    Equal,         ///< all outputs, bit for bit
    Rounding,      ///< floating point within 1e-4 of the largest magnitude: another order of the same sum
    Different,
    NotComparable  ///< other shapes or inputs, no outputs, or not all blocks ran
};

struct Comparison {
    std::vector<ComparedFigure> figures; ///< not zero on both sides; counters in the order of sim::metrics(), then the model's
    std::vector<ComparedOutput> outputs;
    ResultVerdict verdict = ResultVerdict::NotComparable;
    std::string results; ///< the verdict in a sentence
    /// The figure with this id, or null.
    const ComparedFigure* find(const std::string& id) const;
};

/// What the accesses of the frame's source line cost together.
struct StepFigures {
    int sectors = 0, lines = 0;
    std::int64_t bytesUsed = 0, bytesMoved = 0; ///< global memory: distinct bytes asked for; 32 a sector
    int wavefronts = 0, passes = 0;             ///< shared memory
    bool hasGlobal = false, hasShared = false;
    double shareUsed() const { return bytesMoved == 0 ? 0 : static_cast<double>(bytesUsed) / static_cast<double>(bytesMoved); }
};
StepFigures stepFigures(const FrameView& frame);

/// Outputs are matched in the order of the arguments. A launch without multiply-adds has no counts per 1,000 FMA: zero stands there.
Comparison compare(const RunView& left, const RunView& right, CountBase base = CountBase::Launch);

/// The comparison as one JSON object, indented by two; titles name the sides.
std::string toJson(const Comparison& comparison, const std::string& left, const std::string& right);
/// The same for people.
std::string toText(const Comparison& comparison, const std::string& left, const std::string& right);

} // namespace lanescope::session
