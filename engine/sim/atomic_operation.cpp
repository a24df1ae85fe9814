// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/atomic_operation.h"

#include <algorithm>
#include <cstring>

namespace lanescope::sim {

namespace {

std::uint64_t combineFloat(LaneFunction combine, bool wide, std::uint64_t old, std::uint64_t operand) {
    // One lane of rows.
    alignas(64) std::uint64_t a[kWarpSize] = {old}, b[kWarpSize] = {operand}, d[kWarpSize] = {};
    LaneMask carry = 0;
    LaneArguments arguments;
    arguments.destination[0] = d;
    arguments.source[0] = a;
    arguments.source[1] = b;
    arguments.carry = &carry;
    combine(arguments, 1u);
    return wide ? d[0] : d[0] & 0xffffffffu;
}

} // namespace

std::uint64_t atomicOperation(ptx::AtomicOp op, ptx::Type type, std::uint64_t old, std::uint64_t operand,
                              std::uint64_t compare, LaneFunction combine) {
    using ptx::AtomicOp;
    const int bytes = ptx::sizeBytes(type);
    const std::uint64_t mask = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
    operand &= mask;
    const auto isLess = [&](std::uint64_t a, std::uint64_t b) {
        if (!ptx::isSigned(type))
            return a < b;
        const int shift = 64 - 8 * bytes;
        return static_cast<std::int64_t>(a << shift) < static_cast<std::int64_t>(b << shift);
    };
    switch (op) {
    case AtomicOp::And: return old & operand;
    case AtomicOp::Or: return old | operand;
    case AtomicOp::Xor: return old ^ operand;
    case AtomicOp::Exch: return operand;
    case AtomicOp::Cas: return old == (compare & mask) ? operand : old;
    case AtomicOp::Inc: return old >= operand ? 0 : (old + 1) & mask;
    case AtomicOp::Dec: return old == 0 || old > operand ? operand : old - 1;
    case AtomicOp::Add:
        return combine != nullptr ? combineFloat(combine, bytes == 8, old, operand) : (old + operand) & mask;
    case AtomicOp::Min:
        if (combine != nullptr)
            return combineFloat(combine, bytes == 8, old, operand);
        return isLess(operand, old) ? operand : old;
    case AtomicOp::Max:
        if (combine != nullptr)
            return combineFloat(combine, bytes == 8, old, operand);
        return isLess(old, operand) ? operand : old;
    case AtomicOp::None: break;
    }
    return old;
}

LaneFunction combineFunction(ptx::AtomicOp op, ptx::Type type, bool flush) {
    if (!ptx::isFloat(type))
        return nullptr;
    ptx::Instruction scalar;
    scalar.type = type;
    scalar.modifiers.ftz = flush;
    switch (op) {
    case ptx::AtomicOp::Add:
        scalar.opcode = ptx::Opcode::Add;
        scalar.modifiers.rounding = ptx::Rounding::Rn;
        break;
    case ptx::AtomicOp::Min: scalar.opcode = ptx::Opcode::Min; break;
    case ptx::AtomicOp::Max: scalar.opcode = ptx::Opcode::Max; break;
    default: return nullptr;
    }
    const Result<LaneFunction> function = selectLaneFunction(scalar);
    return function ? *function : nullptr;
}

void reduceBytes(ptx::AtomicOp op, ptx::Type type, LaneFunction combine, std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
    if (op == ptx::AtomicOp::None) {
        std::memcpy(to, from, bytes);
        return;
    }
    const auto element = static_cast<std::size_t>(ptx::sizeBytes(type));
    for (std::size_t at = 0; at + element <= bytes; at += element) {
        std::uint64_t old = 0, operand = 0;
        std::memcpy(&old, to + at, element);
        std::memcpy(&operand, from + at, element);
        const std::uint64_t updated = atomicOperation(op, type, old, operand, 0, combine);
        std::memcpy(to + at, &updated, element);
    }
}

} // namespace lanescope::sim
