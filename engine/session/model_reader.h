// SPDX-License-Identifier: GPL-3.0-or-later
// What the models' answers share: reading arguments, and the registry's rows. Private to engine/session.
#pragma once

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/device/device.h"
#include "engine/session/explanation_json.h"
#include "engine/session/model_answers.h"

namespace lanescope::session {

inline constexpr double kWholeMost = 9007199254740992.0; // 2^53

/// Reads the values of a model's parameters and keeps what is wrong with them.
class ModelReader {
public:
    ModelReader(const ModelKind& kind, const ModelArguments& arguments)
        : m_kind(kind), m_arguments(arguments) {}

    std::string text(std::string_view name) const {
        if (const auto given = m_arguments.find(name); given != m_arguments.end())
            return given->second;
        return std::string(m_kind.find(name)->defaultValue);
    }
    bool has(std::string_view name) const { return !text(name).empty(); }

    double number(std::string_view name) {
        const std::string value = text(name);
        double result = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
        if (value.empty()) {
            add(fmt::format("--{} is missing", name),
                fmt::format("give {}", m_kind.find(name)->help));
        } else if (error != std::errc{} || end != value.data() + value.size() ||
                   !std::isfinite(result)) {
            add(fmt::format("--{} '{}' is not a number", name, value), "give a number");
        }
        return result;
    }

    std::optional<double> optionalNumber(std::string_view name) {
        return has(name) ? std::optional(number(name)) : std::nullopt;
    }

    std::int64_t whole(std::string_view name, double least, double most = kWholeMost) {
        const double value = number(name);
        const std::string written = text(name);
        if (std::floor(value) != value)
            add(fmt::format("--{} '{}' is not a whole number", name, written),
                fmt::format("give one from {:.0f} to {:.0f}", least, most));
        else if (!written.empty() && (value < least || value > most))
            add(fmt::format("--{} {} is out of range", name, written),
                fmt::format("give a whole number from {:.0f} to {:.0f}", least, most));
        else
            return static_cast<std::int64_t>(value);
        return static_cast<std::int64_t>(least);
    }

    int wholeInt(std::string_view name, double least) {
        return static_cast<int>(whole(name, least, INT32_MAX));
    }

    bool flag(std::string_view name) {
        const std::string value = text(name);
        if (value != "0" && value != "1")
            add(fmt::format("--{} '{}' is neither 0 nor 1", name, value), "give 0 or 1");
        return value == "1";
    }

    void add(std::string message, std::string hint) {
        // One message for each parameter: the first says what to mend.
        if (m_errors.empty() || m_errors.back().message.substr(0, message.find(' ')) !=
                                    message.substr(0, message.find(' ')))
            m_errors.push_back(
                {Severity::Error, "argument", std::move(message), {}, std::move(hint)});
    }

    Result<device::Device> device() {
        if (!has("gpu"))
            return failure("argument", "--gpu is missing", {},
                           "name a GPU: `lanescope devices` lists them");
        return device::findDevice(text("gpu"));
    }

    const Diagnostics& errors() const { return m_errors; }

private:
    const ModelKind& m_kind;
    const ModelArguments& m_arguments;
    Diagnostics m_errors;
};

inline nlohmann::ordered_json explanationsJson(std::initializer_list<const model::Explanation*> explanations) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const model::Explanation* e : explanations)
        out.push_back(explanationJson(*e));
    return out;
}

inline ModelAnswer answerOf(const nlohmann::ordered_json& json, std::string text) {
    return {json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace), std::move(text)};
}

inline nlohmann::ordered_json gpuJson(const device::Device& device) {
    return {{"gpu", device.id}, {"gpu_name", device.name}};
}

struct ModelEntry {
    ModelKind kind;
    Result<ModelAnswer> (*run)(ModelReader&);
};
/// swizzle, feeding, pipeline, fragment, dot: the models about tensor cores (tensor_answers.cpp).
const std::vector<ModelEntry>& tensorModels();

} // namespace lanescope::session
