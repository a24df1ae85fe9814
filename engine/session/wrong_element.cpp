// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/wrong_element.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/sim/event.h"
#include "engine/sim/program.h"
#include "engine/tensor/fragment.h"

namespace lanescope::session {

namespace {

/// Remembers the last store to one address.
class LastWriter final : public sim::EventSink {
public:
    explicit LastWriter(std::uint64_t address) : m_address(address) {}
    void access(const sim::AccessEvent& e) override {
        if (e.kind == sim::AccessKind::Load || e.space != ptx::Space::Global)
            return;
        forEachLane(e.active & ~e.outOfBounds, [&](int lane) {
            if (m_address - e.addresses[lane] >= static_cast<std::uint64_t>(e.bytes))
                return;
            found = true;
            block = e.block;
            warp = e.warp;
            pc = e.pc;
            writer = lane;
            element = static_cast<std::size_t>(m_address - e.addresses[lane]) / static_cast<std::size_t>(std::max(1, e.elementBytes));
        });
    }
    bool found = false;
    std::uint32_t block = 0, warp = 0, pc = 0;
    int writer = 0;
    std::size_t element = 0; ///< of the vector that was stored

private:
    std::uint64_t m_address;
};

std::uint64_t elementBytes(const std::string& type) {
    return type == "f64" ? 8 : type == "f16" || type == "bf16" ? 2 : type == "u8" || type == "i8" ? 1 : 4;
}

/// Columns of the outputs that a reference knows as matrices, else 0.
std::uint64_t columnsOf(const catalog::ResolvedReference& reference) {
    const char* size = reference.kind == "matmul" ? "N" : reference.kind == "transpose" ? "M" : nullptr;
    if (size == nullptr)
        return 0;
    const auto at = reference.sizes.find(size);
    return at == reference.sizes.end() || at->second < 0 ? 0 : static_cast<std::uint64_t>(at->second);
}

std::string place(const sim::Program& program, std::uint32_t pc) {
    const std::uint32_t line = program.cudaLines[pc];
    return line != 0 ? fmt::format("line {}", line) : fmt::format("PTX line {}", program.instructions[pc]->ptxLine);
}

/// What the register is in the D of the last product before the store that has it.
std::string fragmentOf(const sim::Program& program, std::uint32_t store, std::uint32_t reg, std::uint32_t warp, int lane) {
    std::string found;
    for (std::uint32_t pc = 0; pc < store; ++pc) {
        const sim::OpKind kind = program.ops[pc].kind;
        if ((kind != sim::OpKind::MatrixProduct && kind != sim::OpKind::WarpgroupProduct) || program.functionOf[pc] != program.functionOf[store])
            continue;
        const std::vector<ptx::Operand>& d = program.instructions[pc]->operands[0].elements;
        const auto at = std::find_if(d.begin(), d.end(), [&](const ptx::Operand& o) { return o.isRegister() && o.index == reg; });
        if (at == d.end())
            continue;
        const auto index = static_cast<std::uint16_t>(at - d.begin());
        const tensor::FragmentMap& map = *program.tensors[program.ops[pc].target].operands[3].map;
        const tensor::Position p = map.at({static_cast<std::uint8_t>(lane), 0, index});
        const bool isWarpgroup = kind == sim::OpKind::WarpgroupProduct;
        const unsigned firstRow = isWarpgroup ? warp % kWarpsPerGroup * static_cast<unsigned>(map.rows()) : 0;
        found = fmt::format("d[{}] of the {} at {}, row {}, column {} of its tile", index, isWarpgroup ? "wgmma" : "product", place(program, pc),
                            firstRow + p.row, p.column);
    }
    return found;
}

} // namespace

std::optional<WrongElement> firstWrongElement(const catalog::ResolvedReference& reference, const catalog::ReferenceReport& report,
                                              const sim::Launch& launch, std::uint64_t maxInstructions) {
    const auto check = std::find_if(report.outputs.begin(), report.outputs.end(), [](const catalog::OutputCheck& o) { return o.mismatches != 0; });
    if (check == report.outputs.end())
        return std::nullopt;
    WrongElement out;
    out.array = check->name;
    out.index = check->firstIndex;
    out.got = check->got;
    out.expected = check->expected;
    if (const std::uint64_t columns = columnsOf(reference); columns != 0) {
        out.row = out.index / columns;
        out.column = out.index % columns;
    }
    const std::vector<catalog::ReferenceArgument>& outputs = reference.outputs;
    const auto argument = std::find_if(outputs.begin(), outputs.end(), [&](const catalog::ReferenceArgument& a) { return a.name == check->name; });
    if (argument == outputs.end())
        return out;
    sim::Memory memory = sim::makeMemory(launch);
    const int allocation = memory.allocationOfArgument.at(argument->index);
    if (allocation < 0)
        return out;
    LastWriter writer(memory.global.at(static_cast<std::size_t>(allocation)).base + out.index * elementBytes(argument->type));
    sim::RunOptions run;
    run.maxInstructions = maxInstructions;
    run.sinks = {&writer};
    sim::run(launch, memory, run);
    if (!writer.found)
        return out;
    const sim::Program& program = *launch.program;
    out.isWritten = true;
    out.thread = {launch.blockAt(writer.block), launch.threadAt(writer.warp, writer.writer)};
    out.block = writer.block;
    out.warp = writer.warp;
    out.lane = writer.writer;
    out.line = program.cudaLines[writer.pc];
    const ptx::Instruction& store = *program.instructions[writer.pc];
    out.ptxLine = store.ptxLine;
    if (store.opcode != ptx::Opcode::St || store.operands.size() < 2)
        return out;
    const ptx::Operand* value = &store.operands[1];
    if (value->kind == ptx::OperandKind::Vector && writer.element < value->elements.size())
        value = &value->elements[writer.element];
    if (!value->isRegister())
        return out;
    const ptx::Function& function = program.module->functions[program.functions[program.functionOf[writer.pc]].moduleIndex];
    out.registerName = function.registers[value->index].name;
    out.fragment = fragmentOf(program, writer.pc, value->index, writer.warp, writer.writer);
    return out;
}

nlohmann::ordered_json toJson(const WrongElement& w) {
    const auto triple = [](const Dim3& d) { return nlohmann::ordered_json::array({d.x, d.y, d.z}); };
    nlohmann::ordered_json out{{"array", w.array}, {"index", w.index}};
    if (w.row) {
        out["row"] = *w.row;
        out["column"] = *w.column;
    }
    out["got"] = w.got;
    out["expected"] = w.expected;
    if (w.isWritten) {
        out["block"] = triple(w.thread.block);
        out["thread"] = triple(w.thread.thread);
        out["warp"] = w.warp;
        out["lane"] = w.lane;
        out["line"] = w.line;
        out["ptx_line"] = w.ptxLine;
        out["register"] = w.registerName;
        out["fragment"] = w.fragment;
    }
    out["message"] = toString(w);
    return out;
}

std::string toString(const WrongElement& w) {
    std::string text = fmt::format("{}[{}]", w.array, w.index);
    if (w.row)
        text += fmt::format(" (row {}, column {})", *w.row, *w.column);
    text += fmt::format(": {:g} instead of {:g}", w.got, w.expected);
    if (!w.isWritten)
        return text + ", which no thread stored";
    const auto name = [](const Dim3& d) { return d.y == 0 && d.z == 0 ? fmt::format("{}", d.x) : fmt::format("({}, {}, {})", d.x, d.y, d.z); };
    text += fmt::format(", stored by thread {} of block {} (warp {}, lane {}) at {}", name(w.thread.thread), name(w.thread.block), w.warp, w.lane,
                        w.line != 0 ? fmt::format("line {}", w.line) : fmt::format("PTX line {}", w.ptxLine));
    if (!w.registerName.empty())
        text += " from " + w.registerName;
    if (!w.fragment.empty())
        text += ", which is " + w.fragment;
    return text;
}

} // namespace lanescope::session
