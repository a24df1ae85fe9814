// SPDX-License-Identifier: GPL-3.0-or-later
// Whole files in and out, with errors that name the file and the reason.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/diagnostic.h"

namespace lanescope {

/// The file's bytes. Errors (code "file"): missing, a folder, unreadable, larger than maxBytes.
Result<std::string> readFile(const std::filesystem::path& path,
                             std::uintmax_t maxBytes = std::uintmax_t{1} << 32);

/// Writes the file through a temporary beside it and a rename, so that a reader never sees half of it.
Result<void> writeFile(const std::filesystem::path& path, std::string_view bytes);

} // namespace lanescope
