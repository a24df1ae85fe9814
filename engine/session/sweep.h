// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel of the catalog over two (or more) of its parameters: what the model says of each
// combination, or why it cannot be.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/catalog/catalog.h"
#include "engine/compile/compile.h"
#include "engine/session/measured.h"
#include "engine/session/simulate.h"

namespace lanescope::session {

struct SweepAxis {
    std::string parameter;
    std::vector<std::int64_t> values; ///< empty: the choices of the manifest
};

struct SweepRequest {
    std::string kernel;
    std::vector<SweepAxis> axes; ///< the last one varies fastest
    catalog::Overrides fixed;    ///< the other parameters
    std::string gpu = "h100";
    CodeForm form = CodeForm::Written;
    const std::atomic<bool>* cancel = nullptr;
    /// Called before the first point and after each.
    std::function<void(std::size_t done, std::size_t of)> progress;
};

struct SweepPoint {
    std::vector<std::int64_t> values; ///< one for each axis
    std::optional<ModelledKernel> modelled;
    /// Constraints that the combination breaks, or why it does not compile, launch or fit; empty
    /// when it is modelled.
    Diagnostics problems;
    std::optional<MeasuredPoint> measured;
    std::string measureProblem; ///< why it was not measured though it can launch: a fault, a wrong result, a time limit

    /// FLOP/s; none when it was not measured, or nothing says how many FLOP the time was for.
    std::optional<double> measuredFlopsPerSecond() const;
    /// Modelled / measured FLOP/s - 1; above 0: the model is faster.
    std::optional<double> modelError() const;
};

struct Sweep {
    std::string kernel, title, gpu;
    CodeForm form = CodeForm::Written;
    std::vector<SweepAxis> axes;
    catalog::Overrides fixed;
    std::vector<SweepPoint> points; ///< the whole product of the axes, in order
    std::optional<std::size_t> best; ///< the most FLOP/s
};

/// What a point may show; names of the JSON and of the CSV's columns.
enum class SweepFigure : std::uint8_t {
    FlopsPerSecond,
    Seconds,
    Occupancy,
    Registers,
    SharedWavefronts,
    Instructions
};
/// "flops_per_s", "time_s", "occupancy", "registers", "shared_wavefronts_per_1000_fma",
/// "instructions_per_1000_fma".
const char* toString(SweepFigure figure);
/// Nothing for a point without a model, or without multiply-adds for the figures per 1000 of them.
std::optional<double> figureOf(const SweepPoint& point, SweepFigure figure);

/// The kernel's parameters at a point: those fixed and those varied.
catalog::Overrides parametersOf(const Sweep& sweep, const SweepPoint& point);
/// Sets what was measured beside what is modelled; later points replace earlier ones. How many points of the sweep have a measurement now; 0
/// also when it is of another GPU.
std::size_t addMeasured(Sweep& sweep, const MeasuredPoints& measured);

/// M, N and K not in `fixed` are 1024 where the kernel has them: a size that fills a GPU. Errors
/// (code "sweep"): an unknown kernel or parameter, one that is named twice or is fixed too, no
/// axis, more than 4096 combinations; code "cancelled".
Result<Sweep> sweep(const SweepRequest& request, const compile::Environment& environment);

std::string toJson(const Sweep& sweep);
std::string toCsv(const Sweep& sweep);

} // namespace lanescope::session
