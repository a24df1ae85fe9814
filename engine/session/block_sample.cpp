// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/block_sample.h"

#include <algorithm>
#include <array>
#include <map>

namespace lanescope::session {

namespace {

/// Grids up to this size run whole: nothing is gained by choosing.
constexpr std::uint64_t kWholeGrid = 8;
/// Period of the places in a 128-byte line at which blocks of 4-byte elements start.
constexpr std::uint32_t kMostPeriod = 32;
/// Blocks that may be spent on telling the classes of one dimension.
constexpr std::size_t kMostPerAxis = 384;

/// Blocks lo, lo + step, ... up to hi along one dimension that count the same.
struct Range {
    std::uint32_t lo = 0, hi = 0, step = 1;
    std::uint64_t count() const { return (hi - lo) / step + 1; }
    bool has(std::uint32_t i) const { return i >= lo && i <= hi && (i - lo) % step == 0; }
};

/// Ranges with equal counts, and where one of them was simulated.
struct AxisClass {
    std::uint32_t representative = 0;
    std::uint64_t count = 0;
    std::vector<Range> ranges;
};

class GridSampler {
public:
    GridSampler(const Dim3& grid, const RunBlock& run) : m_grid(grid), m_run(run) {
        const std::array<std::uint32_t, 3> extents = {grid.x, grid.y, grid.z};
        for (std::size_t axis = 0; axis < 3; ++axis)
            m_middle[axis] = extents[axis] / 2;
    }

    SampledCounts sample() {
        if (m_grid.count() <= kWholeGrid) {
            for (std::uint64_t block = 0; block < m_grid.count() && m_result.finished; ++block)
                addScaled(at(block), 1);
            return std::move(m_result);
        }
        const std::array<std::uint32_t, 3> extents = {m_grid.x, m_grid.y, m_grid.z};
        for (std::size_t axis = 0; axis < 3; ++axis)
            m_classes[axis] = classesOf(axis, extents[axis]);
        probe();
        sum();
        return std::move(m_result);
    }

private:
    std::uint64_t linear(const std::array<std::uint32_t, 3>& at) const {
        return at[0] + std::uint64_t{m_grid.x} * (at[1] + std::uint64_t{m_grid.y} * at[2]);
    }

    const sim::Counters& at(std::uint64_t block) {
        const auto [it, isNew] = m_counters.try_emplace(block);
        if (isNew && m_result.finished) {
            m_result.blocks.push_back(block);
            m_result.finished = m_run(block, it->second);
        }
        return it->second;
    }

    /// A block of the middle, moved along one dimension.
    const sim::Counters& along(std::size_t axis, std::uint32_t i) {
        std::array<std::uint32_t, 3> position = m_middle;
        position[axis] = i;
        return at(linear(position));
    }

    bool isSame(std::size_t axis, std::uint32_t a, std::uint32_t b) {
        return isSameWork(along(axis, a), along(axis, b));
    }

    /// Blocks of the middle repeat after this many.
    std::uint32_t periodOf(std::size_t axis, std::uint32_t extent) {
        const std::uint32_t middle = m_middle[axis];
        for (std::uint32_t period = 1; period < kMostPeriod; period *= 2) {
            // The first and the last few are told apart by halving.
            const std::uint32_t first = middle - std::min(middle, period);
            if (first + 2 * period >= extent)
                return period;
            bool repeats = true;
            for (std::uint32_t i = 0; i < std::max(period, 2u) && repeats && m_result.finished; ++i)
                repeats = first + i + period >= extent || isSame(axis, first + i, first + i + period);
            if (repeats)
                return period;
        }
        return kMostPeriod;
    }

    void split(std::size_t axis, Range range, std::vector<Range>& out) {
        const std::uint64_t count = range.count();
        const auto nth = [&](std::uint64_t n) {
            return range.lo + static_cast<std::uint32_t>(n) * range.step;
        };
        if (count == 1 || !m_result.finished) {
            out.push_back(range);
            return;
        }
        const bool isUniform = isSame(axis, range.lo, range.hi) &&
                               isSame(axis, range.lo, nth(count / 2));
        const bool isSpent = m_result.blocks.size() > m_axisStart + kMostPerAxis;
        m_result.isExact &= isUniform || !isSpent;
        if (isUniform || isSpent) {
            out.push_back(range);
            return;
        }
        split(axis, {range.lo, nth(count / 2 - 1), range.step}, out);
        split(axis, {nth(count / 2), range.hi, range.step}, out);
    }

    std::vector<AxisClass> classesOf(std::size_t axis, std::uint32_t extent) {
        m_axisStart = m_result.blocks.size();
        std::vector<Range> ranges;
        const std::uint32_t period = std::min(extent, extent > 4 ? periodOf(axis, extent) : 1);
        for (std::uint32_t first = 0; first < period; ++first)
            split(axis, {first, first + (extent - 1 - first) / period * period, period}, ranges);
        std::vector<AxisClass> classes;
        for (const Range& range : ranges) {
            const auto same = std::find_if(classes.begin(), classes.end(), [&](const AxisClass& c) {
                return isSame(axis, c.representative, range.lo);
            });
            AxisClass& into = same != classes.end() ? *same : classes.emplace_back();
            if (into.ranges.empty())
                into.representative = range.lo;
            into.count += range.count();
            into.ranges.push_back(range);
        }
        return classes;
    }

    std::size_t classOf(std::size_t axis, std::uint32_t i) const {
        const auto& classes = m_classes[axis];
        for (std::size_t c = 0; c < classes.size(); ++c)
            for (const Range& range : classes[c].ranges)
                if (range.has(i))
                    return c;
        return 0;
    }

    using Combination = std::array<std::size_t, 3>;
    Combination combinationOf(std::uint64_t block) const {
        const std::uint64_t row = block / m_grid.x;
        return {classOf(0, static_cast<std::uint32_t>(block % m_grid.x)),
                classOf(1, static_cast<std::uint32_t>(row % m_grid.y)),
                classOf(2, static_cast<std::uint32_t>(row / m_grid.y))};
    }
    std::uint64_t representativeOf(const Combination& c) const {
        return linear({m_classes[0][c[0]].representative, m_classes[1][c[1]].representative,
                       m_classes[2][c[2]].representative});
    }

    /// Blocks far from those that told the classes.
    void probe() {
        constexpr std::array<double, 3> places = {0.137, 0.618, 0.881};
        for (const double place : places) {
            const auto block = static_cast<std::uint64_t>(place * double(m_grid.count()));
            if (!m_result.finished)
                return;
            m_result.isExact &=
                isSameWork(at(block), at(representativeOf(combinationOf(block))));
        }
    }

    void addScaled(const sim::Counters& from, std::uint64_t weight) {
        sim::Counters& into = m_result.counters;
        into.total += from.total * weight;
        for (std::size_t i = 0; i < into.byClass.size(); ++i)
            into.byClass[i] += from.byClass[i] * weight;
        into.byInstruction.resize(std::max(into.byInstruction.size(), from.byInstruction.size()));
        for (std::size_t i = 0; i < from.byInstruction.size(); ++i)
            into.byInstruction[i] += from.byInstruction[i] * weight;
        into.reductionsGlobal += from.reductionsGlobal * weight;
        into.reductionsShared += from.reductionsShared * weight;
        into.fmaLanes += from.fmaLanes * weight;
        into.ffmaLanes += from.ffmaLanes * weight;
        into.flops += from.flops * weight;
        into.blocks += from.blocks * weight;
        into.warps += from.warps * weight;
        into.threads += from.threads * weight;
    }

    void sum() {
        std::map<Combination, std::vector<std::uint64_t>> members;
        for (const std::uint64_t block : m_result.blocks)
            members[combinationOf(block)].push_back(block);
        for (std::size_t z = 0; z < m_classes[2].size(); ++z)
            for (std::size_t y = 0; y < m_classes[1].size(); ++y)
                for (std::size_t x = 0; x < m_classes[0].size() && m_result.finished; ++x) {
                    const Combination combination = {x, y, z};
                    std::vector<std::uint64_t>& blocks = members[combination];
                    if (blocks.empty())
                        blocks.push_back(representativeOf(combination));
                    const std::uint64_t all =
                        m_classes[0][x].count * m_classes[1][y].count * m_classes[2][z].count;
                    const std::uint64_t each = all / blocks.size();
                    for (std::size_t i = 0; i < blocks.size(); ++i)
                        addScaled(at(blocks[i]), each + (i < all % blocks.size() ? 1 : 0));
                }
    }

    const Dim3 m_grid;
    const RunBlock& m_run;
    std::array<std::uint32_t, 3> m_middle{};
    std::array<std::vector<AxisClass>, 3> m_classes;
    std::map<std::uint64_t, sim::Counters> m_counters;
    std::size_t m_axisStart = 0;
    SampledCounts m_result;
};

} // namespace

bool isSameWork(const sim::Counters& a, const sim::Counters& b) {
    const auto same = [](sim::InstructionCounts x, sim::InstructionCounts y) {
        x.tagCycles = y.tagCycles;
        x.dataWavefronts = y.dataWavefronts;
        return x == y;
    };
    return std::equal(a.byInstruction.begin(), a.byInstruction.end(), b.byInstruction.begin(),
                      b.byInstruction.end(), same) &&
           same(a.total, b.total);
}

SampledCounts sampleGrid(const Dim3& grid, const RunBlock& run) {
    return GridSampler(grid, run).sample();
}

} // namespace lanescope::session
