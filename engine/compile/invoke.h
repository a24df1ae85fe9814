// SPDX-License-Identifier: GPL-3.0-or-later
// One compilation by one given compiler. Private to engine/compile.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/compile/compile.h"
#include "engine/compile/locate.h"
#include "engine/compile/target.h"

namespace lanescope::compile {

/// What a compiler made of the text. When `succeeded` is false, `log` says why.
struct Attempt {
    bool succeeded = false;
    std::string ptx;
    std::string log;
    std::string arch;
    /// The text may be good, but this compiler cannot take it (its architecture, host code, a
    /// header): try another.
    bool unsuitable = false;
};

/// The name of the file that is compiled inside the working folder: the last part of fileName,
/// ending in ".cu".
std::string textFileName(const std::string& fileName);

/// Environment variables for a compiler's process: PATH, and English messages.
std::vector<std::string> processEnvironment(const Environment& environment);

Result<std::string> nvrtcVersion(const Located& located);
Result<std::string> nvccVersion(const Located& located, const Environment& environment);
Result<std::string> clangVersion(const Located& located, const Environment& environment);

Result<Attempt> runNvrtc(const CompileRequest& request, const Located& located,
                         const Architecture& arch);
/// workingDir: an empty private folder.
Result<Attempt> runNvcc(const CompileRequest& request, const Located& located,
                        const Environment& environment, const Architecture& arch,
                        const std::filesystem::path& workingDir);
Result<Attempt> runClang(const CompileRequest& request, const Located& located,
                         const Environment& environment, const Architecture& arch,
                         const std::string& version, const std::filesystem::path& workingDir);

} // namespace lanescope::compile
