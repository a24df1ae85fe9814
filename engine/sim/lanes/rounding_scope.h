// SPDX-License-Identifier: GPL-3.0-or-later
// The rounding direction of the host's floating-point unit for the length of a scope. Conversions
// that use it are compiled with -frounding-math; the arithmetic in between reads and writes rows in
// memory, which keeps it between the two calls.
#pragma once

#include <cfenv>

#include "engine/ptx/ir.h"

namespace lanescope::sim::lanes {

template <ptx::Rounding R>
class RoundingScope {
public:
    RoundingScope() : m_saved(std::fegetround()) { std::fesetround(kMode); }
    ~RoundingScope() { std::fesetround(m_saved); }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;

private:
    static constexpr int kMode = R == ptx::Rounding::Rz   ? FE_TOWARDZERO
                                 : R == ptx::Rounding::Rm ? FE_DOWNWARD
                                 : R == ptx::Rounding::Rp ? FE_UPWARD
                                                          : FE_TONEAREST;
    int m_saved;
};

/// To nearest is the engine's standing mode: nothing to set.
template <>
class RoundingScope<ptx::Rounding::Rn> {
public:
    RoundingScope() {}
};

} // namespace lanescope::sim::lanes
