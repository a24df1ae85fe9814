// SPDX-License-Identifier: GPL-3.0-or-later
// The course as data: what a lesson is and how it is loaded. A lesson is a folder
//   <section>/section.json            {"number": 2, "title": {"en": ..., "zh": ...}}
//   <section>/<id>/lesson.json        steps, views, quizzes, expectations; see lessons/README.md
//   <section>/<id>/text.en.md         one "## <step id>" section a step, in simple Markdown
//   <section>/<id>/text.zh.md         the same in Chinese
// Every figure that a text shows is an expectation that the engine checks; the answer of a quiz is
// an expression over what the engine counts, never a number in the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/base/embedded_file.h"
#include "engine/catalog/catalog.h"
#include "engine/session/snapshot.h"
#include "engine/sim/launch.h"

namespace lanescope::lesson {

enum class Language : std::uint8_t { English, Chinese };

struct LocalText {
    std::string english, chinese;
    const std::string& in(Language language) const {
        return language == Language::Chinese ? chinese : english;
    }
    bool empty() const { return english.empty() && chinese.empty(); }
};

/// A launch that a lesson looks at.
struct Run {
    std::string kernel;            ///< id in the catalog
    catalog::Overrides parameters; ///< those that differ from the kernel's defaults
    std::string gpu;               ///< device id
    session::CodeForm form = session::CodeForm::Written;
    bool isSampled = false; ///< a sample of the blocks, counts scaled to the grid: for large sizes
    sim::Schedule schedule = sim::Schedule::InTurn; ///< of a named run; a step's is the default
    std::uint64_t seed = 1;                         ///< of sim::Schedule::Random
    bool operator==(const Run&) const = default;
    auto operator<=>(const Run&) const = default;
};

struct NamedRun {
    std::string name;
    Run run;
};

/// A line of a kernel's CUDA text, found by what stands in it rather than by number.
struct LineMark {
    std::string name;
    std::string marker; ///< the line has the comment "[marker]"; empty: `regex` finds it
    std::string regex;  ///< ECMAScript, found within the line
    session::AccessTarget access; ///< to run to where a compiler gives the line's access no line
};

/// What a step sets up or a button does. Parts that are not given stay as they are; they apply in
/// this order.
struct Action {
    std::string kernel; ///< opens this kernel with the parameters below
    catalog::Overrides parameters;
    std::string gpu;
    std::optional<session::CodeForm> form;
    std::string replaceText, withText; ///< edits the CUDA text: the first occurrence is replaced
    std::optional<session::Selection> selection;
    std::optional<std::uint32_t> seek; ///< event index
    std::string runTo;                 ///< name of a LineMark
    std::uint32_t runToLine =
        0;            ///< the CUDA line that it is in the kernel's text, counted from 1; 0: none
    session::AccessTarget runToAccess; ///< of that LineMark
    int steps = 0;    ///< instructions of the selected warp
    std::string pane; ///< objectName of the pane to bring to the front
    bool operator==(const Action&) const = default;
};

struct TryIt {
    LocalText text, button;
    Action action;
};

/// A question with choices (each with a value that the answer is compared to, or a condition that
/// makes it right) or with a number to type.
struct Quiz {
    struct Choice {
        LocalText text;
        std::string value; ///< expression; empty when `when` is given
        std::string when;  ///< expression: this choice is right when it is not zero
    };
    LocalText question, explanation;
    std::vector<Choice> choices; ///< empty: a number is typed
    std::string answer; ///< expression with at least one probe; empty when every choice has `when`
    double tolerance = 0;   ///< of a typed number, in its own unit
    bool isPercent = false; ///< the answer, a ratio, is typed in percent
};

enum class Comparison : std::uint8_t { Equals, Approximately, AtLeast, AtMost, TextEquals, Shown };

struct Expect {
    std::string probe; ///< expression, see probe.h
    Comparison comparison = Comparison::Equals;
    double value = 0;
    double tolerance = 0; ///< Approximately
    std::string text;     ///< TextEquals
    /// Figure as the texts show it, "1,000" or "86%". Shown: the value must round to it.
    std::string shows;
    std::string why;
};

struct Step {
    std::string id;
    LocalText title, text; ///< text: Markdown of the step's section
    Run run;               ///< what is open in this step
    Action setup; ///< kernel, parameters and view, complete: it does not depend on the steps before
    std::vector<std::string> highlight; ///< objectNames of panes
    std::optional<TryIt> tryIt;
    std::optional<Quiz> quiz;
    std::vector<Expect> expects;
    std::vector<std::string>
        given; ///< figures of the texts that are no results: sizes, "32", "128"
};

struct Lesson {
    std::string id;      ///< the folder's name
    std::string section; ///< the section's folder
    std::string number;  ///< "2.2"
    LocalText title;
    int minutes = 0;
    std::string file;                ///< path of lesson.json, for messages
    std::vector<std::string> covers; ///< rows of the curriculum that it teaches
    std::vector<NamedRun> runs;
    std::vector<LineMark> lines;
    std::vector<Step> steps;

    const LineMark* findLine(std::string_view name) const;
    const NamedRun* findRun(std::string_view name) const;
};

struct Section {
    std::string id;
    int number = 0;
    LocalText title;
};

/// Sections and lessons in the order of the course.
struct Course {
    std::vector<Section> sections;
    std::vector<Lesson> lessons;
    /// Lessons that could not be loaded are left out and explained here (code "lesson": file,
    /// field, what to do).
    Diagnostics problems;

    const Lesson* findLesson(std::string_view id) const;
    const Section* findSection(std::string_view id) const;
};

/// The longest text of a step, in words; two Chinese characters count as a word.
inline constexpr int kMaxWords = 60;

/// `files`: those of a folder laid out as above. Never fails: what is wrong is in Course::problems.
Course readCourse(std::span<const EmbeddedFile> files, std::span<const catalog::Kernel> kernels);

/// As readCourse; the first thing wrong makes all problems the error.
Result<Course> loadCourse(std::span<const EmbeddedFile> files,
                          std::span<const catalog::Kernel> kernels);

/// A course of the user's own. Errors (code "file"): no such folder; a file that cannot be read is
/// a problem of the course.
Result<Course> readCourseFolder(const std::filesystem::path& folder,
                                std::span<const catalog::Kernel> kernels);

/// The course built into the program, with its kernels.
Course builtInCourse();

/// The line (from 1) of `text` that the mark means. Errors (code "lesson"): none, several, or a
/// regular expression that is not one.
Result<std::uint32_t> findLine(const LineMark& mark, std::string_view text);

} // namespace lanescope::lesson
