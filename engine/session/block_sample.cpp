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
/// Blocks that may be spent in all.
constexpr std::size_t kMostBlocks = 2048;

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
    GridSampler(const Dim3& grid, const RunBlock& run)
        : m_grid(grid), m_run(run), m_extents{grid.x, grid.y, grid.z} {}

    SampledCounts sample() {
        if (m_grid.count() <= kWholeGrid) {
            for (std::uint64_t block = 0; block < m_grid.count() && m_result.finished; ++block)
                m_result.counters.addScaled(at(block), 1);
            return std::move(m_result);
        }
        const Position middle = {m_grid.x / 2, m_grid.y / 2, m_grid.z / 2};
        // Each class of y has classes of x of its own: a row at the edge may start elsewhere in a line.
        for (AxisClass& z : classesOf(2, middle))
            for (AxisClass& y : classesOf(1, {middle[0], middle[1], z.representative}))
                for (AxisClass& x : classesOf(0, {middle[0], y.representative, z.representative}))
                    m_leaves.push_back({{std::move(x), y, z}, {}});
        probe();
        sum();
        return std::move(m_result);
    }

private:
    using Position = std::array<std::uint32_t, 3>;

    /// Blocks that count the same: a class along each dimension.
    struct Leaf {
        std::array<AxisClass, 3> classes;
        std::vector<std::uint64_t> simulated;

        std::uint64_t count() const {
            return classes[0].count * classes[1].count * classes[2].count;
        }
        bool has(const Position& position) const {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const std::vector<Range>& ranges = classes[axis].ranges;
                if (std::none_of(ranges.begin(), ranges.end(),
                                 [&](const Range& r) { return r.has(position[axis]); }))
                    return false;
            }
            return true;
        }
    };

    std::uint64_t linear(const Position& p) const {
        return p[0] + std::uint64_t{m_grid.x} * (p[1] + std::uint64_t{m_grid.y} * p[2]);
    }
    Position positionOf(std::uint64_t block) const {
        const std::uint64_t row = block / m_grid.x;
        return {static_cast<std::uint32_t>(block % m_grid.x),
                static_cast<std::uint32_t>(row % m_grid.y),
                static_cast<std::uint32_t>(row / m_grid.y)};
    }

    const sim::Counters& at(std::uint64_t block) {
        const auto [it, isNew] = m_counters.try_emplace(block);
        if (isNew && m_result.finished) {
            m_result.blocks.push_back(block);
            m_result.finished = m_run(block, it->second);
        }
        return it->second;
    }

    /// Along a dimension, from the base on.
    struct Line {
        std::size_t axis = 0;
        Position base{};
        std::size_t blocksBefore = 0; ///< simulated when it began
    };
    bool isSame(const Line& line, std::uint32_t a, std::uint32_t b) {
        Position first = line.base, second = line.base;
        first[line.axis] = a;
        second[line.axis] = b;
        return isSameWork(at(linear(first)), at(linear(second)));
    }

    /// Blocks at the base repeat after this many.
    std::uint32_t periodOf(const Line& line) {
        const std::uint32_t extent = m_extents[line.axis], middle = line.base[line.axis];
        for (std::uint32_t period = 1; period < kMostPeriod; period *= 2) {
            // The first and the last few are told apart by halving.
            const std::uint32_t first = middle - std::min(middle, period);
            if (first + 2 * period >= extent)
                return period;
            bool repeats = true;
            for (std::uint32_t i = 0; i < period && repeats && m_result.finished; ++i)
                repeats = isSame(line, first + i, first + i + period);
            if (repeats)
                return period;
        }
        return kMostPeriod;
    }

    void split(const Line& line, const Range& range, std::vector<Range>& out) {
        const std::uint64_t count = range.count();
        const auto nth = [&](std::uint64_t n) {
            return range.lo + static_cast<std::uint32_t>(n) * range.step;
        };
        if (count == 1 || !m_result.finished) {
            out.push_back(range);
            return;
        }
        const bool isUniform =
            isSame(line, range.lo, range.hi) && isSame(line, range.lo, nth(count / 2));
        const bool isSpent = m_result.blocks.size() > line.blocksBefore + kMostPerAxis ||
                             m_result.blocks.size() > kMostBlocks;
        m_result.isExact &= isUniform || !isSpent;
        if (isUniform || isSpent) {
            out.push_back(range);
            return;
        }
        split(line, {range.lo, nth(count / 2 - 1), range.step}, out);
        split(line, {nth(count / 2), range.hi, range.step}, out);
    }

    std::vector<AxisClass> classesOf(std::size_t axis, const Position& base) {
        const Line line{axis, base, m_result.blocks.size()};
        const std::uint32_t extent = m_extents[axis];
        std::vector<Range> ranges;
        const std::uint32_t period = extent > 4 ? std::min(extent, periodOf(line)) : 1;
        for (std::uint32_t first = 0; first < period; ++first)
            split(line, {first, first + (extent - 1 - first) / period * period, period}, ranges);
        std::vector<AxisClass> classes;
        for (const Range& range : ranges) {
            const auto same = std::find_if(classes.begin(), classes.end(), [&](const AxisClass& c) {
                return isSame(line, c.representative, range.lo);
            });
            AxisClass& into = same != classes.end() ? *same : classes.emplace_back();
            if (into.ranges.empty())
                into.representative = range.lo;
            // The middle is simulated already.
            if (range.has(base[axis]))
                into.representative = base[axis];
            into.count += range.count();
            into.ranges.push_back(range);
        }
        return classes;
    }

    Leaf& leafOf(std::uint64_t block) {
        const Position position = positionOf(block);
        const auto it = std::find_if(m_leaves.begin(), m_leaves.end(),
                                     [&](const Leaf& leaf) { return leaf.has(position); });
        return it != m_leaves.end() ? *it : m_leaves.front();
    }
    std::uint64_t representativeOf(const Leaf& leaf) const {
        return linear({leaf.classes[0].representative, leaf.classes[1].representative,
                       leaf.classes[2].representative});
    }

    /// Blocks far from those that told the classes.
    void probe() {
        constexpr std::array<double, 3> places = {0.137, 0.618, 0.881};
        for (const double place : places) {
            const auto block = static_cast<std::uint64_t>(place * double(m_grid.count()));
            if (!m_result.finished)
                return;
            m_result.isExact &= isSameWork(at(block), at(representativeOf(leafOf(block))));
        }
    }

    void sum() {
        for (const std::uint64_t block : m_result.blocks)
            leafOf(block).simulated.push_back(block);
        for (Leaf& leaf : m_leaves) {
            if (!m_result.finished)
                return;
            if (leaf.simulated.empty())
                leaf.simulated.push_back(representativeOf(leaf));
            const std::uint64_t members = leaf.simulated.size(), each = leaf.count() / members;
            for (std::uint64_t i = 0; i < members; ++i)
                m_result.counters.addScaled(at(leaf.simulated[i]), each + (i < leaf.count() % members ? 1 : 0));
        }
    }

    const Dim3 m_grid;
    const RunBlock& m_run;
    const Position m_extents;
    std::vector<Leaf> m_leaves;
    std::map<std::uint64_t, sim::Counters> m_counters;
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
