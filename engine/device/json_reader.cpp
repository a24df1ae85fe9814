// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/json_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace lanescope::device {

using nlohmann::json;

Result<json> parseJson(std::string_view text, const std::string& path) {
    try {
        return json::parse(text);
    } catch (const json::parse_error& error) {
        const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
        const std::string_view before = text.substr(0, at);
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        const auto lineStart = before.rfind('\n');
        const std::size_t column =
            at - (lineStart == std::string_view::npos ? 0 : lineStart + 1) + 1;
        return failure("device",
                       at == text.size() ? "the JSON ends too early" : "not valid JSON here",
                       {path, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(column)},
                       "check commas, quotes and brackets before this place");
    }
}

JsonReader::JsonReader(const json& object, std::string where, const std::string& path,
                       Diagnostics& errors)
    : m_object(object), m_where(std::move(where)), m_path(path), m_errors(errors) {}

void JsonReader::error(const std::string& message, std::string hint) {
    m_errors.push_back({Severity::Error,
                        "device",
                        m_where.empty() ? message : fmt::format("{}: {}", m_where, message),
                        {m_path, 0, 0},
                        std::move(hint)});
}

const json* JsonReader::find(const char* member, bool required, const char* kind,
                             bool (*is)(const json&)) {
    const auto it = m_object.find(member);
    if (it == m_object.end()) {
        if (required)
            error(fmt::format("\"{}\" is missing", member), fmt::format("add it: {}", kind));
        return nullptr;
    }
    if (is(*it))
        return &*it;
    error(fmt::format("\"{}\" is {}, not {}", member, it->type_name(), kind));
    return nullptr;
}

std::string JsonReader::text(const char* member) {
    const json* value = find(member, true, "a text", [](const json& j) { return j.is_string(); });
    if (value == nullptr)
        return {};
    auto text = value->get<std::string>();
    if (text.empty())
        error(fmt::format("\"{}\" is empty", member));
    return text;
}

std::string JsonReader::optionalText(const char* member) {
    const json* value = find(member, false, "a text", [](const json& j) { return j.is_string(); });
    return value != nullptr ? value->get<std::string>() : std::string();
}

double JsonReader::number(const char* member) {
    const json* value = find(member, true, "a number", [](const json& j) { return j.is_number(); });
    if (value == nullptr)
        return 0;
    const auto number = value->get<double>();
    if (!(number > 0) || !std::isfinite(number))
        error(fmt::format("\"{}\" is {}, not a positive number", member, number));
    return number;
}

bool JsonReader::flag(const char* member) {
    const json* value =
        find(member, false, "true or false", [](const json& j) { return j.is_boolean(); });
    return value != nullptr && value->get<bool>();
}

std::optional<int> JsonReader::optionalInteger(const char* member, int least) {
    if (!m_object.contains(member))
        return std::nullopt;
    const json* value =
        find(member, true, "a whole number", [](const json& j) { return j.is_number_integer(); });
    if (value == nullptr)
        return std::nullopt;
    const auto number = value->get<std::int64_t>();
    if (number < least || number > std::numeric_limits<int>::max())
        error(fmt::format("\"{}\" is {}, less than {} or too large", member, number, least));
    return static_cast<int>(number);
}

int JsonReader::integer(const char* member, int least, std::optional<int> fallback) {
    const auto value = optionalInteger(member, least);
    if (!value && !fallback && !m_object.contains(member))
        error(fmt::format("\"{}\" is missing", member), "add it: a whole number");
    return value.value_or(fallback.value_or(least));
}

const json* JsonReader::object(const char* member, bool required) {
    return find(member, required, "an object", [](const json& j) { return j.is_object(); });
}

const json* JsonReader::array(const char* member, bool required) {
    return find(member, required, "a list", [](const json& j) { return j.is_array(); });
}

} // namespace lanescope::device
