// SPDX-License-Identifier: GPL-3.0-or-later
// The real session behind the window.
#pragma once

#include "views/bridge/backend.h"

namespace lanescope::views {

/// Makes sessions with these options; their onProgress is replaced by the worker's.
BackendFactory sessionBackend(session::SessionOptions options);

} // namespace lanescope::views
