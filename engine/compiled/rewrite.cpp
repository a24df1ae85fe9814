// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/compiled/rewrite.h"

#include <fmt/format.h>

namespace lanescope::compiled {

void replaceBody(ptx::Function& function, std::vector<ptx::Instruction> body, const std::vector<std::uint32_t>& movedTo) {
    function.instructions = std::move(body);
    for (ptx::Instruction& in : function.instructions)
        for (ptx::Operand& o : in.operands)
            if (o.kind == ptx::OperandKind::Label)
                o.index = movedTo[o.index];
    for (ptx::Function::TargetTable& table : function.targetTables)
        if (!table.isCall)
            for (std::uint32_t& target : table.targets)
                target = movedTo[target];
    for (std::uint32_t& at : function.notUnrolled)
        at = movedTo[at];
}

std::uint32_t addRegister(ptx::Function& function, std::uint32_t like, ptx::Type type, std::string_view suffix) {
    std::string name = function.registers[like].name;
    name.resize(std::min(name.size(), name.find('$', 1)));
    const auto index = static_cast<std::uint32_t>(function.registers.size());
    function.registers.push_back({fmt::format("{}${}{}", name, suffix, index), type});
    return index;
}

} // namespace lanescope::compiled
