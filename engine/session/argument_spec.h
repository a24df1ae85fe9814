// SPDX-License-Identifier: GPL-3.0-or-later
// `--arg SPEC`: what a kernel argument is made of.
//   i32:V u32:V i64:V u64:V f32:V f64:V                 a scalar
//   zeros:BYTES | iota:TYPE:COUNT | random:TYPE:COUNT[:SEED] | file:PATH[:OFFSET[:BYTES]]      a buffer
//   tensormap:KEY=VALUE,...                             a CUtensorMap, or a pointer to one
//       type=f16  size=COLSxROWS  box=COLSxROWS  data=zeros:...|iota:...|random:...|file:...  or  of=ARGUMENT[,offset=BYTES]
//       [stride=BYTESx...] (of the dimensions after the first; without it the tensor is packed)  [estride=NxN] [swizzle=0|32|64|128] [oob=zero|nan]
//       innermost dimension first, as in cuTensorMapEncodeTiled; type u8 u16 u32 i32 u64 i64 f16 bf16 f32 f32_ftz tf32 tf32_ftz f64
// TYPE: f32 f16 bf16 f64 i32 u32 i8 u8. Random floats are uniform in [-1, 1], i8 and u8 over their whole range, i32 in [-1000, 1000],
// u32 in [0, 1000].
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/diagnostic.h"
#include "engine/ptx/ir.h"
#include "engine/sim/launch.h"

namespace lanescope::session {

struct ArgumentValue {
    sim::Argument argument; ///< without a name
    std::string type;       ///< element type, "f32"; "bytes" for zeros and file
    int elementBytes = 1;
    std::string text;       ///< scalars: the value as given
};

/// Bytes of an element of a TYPE; 0 when it is none.
int typeBytes(std::string_view type);

/// The largest buffer that a spec may ask for.
inline constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{4} << 30;

/// Sized: buffers have their size and no bytes, for programs that move no data (sim::countingProgram).
enum class Contents : std::uint8_t { Filled, Sized };

/// Errors (code "argument") name the argument's number, what is wrong and the forms there are. `parameter`: what the kernel takes there;
/// a scalar for a parameter of 1 or 2 bytes is cut to it when it fits, a buffer for a structure by value gives its bytes.
Result<ArgumentValue> parseArgument(std::string_view spec, std::size_t number, const ptx::Parameter& parameter,
                                    Contents contents = Contents::Filled);

} // namespace lanescope::session
