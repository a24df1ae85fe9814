// SPDX-License-Identifier: GPL-3.0-or-later
// Runs straight-line PTX on one warp through the lane executors alone: registers are rows, global
// memory is four arrays. What the hardware tests need and no more; the simulator's own machine is
// tested elsewhere.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/sim/lanes/lane_function.h"

namespace lanescope::test {

struct Row {
    alignas(64) std::array<std::uint32_t, kWarpSize> words{};
    alignas(64) std::array<std::uint64_t, kWarpSize> doubles{};
    LaneMask predicate = 0;
};

/// Slots of 64 bits of the arguments a, b, c and d.
using Arrays = std::array<std::vector<std::uint64_t>, 4>;

class RowInterpreter {
public:
    explicit RowInterpreter(const ptx::Function& function);
    /// Executes the function for lanes first ... first + 31 of a one-dimensional grid with blocks
    /// of 128 threads.
    void run(Arrays& arrays, std::uint32_t first);
    Row& row(std::uint32_t registerIndex) { return m_rows[registerIndex]; }

private:
    struct Step {
        const ptx::Instruction* instruction = nullptr;
        sim::LaneFunction execute = nullptr;
    };
    void execute(const Step& step, LaneMask active);
    void memory(const ptx::Instruction& instruction, Arrays& arrays, LaneMask active);
    bool isWide(std::uint32_t registerIndex) const;
    void* destination(const ptx::Operand& operand);
    const void* source(const ptx::Instruction& instruction, const ptx::Operand& operand, int index);

    const ptx::Function& m_function;
    std::vector<Row> m_rows;
    std::vector<Step> m_steps;
    std::array<Row, 8> m_constants;
    int m_constantCount = 0;
    LaneMask m_carry = 0;
    std::uint32_t m_first = 0;
};

/// Parses PTX text; a failed parse fails the test with its message.
ptx::Module parseModule(const std::string& text);

} // namespace lanescope::test
