// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalog/catalog.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanescope::catalog {
namespace {

// Limits of every device since compute capability 3.0 (CUDA C++ Programming Guide, technical
// specifications).
constexpr std::array<std::int64_t, 3> kGridLimits{2147483647, 65535, 65535};
constexpr std::array<std::int64_t, 3> kBlockLimits{1024, 1024, 64};
constexpr std::int64_t kThreadLimit = 1024;

const EmbeddedFile* findFile(std::span<const EmbeddedFile> files, std::string_view name) {
    for (const EmbeddedFile& file : files)
        if (file.name == name)
            return &file;
    return nullptr;
}

std::string allowedValues(const Parameter& parameter) {
    if (!parameter.choices.empty())
        return fmt::format("allowed: {}", fmt::join(parameter.choices, ", "));
    if (parameter.step > 1)
        return fmt::format("allowed: {} to {} in steps of {}", parameter.min, parameter.max,
                           parameter.step);
    return fmt::format("allowed: {} to {}", parameter.min, parameter.max);
}

bool isAllowed(const Parameter& parameter, std::int64_t value) {
    if (!parameter.choices.empty())
        return std::binary_search(parameter.choices.begin(), parameter.choices.end(), value);
    return value >= parameter.min && value <= parameter.max &&
           (value - parameter.min) % parameter.step == 0;
}

std::string parameterNames(const Kernel& kernel) {
    std::vector<std::string> names;
    for (const Parameter& parameter : kernel.parameters)
        names.push_back(parameter.name);
    return fmt::format("{} has: {}", kernel.id, fmt::join(names, ", "));
}

Diagnostic errorAt(std::string code, std::string file, std::string message, std::string hint = {}) {
    Diagnostic diagnostic;
    diagnostic.code = std::move(code);
    diagnostic.message = std::move(message);
    diagnostic.where.file = std::move(file);
    diagnostic.hint = std::move(hint);
    return diagnostic;
}

Diagnostic parameterError(const Kernel& kernel, std::string message, std::string hint) {
    return errorAt("parameter", kernel.id, std::move(message), std::move(hint));
}

/// Values of all parameters, with complaints about names and ranges.
Values valuesOf(const Kernel& kernel, const Overrides& overrides, Diagnostics& errors) {
    for (const auto& [name, value] : overrides)
        if (kernel.findParameter(name) == nullptr)
            errors.push_back(parameterError(kernel, fmt::format("there is no parameter '{}'", name),
                                            parameterNames(kernel)));
    Values values;
    for (const Parameter& parameter : kernel.parameters) {
        const auto given = overrides.find(parameter.name);
        const std::int64_t value =
            given == overrides.end() ? parameter.defaultValue : given->second;
        if (!isAllowed(parameter, value))
            errors.push_back(parameterError(
                kernel, fmt::format("parameter {} cannot be {}", parameter.name, value),
                allowedValues(parameter)));
        values[parameter.name] = value;
    }
    return values;
}

void checkConstraints(const Kernel& kernel, const Values& values, Diagnostics& errors) {
    for (const Constraint& constraint : kernel.constraints) {
        auto holds = evaluate(constraint.expression, values);
        if (!holds)
            errors.insert(errors.end(), holds.error().begin(), holds.error().end());
        else if (*holds == 0)
            errors.push_back(
                parameterError(kernel, constraint.message, "required: " + constraint.expression));
    }
}

void resolveSize(const std::vector<std::string>& expressions,
                 const std::array<std::int64_t, 3>& limits, std::string_view what,
                 const Values& values, std::array<std::uint32_t, 3>& size, Diagnostics& errors) {
    constexpr std::string_view kAxes = "xyz";
    for (std::size_t axis = 0; axis < expressions.size(); ++axis) {
        auto value = evaluateWhole(expressions[axis], values);
        if (!value)
            errors.insert(errors.end(), value.error().begin(), value.error().end());
        else if (*value < 1 || *value > limits[axis])
            errors.push_back(errorAt("launch", {},
                                     fmt::format("{}.{} would be {}", what, kAxes[axis], *value),
                                     fmt::format("it must be from 1 to {}", limits[axis])));
        else
            size[axis] = static_cast<std::uint32_t>(*value);
    }
}

std::optional<ResolvedReference> resolveReference(const Kernel& kernel, const Values& values,
                                                  Diagnostics& errors) {
    if (!kernel.reference)
        return std::nullopt;
    ResolvedReference resolved;
    resolved.kind = kernel.reference->kind;
    resolved.value = kernel.reference->value;
    resolved.index = kernel.reference->index;
    resolved.parameters = values;
    for (const auto& [name, expression] : kernel.reference->sizes) {
        auto value = evaluateWhole(expression, values);
        if (value)
            resolved.sizes[name] = *value;
        else
            errors.insert(errors.end(), value.error().begin(), value.error().end());
    }
    const auto add = [&](const std::vector<std::string>& names,
                         std::vector<ReferenceArgument>& to) {
        for (const std::string& name : names)
            for (std::size_t i = 0; i < kernel.arguments.size(); ++i)
                if (kernel.arguments[i].name == name)
                    to.push_back({i, name, kernel.arguments[i].type});
    };
    add(kernel.reference->inputs, resolved.inputs);
    add(kernel.reference->outputs, resolved.outputs);
    return resolved;
}

/// Edits (insert, remove, replace) that turn a into b.
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

} // namespace

namespace {

/// The manifest itself and everything that is no manifest.
std::vector<EmbeddedFile> filesOfKernel(std::span<const EmbeddedFile> files, std::string_view manifest) {
    std::vector<EmbeddedFile> out;
    for (const EmbeddedFile& file : files)
        if (file.name == manifest || !file.name.ends_with(".json"))
            out.push_back(file);
    return out;
}

} // namespace

Result<std::vector<Kernel>> loadCatalog(std::span<const EmbeddedFile> files) {
    std::vector<Kernel> kernels;
    Diagnostics errors;
    for (const EmbeddedFile& file : files) {
        if (!file.name.ends_with(".json"))
            continue;
        const std::string path(file.name);
        auto kernel = parseManifest(file.bytes, path);
        if (!kernel) {
            errors.insert(errors.end(), kernel.error().begin(), kernel.error().end());
            continue;
        }
        if (const EmbeddedFile* text = findFile(files, kernel->file))
            kernel->text = text->bytes;
        else
            errors.push_back(
                errorAt("manifest", path,
                        fmt::format("field 'file' names {}, which is not there", kernel->file)));
        if (const EmbeddedFile* ptx = findFile(files, path.substr(0, path.size() - 5) + ".ptx"))
            kernel->ptx = ptx->bytes;
        if (findKernel(kernels, kernel->id) != nullptr)
            errors.push_back(errorAt("manifest", path,
                                     fmt::format("field 'id': '{}' is there twice", kernel->id)));
        kernels.push_back(std::move(*kernel));
    }
    if (!errors.empty())
        return failure(std::move(errors));
    std::sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) {
        return a.family != b.family ? a.family < b.family : a.id < b.id;
    });
    return kernels;
}

Result<std::optional<Kernel>> loadKernel(std::span<const EmbeddedFile> files, std::string_view id) {
    for (const EmbeddedFile& file : files) {
        const std::string path(file.name);
        if (path != std::string(id) + ".json" && !path.ends_with("/" + std::string(id) + ".json"))
            continue;
        Result<std::vector<Kernel>> one = loadCatalog(filesOfKernel(files, path));
        if (!one)
            return failure(one.error());
        if (one->front().id == id)
            return std::optional(std::move(one->front()));
    }
    return std::optional<Kernel>();
}

const Kernel* findKernel(std::span<const Kernel> kernels, std::string_view id) {
    for (const Kernel& kernel : kernels)
        if (kernel.id == id)
            return &kernel;
    return nullptr;
}

std::string nearestKernel(std::span<const Kernel> kernels, std::string_view id) {
    std::string nearest;
    std::size_t least = id.size() / 2 + 1;
    for (const Kernel& kernel : kernels) {
        const std::size_t distance = kernel.id.starts_with(id) ? 0 : editDistance(id, kernel.id);
        if (distance < least) {
            least = distance;
            nearest = kernel.id;
        }
    }
    return nearest;
}

Result<Overrides> parseOverrides(std::span<const std::string> texts) {
    Overrides overrides;
    Diagnostics errors;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        const std::string value =
            equals == std::string::npos ? std::string() : text.substr(equals + 1);
        std::int64_t number = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        if (equals == 0 || value.empty() || error != std::errc{} ||
            end != value.data() + value.size())
            errors.push_back(errorAt("parameter", {},
                                     fmt::format("'{}' does not set a parameter", text),
                                     "write NAME=VALUE with a whole number"));
        else
            overrides[text.substr(0, equals)] = number;
    }
    if (!errors.empty())
        return failure(std::move(errors));
    return overrides;
}

Result<ResolvedKernel> resolve(const Kernel& kernel, const Overrides& overrides) {
    ResolvedKernel resolved;
    Diagnostics errors;
    resolved.values = valuesOf(kernel, overrides, errors);
    if (!errors.empty())
        return failure(std::move(errors));
    checkConstraints(kernel, resolved.values, errors);
    if (!errors.empty())
        return failure(std::move(errors));

    for (const Parameter& parameter : kernel.parameters) {
        if (parameter.kind != ParameterKind::Define)
            continue;
        const std::int64_t value = resolved.values.at(parameter.name);
        resolved.defines.emplace_back(parameter.name, std::to_string(value));
        resolved.definesAreDefault = resolved.definesAreDefault && value == parameter.defaultValue;
    }
    resolveSize(kernel.launch.grid, kGridLimits, "grid", resolved.values, resolved.grid, errors);
    resolveSize(kernel.launch.block, kBlockLimits, "block", resolved.values, resolved.block,
                errors);
    const std::int64_t threads =
        std::int64_t{resolved.block[0]} * resolved.block[1] * resolved.block[2];
    if (threads > kThreadLimit)
        errors.push_back(errorAt("launch", {},
                                 fmt::format("a block would have {} threads", threads),
                                 fmt::format("a block has at most {}", kThreadLimit)));
    auto shared = evaluateWhole(kernel.launch.shared, resolved.values);
    if (!shared)
        errors.insert(errors.end(), shared.error().begin(), shared.error().end());
    else
        resolved.sharedBytes = static_cast<std::uint64_t>(std::max<std::int64_t>(*shared, 0));
    for (const Argument& argument : kernel.arguments) {
        auto spec = substitute(argument.spec, resolved.values);
        if (spec)
            resolved.argumentSpecs.push_back(std::move(*spec));
        else
            errors.insert(errors.end(), spec.error().begin(), spec.error().end());
    }
    resolved.reference = resolveReference(kernel, resolved.values, errors);
    if (!kernel.flops.empty())
        resolved.flops = evaluate(kernel.flops, resolved.values).value_or(0);
    if (!errors.empty())
        return failure(std::move(errors));
    return resolved;
}

} // namespace lanescope::catalog
