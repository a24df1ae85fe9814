// SPDX-License-Identifier: GPL-3.0-or-later
// Reads an object of lesson.json field by field and keeps what is wrong: file, field, what to do.
// Private to the module.
#pragma once

#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/diagnostic.h"
#include "engine/lesson/lesson.h"

namespace lanescope::lesson {

/// Where problems of one file go.
struct Problems {
    std::string file;
    Diagnostics* list = nullptr;

    void add(std::string message, std::string hint = {}, std::uint32_t line = 0) const;
};

/// The text as JSON, or a problem with its line.
std::optional<nlohmann::json> parseJson(std::string_view text, const Problems& problems);

/// One object of the file; `path` is how messages call it ("steps[2].quiz", empty for the whole
/// file).
class Fields {
public:
    Fields(const nlohmann::json& value, std::string path, const Problems& problems);

    /// A name that is not among these is a problem that lists them.
    void allow(std::initializer_list<std::string_view> names) const;
    bool has(std::string_view name) const;
    /// The field, null when it is missing. `at` is its path for messages.
    const nlohmann::json* find(std::string_view name) const;
    std::string at(std::string_view name) const;

    /// These give the fallback (and a problem) when the field has the wrong type, the fallback
    /// alone when it is missing.
    std::string text(std::string_view name, std::string fallback = {}) const;
    std::int64_t whole(std::string_view name, std::int64_t minimum, std::int64_t maximum,
                       std::int64_t fallback) const;
    double number(std::string_view name, double fallback) const;
    bool flag(std::string_view name, bool fallback) const;
    std::vector<std::string> texts(std::string_view name) const;
    /// {"en": ..., "zh": ...}, both needed.
    LocalText localText(std::string_view name) const;
    catalog::Overrides numbers(std::string_view name) const;
    /// As text and localText; a missing or empty field is a problem.
    std::string requiredText(std::string_view name, std::string_view example) const;
    LocalText requiredLocalText(std::string_view name) const;
    /// The objects of an array.
    std::vector<Fields> objects(std::string_view name) const;

    void problem(std::string_view name, std::string message, std::string hint = {}) const;
    const std::string& path() const { return m_path; }
    const Problems& problems() const { return *m_problems; }

private:
    const nlohmann::json* m_value;
    std::string m_path;
    const Problems* m_problems;
};

} // namespace lanescope::lesson
