// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel decoded for execution: its functions laid out one after another, operands resolved to rows of a warp's register memory,
// variables to addresses. Built once per (module, entry); shared by all blocks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/ptx/instruction_set.h"
#include "engine/ptx/ir.h"
#include "engine/sim/address_space.h"
#include "engine/sim/lanes/lane_function.h"
#include "engine/sim/tensor_op.h"

namespace lanescope::sim {

/// A row of lanes: an offset into the warp's rows or, with the top bit set, into the program's constant rows.
class RowRef {
public:
    constexpr RowRef() = default;
    static constexpr RowRef warp(std::uint32_t offset) { return RowRef(offset); }
    static constexpr RowRef constant(std::uint32_t offset) { return RowRef(offset | kConstant); }
    constexpr bool valid() const { return m_bits != kNone; }
    constexpr bool isConstant() const { return (m_bits & kConstant) != 0; }
    constexpr std::uint32_t offset() const { return m_bits & ~kConstant; }
    bool operator==(const RowRef&) const = default;

private:
    static constexpr std::uint32_t kConstant = 0x8000'0000u, kNone = 0xffff'ffffu;
    explicit constexpr RowRef(std::uint32_t bits) : m_bits(bits) {}
    std::uint32_t m_bits = kNone;
};

enum class OpKind : std::uint8_t {
    Lane,         ///< a LaneFunction on rows
    WarpExchange, ///< a LaneFunction that waits for the lanes of its member mask first
    WarpSync,     ///< bar.warp.sync
    Load, Store, Atomic,
    LoadParam,    ///< of the kernel's own parameters: uniform
    Branch, BranchIndexed, Call, Return, Exit, Trap,
    Barrier, Fence,
    CopyAsync, CommitCopies, WaitForCopies, WaitForAllCopies, ///< cp.async; WaitForCopies: target is how many groups may be under way
    ToGeneric, FromGeneric, IsSpace, ///< cvta, cvta.to, isspacep
    LocalAddress, ///< address of a .local or .param variable of the current frame
    Mbarrier,             ///< mbarrier.*
    TrackCopies,          ///< cp.async.mbarrier.arrive
    CopyBulk,             ///< cp.async.bulk, cp.reduce.async.bulk, also .tensor; st.async, red.async
    CommitBulk, WaitBulk, ///< groups of bulk copies; WaitBulk: target is how many may be under way, negatedSources is 1 for .read
    ProxyFence,           ///< fence.proxy.async
    ClusterArrive, ClusterWait, ///< barrier.cluster; negatedSources is 1 for .relaxed
    MapRank, RankOf,      ///< mapa, getctarank
    MatrixProduct,     ///< mma, wmma.mma
    TransposeFragment, ///< movmatrix
    WarpgroupProduct,  ///< wgmma.mma_async
    WarpgroupFence, WarpgroupCommit, WarpgroupWait, ///< wgmma; WarpgroupWait: target is how many groups may be under way
    FragmentMove,      ///< ldmatrix, stmatrix, wmma.load, wmma.store
    Pack, Unpack, ///< mov between a vector and a wide register
    Nop
};

struct MemoryOp {
    ptx::Space space = ptx::Space::Generic;
    bool privateFrame = false; ///< .param variables of calls: the thread's own frame, not counted as memory
    RowRef base;               ///< invalid: absolute
    bool base64 = false;
    std::int64_t offset = 0;
    std::uint8_t elementBytes = 4;
    std::uint8_t count = 1;    ///< vector elements
    bool signExtend = false;
    std::uint32_t rows = 0;    ///< first of `count` entries in Program::rowList (destinations or sources), `wide` tells their width
    bool frameRelative = false; ///< the absolute address is relative to the frame
    ptx::AtomicOp atomic = ptx::AtomicOp::None;
    ptx::Type type = ptx::Type::None;
    bool returns = false;      ///< atom with a destination
    RowRef compare;            ///< atom.cas
    ptx::Ordering ordering = ptx::Ordering::Weak;
    ptx::Scope scope = ptx::Scope::None;
    /// Floating-point atomics: the lane executor that combines, with and without flushing of f32 subnormals (in global memory
    /// atom.add.f32 flushes, in shared it does not: PTX ISA, atom).
    LaneFunction combine = nullptr, combineFlush = nullptr;
    std::uint32_t counter = 0; ///< dense index of the memory instruction
    bool isMerged = false;     ///< stands for several instructions: in and out of bounds is a matter of each element
    bool movesData = true;       ///< false: only counted (countingProgram)
    std::uint16_t unchecked = 0; ///< bit by element: loaded, but nothing at this place asked for it
};

/// cp.async: `bytes` from global to shared memory.
struct CopyOp {
    std::uint32_t destination = 0, source = 0; ///< in Program::memory
    std::uint8_t bytes = 4;
    bool bypass = false;   ///< .cg: past the L1
    RowRef sourceBytes;    ///< a row of how many bytes to read, the rest is zero; invalid: all
    RowRef ignore;         ///< a LaneMask row: lanes that read nothing; invalid: none
    bool ignoreNegated = false;
};

/// A bulk copy, one for each active lane. Addresses are indices into Program::memory.
struct BulkOp {
    ptx::BulkCompletion completion = ptx::BulkCompletion::Mbarrier;
    ptx::Space source = ptx::Space::Global;      ///< Global, Shared, or Generic: registers (st.async, red.async)
    ptx::Space destination = ptx::Space::Shared; ///< Global or Shared
    std::uint32_t to = 0, from = 0, barrier = 0;
    RowRef bytes;                                ///< of a run of bytes
    std::uint8_t dimensions = 0;                 ///< of a box in a tensor, 0: a run of bytes
    std::uint32_t map = 0;                       ///< address of the tensor map
    std::array<RowRef, 5> coordinates;
    ptx::AtomicOp atomic = ptx::AtomicOp::None;  ///< of a reduction
    ptx::Type type = ptx::Type::None;            ///< of a reduction's elements; of a box the tensor map has it
    RowRef multicast;                            ///< blocks of the cluster; invalid: this one
    std::uint32_t rows = 0;                      ///< from registers: the first of `count` entries in Program::rowList
    std::uint8_t count = 1, elementBytes = 4;
    std::uint32_t counter = 0;                   ///< dense index of the memory instruction
};

/// mbarrier.*: the result is Op::destination[0] (a predicate, or the 64-bit state), count, bytes, parity or state Op::source[0].
struct MbarrierInstruction {
    ptx::MbarrierOp what = ptx::MbarrierOp::None;
    std::uint32_t memory = 0; ///< index into Program::memory: the address
    bool orders = true;       ///< release or acquire, not .relaxed
    bool increments = false;  ///< cp.async.mbarrier.arrive without .noinc
};

struct RowSlot {
    RowRef row;        ///< invalid: '_'
    bool wide = false; ///< uint64_t[32], else uint32_t[32]
    std::uint8_t bits = 32; ///< of the register: a load extends to this width
};

struct CallOp {
    std::int32_t function = -1;         ///< in Program::functions; -1: through a register
    RowRef target;                      ///< indirect calls: row of function addresses
    struct Copy {
        std::uint32_t from = 0, to = 0, bytes = 0; ///< frame offsets: caller -> callee, or back for results
    };
    std::vector<Copy> arguments, results;
    enum class Builtin : std::uint8_t { None, Vprintf, AssertFail } builtin = Builtin::None;
};

struct Op {
    LaneFunction function = nullptr;
    RowRef destination[2];
    RowRef source[4];
    RowRef guard;               ///< a LaneMask row; invalid: unconditional
    LaneMask guardXor = 0;      ///< all ones for @!p
    std::uint8_t negatedSources = 0; ///< bit i: predicate source i is complemented
    OpKind kind = OpKind::Nop;
    bool visible = false;       ///< other warps can see it: ends the warp's turn
    bool readsClock = false;
    bool usesFragments = false; ///< has an entry in Program::fragmentUses
    std::uint32_t target = 0;   ///< Branch: pc; BranchIndexed: table; Call: index into calls; CopyAsync: into copies; memory: into memory; tensor: into tensors
    std::uint32_t reconvergence = 0; ///< branches: pc, or kNoReconvergence
    ptx::InstructionClass cls = ptx::InstructionClass::Other;
    std::uint8_t flopsPerLane = 0;
    std::uint8_t fmaPerLane = 0;
    bool isFfma = false;
    bool countsAsReduction = false; ///< red, and atom whose result is not used
    bool warpAggregated = false;    ///< atomics that ptxas combines within the warp first: one lane goes to memory
    bool isIdle = false;            ///< a matrix instruction whose result nothing needs (countingProgram)
    bool countsLanes = false;       ///< adds of 1 to shared memory: lanes on one word go together
};

inline constexpr std::uint32_t kNoReconvergence = 0xffff'ffffu;

struct FunctionLayout {
    std::uint32_t moduleIndex = 0;
    std::uint32_t entryPc = 0, endPc = 0;
    std::uint32_t registerBase = 0, registerBytes = 0; ///< in the warp's rows
    std::uint32_t frameBytes = 0;                      ///< thread-private bytes
    bool recursive = false;
    std::vector<std::uint32_t> parameterOffsets, resultOffsets; ///< in its frame
    std::vector<std::uint32_t> registerRows;           ///< offset of each register's row
};

/// A special register that the program reads: its row is filled when a block starts.
struct SpecialRow {
    ptx::Special special{};
    std::uint32_t offset = 0;
    bool wide = false;
};

/// A kernel parameter or variable placed in memory.
struct SharedVariable {
    std::string name;
    std::uint64_t offset = 0, bytes = 0;
    std::uint32_t elementBytes = 1;
};

struct ProgramVariable { ///< .global or .const: becomes an allocation
    std::uint32_t moduleVariable = 0;
    std::int32_t function = -1; ///< module function that declares it, or -1
    std::uint64_t address = 0;  ///< final device address
};

/// What an instruction does with registers that some wgmma has as D or A, or that are moved to or from one (ids by register).
struct FragmentUse {
    std::vector<std::uint32_t> reads, writes;
    bool isCopy = false;     ///< mov from register to register: whatever is true of the source is true of the destination
    bool isConstant = false; ///< mov of a constant
};

struct Program {
    std::shared_ptr<const ptx::Module> module;
    std::uint32_t entryFunction = 0; ///< in module->functions
    std::vector<Op> ops;
    std::vector<const ptx::Instruction*> instructions; ///< by pc
    std::vector<std::uint32_t> functionOf;             ///< by pc: index into functions
    std::vector<FunctionLayout> functions;             ///< [0] is the entry
    std::vector<MemoryOp> memory;
    std::vector<BulkOp> bulks;
    std::vector<MbarrierInstruction> mbarriers;
    std::vector<TensorOp> tensors;
    std::unordered_map<std::uint32_t, FragmentUse> fragmentUses; ///< by pc
    std::uint32_t fragmentRegisterCount = 0;
    std::vector<std::string> fragmentRegisterNames;              ///< by id
    std::vector<RowSlot> rowList;
    std::vector<CallOp> calls;
    std::vector<CopyOp> copies;
    std::vector<std::vector<std::uint32_t>> branchTables;
    std::vector<std::uint8_t> constants;               ///< constant rows, 64-byte aligned content
    std::vector<SpecialRow> specials;
    std::uint32_t warpBytes = 0;                       ///< rows of one warp
    std::uint32_t frameBytes = 0;                      ///< deepest non-recursive stack of private frames
    bool hasRecursion = false;
    std::uint64_t staticSharedBytes = 0;
    std::vector<SharedVariable> sharedVariables;
    std::uint64_t parameterBytes = 0;
    std::vector<ProgramVariable> variables;            ///< in allocation order, before the arguments
    std::uint32_t memoryOpCount = 0;

    /// The memory operand of a load, store or atomic of whatever kind; null for other instructions.
    const MemoryOp* memoryOf(const Op& op) const;
    const ptx::Function& entry() const { return module->functions[entryFunction]; }
    /// By pc: line of the CUDA text (the file the entry is from), 0 when unknown. Code inlined from another file counts for the
    /// line it was inlined into.
    std::vector<std::uint32_t> cudaLines;
    std::int32_t cudaFile = -1; ///< index into module->files, -1 when there are no .loc lines
};

/// Decodes `entry` and the functions it reaches. Errors: unsupported forms with PTX line and text.
Result<std::shared_ptr<const Program>> decode(std::shared_ptr<const ptx::Module> module, std::string_view entry);

/// Allocations of the program's .global and .const variables with their initial contents, in the order that decode() assumed.
void addProgramVariables(const Program& program, GlobalMemory& memory);

} // namespace lanescope::sim
