// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/lesson/lesson_reader.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "engine/device/device.h"
#include "engine/lesson/json_fields.h"
#include "engine/lesson/markdown.h"
#include "engine/lesson/probe.h"

namespace lanescope::lesson {
namespace {

using nlohmann::json;

class LessonReader {
public:
    LessonReader(const LessonFiles& files, std::span<const catalog::Kernel> kernels,
                 const Problems& problems)
        : m_files(files), m_kernels(kernels), m_problems(problems) {}

    Lesson read(const json& value);

private:
    void readHead(const Fields& fields);
    void readLines(const Fields& fields);
    void readRuns(const Fields& fields);
    void readRun(const Fields& fields, Run& run) const;
    void checkRun(const Fields& fields, const Run& run) const;
    void readTexts();
    Step readStep(const Fields& fields, const Run& before);
    void readView(const Fields& fields, Action& action, const Run& run) const;
    TryIt readTryIt(const Fields& fields, const Run& run) const;
    Quiz readQuiz(const Fields& fields, const Run& run) const;
    Expect readExpect(const Fields& fields, const Run& run) const;
    void checkExpression(const Fields& fields, std::string_view name, std::string_view expression,
                         const Run& run) const;
    const catalog::Kernel* kernelOf(const Run& run) const {
        return catalog::findKernel(m_kernels, run.kernel);
    }

    const LessonFiles& m_files;
    std::span<const catalog::Kernel> m_kernels;
    const Problems& m_problems;
    Lesson m_lesson;
    std::vector<MarkdownSection> m_english, m_chinese;
};

bool isNumber(std::string_view text) {
    const auto dot = text.find('.');
    const auto isDigits = [](std::string_view part) {
        return !part.empty() &&
               std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    return dot != std::string_view::npos && isDigits(text.substr(0, dot)) &&
           isDigits(text.substr(dot + 1));
}

void LessonReader::readHead(const Fields& fields) {
    const std::size_t slash = m_files.folder.find('/');
    m_lesson.section = m_files.folder.substr(0, slash);
    m_lesson.file = m_problems.file;
    m_lesson.id = fields.requiredText("id", "naive-vs-coalesced");
    const std::string folder = m_files.folder.substr(slash + 1);
    if (!m_lesson.id.empty() && m_lesson.id != folder)
        fields.problem("id", fmt::format("is '{}' but the folder is '{}'", m_lesson.id, folder),
                       "give both the same name");
    m_lesson.number = fields.requiredText("number", "2.2");
    if (!m_lesson.number.empty() && !isNumber(m_lesson.number))
        fields.problem("number", fmt::format("'{}' is no lesson number", m_lesson.number),
                       "write section.lesson, for example \"2.2\"");
    m_lesson.title = fields.requiredLocalText("title");
    m_lesson.minutes = static_cast<int>(fields.whole("minutes", 1, 600, 0));
    if (!fields.has("minutes"))
        fields.problem("minutes", "is missing", "say how long the lesson takes");
    m_lesson.covers = fields.texts("covers");
}

void LessonReader::readLines(const Fields& fields) {
    const json* lines = fields.find("lines");
    if (lines == nullptr)
        return;
    const Fields inner(*lines, "lines", m_problems);
    if (!lines->is_object())
        return;
    for (const auto& item : lines->items()) {
        const Fields line(item.value(), fmt::format("lines.{}", item.key()), m_problems);
        line.allow({"marker", "regex", "load", "store"});
        LineMark mark{item.key(), line.text("marker"), line.text("regex"), {}};
        mark.access = {line.has("store") ? line.text("store") : line.text("load"), line.has("store")};
        if (line.has("load") && line.has("store"))
            inner.problem(item.key(), "has both \"load\" and \"store\"", "name one array");
        if (mark.marker.empty() == mark.regex.empty())
            inner.problem(
                item.key(), "needs either \"marker\" or \"regex\"",
                R"(for example {"regex": "sum \\+="} or {"marker": "inner-loop"} for a comment [inner-loop])");
        else
            m_lesson.lines.push_back(std::move(mark));
    }
}

/// "as": the form of the PTX; nothing when it is not given or neither of the two, which is a problem.
std::optional<session::CodeForm> readForm(const Fields& fields) {
    if (!fields.has("as"))
        return std::nullopt;
    const std::string text = fields.text("as");
    for (const session::CodeForm form : {session::CodeForm::Written, session::CodeForm::Compiled})
        if (session::name(form) == text)
            return form;
    fields.problem("as", fmt::format("'{}' is no form of the PTX", text), "written or compiled");
    return std::nullopt;
}

void LessonReader::readRun(const Fields& fields, Run& run) const {
    if (fields.has("kernel")) {
        run.kernel = fields.requiredText("kernel", "k01_naive");
        run.parameters.clear();
        run.form = session::CodeForm::Written;
        run.isSampled = false;
    }
    for (const auto& [name, value] : fields.numbers("parameters"))
        run.parameters[name] = value;
    run.gpu = fields.text("gpu", run.gpu);
    if (const std::optional<session::CodeForm> form = readForm(fields))
        run.form = *form;
    run.isSampled = fields.flag("sampled", run.isSampled);
}

void LessonReader::checkRun(const Fields& fields, const Run& run) const {
    if (run.kernel.empty()) {
        fields.problem("kernel", "is missing", "name a kernel; `lanescope kernels` lists them");
        return;
    }
    const catalog::Kernel* kernel = kernelOf(run);
    if (kernel == nullptr) {
        const std::string near = catalog::nearestKernel(m_kernels, run.kernel);
        fields.problem("kernel", fmt::format("there is no kernel '{}'", run.kernel),
                       near.empty() ? "`lanescope kernels` lists them"
                                    : fmt::format("did you mean '{}'?", near));
        return;
    }
    if (auto resolved = catalog::resolve(*kernel, run.parameters); !resolved)
        for (const Diagnostic& error : resolved.error())
            fields.problem("parameters", error.message, error.hint);
    if (auto device = device::findDevice(run.gpu); !device)
        fields.problem("gpu", device.error().front().message, device.error().front().hint);
}

void LessonReader::readRuns(const Fields& fields) {
    const json* runs = fields.find("runs");
    if (runs == nullptr)
        return;
    const Fields inner(*runs, "runs", m_problems);
    if (!runs->is_object())
        return;
    for (const auto& item : runs->items()) {
        const Fields one(item.value(), fmt::format("runs.{}", item.key()), m_problems);
        one.allow({"kernel", "parameters", "gpu", "as", "sampled", "schedule", "seed"});
        Run run;
        run.gpu = "h100";
        readRun(one, run);
        const std::string schedule = one.text("schedule", "turn");
        if (schedule == "reverse")
            run.schedule = sim::Schedule::Reverse;
        else if (schedule == "random")
            run.schedule = sim::Schedule::Random;
        else if (schedule != "turn")
            one.problem("schedule", fmt::format("'{}' is no schedule", schedule),
                        "turn, reverse or random, the last with a \"seed\"");
        run.seed = static_cast<std::uint64_t>(one.whole("seed", 0, INT32_MAX, 1));
        checkRun(one, run);
        m_lesson.runs.push_back({item.key(), std::move(run)});
    }
}

void LessonReader::readTexts() {
    m_english = sectionsOf(m_files.english);
    m_chinese = sectionsOf(m_files.chinese);
}

/// The section of a step in one language, with its problems.
std::string sectionText(const std::vector<MarkdownSection>& sections, const std::string& id,
                        const std::string& file, const Problems& problems) {
    Problems here = problems;
    here.file = file;
    const auto found = std::find_if(sections.begin(), sections.end(),
                                    [&](const MarkdownSection& s) { return s.id == id; });
    if (found == sections.end()) {
        here.add(fmt::format("there is no text for step '{}'", id),
                 fmt::format("add a section \"## {}\"", id));
        return {};
    }
    const auto line = static_cast<std::uint32_t>(found->line);
    if (found->body.empty())
        here.add(fmt::format("the text of step '{}' is empty", id),
                 "write a few sentences below the heading", line);
    if (const int words = wordCount(found->body); words > kMaxWords)
        here.add(fmt::format("the text of step '{}' has {} words, at most {} are allowed", id,
                             words, kMaxWords),
                 "shorten it or make two steps", line);
    return found->body;
}

void LessonReader::readView(const Fields& fields, Action& action, const Run& run) const {
    session::Selection selection;
    const bool hasSelection = fields.has("block") || fields.has("warp") || fields.has("lane");
    if (const json* block = fields.find("block")) {
        const bool isBlock =
            block->is_array() && !block->empty() && block->size() <= 3 &&
            std::all_of(block->begin(), block->end(), [](const json& c) {
                return c.is_number_unsigned() && c.get<std::uint64_t>() <= UINT32_MAX;
            });
        if (isBlock) {
            const auto part = [&](std::size_t i) {
                return i < block->size() ? (*block)[i].get<std::uint32_t>() : 0;
            };
            selection.block = {part(0), part(1), part(2)};
        } else {
            fields.problem("block", "must be one to three numbers", "for example [3, 0]");
        }
    }
    selection.warp = static_cast<int>(fields.whole("warp", 0, 31, 0));
    selection.lane = static_cast<int>(fields.whole("lane", 0, kWarpSize - 1, 0));
    if (hasSelection)
        action.selection = selection;
    if (fields.has("event"))
        action.seek = static_cast<std::uint32_t>(fields.whole("event", 0, UINT32_MAX, 0));
    action.steps = static_cast<int>(fields.whole("steps", 0, 100'000, 0));
    action.pane = fields.text("pane");
    action.runTo = fields.text("runTo");
    if (action.runTo.empty())
        return;
    const LineMark* mark = m_lesson.findLine(action.runTo);
    if (mark == nullptr) {
        fields.problem("runTo", fmt::format("the lesson has no line '{}'", action.runTo),
                       "name it in \"lines\"");
        return;
    }
    action.runToAccess = mark->access;
    if (const catalog::Kernel* kernel = kernelOf(run)) {
        if (auto line = findLine(*mark, kernel->text))
            action.runToLine = *line;
        else
            fields.problem("runTo",
                           fmt::format("{} of kernel {}", line.error().front().message, run.kernel),
                           line.error().front().hint);
    }
}

TryIt LessonReader::readTryIt(const Fields& fields, const Run& run) const {
    fields.allow({"text", "button", "action"});
    TryIt result;
    result.text = fields.requiredLocalText("text");
    result.button = fields.requiredLocalText("button");
    const json* action = fields.find("action");
    if (action == nullptr) {
        fields.problem("action", "is missing", "say what the button does");
        return result;
    }
    const Fields inner(*action, fields.at("action"), m_problems);
    inner.allow({"kernel", "parameters", "gpu", "as", "replace", "block", "warp", "lane", "event",
                 "steps", "runTo", "pane"});
    Run after = run;
    readRun(inner, after);
    checkRun(inner, after);
    result.action.kernel = inner.text("kernel");
    result.action.parameters = inner.numbers("parameters");
    result.action.gpu = inner.text("gpu");
    if (inner.has("as"))
        result.action.form = after.form;
    if (const json* replace = inner.find("replace")) {
        const Fields change(*replace, inner.at("replace"), m_problems);
        change.allow({"text", "with"});
        result.action.replaceText = change.requiredText("text", "< n");
        result.action.withText = change.text("with");
        const catalog::Kernel* kernel = kernelOf(after);
        if (kernel != nullptr && kernel->text.find(result.action.replaceText) == std::string::npos)
            change.problem("text", fmt::format("'{}' does not stand in kernel {}",
                                               result.action.replaceText, after.kernel));
    }
    readView(inner, result.action, after);
    if (result.action == Action{})
        fields.problem("action", "does nothing",
                       "for example {\"runTo\": \"inner\"} or {\"parameters\": {\"BLOCK\": 100}}");
    return result;
}

void LessonReader::checkExpression(const Fields& fields, std::string_view name,
                                   std::string_view expression, const Run& run) const {
    const catalog::Kernel* kernel = kernelOf(run);
    if (expression.empty() || kernel == nullptr)
        return;
    for (const Diagnostic& problem : problemsOf(expression, m_lesson, *kernel))
        fields.problem(name, problem.message, problem.hint);
}

Quiz LessonReader::readQuiz(const Fields& fields, const Run& run) const {
    fields.allow({"question", "choices", "answer", "tolerance", "percent", "explanation"});
    Quiz quiz;
    quiz.question = fields.requiredLocalText("question");
    quiz.explanation = fields.requiredLocalText("explanation");
    quiz.answer = fields.text("answer");
    quiz.tolerance = fields.number("tolerance", 0);
    quiz.isPercent = fields.flag("percent", false);
    if (quiz.tolerance < 0)
        fields.problem("tolerance", "must not be negative");
    std::size_t conditions = 0;
    for (const Fields& choice : fields.objects("choices")) {
        choice.allow({"text", "value", "when"});
        Quiz::Choice c;
        c.text = choice.localText("text");
        c.when = choice.text("when");
        if (const json* value = choice.find("value"))
            c.value = value->is_number() ? value->dump() : choice.text("value");
        if (c.value.empty() == c.when.empty())
            choice.problem(
                "value", "a choice needs either \"value\" or \"when\"",
                "value: compared to the answer; when: right when this expression is not zero");
        if (c.text.empty() && !c.value.empty())
            c.text = {c.value, c.value};
        if (c.text.empty())
            choice.problem("text", "is missing", R"(write {"en": "...", "zh": "..."})");
        if (!c.when.empty() && !hasProbe(c.when))
            choice.problem("when", "has no probe",
                           "the engine must find out which choice is right");
        checkExpression(choice, "when", c.when, run);
        checkExpression(choice, "value", c.value, run);
        conditions += c.when.empty() ? 0 : 1;
        quiz.choices.push_back(std::move(c));
    }
    if (fields.has("choices") && quiz.choices.size() < 2)
        fields.problem("choices", "needs at least two choices");
    const bool needsAnswer = quiz.choices.empty() || conditions < quiz.choices.size();
    if (needsAnswer && !hasProbe(quiz.answer))
        fields.problem("answer", quiz.answer.empty() ? "is missing" : "has no probe",
                       "the engine computes the answer: write an expression with a probe such as "
                       "[/counters/simt_efficiency]");
    checkExpression(fields, "answer", quiz.answer, run);
    return quiz;
}

Expect LessonReader::readExpect(const Fields& fields, const Run& run) const {
    fields.allow(
        {"probe", "equals", "approx", "tolerance", "atLeast", "atMost", "text", "shows", "why"});
    Expect expect;
    expect.probe = fields.requiredText("probe", "[/counters/simt_efficiency]");
    expect.why = fields.requiredText("why", "every warp of a block of 128 is full");
    expect.shows = fields.text("shows");
    if (!expect.probe.empty() && !hasProbe(expect.probe) && parseExpression(expect.probe))
        fields.problem("probe", "has no probe",
                       "put a probe in square brackets: [/counters/simt_efficiency]");
    checkExpression(fields, "probe", expect.probe, run);
    const std::pair<const char*, Comparison> kinds[] = {{"equals", Comparison::Equals},
                                                        {"approx", Comparison::Approximately},
                                                        {"atLeast", Comparison::AtLeast},
                                                        {"atMost", Comparison::AtMost},
                                                        {"text", Comparison::TextEquals}};
    int given = 0;
    expect.comparison = Comparison::Shown;
    for (const auto& [name, comparison] : kinds) {
        if (!fields.has(name))
            continue;
        ++given;
        expect.comparison = comparison;
        if (comparison == Comparison::TextEquals)
            expect.text = fields.text(name);
        else
            expect.value = fields.number(name, 0);
    }
    expect.tolerance = fields.number("tolerance", 0);
    if (given > 1 || (given == 0 && expect.shows.empty()))
        fields.problem(
            "equals", given > 1 ? "more than one comparison" : "there is nothing to compare with",
            "give one of equals, approx with tolerance, atLeast, atMost, text; or shows");
    if ((expect.comparison == Comparison::Approximately) != fields.has("tolerance") ||
        expect.tolerance < 0)
        fields.problem("tolerance", "belongs to approx and must not be negative",
                       "give both or neither");
    Figure figure;
    if (!expect.shows.empty() && !parseFigure(expect.shows, figure))
        fields.problem("shows", fmt::format("'{}' is no figure", expect.shows),
                       "write it as the text does: \"1,000\", \"86%\"");
    return expect;
}

/// Each figure that an expectation shows must stand in both texts, and each figure of the texts
/// must be accounted for.
void checkFigures(const Step& step, const Fields& fields) {
    std::set<std::string> known(step.given.begin(), step.given.end());
    for (const Expect& expect : step.expects)
        if (!expect.shows.empty())
            known.insert(expect.shows);
    for (const auto& [name, value] : step.run.parameters)
        known.insert(std::to_string(value));
    for (const Language language : {Language::English, Language::Chinese}) {
        const char* code = language == Language::English ? "English" : "Chinese";
        std::string all = step.text.in(language);
        if (step.tryIt)
            all += "\n" + step.tryIt->text.in(language) + "\n" + step.tryIt->button.in(language);
        if (step.quiz)
            all += "\n" + step.quiz->question.in(language) + "\n" +
                   step.quiz->explanation.in(language);
        const std::vector<std::string> figures = figuresOf(all);
        for (const std::string& figure : figures)
            if (!known.contains(figure))
                fields.problem(
                    "expect",
                    fmt::format("nothing checks the figure {} of the {} text", figure, code),
                    "add an expectation that shows it, or name it in \"given\" when it is no "
                    "result");
        for (const Expect& expect : step.expects)
            if (!expect.shows.empty() &&
                std::find(figures.begin(), figures.end(), expect.shows) == figures.end())
                fields.problem("expect",
                               fmt::format("the {} text does not show {}", code, expect.shows),
                               "write the figure into the text or leave out \"shows\"");
    }
}

Step LessonReader::readStep(const Fields& fields, const Run& before) {
    fields.allow({"id", "title", "kernel", "parameters", "gpu", "as", "sampled", "view", "tryIt", "quiz",
                  "expect", "given"});
    Step step;
    step.id = fields.requiredText("id", "one-column");
    step.title = fields.requiredLocalText("title");
    step.run = before;
    readRun(fields, step.run);
    checkRun(fields, step.run);
    if (!step.id.empty()) {
        step.text.english =
            sectionText(m_english, step.id, m_files.folder + "/text.en.md", m_problems);
        step.text.chinese =
            sectionText(m_chinese, step.id, m_files.folder + "/text.zh.md", m_problems);
    }
    step.setup.kernel = step.run.kernel;
    step.setup.parameters = step.run.parameters;
    step.setup.gpu = step.run.gpu;
    step.setup.form = step.run.form;
    if (const json* view = fields.find("view")) {
        const Fields inner(*view, fields.at("view"), m_problems);
        inner.allow({"block", "warp", "lane", "event", "steps", "runTo", "pane", "highlight"});
        readView(inner, step.setup, step.run);
        step.highlight = inner.texts("highlight");
    }
    if (const json* tryIt = fields.find("tryIt"))
        step.tryIt = readTryIt(Fields(*tryIt, fields.at("tryIt"), m_problems), step.run);
    if (const json* quiz = fields.find("quiz"))
        step.quiz = readQuiz(Fields(*quiz, fields.at("quiz"), m_problems), step.run);
    for (const Fields& expect : fields.objects("expect"))
        step.expects.push_back(readExpect(expect, step.run));
    step.given = fields.texts("given");
    checkFigures(step, fields);
    return step;
}

Lesson LessonReader::read(const json& value) {
    const Fields fields(value, {}, m_problems);
    fields.allow({"id", "number", "title", "minutes", "covers", "kernel", "parameters", "gpu", "as",
                  "sampled", "lines", "runs", "steps"});
    readHead(fields);
    readLines(fields);
    readRuns(fields);
    readTexts();
    Run run;
    run.gpu = "h100";
    readRun(fields, run);
    std::set<std::string> ids;
    const std::vector<Fields> steps = fields.objects("steps");
    if (steps.empty())
        fields.problem("steps", "a lesson needs at least one step");
    for (const Fields& step : steps) {
        m_lesson.steps.push_back(readStep(step, run));
        run = m_lesson.steps.back().run;
        if (!ids.insert(m_lesson.steps.back().id).second)
            step.problem("id", fmt::format("there are two steps '{}'", m_lesson.steps.back().id),
                         "give each step a name of its own");
    }
    for (const auto* sections : {&m_english, &m_chinese})
        for (const MarkdownSection& section : *sections)
            if (!ids.contains(section.id)) {
                Problems text = m_problems;
                text.file =
                    m_files.folder + (sections == &m_english ? "/text.en.md" : "/text.zh.md");
                text.add(fmt::format("there is no step '{}'", section.id),
                         "remove the section or add the step to lesson.json",
                         static_cast<std::uint32_t>(section.line));
            }
    return std::move(m_lesson);
}

} // namespace

std::optional<Lesson> readLesson(const LessonFiles& files, std::span<const catalog::Kernel> kernels,
                                 Diagnostics& list) {
    const Problems problems{files.folder + "/lesson.json", &list};
    const std::size_t before = list.size();
    const std::optional<json> value = parseJson(files.json, problems);
    if (!value)
        return std::nullopt;
    Lesson lesson = LessonReader(files, kernels, problems).read(*value);
    if (list.size() != before)
        return std::nullopt;
    return lesson;
}

} // namespace lanescope::lesson
