// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ptx/shared_layout.h"

#include <algorithm>

namespace lanescope::ptx {

namespace {

constexpr std::uint64_t kDynamicAlignment = 16;

std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment) {
    return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

void collect(const Operand& operand, VariableScope scope, std::vector<bool>& named) {
    if (operand.kind == OperandKind::Variable && operand.scope == scope)
        named[operand.index] = true;
    for (const Operand& element : operand.elements)
        collect(element, scope, named);
}

void collect(const Function& function, VariableScope scope, std::vector<bool>& named) {
    for (const Instruction& instruction : function.instructions)
        for (const Operand& operand : instruction.operands)
            collect(operand, scope, named);
}

} // namespace

SharedLayout layOutShared(const Module& module, std::span<const std::uint32_t> functions) {
    SharedLayout layout;
    std::vector<bool> ofModule(module.variables.size(), false);
    for (const Variable& variable : module.variables)
        for (const Variable::Relocation& relocation : variable.relocations)
            if (const int index = module.findVariable(relocation.symbol); index >= 0)
                ofModule[static_cast<std::size_t>(index)] = true;
    std::vector<SharedPlacement> dynamic;
    const auto place = [&](const std::vector<Variable>& variables, const std::vector<bool>& named,
                           VariableScope scope, std::uint32_t function) {
        for (std::uint32_t i = 0; i < variables.size(); ++i) {
            const Variable& variable = variables[i];
            if (variable.space != Space::Shared || !named[i])
                continue;
            SharedPlacement at{scope, function, i, 0, variable.sizeBytes == 0};
            if (at.isDynamic) {
                dynamic.push_back(at);
                continue;
            }
            at.offset = alignUp(layout.staticBytes, variable.alignment);
            layout.staticBytes = at.offset + variable.sizeBytes;
            layout.places.push_back(at);
        }
    };
    for (const std::uint32_t f : functions) {
        const Function& function = module.functions[f];
        std::vector<bool> named(function.variables.size(), false);
        collect(function, VariableScope::Function, named);
        collect(function, VariableScope::Module, ofModule);
        place(function.variables, named, VariableScope::Function, f);
    }
    place(module.variables, ofModule, VariableScope::Module, 0);
    for (SharedPlacement& at : dynamic) {
        const Variable& variable = at.scope == VariableScope::Module
                                       ? module.variables[at.variable]
                                       : module.functions[at.function].variables[at.variable];
        at.offset = alignUp(layout.staticBytes,
                            std::max<std::uint64_t>(variable.alignment, kDynamicAlignment));
        layout.places.push_back(at);
    }
    // What lies before the dynamic arrays is static, padding too, as ptxas counts it.
    for (const SharedPlacement& at : dynamic)
        layout.staticBytes = std::max(layout.staticBytes, at.offset);
    return layout;
}

} // namespace lanescope::ptx
