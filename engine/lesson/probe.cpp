// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/lesson/probe.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/catalog/expression.h"
#include "engine/check/finding.h"
#include "engine/ptx/instruction_set.h"
#include "engine/session/model_answers.h"

namespace lanescope::lesson {
namespace {

constexpr std::array kFrameFields{"sectors",    "lines",  "bytes",    "share",
                                  "wavefronts", "passes", "accesses", "lanes"};
constexpr std::array kLineFields{"executions", "lanes",      "efficiency",        "sectors", "lines",
                                 "bytes",      "wavefronts", "divergent_branches"};

/// The registry of probes: name, what it takes.
struct ProbeForm {
    std::string_view name;
    ProbeKind kind;
    std::size_t minWords, maxWords; ///< after the name
    std::string_view usage;
};
constexpr std::array kForms{
    ProbeForm{"findings", ProbeKind::Findings, 1, 2, "[findings KIND [ARRAY]]"},
    ProbeForm{"finding", ProbeKind::Finding, 2, 3, "[finding KIND [ARRAY] /POINTER]"},
    ProbeForm{"line", ProbeKind::Line, 2, 2, "[line MARK FIELD]"},
    ProbeForm{"frame", ProbeKind::Frame, 1, 2, "[frame FIELD [ARRAY]]"},
    ProbeForm{"at", ProbeKind::At, 2, 3, "[at MARK FIELD [ARRAY]]"},
    ProbeForm{"timing", ProbeKind::Timing, 1, 1, "[timing /POINTER]"},
    ProbeForm{"ladder", ProbeKind::Ladder, 3, 3, "[ladder GPU FORM /POINTER]"},
    ProbeForm{"model", ProbeKind::Model, 2, 24, "[model NAME [ARGUMENT=VALUE]... /POINTER]"},
};

template <std::size_t N>
bool isOneOf(const std::array<const char*, N>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The classes of instructions, as the report names them.
std::vector<std::string_view> classNames() {
    std::vector<std::string_view> names;
    for (int i = 0; i < ptx::kInstructionClassCount; ++i)
        names.push_back(ptx::name(static_cast<ptx::InstructionClass>(i)));
    return names;
}

bool isFindingKind(std::string_view name) {
    for (int i = 0; i <= static_cast<int>(check::FindingKind::Unsupported); ++i)
        if (check::name(static_cast<check::FindingKind>(i)) == name)
            return true;
    return false;
}

std::string findingKinds() {
    std::string list;
    for (int i = 0; i <= static_cast<int>(check::FindingKind::Unsupported); ++i)
        list += fmt::format("{}{}", i == 0 ? "" : ", ",
                            check::name(static_cast<check::FindingKind>(i)));
    return list;
}

std::string usages() {
    std::string list = "[/POINTER]";
    for (const ProbeForm& form : kForms)
        list += fmt::format(", {}", form.usage);
    return list;
}

std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = text.find_first_not_of(" \t", at);
        if (begin == std::string_view::npos)
            break;
        const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
        words.emplace_back(text.substr(begin, end - begin));
        at = end;
    }
    return words;
}

Result<void> checkField(const Probe& probe) {
    if (probe.kind == ProbeKind::Line) {
        const std::vector<std::string_view> classes = classNames();
        if (!isOneOf(kLineFields, probe.field) &&
            std::find(classes.begin(), classes.end(), probe.field) == classes.end())
            return failure("probe",
                           fmt::format("[{}]: a line has no '{}'", probe.text, probe.field), {},
                           fmt::format("the fields are {} and the classes {}",
                                       fmt::join(kLineFields, ", "), fmt::join(classes, ", ")));
    } else if (!probe.field.empty() && !isOneOf(kFrameFields, probe.field)) {
        return failure("probe", fmt::format("[{}]: an access has no '{}'", probe.text, probe.field),
                       {}, fmt::format("the fields are {}", fmt::join(kFrameFields, ", ")));
    }
    if (!probe.finding.empty() && !isFindingKind(probe.finding))
        return failure(
            "probe",
            fmt::format("[{}]: there is no kind of finding '{}'", probe.text, probe.finding), {},
            fmt::format("the kinds are {}", findingKinds()));
    return {};
}

/// Fills in GPU, form and pointer of a ladder; words[0] is "ladder".
Result<void> parseLadder(Probe& probe, const std::vector<std::string>& words) {
    probe.model = words[1];
    probe.pointer = words[3];
    if (words[2] != "written" && words[2] != "compiled")
        return failure("probe", fmt::format("[{}]: '{}' is no form of the PTX", probe.text, words[2]),
                       {}, "write written or compiled");
    if (words[2] == "compiled")
        probe.form = session::CodeForm::Compiled;
    if (!probe.run.empty())
        return failure("probe", fmt::format("[{}]: a ladder has no run", probe.text), {},
                       "leave the @ out");
    if (probe.pointer[0] != '/')
        return failure("probe", fmt::format("[{}]: '{}' is no pointer", probe.text, probe.pointer),
                       {}, "write what is asked of the ladder as /rungs/0/error, /best/flops_per_s, ...");
    return {};
}

/// Fills in the model, its arguments and the pointer; words[0] is "model".
Result<void> parseModel(Probe& probe, const std::vector<std::string>& words) {
    probe.model = words[1];
    probe.pointer = words.back();
    const session::ModelKind* kind = session::findModelKind(probe.model);
    if (kind == nullptr) {
        std::vector<std::string_view> names;
        for (const session::ModelKind& k : session::modelKinds())
            names.push_back(k.name);
        return failure("probe", fmt::format("[{}]: there is no model '{}'", probe.text, words[1]),
                       {}, fmt::format("the models are {}", fmt::join(names, ", ")));
    }
    if (!probe.run.empty())
        return failure("probe", fmt::format("[{}]: a model has no run", probe.text), {},
                       "leave the @ out");
    if (words.size() < 3 || probe.pointer[0] != '/')
        return failure("probe", fmt::format("[{}]: '{}' is no pointer", probe.text, probe.pointer),
                       {}, "write what is asked of the model as /share, /first_wave/tiles, ...");
    for (std::size_t i = 2; i + 1 < words.size(); ++i) {
        const std::size_t equals = words[i].find('=');
        const std::string name = words[i].substr(0, equals);
        if (equals == std::string::npos || equals + 1 == words[i].size())
            return failure("probe", fmt::format("[{}]: '{}' gives no value", probe.text, words[i]),
                           {}, "write arguments as NAME=VALUE");
        if (kind->find(name) == nullptr) {
            std::vector<std::string_view> names;
            for (const session::ModelParameter& parameter : kind->parameters)
                names.push_back(parameter.name);
            return failure(
                "probe",
                fmt::format("[{}]: the model {} has no '{}'", probe.text, probe.model, name), {},
                fmt::format("it has {}", fmt::join(names, ", ")));
        }
        probe.arguments.emplace_back(name, words[i].substr(equals + 1));
    }
    return {};
}

Result<Probe> parseProbe(std::string_view text) {
    Probe probe;
    probe.text = std::string(text);
    std::vector<std::string> words = wordsOf(text);
    if (!words.empty() && words.back().size() > 1 && words.back()[0] == '@') {
        probe.run = words.back().substr(1);
        words.pop_back();
    }
    if (words.size() == 1 && words[0][0] == '/') {
        probe.kind = ProbeKind::Report;
        probe.pointer = words[0];
        return probe;
    }
    const auto form = std::find_if(kForms.begin(), kForms.end(), [&](const ProbeForm& f) {
        return !words.empty() && f.name == words[0];
    });
    if (form == kForms.end())
        return failure("probe", fmt::format("there is no probe [{}]", text), {},
                       fmt::format("the probes are {}", usages()));
    const std::size_t count = words.size() - 1;
    if (count < form->minWords || count > form->maxWords)
        return failure("probe",
                       fmt::format("[{}] has {} words after '{}'", text, count, form->name), {},
                       fmt::format("write {}", form->usage));
    probe.kind = form->kind;
    switch (form->kind) {
    case ProbeKind::Report:
        break;
    case ProbeKind::Findings:
    case ProbeKind::Finding:
        probe.finding = words[1];
        if (form->kind == ProbeKind::Finding) {
            probe.pointer = words.back();
            if (probe.pointer[0] != '/')
                return failure("probe",
                               fmt::format("[{}]: '{}' is no pointer", text, probe.pointer), {},
                               "write what is asked of the finding as /index, /thread/x, ...");
            words.pop_back();
        }
        if (words.size() > 2)
            probe.array = words[2];
        break;
    case ProbeKind::Line:
    case ProbeKind::At:
        probe.line = words[1];
        probe.field = words[2];
        if (words.size() > 3)
            probe.array = words[3];
        break;
    case ProbeKind::Frame:
        probe.field = words[1];
        if (words.size() > 2)
            probe.array = words[2];
        break;
    case ProbeKind::Timing:
        probe.pointer = words[1];
        if (probe.pointer[0] != '/')
            return failure("probe", fmt::format("[{}]: '{}' is no pointer", text, probe.pointer), {},
                           "write what is asked of the timing as /cycles_sm, /stalls/barrier/share, ...");
        break;
    case ProbeKind::Ladder:
        if (auto parsed = parseLadder(probe, words); !parsed)
            return failure(parsed.error());
        break;
    case ProbeKind::Model:
        if (auto parsed = parseModel(probe, words); !parsed)
            return failure(parsed.error());
        break;
    }
    if (auto checked = checkField(probe); !checked)
        return failure(checked.error());
    return probe;
}

} // namespace

Result<std::vector<ExpressionPart>> parseExpression(std::string_view text) {
    std::vector<ExpressionPart> parts;
    const std::string whole(text);
    while (!text.empty()) {
        const std::size_t open = text.find('[');
        const std::string_view plain = text.substr(0, open);
        if (plain.find(']') != std::string_view::npos)
            return failure("probe", fmt::format("'{}' has a ']' without its '['", whole), {},
                           "put each probe in square brackets");
        if (!plain.empty())
            parts.push_back({std::string(plain), {}, false});
        if (open == std::string_view::npos)
            break;
        const std::size_t close = text.find(']', open);
        if (close == std::string_view::npos)
            return failure("probe", fmt::format("'{}' has a '[' without its ']'", whole), {},
                           "put each probe in square brackets");
        auto probe = parseProbe(text.substr(open + 1, close - open - 1));
        if (!probe)
            return failure(probe.error());
        parts.push_back({{}, std::move(*probe), true});
        text.remove_prefix(close + 1);
    }
    return parts;
}

bool isTextArgument(std::string_view model, std::string_view argument) {
    const session::ModelKind* kind = session::findModelKind(model);
    const session::ModelParameter* parameter = kind == nullptr ? nullptr : kind->find(argument);
    return parameter != nullptr && parameter->kind == session::ModelParameter::Kind::Text;
}

bool hasProbe(std::string_view expression) {
    const auto parts = parseExpression(expression);
    return parts && std::any_of(parts->begin(), parts->end(),
                                [](const ExpressionPart& part) { return part.isProbe; });
}

Diagnostics problemsOf(std::string_view text, const Lesson& lesson,
                       const catalog::Kernel& kernel) {
    const auto parts = parseExpression(text);
    if (!parts)
        return parts.error();
    Diagnostics problems;
    std::string arithmetic;
    for (const ExpressionPart& part : *parts) {
        arithmetic += part.isProbe ? "(1)" : part.plain;
        if (!part.probe.run.empty() && lesson.findRun(part.probe.run) == nullptr)
            problems.push_back(
                {Severity::Error,
                 "probe",
                 fmt::format("[{}]: the lesson has no run '{}'", part.probe.text, part.probe.run),
                 {},
                 "name it in \"runs\""});
        if (!part.probe.line.empty() && lesson.findLine(part.probe.line) == nullptr)
            problems.push_back(
                {Severity::Error,
                 "probe",
                 fmt::format("[{}]: the lesson has no line '{}'", part.probe.text, part.probe.line),
                 {},
                 "name it in \"lines\""});
    }
    catalog::Values values;
    for (const catalog::Parameter& parameter : kernel.parameters)
        values[parameter.name] = parameter.defaultValue;
    const auto checkArithmetic = [&](const std::string& expression) {
        const auto value = catalog::evaluate(expression, values);
        // A division by zero depends on what the probes give.
        if (!value && value.error().front().message.find("finite") == std::string::npos)
            problems.push_back(
                {Severity::Error,
                 "probe",
                 value.error().front().message,
                 {},
                 fmt::format("besides probes, arithmetic and the parameters of {} can be used",
                             kernel.id)});
    };
    checkArithmetic(arithmetic);
    for (const ExpressionPart& part : *parts)
        for (const auto& [name, value] : part.probe.arguments)
            if (!isTextArgument(part.probe.model, name))
                checkArithmetic(value);
    return problems;
}

} // namespace lanescope::lesson
