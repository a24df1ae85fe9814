// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/lesson/json_fields.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace lanescope::lesson {

using nlohmann::json;

void Problems::add(std::string message, std::string hint, std::uint32_t line) const {
    list->push_back(
        {Severity::Error, "lesson", std::move(message), {file, line, 0}, std::move(hint)});
}

std::optional<json> parseJson(std::string_view text, const Problems& problems) {
    try {
        return json::parse(text);
    } catch (const json::parse_error& error) {
        const std::size_t end = std::min(error.byte, text.size());
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
        problems.add("this is not JSON", "look for a missing comma, quote or bracket near here",
                     static_cast<std::uint32_t>(line));
    }
    return std::nullopt;
}

Fields::Fields(const json& value, std::string path, const Problems& problems)
    : m_value(&value), m_path(std::move(path)), m_problems(&problems) {
    if (!value.is_object())
        problems.add(fmt::format("{} must be an object", m_path.empty() ? "the file" : m_path),
                     "write it in braces");
}

std::string Fields::at(std::string_view name) const {
    return m_path.empty() ? std::string(name) : fmt::format("{}.{}", m_path, name);
}

void Fields::problem(std::string_view name, std::string message, std::string hint) const {
    m_problems->add(fmt::format("{}: {}", at(name), message), std::move(hint));
}

void Fields::allow(std::initializer_list<std::string_view> names) const {
    if (!m_value->is_object())
        return;
    for (const auto& item : m_value->items())
        if (std::find(names.begin(), names.end(), item.key()) == names.end())
            problem(item.key(), "unknown field",
                    fmt::format("the fields here are {}", fmt::join(names, ", ")));
}

const json* Fields::find(std::string_view name) const {
    if (!m_value->is_object())
        return nullptr;
    const auto found = m_value->find(std::string(name));
    return found == m_value->end() ? nullptr : &*found;
}

bool Fields::has(std::string_view name) const {
    return find(name) != nullptr;
}

std::string Fields::text(std::string_view name, std::string fallback) const {
    const json* value = find(name);
    if (value == nullptr)
        return fallback;
    if (!value->is_string()) {
        problem(name, "must be a text", "write it in quotes");
        return fallback;
    }
    return value->get<std::string>();
}

std::string Fields::requiredText(std::string_view name, std::string_view example) const {
    std::string result = text(name);
    const json* value = find(name);
    if (result.empty() && (value == nullptr || value->is_string()))
        problem(name, "is missing or empty",
                fmt::format("for example \"{}\": \"{}\"", name, example));
    return result;
}

std::int64_t Fields::whole(std::string_view name, std::int64_t minimum, std::int64_t maximum,
                           std::int64_t fallback) const {
    const json* value = find(name);
    if (value == nullptr)
        return fallback;
    const bool isInRange =
        value->is_number_integer() &&
        (!value->is_number_unsigned() || value->get<std::uint64_t>() <= INT64_MAX) &&
        value->get<std::int64_t>() >= minimum && value->get<std::int64_t>() <= maximum;
    if (!isInRange) {
        problem(name, fmt::format("must be a whole number from {} to {}", minimum, maximum));
        return fallback;
    }
    return value->get<std::int64_t>();
}

double Fields::number(std::string_view name, double fallback) const {
    const json* value = find(name);
    if (value == nullptr)
        return fallback;
    if (!value->is_number()) {
        problem(name, "must be a number", "write it without quotes");
        return fallback;
    }
    return value->get<double>();
}

bool Fields::flag(std::string_view name, bool fallback) const {
    const json* value = find(name);
    if (value == nullptr)
        return fallback;
    if (!value->is_boolean()) {
        problem(name, "must be true or false");
        return fallback;
    }
    return value->get<bool>();
}

std::vector<std::string> Fields::texts(std::string_view name) const {
    std::vector<std::string> result;
    const json* value = find(name);
    if (value == nullptr)
        return result;
    if (!value->is_array()) {
        problem(name, "must be a list of texts", "write it in square brackets");
        return result;
    }
    for (const json& item : *value)
        if (item.is_string())
            result.push_back(item.get<std::string>());
        else
            problem(name, "must hold texts only", "write each in quotes");
    return result;
}

LocalText Fields::localText(std::string_view name) const {
    const json* value = find(name);
    if (value == nullptr)
        return {};
    const Fields inner(*value, at(name), *m_problems);
    if (!value->is_object())
        return {};
    inner.allow({"en", "zh"});
    return {inner.requiredText("en", "English text"), inner.requiredText("zh", "Chinese text")};
}

LocalText Fields::requiredLocalText(std::string_view name) const {
    if (!has(name))
        problem(name, "is missing", R"(write {"en": "...", "zh": "..."})");
    return localText(name);
}

catalog::Overrides Fields::numbers(std::string_view name) const {
    catalog::Overrides result;
    const json* value = find(name);
    if (value == nullptr)
        return result;
    const Fields inner(*value, at(name), *m_problems);
    if (value->is_object())
        for (const auto& item : value->items())
            result[item.key()] = inner.whole(item.key(), INT32_MIN, INT64_MAX, 0);
    return result;
}

std::vector<Fields> Fields::objects(std::string_view name) const {
    std::vector<Fields> result;
    const json* value = find(name);
    if (value == nullptr)
        return result;
    if (!value->is_array()) {
        problem(name, "must be a list", "write it in square brackets");
        return result;
    }
    for (std::size_t i = 0; i < value->size(); ++i)
        result.emplace_back((*value)[i], fmt::format("{}[{}]", at(name), i), *m_problems);
    return result;
}

} // namespace lanescope::lesson
