// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel of the course as its manifest describes it: its parameters, how it is launched, its
// arguments and what its result must be. Everything here is data; the engine knows no kernel by
// name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"

namespace lanescope::catalog {

enum class ParameterKind {
    Define, ///< a macro of the CUDA text: changing it compiles again
    Launch, ///< shapes the launch only (the text reads blockDim)
    Problem ///< a size of the problem: changing it only launches again
};

struct Parameter {
    std::string name;
    std::string label;
    std::string help;
    ParameterKind kind = ParameterKind::Problem;
    std::int64_t defaultValue = 0;
    std::int64_t min = 0, max = 0, step = 1; ///< allowed: min, min + step, ... up to max
    std::vector<std::int64_t>
        choices; ///< not empty: only these, ascending; min and max are its ends
};

struct Constraint {
    std::string expression; ///< holds when not zero
    std::string message;
};

struct Launch {
    std::vector<std::string> grid, block; ///< one to three expressions
    std::string shared = "0";             ///< dynamic shared memory, bytes
};

enum class Role { Input, Output, InOut };

struct Argument {
    std::string name;
    std::string spec; ///< as `lanescope sim --arg` takes it, with expressions in braces
    std::string type; ///< element type of an array, "f32"; empty for a scalar
    Role role = Role::Input;
};

/// What the outputs must hold; see reference.h for the kinds.
struct Reference {
    std::string kind;
    std::map<std::string, std::string> sizes; ///< name to expression
    std::vector<std::string> inputs, outputs; ///< names of arguments
    std::string value;                        ///< kind map: expression of an output's element
    std::map<std::string, std::string> index; ///< kind map: which element of an input it is made of
};

struct Kernel {
    std::string id, title, family, entry, notes;
    std::string
        file; ///< path of the CUDA text relative to the catalog's root, "matmul/k01_naive.cu"
    std::vector<Parameter> parameters;
    std::vector<Constraint> constraints;
    Launch launch;
    std::vector<Argument> arguments;
    std::optional<Reference> reference;
    /// Registers a thread that ptxas gave the default parameters, by compute capability ("9.0"); may be empty.
    std::map<std::string, int> registers;
    std::string registersSource; ///< "ptxas 13.0 -v, default parameters"
    std::string flops; ///< expression; empty when the kernel does no arithmetic to speak of
    std::string text;  ///< the CUDA text
    std::string ptx;   ///< made at build time from the text and the default parameters; empty when
                       ///< there is none

    const Parameter* findParameter(std::string_view name) const;
    /// The registers for a compute capability: its own, else the nearest lower one's, else the lowest's; nothing without figures.
    std::optional<int> registersFor(int major, int minor) const;
};

/// Reads one manifest. `path` is its path relative to the catalog's root. Errors (code "manifest")
/// name file and field, all of them. Text and PTX stay empty.
Result<Kernel> parseManifest(std::string_view json, const std::string& path);

} // namespace lanescope::catalog
