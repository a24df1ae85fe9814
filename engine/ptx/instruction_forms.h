// SPDX-License-Identifier: GPL-3.0-or-later
// The table of instruction forms: for each opcode the modifiers, types and operands that the PTX
// ISA gives it. The parser reads mnemonics by it, verify() checks by it and print() writes by it.
// Private to engine/ptx.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ptx/ir.h"

namespace lanescope::ptx {

/// What a modifier token changes: a flag of Modifiers, or the value of one of its fields.
enum class Field : std::uint8_t {
    Flag,
    Rounding,
    Compare,
    BoolOp,
    AtomicOp,
    Shuffle,
    Vote,
    Permute,
    Test,
    Barrier,
    Async,
    Bulk,
    Proxy,
    Dimensions,
    Ordering,
    Scope,
    Cache,
    Space,
    Vector,
    Mbarrier,
    Wmma,
    Wgmma,
    Shape,
    LayoutA,
    LayoutB,
    Matrices,
    Hint ///< accepted, changes nothing (cache eviction priorities and the like)
};

/// Alternatives of one place in a mnemonic, as {rn, rz, rm, rp}.
struct ModifierGroup {
    Field field = Field::Flag;
    bool optional = false;
    std::vector<std::string_view> tokens;
};

inline constexpr int kTypeSlots = 4;
inline constexpr std::uint8_t kWideSlot = 9;
/// Values of OperandForm::count: as many as the shape says.
inline constexpr std::uint8_t kHalfOfN = 254, kQuarterOfN = 253;

enum class OperandRole : std::uint8_t {
    Value,     ///< register, immediate or special register of the type
    MoveValue, ///< as Value, also a vector to pack or unpack, the address of a variable or function
    AddressOf, ///< as Value, also the address of a variable
    Elements,  ///< a value, or a vector of Modifiers::vector values
    Pair,      ///< d|p, the predicate optional when pairOptional
    Predicate, ///< predicate source; !p allowed
    ValueOrPredicate, ///< as Value, or a predicate register (cp.async: how much to copy, or whether at all)
    RegistersOrDescriptor, ///< wgmma: four registers, or the descriptor of a matrix in shared memory
    Memory,    ///< [address]
    TensorBox, ///< [address of a tensor map, {coordinates}]
    Constant   ///< goes to Instruction::immediate (lop3)
};

struct OperandForm {
    OperandRole role = OperandRole::Value;
    bool isDestination = false, optional = false;
    bool widens = false;  ///< the register may be wider than the type (ld, st, cvt)
    bool maySink = false; ///< '_' is allowed
    bool pairOptional = false;
    /// 1 to 4: that type slot of the instruction; kWideSlot: twice the width of slot 1; 0: `type`.
    std::uint8_t slot = 0;
    std::uint8_t count = 0; ///< Elements: how many; 0: Modifiers::vector; kHalfOfN, kQuarterOfN
    Type type = Type::None;
};

struct Form {
    Opcode opcode{};
    bool executed = true; ///< false: valid PTX that the simulator does not execute
    std::vector<ModifierGroup> groups;
    std::vector<std::uint64_t> types; ///< for each type slot, a bit per Type
    std::vector<OperandForm> operands;
    std::size_t minimumOperands = 0;
};

/// All forms of an opcode; empty for family Unsupported. The operands of bra, brx and call have
/// rules of their own.
const std::vector<Form>& forms(Opcode opcode);
/// Modifiers that PTX has for the opcode and the simulator does not execute.
bool isUnsupportedModifier(Opcode opcode, std::string_view token);

/// The opcode of a mnemonic without modifiers, or -1.
int findOpcode(std::string_view mnemonic);
/// The type of a token ("f32"), or Type::None.
Type findType(std::string_view token);
/// Applies a token of a group; false when the field does not have it.
bool applyToken(Field field, std::string_view token, Modifiers& modifiers);
/// Modifiers before any token: PTX's defaults for the opcode.
Modifiers defaultModifiers(Opcode opcode);

struct MatchedMnemonic {
    std::vector<const Form*> forms; ///< those that fit, usually one; they differ in their operands
    Modifiers modifiers;
    Type types[kTypeSlots] = {};
    bool supported = true;
    std::string problem; ///< not empty: what is wrong
};
/// Reads the modifiers and types of a mnemonic, in any order (as ptxas does).
MatchedMnemonic matchMnemonic(Opcode opcode, const std::vector<std::string_view>& tokens);

/// The form that an instruction has, or nullptr. Looks at modifiers, types and the number of
/// operands.
const Form* findForm(const Instruction& instruction);
/// Mnemonic with all modifiers and types ("add.rn.ftz.f32").
std::string fullMnemonic(const Instruction& instruction, const Form& form);

/// The type an operand has in an instruction of the given type slots.
Type operandType(const OperandForm& form, const Type (&types)[kTypeSlots]);
/// How many values an operand of role Elements has.
int elementCount(const OperandForm& form, const Modifiers& modifiers);
/// True when a register of type `have` may be used where the instruction wants `want`.
bool isCompatible(Type have, Type want, bool widens);

} // namespace lanescope::ptx
