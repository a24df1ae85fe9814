// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel over two of its parameters: what the model says of each combination, and why some cannot launch.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/session/code_form.h"
#include "engine/session/measured.h"

class QPointF;
class QRectF;

namespace lanescope::views {

class Canvas;

struct SweepAxis {
    std::string name, label;          ///< "BM", "Rows of the block tile"; empty: there is no second parameter
    std::vector<std::int64_t> values; ///< ascending
};

enum class SweepMeasure : std::uint8_t { Flops, Occupancy, Wavefronts, Registers };
inline constexpr int kSweepMeasures = 4;

struct SweepCell {
    enum class State : std::uint8_t { Waiting, Done, Broken };
    State state = State::Waiting;
    double flopsPerSecond = 0; ///< modelled
    double occupancy = 0;      ///< 0..1
    double wavefronts = 0;     ///< of shared memory, per 1,000 FMA; 0 without FMA
    double registers = 0;      ///< per thread
    std::string boundBy;
    std::string problem; ///< Broken: why
    double seconds = 0;  ///< modelled
    std::optional<double> measuredFlopsPerSecond{};
    std::optional<int> driverRegisters{};

    /// Modelled / measured - 1; above 0: the model is faster.
    std::optional<double> modelError() const {
        return state == State::Done && measuredFlopsPerSecond && *measuredFlopsPerSecond > 0 ? std::optional(flopsPerSecond / *measuredFlopsPerSecond - 1) : std::nullopt;
    }
    double value(SweepMeasure measure) const;
};

struct SweepData {
    std::string deviceId, gpu, kernel;
    session::CodeForm form = session::CodeForm::Written;
    std::map<std::string, std::int64_t> fixed; ///< the other parameters
    SweepAxis x, y;
    std::vector<SweepCell> cells; ///< row by row, a row for each value of y
    /// Indices of the values that are open, if they are among those swept.
    std::optional<std::size_t> currentX, currentY;
    std::string problem; ///< not empty: there is nothing to sweep, and why

    std::size_t columns() const { return x.values.size(); }
    std::size_t rows() const { return y.values.size(); }
    std::size_t done() const;
    bool isComplete() const { return done() == cells.size(); }
    bool hasMeasured() const;
    /// The best cell: most FLOP/s or occupancy, fewest wavefronts or registers; none while nothing is done.
    std::optional<std::size_t> best(SweepMeasure measure) const;
    std::map<std::string, std::int64_t> parametersOf(std::size_t cell) const;
};

struct SweepRequest {
    std::string deviceId = "h100", kernelId;
    std::map<std::string, std::int64_t> parameters; ///< of the kernel: those swept are taken as the open values
    std::string x, y;                               ///< names; empty: the first two tile parameters
    session::CodeForm form = session::CodeForm::Written;
};

/// Names of the parameters of a kernel that can be swept, tile parameters first. Empty for an unknown kernel.
std::vector<std::string> sweepParameters(const std::string& kernelId);

/// Axes and empty cells; nothing is modelled yet. Errors: an unknown GPU, kernel or parameter.
Result<SweepData> planSweep(const SweepRequest& request);
/// Models one cell; may run on any thread.
SweepCell sweepCell(const SweepData& plan, std::size_t cell);
/// All cells in order; `onCell` after each. Stops early when `cancel` is set.
void runSweep(SweepData& data, const std::atomic<bool>* cancel, const std::function<void(std::size_t)>& onCell);

/// What was measured beside what is modelled, where it is of the same GPU, kernel and parameters; what was there before goes.
void addMeasured(SweepData& data, const session::MeasuredPoints& measured);

/// "TFLOP/s", "Occupancy", "Wavefronts per 1,000 FMA", "Registers a thread".
const char* measureName(SweepMeasure measure);

void paintSweep(Canvas& canvas, const QRectF& rect, const SweepData& data, SweepMeasure measure);
/// The outline of a cell, for cursor and pointer.
void paintSweepCell(Canvas& canvas, const QRectF& rect, const SweepData& data, std::size_t cell);
/// The cell at a position, none outside. Same geometry as paintSweep.
std::optional<std::size_t> sweepHit(const QRectF& rect, const SweepData& data, QPointF at);

} // namespace lanescope::views
