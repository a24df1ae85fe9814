// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalog/kernel.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/catalog/expression.h"
#include "engine/catalog/reference.h"

namespace lanescope::catalog {
namespace {

using nlohmann::json;

/// Reads fields of a manifest and collects what is wrong with them.
class Reader {
public:
    explicit Reader(std::string path) : m_path(std::move(path)) {}

    void complain(const std::string& field, const std::string& what) {
        Diagnostic& added = m_diagnostics.emplace_back();
        added.code = "manifest";
        added.message = fmt::format("field '{}' {}", field, what);
        added.where.file = m_path;
    }
    const json* find(const json& object, const std::string& at, const char* field, bool required) {
        if (!object.is_object()) {
            complain(at, "must be an object");
            return nullptr;
        }
        const auto it = object.find(field);
        if (it != object.end())
            return &*it;
        if (required)
            complain(join(at, field), "is missing");
        return nullptr;
    }
    std::string text(const json& object, const std::string& at, const char* field,
                     bool required = true) {
        const json* value = find(object, at, field, required);
        if (value == nullptr)
            return {};
        if (value->is_string() && (!required || !value->get_ref<const std::string&>().empty()))
            return value->get<std::string>();
        complain(join(at, field), "must be text");
        return {};
    }
    std::optional<std::int64_t> whole(const json& object, const std::string& at, const char* field,
                                      bool required) {
        const json* value = find(object, at, field, required);
        if (value == nullptr)
            return std::nullopt;
        if (value->is_number_integer())
            return value->get<std::int64_t>();
        complain(join(at, field), "must be a whole number");
        return std::nullopt;
    }
    const json& list(const json& object, const std::string& at, const char* field, bool required) {
        static const json kEmpty = json::array();
        const json* value = find(object, at, field, required);
        if (value == nullptr)
            return kEmpty;
        if (value->is_array())
            return *value;
        complain(join(at, field), "must be a list");
        return kEmpty;
    }
    std::vector<std::string> texts(const json& object, const std::string& at, const char* field) {
        std::vector<std::string> result;
        for (const json& value : list(object, at, field, true)) {
            if (value.is_string())
                result.push_back(value.get<std::string>());
            else
                complain(join(at, field), "must be a list of texts");
        }
        return result;
    }
    static std::string join(const std::string& at, const std::string& field) {
        return at.empty() ? field : at + "." + field;
    }
    Diagnostics take() { return std::move(m_diagnostics); }
    bool good() const { return m_diagnostics.empty(); }

private:
    std::string m_path;
    Diagnostics m_diagnostics;
};

Parameter readParameter(Reader& reader, const json& object, const std::string& at) {
    Parameter parameter;
    parameter.name = reader.text(object, at, "name");
    parameter.label = reader.text(object, at, "label", false);
    if (parameter.label.empty())
        parameter.label = parameter.name;
    parameter.help = reader.text(object, at, "help", false);
    const std::string kind = reader.text(object, at, "kind");
    if (kind == "define")
        parameter.kind = ParameterKind::Define;
    else if (kind == "launch")
        parameter.kind = ParameterKind::Launch;
    else if (kind != "problem" && !kind.empty())
        reader.complain(at + ".kind", "must be \"define\", \"launch\" or \"problem\"");
    parameter.defaultValue = reader.whole(object, at, "default", true).value_or(0);
    for (const json& choice : reader.list(object, at, "choices", false)) {
        if (choice.is_number_integer())
            parameter.choices.push_back(choice.get<std::int64_t>());
        else
            reader.complain(at + ".choices", "must be whole numbers");
    }
    std::sort(parameter.choices.begin(), parameter.choices.end());
    if (!parameter.choices.empty()) {
        parameter.min = parameter.choices.front();
        parameter.max = parameter.choices.back();
    } else if (object.is_object()) {
        parameter.min = reader.whole(object, at, "min", true).value_or(0);
        parameter.max = reader.whole(object, at, "max", true).value_or(0);
        parameter.step = reader.whole(object, at, "step", false).value_or(1);
        if (parameter.step < 1)
            reader.complain(at + ".step", "must be at least 1");
        if (parameter.min > parameter.max)
            reader.complain(at + ".max", "must not be below min");
    }
    return parameter;
}

Argument readArgument(Reader& reader, const json& object, const std::string& at) {
    Argument argument;
    argument.name = reader.text(object, at, "name");
    argument.spec = reader.text(object, at, "spec");
    argument.type = reader.text(object, at, "type", false);
    const std::string role = reader.text(object, at, "role");
    if (role == "output")
        argument.role = Role::Output;
    else if (role == "inout")
        argument.role = Role::InOut;
    else if (role != "input" && !role.empty())
        reader.complain(at + ".role", "must be \"input\", \"output\" or \"inout\"");
    return argument;
}

Launch readLaunch(Reader& reader, const json& manifest) {
    Launch launch;
    const json* object = reader.find(manifest, "", "launch", true);
    if (object == nullptr)
        return launch;
    launch.grid = reader.texts(*object, "launch", "grid");
    launch.block = reader.texts(*object, "launch", "block");
    for (const auto& [field, list] :
         {std::pair{"launch.grid", &launch.grid}, {"launch.block", &launch.block}})
        if (list->empty() || list->size() > 3)
            reader.complain(field, "must have one to three expressions");
    if (const std::string shared = reader.text(*object, "launch", "shared", false); !shared.empty())
        launch.shared = shared;
    return launch;
}

std::optional<Reference> readReference(Reader& reader, const json& manifest,
                                       const std::vector<Argument>& arguments) {
    const json* object = reader.find(manifest, "", "reference", false);
    if (object == nullptr)
        return std::nullopt;
    Reference reference;
    reference.kind = reader.text(*object, "reference", "kind");
    if (const json* sizes = reader.find(*object, "reference", "sizes", true);
        sizes != nullptr && sizes->is_object())
        for (const auto& [name, value] : sizes->items()) {
            if (value.is_string())
                reference.sizes[name] = value.get<std::string>();
            else
                reader.complain("reference.sizes." + name, "must be an expression in quotes");
        }
    reference.value = reader.text(*object, "reference", "value", false);
    if (const json* index = reader.find(*object, "reference", "index", false);
        index != nullptr && index->is_object())
        for (const auto& [name, value] : index->items()) {
            if (value.is_string())
                reference.index[name] = value.get<std::string>();
            else
                reader.complain("reference.index." + name, "must be an expression in quotes");
        }
    reference.inputs = reader.texts(*object, "reference", "inputs");
    reference.outputs = reader.texts(*object, "reference", "outputs");
    const auto check = [&](const char* field, const std::vector<std::string>& names) {
        for (const std::string& name : names)
            if (std::none_of(arguments.begin(), arguments.end(),
                             [&](const Argument& a) { return a.name == name; }))
                reader.complain(field, fmt::format("names '{}', which is no argument", name));
    };
    check("reference.inputs", reference.inputs);
    check("reference.outputs", reference.outputs);
    for (const auto& [name, expression] : reference.index)
        if (std::find(reference.inputs.begin(), reference.inputs.end(), name) ==
            reference.inputs.end())
            reader.complain("reference.index", fmt::format("names '{}', which is no input", name));
    if (const auto wrong = problemOf(reference))
        reader.complain("reference", *wrong);
    return reference;
}

void readRegisters(Reader& reader, const json& manifest, Kernel& kernel) {
    const json* object = reader.find(manifest, "", "registers", false);
    if (object == nullptr)
        return;
    kernel.registersSource = reader.text(*object, "registers", "source");
    const json* table = reader.find(*object, "registers", "by_capability", true);
    if (table == nullptr || !table->is_object())
        return;
    for (const auto& [capability, count] : table->items()) {
        if (count.is_number_integer() && count.get<int>() >= 1 && count.get<int>() <= 255)
            kernel.registers[capability] = count.get<int>();
        else
            reader.complain("registers.by_capability." + capability, "must be a whole number from 1 to 255");
    }
}

/// Evaluates every expression once with the defaults, so that a mistake shows when the catalog is
/// loaded.
void checkExpressions(Reader& reader, const Kernel& kernel) {
    Values values;
    for (const Parameter& parameter : kernel.parameters)
        values[parameter.name] = parameter.defaultValue;
    const auto check = [&](const std::string& field, const std::string& expression) {
        if (auto result = evaluate(expression, values); !result)
            reader.complain(field, result.error().front().message);
    };
    for (std::size_t i = 0; i < kernel.launch.grid.size(); ++i)
        check(fmt::format("launch.grid[{}]", i), kernel.launch.grid[i]);
    for (std::size_t i = 0; i < kernel.launch.block.size(); ++i)
        check(fmt::format("launch.block[{}]", i), kernel.launch.block[i]);
    check("launch.shared", kernel.launch.shared);
    for (std::size_t i = 0; i < kernel.constraints.size(); ++i)
        check(fmt::format("constraints[{}].expression", i), kernel.constraints[i].expression);
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i)
        if (auto result = substitute(kernel.arguments[i].spec, values); !result)
            reader.complain(fmt::format("arguments[{}].spec", i), result.error().front().message);
    if (!kernel.flops.empty())
        check("flops", kernel.flops);
    if (!kernel.reference)
        return;
    for (const auto& [name, expression] : kernel.reference->sizes)
        check("reference.sizes." + name, expression);
    const auto checkFormula = [&](const std::string& field, const std::string& expression,
                                  std::vector<std::string> variables) {
        if (auto formula = Formula::make(expression, values, variables); !formula)
            reader.complain(field, formula.error().front().message);
    };
    std::vector<std::string> variables = kernel.reference->inputs;
    variables.emplace_back("i");
    if (!kernel.reference->value.empty())
        checkFormula("reference.value", kernel.reference->value, variables);
    for (const auto& [name, expression] : kernel.reference->index)
        checkFormula("reference.index." + name, expression, {"i"});
}

bool isAllowed(const Parameter& p, std::int64_t value) {
    if (!p.choices.empty())
        return std::binary_search(p.choices.begin(), p.choices.end(), value);
    return value >= p.min && value <= p.max && (p.step < 1 || (value - p.min) % p.step == 0);
}

Kernel readKernel(Reader& reader, const json& manifest, const std::string& path) {
    Kernel kernel;
    kernel.id = reader.text(manifest, "", "id");
    kernel.title = reader.text(manifest, "", "title");
    kernel.family = reader.text(manifest, "", "family");
    kernel.entry = reader.text(manifest, "", "entry");
    kernel.notes = reader.text(manifest, "", "notes", false);
    kernel.flops = reader.text(manifest, "", "flops", false);
    const std::string file = reader.text(manifest, "", "file");
    kernel.file =
        (std::filesystem::path(path).parent_path() / file).lexically_normal().generic_string();
    std::set<std::string> names;
    std::size_t index = 0;
    for (const json& object : reader.list(manifest, "", "parameters", true)) {
        const std::string at = fmt::format("parameters[{}]", index++);
        kernel.parameters.push_back(readParameter(reader, object, at));
        const Parameter& parameter = kernel.parameters.back();
        if (!names.insert(parameter.name).second)
            reader.complain(at + ".name", fmt::format("'{}' is there twice", parameter.name));
        if (!isAllowed(parameter, parameter.defaultValue))
            reader.complain(at + ".default", "is not an allowed value");
    }
    index = 0;
    for (const json& object : reader.list(manifest, "", "constraints", false)) {
        const std::string at = fmt::format("constraints[{}]", index++);
        kernel.constraints.push_back(
            {reader.text(object, at, "expression"), reader.text(object, at, "message")});
    }
    kernel.launch = readLaunch(reader, manifest);
    index = 0;
    for (const json& object : reader.list(manifest, "", "arguments", true))
        kernel.arguments.push_back(
            readArgument(reader, object, fmt::format("arguments[{}]", index++)));
    kernel.reference = readReference(reader, manifest, kernel.arguments);
    readRegisters(reader, manifest, kernel);
    return kernel;
}

} // namespace

const Parameter* Kernel::findParameter(std::string_view name) const {
    for (const Parameter& parameter : parameters)
        if (parameter.name == name)
            return &parameter;
    return nullptr;
}

std::optional<int> Kernel::registersFor(int major, int minor) const {
    // "major.minor" in numeric order.
    std::map<std::pair<int, int>, int> sorted;
    for (const auto& [capability, count] : registers) {
        const std::size_t dot = capability.find('.');
        if (dot != std::string::npos)
            sorted[{std::atoi(capability.c_str()), std::atoi(capability.c_str() + dot + 1)}] = count;
    }
    if (sorted.empty())
        return std::nullopt;
    const auto after = sorted.upper_bound({major, minor});
    return after == sorted.begin() ? after->second : std::prev(after)->second;
}

Result<Kernel> parseManifest(std::string_view text, const std::string& path) {
    json manifest;
    try {
        manifest = json::parse(text);
    } catch (const json::parse_error& error) {
        std::uint32_t line = 1;
        for (std::size_t i = 0; i + 1 < error.byte && i < text.size(); ++i)
            line += text[i] == '\n' ? 1u : 0u;
        return failure("manifest", fmt::format("is not valid JSON: {}", error.what()),
                       {path, line, 0});
    }
    if (!manifest.is_object())
        return failure("manifest", "the manifest must be a JSON object", {path, 0, 0});
    Reader reader(path);
    Kernel kernel = readKernel(reader, manifest, path);
    if (reader.good())
        checkExpressions(reader, kernel);
    if (!reader.good())
        return failure(reader.take());
    return kernel;
}

} // namespace lanescope::catalog
