// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of compile and catalog share: a folder that goes away, and this machine's
// compilers.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "engine/compile/compile.h"

namespace lanescope::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "lanescope-test-XXXXXX").string();
        if (::mkdtemp(pattern.data()) != nullptr)
            m_path = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ec;
        if (!m_path.empty())
            std::filesystem::remove_all(m_path, ec);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

/// This machine's compilers, with the cache in the given folder (empty: none).
inline compile::Environment machine(const std::filesystem::path& cacheDir = {}) {
    compile::Environment environment =
        compile::environmentFrom([](const char* name) { return std::getenv(name); });
    environment.cacheDir = cacheDir;
    return environment;
}

/// How often a word occurs in the text.
inline int countOf(const std::string& text, const std::string& word) {
    int count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + word.size()))
        ++count;
    return count;
}

} // namespace lanescope::test
