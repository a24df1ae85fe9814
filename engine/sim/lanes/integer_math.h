// SPDX-License-Identifier: GPL-3.0-or-later
// Wrapping integer arithmetic without undefined behaviour, for any width of a PTX integer.
#pragma once

#include <cstdint>
#include <type_traits>

namespace lanescope::sim::lanes {

/// The integer's bits in an unsigned type of at least 32 bits (so that nothing is promoted to int).
template <class V>
constexpr auto bitsOfInteger(V value) {
    if constexpr (sizeof(V) == 8)
        return static_cast<std::uint64_t>(value);
    else
        return static_cast<std::uint32_t>(value);
}
template <class V, class Bits>
constexpr V wrap(Bits bits) {
    return static_cast<V>(bits);
}

template <class V>
struct Wide;
template <>
struct Wide<std::uint16_t> {
    using T = std::uint32_t;
};
template <>
struct Wide<std::int16_t> {
    using T = std::int32_t;
};
template <>
struct Wide<std::uint32_t> {
    using T = std::uint64_t;
};
template <>
struct Wide<std::int32_t> {
    using T = std::int64_t;
};
__extension__ typedef unsigned __int128 UnsignedWide128;
__extension__ typedef __int128 SignedWide128;
template <>
struct Wide<std::uint64_t> {
    using T = UnsignedWide128;
};
template <>
struct Wide<std::int64_t> {
    using T = SignedWide128;
};
/// The type of twice the width.
template <class V>
using WideOf = typename Wide<V>::T;

template <class V>
constexpr WideOf<V> mulWide(V a, V b) {
    return static_cast<WideOf<V>>(a) * static_cast<WideOf<V>>(b);
}
template <class V>
constexpr V mulLo(V a, V b) {
    return wrap<V>(bitsOfInteger(a) * bitsOfInteger(b));
}
template <class V>
constexpr V mulHi(V a, V b) {
    return static_cast<V>(mulWide(a, b) >> (8 * sizeof(V)));
}

} // namespace lanescope::sim::lanes
