// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim/decode_async.h"

#include <fmt/format.h>

namespace lanescope::sim {

namespace {

using ptx::AsyncOp;
using ptx::BulkCompletion;
using ptx::Instruction;
using ptx::MbarrierOp;
using ptx::OperandKind;
using ptx::Space;

void decodeMbarrier(const Instruction& in, Op& op, Program& program, const AsyncDecoding& d) {
    MbarrierInstruction m;
    m.what = in.modifiers.mbarrier;
    m.orders = in.modifiers.ordering != ptx::Ordering::Relaxed;
    op.kind = OpKind::Mbarrier;
    op.visible = m.what != MbarrierOp::PendingCount;
    std::size_t at = 0;
    const bool waits = isWait(m.what);
    if (ptx::writesFirstOperand(in))
        op.destination[0] = d.destination(in.operands.at(at++), !waits && m.what != MbarrierOp::PendingCount);
    if (m.what != MbarrierOp::PendingCount)
        m.memory = d.address(in.operands.at(at++), in.modifiers.space, program.memoryOpCount++);
    // What follows the count, parity or state of a wait is a hint of how long to wait.
    if (at < in.operands.size())
        op.source[0] = d.source(in.operands[at], (waits && !isByParity(m.what)) || m.what == MbarrierOp::PendingCount);
    op.target = static_cast<std::uint32_t>(program.mbarriers.size());
    program.mbarriers.push_back(m);
}

void decodeTracking(const Instruction& in, Op& op, Program& program, const AsyncDecoding& d) {
    MbarrierInstruction m;
    m.what = MbarrierOp::Arrive;
    m.increments = !in.modifiers.noinc;
    m.memory = d.address(in.operands.at(0), in.modifiers.space, program.memoryOpCount++);
    op.kind = OpKind::TrackCopies;
    op.visible = true;
    op.target = static_cast<std::uint32_t>(program.mbarriers.size());
    program.mbarriers.push_back(m);
}

/// [to, box] [from] or [to] [from, box]: the coordinates are those of the side that is a tensor.
void decodeBox(const Instruction& in, const ptx::Operand& box, BulkOp& bulk, const AsyncDecoding& d) {
    bulk.dimensions = in.modifiers.dimensions;
    for (std::size_t i = 0; i < bulk.dimensions; ++i)
        bulk.coordinates[i] = d.source(box.elements.at(i + 1), false);
    bulk.map = d.address(box, Space::Generic, bulk.counter);
}

void decodeBulk(const Instruction& in, Op& op, Program& program, const AsyncDecoding& d) {
    const AsyncOp what = in.modifiers.async;
    const auto& o = in.operands;
    BulkOp bulk;
    bulk.counter = program.memoryOpCount++;
    bulk.completion = in.modifiers.bulk;
    bulk.atomic = in.modifiers.atomicOp;
    bulk.type = in.type;
    bulk.source = in.modifiers.space;
    bulk.destination = bulk.completion == BulkCompletion::Group ? Space::Global : Space::Shared;
    const bool isBox = what == AsyncOp::BulkTensor || what == AsyncOp::BulkTensorReduce;
    std::size_t barrierAt = 2;
    if (what == AsyncOp::Copy) { // st.async, red.async: [to], values, [mbarrier]
        bulk.source = Space::Generic;
        bulk.to = d.address(o.at(0), in.modifiers.space, bulk.counter);
        bulk.count = in.modifiers.vector;
        bulk.elementBytes = static_cast<std::uint8_t>(ptx::sizeBytes(in.type));
        bulk.rows = d.rows(o.at(1), in.type);
    } else if (isBox) {
        const bool loads = bulk.completion == BulkCompletion::Mbarrier;
        decodeBox(in, o.at(loads ? 1 : 0), bulk, d);
        (loads ? bulk.to : bulk.from) = d.address(o.at(loads ? 0 : 1), Space::Shared, bulk.counter);
    } else {
        bulk.to = d.address(o.at(0), bulk.destination, bulk.counter);
        bulk.from = d.address(o.at(1), bulk.source, bulk.counter);
        bulk.bytes = d.source(o.at(2), false);
        barrierAt = 3;
    }
    if (bulk.completion == BulkCompletion::Mbarrier) {
        bulk.barrier = d.address(o.at(barrierAt), what == AsyncOp::Copy ? in.modifiers.space : Space::Shared, bulk.counter);
        if (in.modifiers.multicast)
            bulk.multicast = d.source(o.at(barrierAt + 1), false);
    }
    op.kind = OpKind::CopyBulk;
    op.visible = true;
    op.target = static_cast<std::uint32_t>(program.bulks.size());
    program.bulks.push_back(bulk);
}

} // namespace

void decodeAsyncInstruction(const Instruction& in, Op& op, Program& program, const AsyncDecoding& d) {
    if (ptx::family(in.opcode) == ptx::Family::Mbarrier) {
        decodeMbarrier(in, op, program, d);
        return;
    }
    switch (in.modifiers.async) {
    case AsyncOp::MbarrierArrive:
        decodeTracking(in, op, program, d);
        return;
    case AsyncOp::BulkPrefetch:
    case AsyncOp::BulkTensorPrefetch:
        op.kind = OpKind::Nop;
        return;
    case AsyncOp::BulkCommitGroup:
        op.kind = OpKind::CommitBulk;
        return;
    case AsyncOp::BulkWaitGroup:
    case AsyncOp::BulkWaitGroupRead:
        if (in.operands.at(0).kind != OperandKind::Immediate) {
            d.fail("the number of groups must be a constant", "syntax");
            return;
        }
        op.kind = OpKind::WaitBulk;
        op.visible = true;
        op.target = static_cast<std::uint32_t>(in.operands[0].bits);
        op.negatedSources = in.modifiers.async == AsyncOp::BulkWaitGroupRead ? 1 : 0;
        return;
    case AsyncOp::Copy:
    case AsyncOp::Bulk:
    case AsyncOp::BulkReduce:
    case AsyncOp::BulkTensor:
    case AsyncOp::BulkTensorReduce:
        decodeBulk(in, op, program, d);
        return;
    case AsyncOp::None:
    case AsyncOp::CommitGroup:
    case AsyncOp::WaitGroup:
    case AsyncOp::WaitAll:
        break;
    }
    d.fail("the simulator does not execute this instruction", "unsupported");
}

} // namespace lanescope::sim
