// SPDX-License-Identifier: GPL-3.0-or-later
// What ptxas makes of PTX for one architecture, as text: machine code (SASS) by nvdisasm, with the lines of the CUDA text, and what it costs
// in registers, spills and shared memory. Both programs are the CUDA Toolkit's; nothing here needs them to be there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/compile/compile.h"

namespace lanescope::compile {

struct SassLine {
    std::uint32_t address = 0;  ///< bytes from the function's start; of a label: of what follows it
    bool isLabel = false;
    std::string text;           ///< "@!P0 BRA `(.L_x_0)", ".L_x_0:"
    std::uint32_t cudaLine = 0; ///< of the CUDA text, 0: not known
};

/// Bytes are those of one thread; shared memory is the block's, without the dynamic part.
struct Sass {
    std::string entry, arch;
    std::string ptxas, nvdisasm; ///< versions: "13.0.88"
    int registersPerThread = 0, barriers = 0;
    std::int64_t stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0, staticSharedBytes = 0;
    std::vector<SassLine> lines;

    std::size_t instructionCount() const;
};

struct SassRequest {
    std::string ptx;
    std::string entry;          ///< its symbol or the name in the CUDA text; empty: the only one
    /// PTX for one architecture (.target sm_90a) keeps that one; PTX for a later one is assembled as if it were for this one, and ptxas refuses
    /// what that does not have.
    std::string arch = "sm_90";
    std::string cudaFile;       ///< name of the file whose lines count; empty: every file's
    std::filesystem::path keepCubin; ///< the cubin is copied here as well; empty: it is not kept
    std::stop_token stop;
};

/// Errors: code "compiler" (ptxas or nvdisasm is not there, cannot be started, refuses the PTX - with its message - or has no such entry),
/// "timeout", "cancelled".
Result<Sass> disassemble(const SassRequest& request, const Environment& environment);

/// Whether ptxas and nvdisasm are on this machine.
bool canDisassemble(const Environment& environment);

/// One line an instruction: its address and its text. Line i + 1 is sass.lines[i].
std::string toText(const Sass& sass);

/// The entry points that `ptxas -v` names.
std::vector<std::string> entriesIn(std::string_view log);
/// The lines of `entry` in the output of `nvdisasm -c -g`.
std::vector<SassLine> parseSass(std::string_view text, const std::string& entry, const std::string& cudaFile);
/// Reads what `ptxas -v` says of the entry into its figures.
void parseFigures(std::string_view log, Sass& sass);

} // namespace lanescope::compile
