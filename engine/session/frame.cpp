// SPDX-License-Identifier: GPL-3.0-or-later
// The frame: what the selected warp and lane did and hold at the trace's present moment.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "engine/base/symbol.h"
#include "engine/session/product_view.h"
#include "engine/session/session_state.h"
#include "engine/sim/lanes/formats.h"

namespace lanescope::session {

namespace {

/// Registers listed at most; kernels with unrolled tiles have thousands.
constexpr std::size_t kMaxRegisters = 1024;

double halfValue(std::uint64_t bits) { return sim::lanes::halfToFloat(static_cast<std::uint16_t>(bits)); }

struct ArrayName {
    std::string name;
    std::string type; ///< element type when it is known
    std::uint64_t base = 0, bytes = 0;
};

ArrayName arrayOf(const PreparedLaunch& prepared, const sim::Memory& memory, ptx::Space space, std::uint64_t address) {
    ArrayName out;
    if (space == ptx::Space::Shared) {
        out.name = "shared";
        out.bytes = prepared.launch.sharedBytes();
        for (const sim::SharedVariable& v : prepared.launch.program->sharedVariables)
            if (v.offset <= address && (v.bytes == 0 || address < v.offset + v.bytes)) {
                out.name = sourceName(v.name);
                out.base = v.offset;
                out.bytes = v.bytes != 0 ? v.bytes : prepared.launch.sharedBytes() - v.offset;
            }
        return out;
    }
    if (space != ptx::Space::Global && space != ptx::Space::Const) {
        out.name = std::string(ptx::name(space));
        return out;
    }
    const int a = memory.global.find(address);
    if (a < 0)
        return out;
    const sim::Allocation& allocation = memory.global.at(static_cast<std::size_t>(a));
    out.name = sourceName(allocation.name);
    out.base = allocation.base;
    out.bytes = allocation.size();
    if (allocation.argument >= 0)
        out.type = prepared.values[static_cast<std::size_t>(allocation.argument)].type;
    return out;
}

/// `copiedType`: element type of what the last cp.async read; its store to shared memory is of the same.
AccessView accessView(const PreparedLaunch& prepared, const sim::Memory& memory, const trace::RecordedAccess& a, std::string& copiedType) {
    AccessView v;
    v.pc = a.access.pc;
    v.event = a.event;
    v.isStore = a.access.kind == sim::AccessKind::Store;
    v.isAtomic = a.access.kind == sim::AccessKind::Atomic;
    v.isMatrix = a.access.isMatrix;
    v.space = a.access.space;
    v.bytesPerLane = a.access.bytes;
    v.active = a.access.active;
    v.addresses = a.addresses;
    v.elementBytes = a.access.elementBytes;
    const memory::Addresses addresses(a.addresses);
    if (v.space == ptx::Space::Shared) {
        const memory::SharedKind kind = sim::sharedKind(a.access);
        v.shared = memory::sharedCost(addresses, v.active, v.bytesPerLane, kind);
        v.passes = memory::sharedPasses(addresses, v.active, v.bytesPerLane, kind);
    } else {
        v.global = memory::globalCost(addresses, v.active, v.bytesPerLane);
    }
    ArrayName array = arrayOf(prepared, memory, v.space, a.addresses[static_cast<std::size_t>(firstLane(v.active))]);
    if (a.access.async)
        (v.isStore ? array.type : copiedType) = v.isStore ? copiedType : array.type;
    v.array = array.name;
    v.arrayBase = array.base;
    v.arrayBytes = array.bytes;
    ptx::Type written = prepared.launch.program->instructions[v.pc]->type;
    if (written == ptx::Type::None) // cp.async moves bytes
        written = ptx::Type::B32;
    const std::string type = ptx::isUntyped(written) && !array.type.empty() && array.type != "bytes" ? array.type : std::string(ptx::name(written));
    if (a.access.async && (type == "f16" || type == "bf16"))
        v.elementBytes = 2;
    forEachLane(v.active & ~a.access.outOfBounds, [&](int lane) {
        std::string& text = v.values[static_cast<std::size_t>(lane)];
        for (int at = 0; at + v.elementBytes <= v.bytesPerLane && at < 32; at += v.elementBytes) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, a.values[static_cast<std::size_t>(lane)].data() + at, static_cast<std::size_t>(v.elementBytes));
            text += (at == 0 ? "" : ", ") + valueText(type, bits);
        }
    });
    return v;
}

/// Place of an operand of a tensor instruction among those of its text.
std::size_t positionOf(const sim::Op& op, const sim::TensorOp& t, std::size_t operand) {
    if (op.kind == sim::OpKind::WarpgroupProduct)
        return operand == 0 ? 1 : 0; // D, which is C as well, and A
    if (op.kind == sim::OpKind::MatrixProduct)
        return operand == 3 ? 0 : operand + 1; // D, A, B, C
    return operand == 0 || t.isStore ? 1 : 0;
}

/// One operand as the rows of a warp hold it now; operand: as sim::TensorOp::Operand.
FragmentView fragmentView(const sim::Program& program, std::uint32_t pc, std::size_t operand, const std::uint8_t* rows) {
    const sim::Op& op = program.ops[pc];
    const sim::TensorOp& t = program.tensors[op.target];
    const sim::FragmentOperand& from = t.operands[operand];
    FragmentView view;
    view.matrix = "ABCD"[operand];
    view.map = from.map;
    view.element = from.element;
    const ptx::Function& function = program.module->functions[program.functions[program.functionOf[pc]].moduleIndex];
    const ptx::Operand& text = program.instructions[pc]->operands[positionOf(op, t, operand)];
    const auto name = [&](const ptx::Operand& o) { view.registers.push_back(o.isRegister() ? function.registers[o.index].name : ""); };
    if (text.kind == ptx::OperandKind::Vector)
        std::for_each(text.elements.begin(), text.elements.end(), name);
    else
        name(text);
    const int bits = from.map->elementBits(), parts = from.map->elementsPerRegister();
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    for (int reg = 0; reg < from.map->registers(); ++reg) {
        const sim::RowSlot& slot = program.rowList[from.rows + static_cast<unsigned>(reg)];
        const std::uint8_t* row = slot.row.isConstant() ? program.constants.data() : rows;
        for (int part = 0; part < parts; ++part)
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                std::uint64_t word = 0;
                if (slot.row.valid())
                    std::memcpy(&word, row + slot.row.offset() + (slot.wide ? 8 : 4) * lane, slot.wide ? 8 : 4);
                view.values.push_back(word >> (part * bits) & mask);
            }
    }
    return view;
}

/// A wgmma's operands in shared memory, as the warp's rows hold their descriptors.
std::vector<SharedOperandView> sharedOperands(const sim::Program& program, const sim::TensorOp& t, int rank, const std::uint8_t* rows) {
    std::vector<SharedOperandView> out;
    for (std::size_t i = 0; i < 2; ++i) {
        if (!t.descriptors[i].valid)
            continue;
        const sim::RowSlot& slot = program.rowList[t.descriptors[i].row];
        SharedOperandView& v = out.emplace_back();
        const tensor::Shape& shape = t.product.shape;
        v.matrix = i == 0 ? 'A' : 'B';
        v.element = i == 0 ? t.product.a : t.product.b;
        v.rows = i == 0 ? shape.m : shape.k;
        v.columns = i == 0 ? shape.k : shape.n;
        v.firstRow = i == 0 ? rank * shape.m : 0;
        v.isMnMajor = t.descriptors[i].isMnMajor;
        if (slot.row.valid())
            std::memcpy(&v.bits, (slot.row.isConstant() ? program.constants.data() : rows) + slot.row.offset(), sizeof v.bits);
        v.descriptor = tensor::decodeDescriptor(v.bits);
    }
    return out;
}

/// Registers that an instruction writes.
void destinations(const ptx::Operand& o, std::vector<std::uint32_t>& out) {
    if (o.isRegister())
        out.push_back(o.index);
    if (o.kind == ptx::OperandKind::Vector || o.kind == ptx::OperandKind::PredicatePair)
        for (const ptx::Operand& e : o.elements)
            destinations(e, out);
}

std::vector<RegisterView> registersOf(const sim::Program& program, std::uint32_t pc, const std::uint8_t* rows, LaneMask mask, int lane,
                                      const ptx::Instruction* step) {
    const sim::FunctionLayout& layout = program.functions[program.functionOf[pc]];
    const ptx::Function& function = program.module->functions[layout.moduleIndex];
    std::vector<std::uint32_t> written;
    if (step != nullptr && !step->operands.empty() && step->opcode != ptx::Opcode::St && step->opcode != ptx::Opcode::Red &&
        ptx::family(step->opcode) != ptx::Family::Control)
        destinations(step->operands[0], written);
    std::vector<RegisterView> out;
    for (std::uint32_t r = 0; r < function.registers.size() && out.size() < kMaxRegisters; ++r) {
        const ptx::Register& reg = function.registers[r];
        const std::uint8_t* row = rows + layout.registerRows[r];
        RegisterView v;
        v.name = reg.name;
        v.type = std::string(ptx::name(reg.type));
        v.changed = std::find(written.begin(), written.end(), r) != written.end();
        const auto bitsOf = [&](int l) -> std::uint64_t {
            if (reg.type == ptx::Type::Pred) {
                LaneMask m;
                std::memcpy(&m, row, sizeof m);
                return hasLane(m, l) ? 1 : 0;
            }
            std::uint64_t bits = 0;
            const unsigned bytes = ptx::sizeBytes(reg.type) == 8 ? 8 : 4;
            std::memcpy(&bits, row + bytes * static_cast<unsigned>(l), bytes);
            return bits;
        };
        v.value = valueText(v.type, bitsOf(lane));
        v.uniform = true;
        forEachLane(mask, [&](int l) { v.uniform = v.uniform && bitsOf(l) == bitsOf(firstLane(mask)); });
        out.push_back(std::move(v));
    }
    return out;
}

WarpState stateOf(const sim::WarpState& warp, bool issued) {
    if (warp.fragments.empty())
        return WarpState::Done;
    if (issued)
        return WarpState::Issued;
    for (const sim::Fragment& f : warp.fragments)
        if (f.state != sim::FragmentState::AtBarrier && f.state != sim::FragmentState::AtMbarrier)
            return WarpState::Ready;
    return WarpState::AtBarrier;
}

std::string sentenceOf(const FrameView& f, const sim::Program& program) {
    if (!f.hasStep)
        return fmt::format("Warp {} has not started", f.warp);
    const std::uint32_t line = program.cudaLines[f.pc];
    std::string out = line != 0 ? fmt::format("Warp {}, line {}: ", f.warp, line)
                                : fmt::format("Warp {}, PTX line {}: ", f.warp, program.instructions[f.pc]->ptxLine);
    int sectors = 0, lines = 0, bytes = 0, wavefronts = 0, passes = 0;
    for (const AccessView& a : f.accesses) {
        sectors += a.global.sectors;
        lines += a.global.lines;
        bytes += a.global.bytes;
        wavefronts += a.shared.wavefronts;
        passes += a.shared.passes;
    }
    if (sectors != 0)
        out += fmt::format("{} sector{}, {} line{}, {:.1f}% of bytes used", sectors, sectors == 1 ? "" : "s", lines, lines == 1 ? "" : "s",
                           100.0 * bytes / (32.0 * sectors));
    if (wavefronts != 0)
        out += fmt::format("{}{} shared wavefront{} (minimum {})", sectors != 0 ? "; " : "", wavefronts, wavefronts == 1 ? "" : "s", passes);
    if (sectors == 0 && wavefronts == 0)
        out += fmt::format("{}, {} of 32 lanes active", ptx::mnemonic(program.instructions[f.pc]->opcode), laneCount(f.active));
    return out;
}

} // namespace

std::string valueText(std::string_view type, std::uint64_t bits) {
    if (type == "f32")
        return fmt::format("{:.6g}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (type == "f64")
        return fmt::format("{:.10g}", std::bit_cast<double>(bits));
    if (type == "f16")
        return fmt::format("{:.5g}", halfValue(bits));
    if (type == "bf16")
        return fmt::format("{:.4g}", static_cast<double>(sim::lanes::bfloatToFloat(static_cast<std::uint16_t>(bits))));
    if (type == "f16x2")
        return fmt::format("{:.5g}, {:.5g}", halfValue(bits), halfValue(bits >> 16));
    if (type == "pred")
        return bits != 0 ? "true" : "false";
    if (type == "s8" || type == "i8")
        return fmt::format("{}", static_cast<std::int8_t>(bits));
    if (type == "s16")
        return fmt::format("{}", static_cast<std::int16_t>(bits));
    if (type == "s32" || type == "i32" || type == "b32")
        return fmt::format("{}", static_cast<std::int32_t>(bits));
    if (type == "s64" || type == "i64")
        return fmt::format("{}", static_cast<std::int64_t>(bits));
    if (type == "b64")
        return fmt::format("0x{:x}", bits);
    return fmt::format("{}", bits);
}

std::uint64_t SharedOperandView::addressOf(int row, int column) const {
    const int elementBits = tensor::bits(element), perChunk = 128 / elementBits;
    const int mn = matrix == 'A' ? firstRow + row : column, k = matrix == 'A' ? column : row;
    const int along = isMnMajor ? mn : k, across = isMnMajor ? k : mn;
    return tensor::chunkAddress(descriptor, isMnMajor, along / perChunk, across) + static_cast<unsigned>(along % perChunk * elementBits / 8);
}

/// The operands of the tensor instruction just executed, else of the warp's last one before it, else of its first one after it.
void Session::State::addFragments(FrameView& f, const std::vector<std::uint32_t>& mine, std::size_t executed) const {
    const sim::Program& code = *loaded->program;
    if (code.tensors.empty())
        return;
    const auto& events = trace->events();
    const auto isTensor = [&](std::size_t i) {
        const sim::OpKind kind = code.ops[events[mine[i]].pc].kind;
        return kind == sim::OpKind::MatrixProduct || kind == sim::OpKind::WarpgroupProduct || kind == sim::OpKind::TransposeFragment || kind == sim::OpKind::FragmentMove;
    };
    std::size_t at = executed;
    while (at > 0 && !isTensor(at - 1))
        --at;
    if (at > 0) {
        f.fragmentsOf = at == executed ? FragmentsOf::Step : FragmentsOf::Earlier;
        --at;
    } else {
        at = executed;
        while (at < mine.size() && !isTensor(at))
            ++at;
        if (at == mine.size())
            return;
        f.fragmentsOf = FragmentsOf::Later;
    }
    f.fragmentEvent = mine[at];
    f.fragmentPc = events[f.fragmentEvent].pc;
    const sim::TensorOp& tensor = code.tensors[code.ops[f.fragmentPc].target];
    const auto operandNow = [&](std::size_t operand) {
        if (tensor.operands[operand].valid())
            f.fragments.push_back(fragmentView(code, f.fragmentPc, operand, trace->rows(static_cast<std::uint32_t>(selection.warp))));
    };
    if (f.fragmentsOf == FragmentsOf::Step) {
        trace->seek(f.fragmentEvent); // D may take C's registers: look before the event
        operandNow(2);
        trace->seek(f.index);
    } else {
        operandNow(2);
    }
    for (const std::size_t operand : {0u, 1u, 3u})
        operandNow(operand);
    const sim::OpKind kind = code.ops[f.fragmentPc].kind;
    if (kind != sim::OpKind::MatrixProduct && kind != sim::OpKind::WarpgroupProduct)
        return;
    ProductView product{tensor.product, prepared->launch.limits.tensor, kind == sim::OpKind::WarpgroupProduct, {}};
    if (product.isWarpgroup) {
        trace->seek(f.fragmentEvent); // descriptors as the instruction finds them
        product.shared = sharedOperands(code, tensor, static_cast<int>(static_cast<unsigned>(selection.warp) % kWarpsPerGroup), trace->rows(static_cast<std::uint32_t>(selection.warp)));
        trace->seek(f.index);
    }
    f.product = std::make_shared<const ProductView>(std::move(product));
}

FrameView Session::State::frame() const {
    FrameView f;
    f.warp = selection.warp;
    if (!trace || !traceView)
        return f;
    const sim::Program& code = *loaded->program;
    const auto& events = trace->events();
    const std::uint32_t index = trace->index();
    f.index = index;
    const std::vector<std::uint32_t>& mine = traceView->eventsOfWarp[static_cast<std::size_t>(selection.warp)];
    const auto after = std::lower_bound(mine.begin(), mine.end(), index);
    f.hasStep = after != mine.begin();
    if (f.hasStep) {
        auto at = after - 1;
        f.stepEvent = *at;
        f.pc = events[*at].pc;
        f.active = events[*at].active;
        for (auto i = mine.begin(); i != at; ++i)
            f.iteration += events[*i].pc == f.pc;
        // The line's run of events so far: going back while the line stays and the instructions ascend.
        const std::uint32_t line = code.cudaLines[f.pc];
        auto first = at;
        while (line != 0 && first != mine.begin() && code.cudaLines[events[*(first - 1)].pc] == line && events[*(first - 1)].pc < events[*first].pc)
            --first;
        std::string copiedType;
        for (const trace::RecordedAccess& a : trace->accesses(*first, index, static_cast<std::uint32_t>(selection.warp))) {
            if (a.event == f.stepEvent)
                f.currentAccess = static_cast<int>(f.accesses.size());
            f.accesses.push_back(accessView(*prepared, trace->memory(), a, copiedType));
        }
    }
    addFragments(f, mine, static_cast<std::size_t>(after - mine.begin()));
    const sim::BlockState& state = trace->state();
    for (std::size_t w = 0; w < state.warps.size(); ++w)
        f.warps.push_back(stateOf(state.warps[w], index > 0 && events[index - 1].warp == w));
    const sim::WarpState& warp = state.warps[static_cast<std::size_t>(selection.warp)];
    if (!warp.fragments.empty()) {
        const sim::Fragment* next = &warp.fragments.back();
        for (const sim::Fragment& fragment : warp.fragments)
            if (hasLane(fragment.mask, selection.lane))
                next = &fragment;
        f.nextPc = next->pc;
    }
    const std::uint32_t where = f.nextPc.value_or(f.pc);
    f.registers = registersOf(code, where, trace->rows(static_cast<std::uint32_t>(selection.warp)), warp.launched, selection.lane,
                              f.hasStep && code.functionOf[f.pc] == code.functionOf[where] ? code.instructions[f.pc] : nullptr);
    f.sentence = sentenceOf(f, code);
    return f;
}

bool Session::State::accessesArray(std::uint32_t event, const AccessTarget& target) {
    const TraceEvent& e = traceView->events[event];
    if ((e.flags & TraceEvent::kMemory) == 0)
        return false;
    trace->seek(event + 1);
    for (const trace::RecordedAccess& a : trace->accesses(event, event + 1, e.warp)) {
        const bool isStore = a.access.kind != sim::AccessKind::Load;
        if (isStore == target.isStore && a.access.active != 0 &&
            arrayOf(*prepared, trace->memory(), a.access.space, a.addresses[static_cast<std::size_t>(firstLane(a.access.active))]).name == target.array)
            return true;
    }
    return false;
}

} // namespace lanescope::session
