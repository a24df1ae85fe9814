// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/lesson/workbench.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/lesson/probe.h"
#include "engine/session/ladder.h"
#include "engine/session/model_answers.h"
#include "engine/session/timing.h"

namespace lanescope::lesson {
namespace {

using nlohmann::json;

struct Prepared {
    session::LoadedProgram program;
    session::PreparedLaunch launch;
    device::Device device;
    std::optional<json> report, timing;
};

/// What a pointer of a probe leads to.
Result<const json*> follow(const json& from, const std::string& pointer, const Probe& probe) {
    try {
        const json::json_pointer path(pointer);
        if (from.contains(path))
            return &from.at(path);
    } catch (const json::exception&) {
        return failure("probe", fmt::format("[{}]: '{}' is no JSON pointer", probe.text, pointer),
                       {}, "write it as /counters/simt_efficiency");
    }
    return failure("probe", fmt::format("[{}]: there is no {}", probe.text, pointer), {},
                   "`lanescope sim KERNEL --json`, or of a model its subcommand, shows what there is");
}

Result<double> numberOf(const json& value, const Probe& probe) {
    if (value.is_number())
        return value.get<double>();
    if (value.is_boolean())
        return value.get<bool>() ? 1.0 : 0.0;
    return failure("probe", fmt::format("[{}] is no number", probe.text), {},
                   "choose a number of the report");
}

bool isMatch(const json& finding, const Probe& probe) {
    return finding.value("kind", "") == probe.finding &&
           (probe.array.empty() || finding.value("array", "") == probe.array);
}

Result<const json*> findingOf(const json& report, const Probe& probe) {
    for (const json& finding : report.at("findings"))
        if (isMatch(finding, probe))
            return &finding;
    return failure("probe", fmt::format("[{}]: the run has no such finding", probe.text));
}

Result<double> lineValue(const json& report, std::uint32_t line, const Probe& probe) {
    for (const json& row : report.at("lines")) {
        if (row.value("line", std::uint32_t{0}) != line)
            continue;
        if (probe.field == "efficiency") {
            const double executions = row.value("executions", 0.0);
            return executions > 0 ? row.value("lanes", 0.0) / (kWarpSize * executions) : 0.0;
        }
        if (probe.field == "lines")
            return row.value("lines_128", 0.0);
        const json& classes = row.at("by_class");
        return row.value(probe.field, classes.value(probe.field, 0.0));
    }
    return failure("probe", fmt::format("[{}]: nothing ran on line {}", probe.text, line));
}

} // namespace

struct Workbench::State {
    compile::Environment compilers;
    std::optional<compile::Compiler> with;
    std::map<Run, std::unique_ptr<Prepared>> runs;
    std::map<std::pair<std::string, session::CodeForm>, json> ladders; ///< by GPU and form

    Result<Prepared> load(const Run& run, const std::optional<std::string>& text) const;
    Result<Prepared*> prepared(const Run& run);
    Result<const json*> ladder(const Probe& probe);
    Result<json> modelAnswer(const Probe& probe, const Step& step);
    Result<double> probe(const Probe& probe, Workbench& bench, const Lesson& lesson,
                         const Step& step);
};

Workbench::Workbench(compile::Environment compilers, std::optional<compile::Compiler> with)
    : m_state(std::make_unique<State>(State{std::move(compilers), with, {}, {}})) {}
Workbench::~Workbench() = default;
Workbench::Workbench(Workbench&&) noexcept = default;
Workbench& Workbench::operator=(Workbench&&) noexcept = default;

Result<Prepared> Workbench::State::load(const Run& run,
                                        const std::optional<std::string>& text) const {
    session::LoadRequest request;
    request.subject = run.kernel;
    request.text = text;
    request.with = with;
    request.form = run.form;
    for (const auto& [name, value] : run.parameters)
        request.defines.emplace_back(name, std::to_string(value));
    Prepared result;
    auto program = session::load(request, compilers);
    if (!program)
        return failure(program.error());
    auto device = device::findDevice(run.gpu);
    if (!device)
        return failure(device.error());
    session::LaunchRequest order;
    order.schedule = run.schedule;
    order.seed = run.seed;
    auto launch = session::prepare(*program, order, *device);
    if (!launch)
        return failure(launch.error());
    result.program = std::move(*program);
    result.device = std::move(*device);
    result.launch = std::move(*launch);
    return result;
}

Result<Prepared*> Workbench::State::prepared(const Run& run) {
    if (const auto found = runs.find(run); found != runs.end())
        return found->second.get();
    auto loaded = load(run, std::nullopt);
    if (!loaded)
        return failure(loaded.error());
    return runs.emplace(run, std::make_unique<Prepared>(std::move(*loaded))).first->second.get();
}

Result<void> Workbench::tryText(const Run& run, const std::string& text) {
    auto loaded = m_state->load(run, text);
    if (!loaded)
        return failure(loaded.error());
    return {};
}

Result<const json*> Workbench::timing(const Run& run) {
    auto prepared = m_state->prepared(run);
    if (!prepared)
        return failure(prepared.error());
    Prepared& p = **prepared;
    if (!p.timing) {
        const auto report = session::timeLaunch(p.program, p.launch, p.device, {});
        if (!report)
            return failure(report.error());
        p.timing = json::parse(session::toJson(p.program, p.launch, p.device, *report));
    }
    return &*p.timing;
}

Result<const json*> Workbench::report(const Run& run) {
    auto prepared = m_state->prepared(run);
    if (!prepared)
        return failure(prepared.error());
    Prepared& p = **prepared;
    if (!p.report) {
        sim::Memory memory = sim::makeMemory(p.launch.launch);
        session::SimulateOptions options;
        options.blocks = run.isSampled ? session::BlockChoice::Sample : session::BlockChoice::All;
        auto report = session::simulate(p.program, p.launch, p.device, memory, options);
        if (!report)
            return failure(report.error());
        if (!report->finished)
            return failure("lesson", fmt::format("{} did not finish within its budget", run.kernel),
                           {}, "use smaller sizes or \"sampled\"");
        p.report = json::parse(session::toJson(p.program, p.launch, p.device, *report));
    }
    return &*p.report;
}

Result<Frame> Workbench::frame(const Run& run, const Action& view) {
    auto prepared = m_state->prepared(run);
    if (!prepared)
        return failure(prepared.error());
    FramePosition position;
    if (view.selection) {
        position.block = view.selection->block;
        position.warp = view.selection->warp;
    }
    position.line = view.runToLine;
    position.otherwise = view.runToAccess;
    position.steps = view.steps;
    return frameAt((*prepared)->program, (*prepared)->launch, position);
}

Result<const json*> Workbench::State::ladder(const Probe& probe) {
    const auto key = std::pair(probe.model, probe.form);
    if (const auto found = ladders.find(key); found != ladders.end())
        return &found->second;
    session::LadderOptions options;
    options.form = probe.form;
    const auto modelled = session::ladder(probe.model, compilers, options);
    if (!modelled)
        return failure(modelled.error());
    return &ladders.emplace(key, json::parse(session::toJson(*modelled))).first->second;
}

Result<json> Workbench::State::modelAnswer(const Probe& probe, const Step& step) {
    session::ModelArguments arguments;
    for (const auto& [name, value] : probe.arguments) {
        if (isTextArgument(probe.model, name)) {
            arguments.emplace(name, value);
            continue;
        }
        auto kernel = prepared(step.run);
        if (!kernel)
            return failure(kernel.error());
        const auto number = catalog::evaluate(value, (*kernel)->program.resolved.values);
        if (!number)
            return failure(number.error());
        arguments.emplace(name, fmt::format("{:.17g}", *number));
    }
    auto answer = session::answer(probe.model, arguments);
    if (!answer)
        return failure(answer.error());
    return json::parse(answer->json);
}

Result<double> Workbench::State::probe(const Probe& probe, Workbench& bench, const Lesson& lesson,
                                       const Step& step) {
    const NamedRun* named = lesson.findRun(probe.run);
    const Run& run = named != nullptr ? named->run : step.run;
    std::uint32_t line = 0;
    session::AccessTarget otherwise;
    if (const LineMark* mark = lesson.findLine(probe.line)) {
        otherwise = mark->access;
        auto kernel = prepared(run);
        if (!kernel)
            return failure(kernel.error());
        auto found = findLine(*mark, (*kernel)->program.cudaText);
        if (!found)
            return failure(found.error());
        line = *found;
    }
    if (probe.kind == ProbeKind::Frame || probe.kind == ProbeKind::At) {
        Action view = step.setup;
        if (probe.kind == ProbeKind::At) {
            view.runToLine = line;
            view.runToAccess = otherwise;
            view.steps = 0;
        }
        auto frame = bench.frame(run, view);
        if (!frame)
            return failure(frame.error());
        auto value = frame->value(probe.field, probe.array);
        if (!value)
            value.error().front().message =
                fmt::format("[{}]: {}", probe.text, value.error().front().message);
        return value;
    }
    if (probe.kind == ProbeKind::Ladder) {
        const auto modelled = ladder(probe);
        if (!modelled)
            return failure(modelled.error());
        const auto value = follow(**modelled, probe.pointer, probe);
        if (!value)
            return failure(value.error());
        return numberOf(**value, probe);
    }
    if (probe.kind == ProbeKind::Model) {
        const auto answer = modelAnswer(probe, step);
        if (!answer)
            return failure(answer.error());
        const auto value = follow(*answer, probe.pointer, probe);
        if (!value)
            return failure(value.error());
        return numberOf(**value, probe);
    }
    auto report = probe.kind == ProbeKind::Timing ? bench.timing(run) : bench.report(run);
    if (!report)
        return failure(report.error());
    if (probe.kind == ProbeKind::Line)
        return lineValue(**report, line, probe);
    if (probe.kind == ProbeKind::Findings) {
        double sum = 0;
        for (const json& finding : (*report)->at("findings"))
            if (isMatch(finding, probe))
                sum += finding.value("occurrences", 0.0);
        return sum;
    }
    const json* from = *report;
    if (probe.kind == ProbeKind::Finding) {
        auto finding = findingOf(*from, probe);
        if (!finding)
            return failure(finding.error());
        from = *finding;
    }
    auto value = follow(*from, probe.pointer, probe);
    if (!value)
        return failure(value.error());
    return numberOf(**value, probe);
}

Result<double> Workbench::evaluate(std::string_view expression, const Lesson& lesson,
                                   const Step& step) {
    auto parts = parseExpression(expression);
    if (!parts)
        return failure(parts.error());
    std::string arithmetic;
    for (const ExpressionPart& part : *parts) {
        if (!part.isProbe) {
            arithmetic += part.plain;
            continue;
        }
        auto value = m_state->probe(part.probe, *this, lesson, step);
        if (!value)
            return failure(value.error());
        arithmetic += fmt::format("({:.17g})", *value);
    }
    auto prepared = m_state->prepared(step.run);
    if (!prepared)
        return failure(prepared.error());
    return catalog::evaluate(arithmetic, (*prepared)->program.resolved.values);
}

Result<std::string> Workbench::evaluateText(std::string_view expression, const Lesson& lesson,
                                            const Step& step) {
    auto parts = parseExpression(expression);
    if (!parts)
        return failure(parts.error());
    const bool isOne = parts->size() == 1 && parts->front().isProbe &&
                       (parts->front().probe.kind == ProbeKind::Report ||
                        parts->front().probe.kind == ProbeKind::Finding ||
                        parts->front().probe.kind == ProbeKind::Model);
    if (!isOne)
        return failure("probe", fmt::format("'{}' is no text", expression), {},
                       "ask for one pointer of the report, of a finding or of a model");
    const Probe& probe = parts->front().probe;
    const auto textOf = [](const json& value) {
        return value.is_string() ? value.get<std::string>() : value.dump();
    };
    if (probe.kind == ProbeKind::Model) {
        const auto answer = m_state->modelAnswer(probe, step);
        if (!answer)
            return failure(answer.error());
        const auto value = follow(*answer, probe.pointer, probe);
        if (!value)
            return failure(value.error());
        return textOf(**value);
    }
    const NamedRun* named = lesson.findRun(probe.run);
    auto report = this->report(named != nullptr ? named->run : step.run);
    if (!report)
        return failure(report.error());
    const json* from = *report;
    if (probe.kind == ProbeKind::Finding) {
        auto finding = findingOf(*from, probe);
        if (!finding)
            return failure(finding.error());
        from = *finding;
    }
    auto value = follow(*from, probe.pointer, probe);
    if (!value)
        return failure(value.error());
    return textOf(**value);
}

} // namespace lanescope::lesson
