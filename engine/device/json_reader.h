// SPDX-License-Identifier: GPL-3.0-or-later
// Reads members of a JSON object with errors that name the file and the member; collects them
// instead of stopping.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "engine/base/diagnostic.h"

namespace lanescope::device {

/// Parses the text; the error gives line and column.
Result<nlohmann::json> parseJson(std::string_view text, const std::string& path);

class JsonReader {
public:
    /// where: how messages call this object, such as "figures.sm_count". Borrowed: everything but
    /// `where`.
    JsonReader(const nlohmann::json& object, std::string where, const std::string& path,
               Diagnostics& errors);

    std::string text(const char* member);
    std::string optionalText(const char* member);
    double number(const char* member);
    bool flag(const char* member); ///< false when absent
    /// At least `least`; the fallback when absent, an error when absent without one.
    int integer(const char* member, int least, std::optional<int> fallback = std::nullopt);
    std::optional<int> optionalInteger(const char* member, int least);
    /// Null (and an error unless optional) when there is no such object or array.
    const nlohmann::json* object(const char* member, bool required);
    const nlohmann::json* array(const char* member, bool required);
    void error(const std::string& message, std::string hint = {});

private:
    const nlohmann::json* find(const char* member, bool required, const char* kind,
                               bool (*is)(const nlohmann::json&));

    const nlohmann::json& m_object;
    std::string m_where;
    const std::string& m_path;
    Diagnostics& m_errors;
};

} // namespace lanescope::device
