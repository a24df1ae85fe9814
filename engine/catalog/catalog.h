// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of the course: loaded from manifests, looked up by id, and resolved to a launch for
// given parameters.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/base/embedded_file.h"
#include "engine/catalog/expression.h"
#include "engine/catalog/kernel.h"
#include "engine/catalog/reference.h"

namespace lanescope::catalog {

/// The files of a catalog: "<family>/<id>.json", the text that it names, and "<family>/<id>.ptx"
/// when it was compiled. Sorted by family, then id. Errors (code "manifest") of all manifests
/// together.
Result<std::vector<Kernel>> loadCatalog(std::span<const EmbeddedFile> files);

/// The kernel whose manifest is "<family>/<id>.json", without reading the others; nothing when there is none.
Result<std::optional<Kernel>> loadKernel(std::span<const EmbeddedFile> files, std::string_view id);

/// Those built into the program (from kernels/). Link lanescope_embed_kernels.
const Kernel* findKernel(std::span<const Kernel> kernels, std::string_view id);

/// The id that is nearest in spelling, for a hint; empty when none is near.
std::string nearestKernel(std::span<const Kernel> kernels, std::string_view id);

/// Parameter name to value; parameters that are not named keep their default.
using Overrides = Values;

/// From "NAME=VALUE" texts. Errors: code "parameter".
Result<Overrides> parseOverrides(std::span<const std::string> texts);

struct ResolvedKernel {
    std::vector<std::pair<std::string, std::string>> defines; ///< for compile::CompileRequest
    bool definesAreDefault = true; ///< Kernel::ptx is what these defines give
    std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::uint64_t sharedBytes = 0;
    std::vector<std::string> argumentSpecs;
    std::optional<ResolvedReference> reference;
    Values values;    ///< every parameter
    double flops = 0; ///< 0 when the manifest does not say
};

/// Errors: code "parameter", one for each name or value that is not allowed (the hint says what is)
/// and for each constraint that is broken; code "launch" for a grid or block that no device could
/// launch.
Result<ResolvedKernel> resolve(const Kernel& kernel, const Overrides& overrides);

} // namespace lanescope::catalog
