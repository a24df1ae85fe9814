// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/atomic_operation.h"

#include <algorithm>

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

} // namespace lanescope::sim
