// SPDX-License-Identifier: GPL-3.0-or-later
// Runs what a lesson asks for and evaluates its expressions; each run is done once. Not
// thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/base/diagnostic.h"
#include "engine/compile/compile.h"
#include "engine/lesson/frame.h"
#include "engine/lesson/lesson.h"

namespace lanescope::lesson {

class Workbench {
public:
    /// `with`: compile everything with this compiler instead of using the built-in PTX.
    explicit Workbench(compile::Environment compilers,
                       std::optional<compile::Compiler> with = std::nullopt);
    ~Workbench();
    Workbench(Workbench&&) noexcept;
    Workbench& operator=(Workbench&&) noexcept;

    /// The value of an expression of the step. Errors: code "probe" for what the report does not
    /// hold, and those of compiling and launching.
    Result<double> evaluate(std::string_view expression, const Lesson& lesson, const Step& step);
    /// The text that an expression of one report or finding probe points at.
    Result<std::string> evaluateText(std::string_view expression, const Lesson& lesson,
                                     const Step& step);

    /// The report of `lanescope sim --json`.
    Result<const nlohmann::json*> report(const Run& run);
    /// The report of `lanescope timing --json`.
    Result<const nlohmann::json*> timing(const Run& run);
    Result<Frame> frame(const Run& run, const Action& view);
    /// Compiles and launches the kernel with an edited text, to see whether it can be done.
    Result<void> tryText(const Run& run, const std::string& text);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace lanescope::lesson
