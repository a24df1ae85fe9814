// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope lessons: the course, and whether every figure and answer in it is what the engine
// counts.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "engine/lesson/lesson.h"
#include "engine/lesson/play.h"
#include "engine/session/simulate.h"

namespace lanescope::cli {

namespace {

struct LessonsArguments {
    std::vector<std::string> ids;
    std::string folder;
    bool json = false, check = false;
};

Result<lesson::Course> courseOf(const LessonsArguments& a) {
    if (a.folder.empty())
        return lesson::builtInCourse();
    const Result<const std::vector<catalog::Kernel>*> kernels = session::builtInKernels();
    if (!kernels)
        return failure(kernels.error());
    return lesson::readCourseFolder(a.folder, **kernels);
}

Result<bool> runLessons(const LessonsArguments& a) {
    Result<lesson::Course> course = courseOf(a);
    if (!course)
        return failure(course.error());
    if (!course->problems.empty())
        return failure(course->problems);
    std::string known;
    for (const lesson::Lesson& l : course->lessons)
        known += (known.empty() ? "" : ", ") + l.id;
    for (const std::string& id : a.ids)
        if (course->findLesson(id) == nullptr)
            return failure("lesson", fmt::format("there is no lesson '{}'", id), {},
                           "the lessons are " + known);
    if (!a.ids.empty())
        std::erase_if(course->lessons, [&](const lesson::Lesson& l) {
            return std::find(a.ids.begin(), a.ids.end(), l.id) == a.ids.end();
        });
    std::vector<lesson::PlayReport> reports;
    if (a.check)
        for (const lesson::Lesson& l : course->lessons)
            reports.push_back(lesson::checkLesson(l, environment()));
    print(a.json ? lesson::toJson(*course, reports) + "\n" : lesson::toText(*course, reports));
    return std::all_of(reports.begin(), reports.end(),
                       [](const lesson::PlayReport& r) { return r.holds(); });
}

} // namespace

void addLessons(CLI::App& app, int& status) {
    CLI::App* sub =
        app.add_subcommand("lessons", "List the lessons of the course, or check their figures");
    auto a = std::make_shared<LessonsArguments>();
    sub->add_option("lessons", a->ids, "Only these lessons");
    sub->add_flag("--check", a->check,
                  "Play each lesson and check every figure and answer in it; exit status 1 when "
                  "one does not hold");
    sub->add_option("--folder", a->folder,
                    "Lessons of a folder of your own instead of those built in");
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer("Examples:\n  lanescope lessons\n  lanescope lessons --check --json");
    sub->callback([a, &status] {
        const Result<bool> ran = runLessons(*a);
        status = !ran ? report(ran.error(), a->json) : *ran ? kOk : kBadInput;
    });
}

} // namespace lanescope::cli
