// SPDX-License-Identifier: GPL-3.0-or-later
// The option --as of the subcommands that simulate.
#pragma once

#include <string>

#include <fmt/format.h>

#include "engine/base/diagnostic.h"
#include "engine/session/simulate.h"

namespace lanescope::cli {

inline constexpr const char* kFormHelp =
    "written: the PTX as it is; compiled: loops unrolled and shared accesses merged as ptxas does";

/// Error (code "argument"): neither written nor compiled.
inline Result<session::CodeForm> codeForm(const std::string& text) {
    for (const session::CodeForm form : {session::CodeForm::Written, session::CodeForm::Compiled})
        if (session::name(form) == text)
            return form;
    return failure("argument", fmt::format("--as '{}' is not known", text), {},
                   "written: the PTX as it is; compiled: with loops unrolled and shared accesses "
                   "merged as ptxas does");
}

} // namespace lanescope::cli
