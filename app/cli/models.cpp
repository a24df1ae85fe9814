// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope occupancy, waves, latency, ...: the models by themselves, a subcommand each. Roofline
// has a file of its own.
#include <cctype>
#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "engine/session/model_answers.h"

namespace lanescope::cli {

namespace {

struct Arguments {
    std::map<std::string, std::string> values; ///< by parameter; empty: not given
    bool json = false;
};

void addModel(CLI::App& app, int& status, const session::ModelKind& kind) {
    CLI::App* sub = app.add_subcommand(std::string(kind.name), std::string(kind.title));
    auto a = std::make_shared<Arguments>();
    for (const session::ModelParameter& parameter : kind.parameters) {
        std::string& value = a->values[std::string(parameter.name)];
        std::string help(parameter.help);
        help[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(help[0])));
        if (!parameter.defaultValue.empty() && parameter.kind != session::ModelParameter::Kind::Flag)
            help += fmt::format(" [{}]", parameter.defaultValue);
        const std::string option = fmt::format("--{}", parameter.name);
        if (parameter.kind == session::ModelParameter::Kind::Flag)
            sub->add_flag_callback(option, [&value] { value = "1"; }, help);
        else
            sub->add_option(option, value, help)->required(parameter.required);
    }
    sub->add_flag("--json", a->json, "Print one JSON object");
    sub->footer(fmt::format("Example:\n  {}", kind.example));
    sub->callback([a, &status, name = kind.name] {
        session::ModelArguments given;
        for (const auto& [parameter, value] : a->values)
            if (!value.empty())
                given.emplace(parameter, value);
        const Result<session::ModelAnswer> answer = session::answer(name, given);
        if (answer)
            print(a->json ? answer->json + "\n" : answer->text);
        else
            status = report(answer.error(), a->json);
    });
}

} // namespace

void addModels(CLI::App& app, int& status) {
    for (const session::ModelKind& kind : session::modelKinds())
        addModel(app, status, kind);
}

} // namespace lanescope::cli
