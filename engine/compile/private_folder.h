// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "engine/base/diagnostic.h"

namespace lanescope::compile {

/// A private folder that goes away with its owner.
class PrivateFolder {
public:
    static Result<PrivateFolder> make(const std::filesystem::path& parent) {
        std::string pattern = (parent / "lanescope-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr)
            return failure("file", "no temporary folder can be made here", {parent.string(), 0, 0},
                           "set TMPDIR to a writable folder");
        std::error_code ec;
        const std::filesystem::path real = std::filesystem::canonical(pattern, ec);
        return PrivateFolder(ec ? std::filesystem::path(pattern) : real);
    }
    PrivateFolder(PrivateFolder&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}
    PrivateFolder& operator=(PrivateFolder&&) = delete;
    PrivateFolder(const PrivateFolder&) = delete;
    ~PrivateFolder() {
        std::error_code ec;
        if (!m_path.empty())
            std::filesystem::remove_all(m_path, ec);
    }
    const std::filesystem::path& path() const { return m_path; }

private:
    explicit PrivateFolder(std::filesystem::path path) : m_path(std::move(path)) {}
    std::filesystem::path m_path;
};

} // namespace lanescope::compile
