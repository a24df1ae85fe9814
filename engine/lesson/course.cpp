// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <map>
#include <regex>
#include <tuple>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/lesson/json_fields.h"
#include "engine/lesson/lesson.h"
#include "engine/lesson/lesson_reader.h"
#include "engine/session/simulate.h"

namespace lanescope::embedded {
std::span<const EmbeddedFile> lessons();
}

namespace lanescope::lesson {
namespace {

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{4} << 20;

using FileMap = std::map<std::string, std::string_view, std::less<>>;

/// The file, or a problem that it is missing.
std::string_view need(const FileMap& files, const std::string& name, Diagnostics& problems,
                      std::string_view what) {
    const auto found = files.find(name);
    if (found != files.end())
        return found->second;
    problems.push_back({Severity::Error,
                        "lesson",
                        fmt::format("there is no {}", what),
                        {name, 0, 0},
                        "add the file"});
    return {};
}

std::optional<Section> readSection(const std::string& id, std::string_view text,
                                   Diagnostics& list) {
    const Problems problems{id + "/section.json", &list};
    const std::size_t before = list.size();
    const std::optional<nlohmann::json> value = parseJson(text, problems);
    if (!value)
        return std::nullopt;
    const Fields fields(*value, {}, problems);
    fields.allow({"number", "title"});
    Section section{id, static_cast<int>(fields.whole("number", 1, 99, 0)),
                    fields.requiredLocalText("title")};
    if (!fields.has("number"))
        fields.problem("number", "is missing", "sections stand in the order of their numbers");
    if (list.size() != before)
        return std::nullopt;
    return section;
}

/// "2.10" after "2.9".
std::tuple<int, int> orderOf(const Lesson& lesson) {
    const std::string& text = lesson.number;
    const std::size_t dot = text.find('.');
    int major = 0, minor = 0;
    std::from_chars(text.data(), text.data() + dot, major);
    std::from_chars(text.data() + dot + 1, text.data() + text.size(), minor);
    return {major, minor};
}

void checkNumbers(Course& course) {
    const auto problem = [&](const Lesson& lesson, std::string message, std::string hint) {
        course.problems.push_back(
            {Severity::Error, "lesson", std::move(message), {lesson.file, 0, 0}, std::move(hint)});
    };
    for (std::size_t i = 0; i < course.lessons.size(); ++i) {
        const Lesson& lesson = course.lessons[i];
        const Section* section = course.findSection(lesson.section);
        if (section != nullptr && std::get<0>(orderOf(lesson)) != section->number)
            problem(lesson,
                    fmt::format("number: {} is not in section {}", lesson.number, section->number),
                    fmt::format("begin it with {}.", section->number));
        for (std::size_t k = 0; k < i; ++k) {
            if (course.lessons[k].number == lesson.number)
                problem(lesson,
                        fmt::format("number: {} is also that of {}", lesson.number,
                                    course.lessons[k].id),
                        "number them apart");
            if (course.lessons[k].id == lesson.id)
                problem(
                    lesson,
                    fmt::format("id: '{}' is also that of {}", lesson.id, course.lessons[k].file),
                    "give it another name");
        }
    }
}

} // namespace

const LineMark* Lesson::findLine(std::string_view name) const {
    const auto found = std::find_if(lines.begin(), lines.end(),
                                    [&](const LineMark& line) { return line.name == name; });
    return found == lines.end() ? nullptr : &*found;
}

const NamedRun* Lesson::findRun(std::string_view name) const {
    const auto found = std::find_if(runs.begin(), runs.end(),
                                    [&](const NamedRun& run) { return run.name == name; });
    return found == runs.end() ? nullptr : &*found;
}

const Lesson* Course::findLesson(std::string_view id) const {
    const auto found = std::find_if(lessons.begin(), lessons.end(),
                                    [&](const Lesson& lesson) { return lesson.id == id; });
    return found == lessons.end() ? nullptr : &*found;
}

const Section* Course::findSection(std::string_view id) const {
    const auto found = std::find_if(sections.begin(), sections.end(),
                                    [&](const Section& section) { return section.id == id; });
    return found == sections.end() ? nullptr : &*found;
}

Course readCourse(std::span<const EmbeddedFile> embedded,
                  std::span<const catalog::Kernel> kernels) {
    Course course;
    FileMap files;
    for (const EmbeddedFile& file : embedded)
        files.emplace(file.name, file.bytes);
    std::map<std::string, bool> sections;
    for (const auto& [name, bytes] : files) {
        constexpr std::string_view kLesson = "/lesson.json";
        if (!name.ends_with(kLesson))
            continue;
        LessonFiles lesson;
        lesson.folder = name.substr(0, name.size() - kLesson.size());
        const std::size_t slash = lesson.folder.find('/');
        if (slash == std::string::npos || lesson.folder.find('/', slash + 1) != std::string::npos) {
            course.problems.push_back({Severity::Error,
                                       "lesson",
                                       "a lesson's folder must stand in the folder of a section",
                                       {name, 0, 0},
                                       "lay it out as section/lesson/lesson.json"});
            continue;
        }
        lesson.json = bytes;
        const std::size_t before = course.problems.size();
        lesson.english =
            need(files, lesson.folder + "/text.en.md", course.problems, "English text");
        lesson.chinese =
            need(files, lesson.folder + "/text.zh.md", course.problems, "Chinese text");
        sections.emplace(lesson.folder.substr(0, slash), true);
        if (course.problems.size() != before)
            continue;
        if (auto read = readLesson(lesson, kernels, course.problems))
            course.lessons.push_back(std::move(*read));
    }
    for (const auto& [id, used] : sections) {
        const std::size_t before = course.problems.size();
        const std::string_view text =
            need(files, id + "/section.json", course.problems, "title of the section");
        if (course.problems.size() == before)
            if (auto section = readSection(id, text, course.problems))
                course.sections.push_back(std::move(*section));
    }
    std::sort(course.sections.begin(), course.sections.end(),
              [](const Section& a, const Section& b) { return a.number < b.number; });
    std::stable_sort(course.lessons.begin(), course.lessons.end(),
                     [](const Lesson& a, const Lesson& b) { return orderOf(a) < orderOf(b); });
    checkNumbers(course);
    return course;
}

Result<Course> loadCourse(std::span<const EmbeddedFile> files,
                          std::span<const catalog::Kernel> kernels) {
    Course course = readCourse(files, kernels);
    if (!course.problems.empty())
        return failure(std::move(course.problems));
    return course;
}

Result<Course> readCourseFolder(const std::filesystem::path& folder,
                                std::span<const catalog::Kernel> kernels) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
        return failure("file", "there is no such folder", {folder.string(), 0, 0},
                       "name the folder that holds the sections");
    std::vector<std::string> names, contents;
    Diagnostics unreadable;
    auto entry = std::filesystem::recursive_directory_iterator(folder, error);
    for (; !error && entry != std::filesystem::recursive_directory_iterator();
         entry.increment(error)) {
        const std::filesystem::path& path = entry->path();
        if ((path.extension() != ".json" && path.extension() != ".md") ||
            entry->is_directory(error))
            continue;
        Result<std::string> bytes = readFile(path, kMaxFileBytes);
        if (!bytes) {
            unreadable.insert(unreadable.end(), bytes.error().begin(), bytes.error().end());
            continue;
        }
        names.push_back(path.lexically_relative(folder).generic_string());
        contents.push_back(std::move(*bytes));
    }
    if (error)
        return failure("file", fmt::format("cannot list the folder: {}", error.message()),
                       {folder.string(), 0, 0});
    std::vector<EmbeddedFile> files;
    for (std::size_t i = 0; i < names.size(); ++i)
        files.push_back({names[i], contents[i]});
    Course course = readCourse(files, kernels);
    course.problems.insert(course.problems.begin(), unreadable.begin(), unreadable.end());
    return course;
}

Course builtInCourse() {
    const Result<const std::vector<catalog::Kernel>*> kernels = session::builtInKernels();
    if (!kernels) {
        Course course;
        course.problems = kernels.error();
        return course;
    }
    return readCourse(embedded::lessons(), **kernels);
}

Result<std::uint32_t> findLine(const LineMark& mark, std::string_view text) {
    std::regex pattern;
    const std::string name = mark.marker.empty() ? mark.regex : fmt::format("[{}]", mark.marker);
    try {
        if (mark.marker.empty())
            pattern.assign(mark.regex, std::regex::ECMAScript);
    } catch (const std::regex_error&) {
        return failure("lesson", fmt::format("'{}' is no regular expression", name), {},
                       "write brackets and + as \\\\[ and \\\\+");
    }
    std::uint32_t number = 0, found = 0;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const std::string line(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++number;
        const bool isHere = mark.marker.empty() ? std::regex_search(line, pattern)
                                                : line.find(name) != std::string::npos;
        if (!isHere)
            continue;
        if (found != 0)
            return failure("lesson",
                           fmt::format("'{}' stands in lines {} and {}", name, found, number), {},
                           "make it fit one line only");
        found = number;
    }
    if (found == 0)
        return failure("lesson", fmt::format("'{}' stands in no line", name), {},
                       "look at the CUDA text");
    return found;
}

} // namespace lanescope::lesson
