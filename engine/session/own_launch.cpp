// SPDX-License-Identifier: GPL-3.0-or-later
// A launch for a file of the user's own, whose sizes nobody declared: grid, block and every whole-number argument become parameters, and
// each pointer gets a buffer of `elements` random floats. Enough to step it at once; the user sets what matters.
#include <fmt/format.h>

#include "engine/session/session_state.h"

namespace lanescope::session {

namespace {

constexpr std::int64_t kDefaultElements = 4096;

std::int64_t valueOf(const std::map<std::string, std::int64_t>& set, const std::string& name, std::int64_t otherwise) {
    const auto it = set.find(name);
    return it == set.end() ? otherwise : it->second;
}

bool isPointer(const ptx::Parameter& p) { return p.sizeBytes == 8 && !ptx::isFloat(p.type) && !p.isArray; }
bool isWhole(const ptx::Parameter& p) { return !p.isArray && !ptx::isFloat(p.type) && p.sizeBytes <= 4; }

ParameterView view(std::string name, std::string label, std::string help, bool problem, std::int64_t value, std::int64_t byDefault, std::int64_t most) {
    ParameterView v;
    v.name = std::move(name);
    v.label = std::move(label);
    v.help = std::move(help);
    v.isProblem = problem;
    v.value = value;
    v.defaultValue = byDefault;
    v.minimum = problem ? 0 : 1;
    v.maximum = most;
    return v;
}

} // namespace

std::vector<ParameterView> Session::State::fileParameters(const LoadedProgram& p) const {
    std::vector<ParameterView> out;
    const auto add = [&](const char* name, const char* label, const char* help, std::int64_t byDefault, std::int64_t most) {
        out.push_back(view(name, label, help, false, valueOf(parameters, name, byDefault), byDefault, most));
    };
    const ptx::LaunchBounds& bounds = p.program->entry().bounds;
    add("grid.x", "Grid x", "Blocks along x.", 2, 1 << 20);
    add("grid.y", "Grid y", "Blocks along y.", 1, 65535);
    add("block.x", "Block x", "Threads of a block along x.", bounds.requiredX.value_or(bounds.maxThreadsX.value_or(128)), 1024);
    add("block.y", "Block y", "Threads of a block along y.", bounds.requiredY.value_or(1), 1024);
    out.push_back(view("shared", "Shared", "Dynamic shared memory of a block in bytes.", true, valueOf(parameters, "shared", 0), 0, 232448));
    out.push_back(view("elements", "Elements", "Floats in the buffer that each pointer gets.", true,
                       valueOf(parameters, "elements", kDefaultElements), kDefaultElements, 1 << 26));
    const std::vector<std::string> names = argumentNames(p);
    for (std::size_t i = 0; i < p.program->entry().parameters.size(); ++i)
        if (isWhole(p.program->entry().parameters[i])) {
            const std::string& name = names[i];
            out.push_back(view(name, name, fmt::format("Argument {}.", i), true, valueOf(parameters, name, 64), 64, 1 << 30));
        }
    return out;
}

LaunchRequest Session::State::fileLaunch(const LoadedProgram& p) const {
    LaunchRequest out;
    std::map<std::string, std::int64_t> v;
    for (const ParameterView& parameter : fileParameters(p))
        v[parameter.name] = parameter.value;
    const auto extent = [&](const char* name) { return static_cast<std::uint32_t>(v[name]); };
    out.grid = Dim3{extent("grid.x"), extent("grid.y"), 1};
    out.block = Dim3{extent("block.x"), extent("block.y"), 1};
    out.dynamicSharedBytes = static_cast<std::uint64_t>(v["shared"]);
    const std::vector<std::string> names = argumentNames(p);
    const std::vector<ptx::Parameter>& parametersOfEntry = p.program->entry().parameters;
    for (std::size_t i = 0; i < parametersOfEntry.size(); ++i) {
        const ptx::Parameter& parameter = parametersOfEntry[i];
        if (isPointer(parameter))
            out.arguments.push_back(fmt::format("random:f32:{}:{}", v["elements"], i + 1));
        else if (isWhole(parameter))
            out.arguments.push_back(fmt::format("i32:{}", v[names[i]]));
        else if (parameter.type == ptx::Type::F32)
            out.arguments.push_back("f32:1");
        else if (parameter.type == ptx::Type::F64)
            out.arguments.push_back("f64:1");
        else
            out.arguments.push_back(fmt::format("zeros:{}", parameter.sizeBytes));
    }
    return out;
}

} // namespace lanescope::session
