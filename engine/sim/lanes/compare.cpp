// SPDX-License-Identifier: GPL-3.0-or-later
// setp, set, selp, slct and testp. A comparison of rows gives a LaneMask; what is done with it
// (combine with a predicate, write p and q, expand to a value) is a second, small template, so that
// the product of all modifiers stays cheap.
#include "engine/sim/lanes/formats.h"
#include "engine/sim/lanes/rows.h"
#include "engine/sim/lanes/select.h"

namespace lanescope::sim::lanes {
namespace {

using ptx::BoolOp;
using ptx::Compare;
using ptx::Instruction;
using ptx::TestMode;
using ptx::Type;

/// Element tags whose Value is what is compared: halves widened to float, subnormals flushed for
/// .ftz.
struct F32Ftz : F32 {
    static float get(std::uint32_t slot) { return flush(floatOf(slot)); }
};
template <int Shift, bool Ftz>
struct HalfValue : F32 {
    static float get(std::uint32_t slot) {
        const std::uint32_t bits = (slot >> Shift) & 0xffffu;
        return halfToFloat(Ftz && (bits & 0x7c00u) == 0 ? bits & 0x8000u : bits);
    }
};
template <int Shift>
struct BrainValue : F32 {
    static float get(std::uint32_t slot) { return bfloatToFloat((slot >> Shift) & 0xffffu); }
};

template <Compare C, class V>
inline bool compare(V a, V b) {
    const bool unordered = a != a || b != b;
    switch (C) {
    case Compare::Eq:
        return a == b;
    case Compare::Ne:
        return !unordered && a != b;
    case Compare::Lt:
    case Compare::Lo:
        return a < b;
    case Compare::Le:
    case Compare::Ls:
        return a <= b;
    case Compare::Gt:
    case Compare::Hi:
        return a > b;
    case Compare::Ge:
    case Compare::Hs:
        return a >= b;
    case Compare::Equ:
        return unordered || a == b;
    case Compare::Neu:
        return unordered || a != b;
    case Compare::Ltu:
        return unordered || a < b;
    case Compare::Leu:
        return unordered || a <= b;
    case Compare::Gtu:
        return unordered || a > b;
    case Compare::Geu:
        return unordered || a >= b;
    case Compare::Num:
        return !unordered;
    case Compare::Nan:
        return unordered;
    case Compare::None:
        return false;
    }
    return false;
}

template <Compare C, class E>
[[gnu::noinline]] LaneMask compareRows(const LaneArguments& arguments) {
    const auto* a = sourceRow<E>(arguments, 0);
    const auto* b = sourceRow<E>(arguments, 1);
    return maskOf([&](int lane) { return compare<C>(E::get(a[lane]), E::get(b[lane])); });
}

template <BoolOp Op>
inline LaneMask combine(LaneMask value, const LaneArguments& arguments) {
    if constexpr (Op == BoolOp::And)
        return value & predicateSource(arguments, 2);
    else if constexpr (Op == BoolOp::Or)
        return value | predicateSource(arguments, 2);
    else if constexpr (Op == BoolOp::Xor)
        return value ^ predicateSource(arguments, 2);
    else
        return value;
}

using RowComparison = LaneMask (*)(const LaneArguments&);

template <RowComparison Compared, BoolOp Op>
void setPredicate(const LaneArguments& arguments, LaneMask active) {
    const LaneMask value = Compared(arguments);
    const LaneMask p = combine<Op>(value, arguments);
    const LaneMask q = combine<Op>(~value, arguments);
    writePredicate(arguments.destination[0], p, active);
    writePredicate(arguments.destination[1], q, active);
}
/// setp.f16x2: p is the comparison of the low halves, q that of the high ones.
template <RowComparison Low, RowComparison High, BoolOp Op>
void setPredicatePair(const LaneArguments& arguments, LaneMask active) {
    const LaneMask p = combine<Op>(Low(arguments), arguments);
    const LaneMask q = combine<Op>(High(arguments), arguments);
    writePredicate(arguments.destination[0], p, active);
    writePredicate(arguments.destination[1], q, active);
}

[[gnu::noinline]] void expand(const LaneArguments& arguments, LaneMask active, LaneMask low,
                              std::uint32_t lowTrue, LaneMask high, std::uint32_t highTrue) {
    writeRow<std::uint32_t>(arguments, active, [&](std::uint32_t* out) {
        for (int i = 0; i < kWarpSize; ++i)
            out[i] =
                (((low >> i) & 1u) != 0 ? lowTrue : 0u) | (((high >> i) & 1u) != 0 ? highTrue : 0u);
    });
}
template <RowComparison Compared, BoolOp Op, std::uint32_t True>
void setValue(const LaneArguments& arguments, LaneMask active) {
    expand(arguments, active, combine<Op>(Compared(arguments), arguments), True, 0, 0);
}
template <RowComparison Low, RowComparison High, BoolOp Op, std::uint32_t True>
void setValuePair(const LaneArguments& arguments, LaneMask active) {
    expand(arguments, active, combine<Op>(Low(arguments), arguments), True,
           combine<Op>(High(arguments), arguments), True << 16);
}

template <BoolOp Op>
using BoolOpConstant = std::integral_constant<BoolOp, Op>;

template <class F>
LaneFunction withBoolOp(BoolOp op, F&& f) {
    switch (op) {
    case BoolOp::None:
        return f(BoolOpConstant<BoolOp::None>{});
    case BoolOp::And:
        return f(BoolOpConstant<BoolOp::And>{});
    case BoolOp::Or:
        return f(BoolOpConstant<BoolOp::Or>{});
    case BoolOp::Xor:
        return f(BoolOpConstant<BoolOp::Xor>{});
    }
    return nullptr;
}

template <Compare C>
using CompareConstant = std::integral_constant<Compare, C>;

/// The six comparisons that integers have too (lo ... hs are lt ... ge of unsigned types).
template <class F>
LaneFunction withOrderedCompare(Compare compare, F&& f) {
    switch (compare) {
    case Compare::Eq:
        return f(CompareConstant<Compare::Eq>{});
    case Compare::Ne:
        return f(CompareConstant<Compare::Ne>{});
    case Compare::Lo:
    case Compare::Lt:
        return f(CompareConstant<Compare::Lt>{});
    case Compare::Ls:
    case Compare::Le:
        return f(CompareConstant<Compare::Le>{});
    case Compare::Hi:
    case Compare::Gt:
        return f(CompareConstant<Compare::Gt>{});
    case Compare::Hs:
    case Compare::Ge:
        return f(CompareConstant<Compare::Ge>{});
    default:
        return nullptr;
    }
}
template <class F>
LaneFunction withFloatCompare(Compare compare, F&& f) {
    switch (compare) {
    case Compare::Equ:
        return f(CompareConstant<Compare::Equ>{});
    case Compare::Neu:
        return f(CompareConstant<Compare::Neu>{});
    case Compare::Ltu:
        return f(CompareConstant<Compare::Ltu>{});
    case Compare::Leu:
        return f(CompareConstant<Compare::Leu>{});
    case Compare::Gtu:
        return f(CompareConstant<Compare::Gtu>{});
    case Compare::Geu:
        return f(CompareConstant<Compare::Geu>{});
    case Compare::Num:
        return f(CompareConstant<Compare::Num>{});
    case Compare::Nan:
        return f(CompareConstant<Compare::Nan>{});
    case Compare::Lo:
    case Compare::Ls:
    case Compare::Hi:
    case Compare::Hs:
        return nullptr;
    default:
        return withOrderedCompare(compare, std::forward<F>(f));
    }
}
bool isUnsignedOnly(Compare compare) {
    return compare == Compare::Lo || compare == Compare::Ls || compare == Compare::Hi ||
           compare == Compare::Hs;
}

/// f.operator()<RowComparison>() for the comparison of an instruction whose values are single.
template <class F>
LaneFunction withComparison(const Instruction& instruction, Type type, F&& f) {
    const Compare wanted = instruction.modifiers.compare;
    const bool ftz = instruction.modifiers.ftz;
    const auto integer = [&]<class E>() -> LaneFunction {
        const bool isSignedType = std::is_signed_v<typename E::Value>;
        if (isSignedType && isUnsignedOnly(wanted))
            return nullptr;
        return withOrderedCompare(
            wanted, [&](auto c) { return f.template operator()<&compareRows<c.value, E>>(); });
    };
    const auto floating = [&]<class E>() -> LaneFunction {
        return withFloatCompare(
            wanted, [&](auto c) { return f.template operator()<&compareRows<c.value, E>>(); });
    };
    switch (type) {
    case Type::B16:
    case Type::U16:
        return integer.template operator()<U16>();
    case Type::S16:
        return integer.template operator()<S16>();
    case Type::B32:
    case Type::U32:
        return integer.template operator()<U32>();
    case Type::S32:
        return integer.template operator()<S32>();
    case Type::B64:
    case Type::U64:
        return integer.template operator()<U64>();
    case Type::S64:
        return integer.template operator()<S64>();
    case Type::F32:
        return ftz ? floating.template operator()<F32Ftz>() : floating.template operator()<F32>();
    case Type::F64:
        return floating.template operator()<F64>();
    case Type::F16:
        return ftz ? floating.template operator()<HalfValue<0, true>>()
                   : floating.template operator()<HalfValue<0, false>>();
    case Type::BF16:
        return floating.template operator()<BrainValue<0>>();
    default:
        return nullptr;
    }
}
/// f.operator()<Low, High>() for packed halves.
template <class F>
LaneFunction withPairComparison(const Instruction& instruction, Type type, F&& f) {
    const auto pair = [&]<class Low, class High>() -> LaneFunction {
        return withFloatCompare(instruction.modifiers.compare, [&](auto c) {
            return f.template operator()<&compareRows<c.value, Low>, &compareRows<c.value, High>>();
        });
    };
    if (type == Type::BF16x2)
        return pair.template operator()<BrainValue<0>, BrainValue<16>>();
    return instruction.modifiers.ftz
               ? pair.template operator()<HalfValue<0, true>, HalfValue<16, true>>()
               : pair.template operator()<HalfValue<0, false>, HalfValue<16, false>>();
}

bool isPair(Type type) {
    return type == Type::F16x2 || type == Type::BF16x2;
}

inline constexpr std::uint32_t kTrue32 = 0xffffffffu, kTrue16 = 0xffffu, kOneF32 = 0x3f800000u,
                               kOneF16 = 0x3c00u, kOneBF16 = 0x3f80u;

/// f(constant) with the value that stands for true in a destination type.
template <class F>
LaneFunction withTrueValue(Type type, F&& f) {
    switch (type) {
    case Type::U32:
    case Type::S32:
        return f(std::integral_constant<std::uint32_t, kTrue32>{});
    case Type::F32:
        return f(std::integral_constant<std::uint32_t, kOneF32>{});
    case Type::U16:
    case Type::S16:
        return f(std::integral_constant<std::uint32_t, kTrue16>{});
    case Type::F16:
    case Type::F16x2:
        return f(std::integral_constant<std::uint32_t, kOneF16>{});
    case Type::BF16:
    case Type::BF16x2:
        return f(std::integral_constant<std::uint32_t, kOneBF16>{});
    default:
        return nullptr;
    }
}

template <class E>
void selectByPredicate(const LaneArguments& arguments, LaneMask active) {
    const auto* a = sourceRow<E>(arguments, 0);
    const auto* b = sourceRow<E>(arguments, 1);
    const LaneMask chosen = predicateSource(arguments, 2);
    writeRow<typename E::Slot>(arguments, active, [&](typename E::Slot* out) {
#pragma GCC ivdep
        for (int i = 0; i < kWarpSize; ++i)
            out[i] = ((chosen >> i) & 1u) != 0 ? a[i] : b[i];
    });
}

struct SelectBySign {
    template <class V>
    static V apply(V a, V b, std::int32_t c) {
        return c >= 0 ? a : b;
    }
    template <class V>
    static V apply(V a, V b, float c) {
        return c >= 0.0f ? a : b; // false for NaN; -0 counts as not negative
    }
};

template <TestMode M, class V, V Infinity, V SmallestNormal>
struct Test {
    static bool holds(V bits) {
        constexpr V kMagnitude = static_cast<V>(~(V{1} << (8 * sizeof(V) - 1)));
        const V magnitude = bits & kMagnitude;
        switch (M) {
        case TestMode::Finite:
            return magnitude < Infinity;
        case TestMode::Infinite:
            return magnitude == Infinity;
        case TestMode::Number:
            return magnitude <= Infinity;
        case TestMode::NotANumber:
            return magnitude > Infinity;
        case TestMode::Normal: // zero counts as normal (measured on an H200)
            return magnitude < Infinity && (magnitude == 0 || magnitude >= SmallestNormal);
        case TestMode::Subnormal:
            return magnitude != 0 && magnitude < SmallestNormal;
        case TestMode::None:
            return false;
        }
        return false;
    }
};
template <TestMode M, class E>
void testProperty(const LaneArguments& arguments, LaneMask active) {
    using V = typename E::Slot;
    constexpr int kFraction = sizeof(V) == 4 ? 23 : 52;
    constexpr V kInfinity = V{sizeof(V) == 4 ? 0xffu : 0x7ffu} << kFraction;
    const auto* a = sourceRow<E>(arguments, 0);
    const LaneMask value = maskOf(
        [&](int lane) { return Test<M, V, kInfinity, (V{1} << kFraction)>::holds(a[lane]); });
    writePredicate(arguments.destination[0], value, active);
}
template <class E>
LaneFunction selectTest(TestMode mode) {
    switch (mode) {
    case TestMode::Finite:
        return &testProperty<TestMode::Finite, E>;
    case TestMode::Infinite:
        return &testProperty<TestMode::Infinite, E>;
    case TestMode::Number:
        return &testProperty<TestMode::Number, E>;
    case TestMode::NotANumber:
        return &testProperty<TestMode::NotANumber, E>;
    case TestMode::Normal:
        return &testProperty<TestMode::Normal, E>;
    case TestMode::Subnormal:
        return &testProperty<TestMode::Subnormal, E>;
    case TestMode::None:
        return nullptr;
    }
    return nullptr;
}

} // namespace

LaneFunction selectSetp(const Instruction& instruction) {
    return withBoolOp(instruction.modifiers.boolOp, [&](auto op) {
        if (isPair(instruction.type))
            return withPairComparison(instruction, instruction.type,
                                      [&]<RowComparison Low, RowComparison High>() -> LaneFunction {
                                          return &setPredicatePair<Low, High, op.value>;
                                      });
        return withComparison(instruction, instruction.type,
                              [&]<RowComparison Compared>() -> LaneFunction {
                                  return &setPredicate<Compared, op.value>;
                              });
    });
}

LaneFunction selectSet(const Instruction& instruction) {
    const Type source = instruction.type2;
    return withBoolOp(instruction.modifiers.boolOp, [&](auto op) {
        return withTrueValue(instruction.type, [&](auto one) -> LaneFunction {
            if (isPair(source)) {
                if (instruction.type != source)
                    return nullptr;
                return withPairComparison(
                    instruction, source,
                    [&]<RowComparison Low, RowComparison High>() -> LaneFunction {
                        if constexpr (one.value == kOneF16 || one.value == kOneBF16)
                            return &setValuePair<Low, High, op.value, one.value>;
                        else
                            return nullptr;
                    });
            }
            if (isPair(instruction.type))
                return nullptr;
            return withComparison(instruction, source,
                                  [&]<RowComparison Compared>() -> LaneFunction {
                                      return &setValue<Compared, op.value, one.value>;
                                  });
        });
    });
}

LaneFunction selectSelp(const Instruction& instruction) {
    switch (ptx::sizeBytes(instruction.type)) {
    case 2:
    case 4:
        return &selectByPredicate<B32>;
    case 8:
        return &selectByPredicate<B64>;
    default:
        return nullptr;
    }
}

LaneFunction selectSlct(const Instruction& instruction) {
    const int bytes = ptx::sizeBytes(instruction.type);
    if (bytes < 2 || bytes > 8)
        return nullptr;
    const bool wide = bytes == 8;
    if (instruction.type2 == Type::S32)
        return wide ? &map3<SelectBySign, B64, B64, B64, S32>
                    : &map3<SelectBySign, B32, B32, B32, S32>;
    if (instruction.type2 != Type::F32)
        return nullptr;
    // Flushing a subnormal c to zero would turn a negative one into -0, which selects a.
    if (instruction.modifiers.ftz)
        return wide ? &map3<SelectBySign, B64, B64, B64, F32Ftz>
                    : &map3<SelectBySign, B32, B32, B32, F32Ftz>;
    return wide ? &map3<SelectBySign, B64, B64, B64, F32> : &map3<SelectBySign, B32, B32, B32, F32>;
}

LaneFunction selectTestp(const Instruction& instruction) {
    if (instruction.type == Type::F32)
        return selectTest<B32>(instruction.modifiers.test);
    return instruction.type == Type::F64 ? selectTest<B64>(instruction.modifiers.test) : nullptr;
}

} // namespace lanescope::sim::lanes
