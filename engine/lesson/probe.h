// SPDX-License-Identifier: GPL-3.0-or-later
// What a lesson can ask of a run: arithmetic over the step's parameters (M, BLOCK, ...) and probes
// in square brackets, for example
// "[/counters/global_load_sectors] / 2 / ceil_div(n, BLOCK)". Probes:
//   [/POINTER]                      number or truth value at this JSON pointer of the report of
//                                   `lanescope sim --json`
//   [findings KIND [ARRAY]]         occurrences of findings of this kind (in this array), summed
//   [finding KIND [ARRAY] /POINTER] a number of the first such finding
//   [line MARK FIELD]               counter of the CUDA line, from the report; a class of
//                                   instructions ("float32", "branch") gives its executions
//   [frame FIELD [ARRAY]]           accesses of the source line where the step's view stands
//   [at MARK FIELD [ARRAY]]         as frame, after the step's warp has run on to that line
//   [timing /POINTER]              number of the SM's timing, as `lanescope timing --json` prints it
//   [ladder GPU FORM /POINTER]      number of the matmul ladder, measured and modelled, as
//                                   `lanescope ladder --gpu GPU --as FORM --json` prints it
//   [model NAME [ARGUMENT=VALUE]... /POINTER] a number of a model that needs no kernel, as
//                                   `lanescope NAME --ARGUMENT VALUE --json` prints it; a value
//                                   that is no name (of a GPU, a shape) may be arithmetic without
//                                   spaces over the step's parameters
// All but the last two may end in " @RUN": of that run of the lesson instead of the step's own.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/lesson/lesson.h"

namespace lanescope::lesson {

enum class ProbeKind : std::uint8_t { Report, Findings, Finding, Line, Frame, At, Timing, Ladder, Model };

struct Probe {
    ProbeKind kind{};
    std::string pointer, finding, array, line, field, run;
    std::string model; ///< of a ladder: the GPU
    session::CodeForm form = session::CodeForm::Written; ///< of a ladder
    std::vector<std::pair<std::string, std::string>> arguments; ///< of the model
    std::string text; ///< as written, without brackets
};

/// A piece of an expression: plain arithmetic, or a probe.
struct ExpressionPart {
    std::string plain;
    Probe probe;
    bool isProbe = false;
};

/// Errors (code "probe"): an unknown probe, field or kind of finding, a wrong number of words,
/// brackets that do not match. The hint lists what there is.
Result<std::vector<ExpressionPart>> parseExpression(std::string_view text);

/// Problems of an expression within its lesson: those of parseExpression, marks and runs that the
/// lesson does not have, names that are no parameters of the step's kernel, syntax.
Diagnostics problemsOf(std::string_view expression, const Lesson& lesson,
                       const catalog::Kernel& kernel);

bool hasProbe(std::string_view expression);

/// The argument of a model is a name (of a GPU, a shape, ...), no number.
bool isTextArgument(std::string_view model, std::string_view argument);

} // namespace lanescope::lesson
