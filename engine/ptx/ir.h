// SPDX-License-Identifier: GPL-3.0-or-later
// The typed form of a PTX module (PTX ISA 8.x/9.0): what the parser makes and everything else
// reads. It is immutable after loading; the simulator decodes it further for speed but never
// changes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"

namespace lanescope::ptx {

enum class Opcode : std::uint8_t {
#define LS_OPCODE(name, mnemonic, family) name,
#include "engine/ptx/opcodes.def"
#undef LS_OPCODE
};

enum class Family : std::uint8_t {
    Arithmetic,
    Special,
    Logic,
    Compare,
    Move,
    Convert,
    Address,
    Memory,
    Atomic,
    Warp,
    Barrier,
    Fence,
    Async,
    Mbarrier,
    Tensor, ///< products of matrices and the loads and stores of their fragments
    Control,
    Hint,
    Unsupported
};

std::string_view mnemonic(Opcode opcode);
Family family(Opcode opcode);

/// Fundamental and instruction types (PTX ISA, section Types).
enum class Type : std::uint8_t {
    None,
    Pred,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    U16x2,
    S16x2,
    F16,
    F16x2,
    BF16,
    BF16x2,
    F32,
    F32x2,
    F64,
    TF32,
    E4M3x2,
    E5M2x2,
    E2M1x2,
    E2M3x2,
    E3M2x2,
    UE8M0x2,
    E4M3, ///< this and the next four: elements of matrices, packed in .b32 registers
    E5M2,
    S4,
    U4,
    B1
};

/// Size in bytes of a value of the type; a predicate counts as 0 (it is a bit of a lane mask).
int sizeBytes(Type type);
bool isFloat(Type type);
bool isSigned(Type type);
/// True for .b8 ... .b128.
bool isUntyped(Type type);
/// ".f32" without the dot.
std::string_view name(Type type);

/// State space of a variable or of a memory instruction. Generic: no space written, the address
/// says.
enum class Space : std::uint8_t { Generic, Global, Shared, Local, Const, Param };
std::string_view name(Space space);

enum class Rounding : std::uint8_t { None, Rn, Rz, Rm, Rp, Rna, Rni, Rzi, Rmi, Rpi, Rs };
enum class Compare : std::uint8_t {
    None,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Lo,
    Ls,
    Hi,
    Hs,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan
};
enum class BoolOp : std::uint8_t { None, And, Or, Xor };
enum class AtomicOp : std::uint8_t { None, And, Or, Xor, Cas, Exch, Add, Inc, Dec, Min, Max };
enum class ShuffleMode : std::uint8_t { None, Up, Down, Bfly, Idx };
enum class VoteMode : std::uint8_t { None, All, Any, Uni, Ballot };
enum class PermuteMode : std::uint8_t { None, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };
enum class TestMode : std::uint8_t {
    None,
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal
};
enum class BarrierMode : std::uint8_t {
    None,
    Sync,
    Arrive,
    RedPopc,
    RedAnd,
    RedOr,
    Warp,
    ClusterArrive,
    ClusterWait
};
/// cp.async, cp.async.bulk and cp.reduce.async.bulk: the copies themselves, and what groups copies and waits for groups. Copy also
/// stands for st.async and red.async.
enum class AsyncOp : std::uint8_t {
    None,
    Copy,
    CommitGroup,
    WaitGroup,
    WaitAll,
    MbarrierArrive,
    Bulk,
    BulkPrefetch,
    BulkReduce,
    BulkTensor,
    BulkTensorPrefetch,
    BulkTensorReduce,
    BulkCommitGroup,
    BulkWaitGroup,
    BulkWaitGroupRead
};
/// What tells that a bulk copy has ended: bytes counted off at an mbarrier, or a group of the thread.
enum class BulkCompletion : std::uint8_t { None, Mbarrier, Group };
/// fence.proxy and fence.mbarrier_init; None: a fence of the memory model's own kind.
enum class ProxyFence : std::uint8_t { None, Alias, Async, AsyncShared, AsyncGlobal, AsyncGeneric, Tensormap, MbarrierInit };
enum class MbarrierOp : std::uint8_t {
    None,
    Init,
    Inval,
    Arrive,
    ArriveExpectTx,
    ArriveNoComplete,
    ArriveDrop,
    ArriveDropExpectTx,
    ArriveDropNoComplete,
    ExpectTx,
    CompleteTx,
    TestWait,
    TestWaitParity,
    TryWait,
    TryWaitParity,
    PendingCount
};
constexpr bool isWait(MbarrierOp what) { return what >= MbarrierOp::TestWait && what <= MbarrierOp::TryWaitParity; }
constexpr bool isByParity(MbarrierOp what) { return what == MbarrierOp::TestWaitParity || what == MbarrierOp::TryWaitParity; }
/// wmma: what it does.
enum class WmmaOp : std::uint8_t { None, LoadA, LoadB, LoadC, StoreD, Mma };
/// wgmma: what it does.
enum class WgmmaOp : std::uint8_t { None, Fence, MmaAsync, CommitGroup, WaitGroup };
enum class MatrixLayout : std::uint8_t { None, Row, Col };
/// m16n8k16; k is 0 where only m and n are written, all are 0 without a shape.
struct MatrixShape {
    std::uint16_t m = 0, n = 0, k = 0;
    bool operator==(const MatrixShape&) const = default;
};
/// Memory ordering of ld, st, atom, red, fence. Weak is the default of ld and st, Relaxed that of
/// atom and red.
enum class Ordering : std::uint8_t { Weak, Volatile, Relaxed, Acquire, Release, AcqRel, SeqCst };
enum class Scope : std::uint8_t { None, Cta, Cluster, Gpu, Sys };
/// .ca .cg .cs .lu .cv of loads, .wb .wt of stores, .nc of loads.
enum class CacheOp : std::uint8_t { None, Ca, Cg, Cs, Lu, Cv, Wb, Wt };

struct Modifiers {
    Rounding rounding = Rounding::None;
    Compare compare = Compare::None;
    BoolOp boolOp = BoolOp::None;
    AtomicOp atomicOp = AtomicOp::None; // atom, red; also redux (Add, Min, Max, And, Or, Xor)
    ShuffleMode shuffle = ShuffleMode::None;
    VoteMode vote = VoteMode::None;
    PermuteMode permute = PermuteMode::None;
    TestMode test = TestMode::None;
    BarrierMode barrier = BarrierMode::None; // bar, barrier
    AsyncOp async = AsyncOp::None;           // cp; st, red: Copy for .async
    BulkCompletion bulk = BulkCompletion::None;
    ProxyFence proxy = ProxyFence::None; // fence, membar
    std::uint8_t dimensions = 0;         // cp.async.bulk.tensor: 1 to 5
    Ordering ordering = Ordering::Weak;
    Scope scope = Scope::None;
    CacheOp cache = CacheOp::None;
    Space space = Space::Generic; // ld, st, atom, red, cvta, isspacep, prefetch; bulk copies: of the source
    std::uint8_t vector = 1;      // 1, 2, 4, 8 elements
    MbarrierOp mbarrier = MbarrierOp::None;
    WmmaOp wmma = WmmaOp::None;
    WgmmaOp wgmma = WgmmaOp::None;
    MatrixShape shape;                                   // mma, wmma, ldmatrix and their like
    MatrixLayout layoutA = MatrixLayout::None;           // also the layout of wmma.load and wmma.store
    MatrixLayout layoutB = MatrixLayout::None;
    std::uint8_t matrices = 1;                           // ldmatrix, stmatrix: .x1, .x2, .x4
    bool transposed = false;                             // ldmatrix, stmatrix, movmatrix: .trans
    bool ftz = false, sat = false, satfinite = false, relu = false;
    bool approx = false, full = false;
    bool nan = false;                          // min/max .NaN
    bool xorsignAbs = false;                   // min/max .xorsign.abs
    bool abs = false;                          // redux .abs, set/setp have none
    bool lo = false, hi = false, wide = false; // mul, mad; dp2a
    bool carryOut = false;                     // .cc of add, sub, mad and friends
    bool left = false, wrap = false,
         clamp = false;                 // shf (.l when left), bmsk and szext (.wrap/.clamp)
    bool shiftAmount = false;           // bfind.shiftamt
    bool to = false;                    // cvta.to
    bool uniform = false;               // bra.uni, call.uni, ret.uni
    bool nonCoherent = false;           // ld.global.nc
    bool sync = false, aligned = false; // .sync, .aligned
    bool matchAll = false;              // match.all (any otherwise)
    bool noReturn = false;              // red: atom without a result (set for Opcode::Red)
    bool noftz = false;                 // atom.add.noftz
    bool noinc = false;                 // cp.async.mbarrier.arrive.noinc
    bool multicast = false;             // cp.async.bulk .multicast::cluster
    bool operator==(const Modifiers&) const = default;
};

/// A special register. Pm0 and EnvReg are families (%pm0 ... %pm7, %envreg0 ... %envreg31):
/// Operand::index has the number.
enum class Special : std::uint8_t {
    None,
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    LaneId,
    WarpId,
    NwarpId,
    SmId,
    NsmId,
    GridId,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    Clock,
    ClockHi,
    Clock64,
    GlobalTimer,
    GlobalTimerLo,
    GlobalTimerHi,
    DynamicSmemSize,
    TotalSmemSize,
    AggrSmemSize,
    ReservedSmemOffset,
    ClusterIdX,
    ClusterIdY,
    ClusterIdZ,
    NclusterIdX,
    NclusterIdY,
    NclusterIdZ,
    ClusterCtaidX,
    ClusterCtaidY,
    ClusterCtaidZ,
    ClusterNctaidX,
    ClusterNctaidY,
    ClusterNctaidZ,
    ClusterCtarank,
    ClusterNctarank,
    IsExplicitCluster,
    CurrentGraphExec,
    Pm0,
    EnvReg
};
std::string_view name(Special special);

enum class OperandKind : std::uint8_t {
    None,
    Register,  ///< index: register of the function
    Special,   ///< special: a special register
    Immediate, ///< bits: the value, already converted to the instruction's operand type (f32 as its
               ///< 32 bits)
    Sink,      ///< '_': the result is dropped
    Vector,    ///< elements: {a, b, ...}
    Address,   ///< [base + offset]: base in elements[0], offset in `offset`; of a tensor map its coordinates follow in elements
    Variable,  ///< the address (or, for a function's scalar .param, the variable) named by index
               ///< into Module/Function variables
    Label,     ///< index: instruction the label stands before
    Function,  ///< index: function of the module
    PredicatePair, ///< elements[0] | elements[1], as in setp p|q, and d|p of shfl, match, lop3 and
                   ///< elect
    TargetTable,   ///< index: Function::targetTables (brx.idx, an indirect call with .calltargets)
    Prototype      ///< index: Function::prototypes (an indirect call with .callprototype)
};

/// Where a Variable is declared.
enum class VariableScope : std::uint8_t { Module, Function, FunctionParameter, FunctionResult };

struct Operand {
    OperandKind kind = OperandKind::None;
    /// A predicate source written !p, or an integer/float source written -x (folded for
    /// immediates).
    bool negated = false;
    Special special = Special::None;
    VariableScope scope = VariableScope::Module;
    std::uint32_t index = 0;
    std::uint64_t bits = 0;
    /// Address: bytes added to the base. Variable: bytes added (a+4 as an operand).
    std::int64_t offset = 0;
    /// Address: the base (Register, Variable or Immediate), and the coordinates in a tensor. Vector,
    /// PredicatePair: the parts.
    std::vector<Operand> elements;

    bool isRegister() const { return kind == OperandKind::Register; }
    bool operator==(const Operand&) const = default;
};

/// Calls `visit(index)` for each register of the operand: itself, the elements of a vector or pair, the base of an address.
template <class Visit>
void forEachRegister(const Operand& operand, const Visit& visit) {
    if (operand.isRegister())
        visit(operand.index);
    for (const Operand& element : operand.elements)
        forEachRegister(element, visit);
}

/// Position in CUDA text by .loc (file index into Module::files, line from 1); file -1 when there
/// is none.
struct SourceLocation {
    std::int32_t file = -1;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    bool known() const { return file >= 0 && line != 0; }
    bool operator==(const SourceLocation&) const = default;
};

struct Instruction {
    Opcode opcode{};
    /// The instruction's types in the order written; cvt has two (destination, source), set/slct
    /// two, mad.wide one (the source's). None when not written.
    Type type = Type::None;
    Type type2 = Type::None;
    /// A third and fourth type where the form has them (mma: D, A, B, C).
    Type type3 = Type::None;
    Type type4 = Type::None;
    Modifiers modifiers;
    /// Guard @p or @!p: register index of the predicate, or -1.
    std::int32_t guard = -1;
    bool guardNegated = false;
    /// Destinations first, as written. Counts and kinds per form: engine/ptx/instruction_forms.cpp.
    /// Control flow:
    ///   bra       Label
    ///   brx.idx   index, TargetTable
    ///   call      Vector of results, callee (Function or Register), Vector of arguments; when the
    ///   callee is a register a
    ///             fourth operand: TargetTable, Prototype or Function. Results and arguments are
    ///             call-site .param variables (Variable), registers or immediates.
    std::vector<Operand> operands;
    /// lop3's table (not an operand); the constants of shfl, bar and others stay operands.
    std::uint32_t immediate = 0;
    std::uint32_t ptxLine = 0;
    SourceLocation source;
    /// Where `source` was inlined into, outermost last (from .loc ... inlined_at). May be empty.
    std::vector<SourceLocation> inlinedAt;
    /// Of the compiled form (engine/compiled): PTX lines of the instructions that became part of this
    /// one, ascending; and, bit by element of a vector load, what no instruction at this place asked
    /// for: it is loaded and not checked.
    std::vector<std::uint32_t> mergedLines;
    std::uint16_t uncheckedElements = 0;
    bool operator==(const Instruction&) const = default;
};

struct Register {
    /// As written, "%r7"; a name that a nested scope declares again gets "$2", "$3", ... appended.
    std::string name;
    Type type = Type::B32;
    bool operator==(const Register&) const = default;
};

struct Variable {
    std::string name;
    Space space = Space::Generic;
    Type type = Type::B8; ///< element type
    std::uint32_t alignment = 1;
    std::uint64_t sizeBytes = 0; ///< 0 for an extern array (dynamic shared memory)
    bool isExtern = false;
    bool isArray = false;
    /// Empty: zero (global, const) or not initialised (shared, local). May be shorter than
    /// sizeBytes: the rest is zero.
    std::vector<std::uint8_t> initial;
    /// Initialisers that are addresses of other variables or functions: 8 (or 4) bytes at `at` get
    /// the address.
    struct Relocation {
        std::uint64_t at = 0;
        std::string symbol;
        std::int64_t addend = 0;
        bool generic = false;
        std::uint8_t bytes = 8;
        bool operator==(const Relocation&) const = default;
    };
    std::vector<Relocation> relocations;
    bool operator==(const Variable&) const = default;
};

struct Parameter {
    std::string name;
    Type type = Type::B64;
    std::uint32_t alignment = 1;
    std::uint64_t sizeBytes = 0;
    std::uint64_t offset = 0; ///< byte offset in the kernel's parameter block, or in the call frame
    bool isPointer = false;   ///< .ptr was written
    Space pointerSpace = Space::Generic;
    bool isArray = false;
    /// A .reg parameter of a .func: the register of the function that holds it; -1 for .param.
    std::int32_t registerIndex = -1;
    bool operator==(const Parameter&) const = default;
};

struct LaunchBounds {
    std::optional<std::uint32_t> maxThreadsX, maxThreadsY, maxThreadsZ; // .maxntid
    std::optional<std::uint32_t> requiredX, requiredY, requiredZ;       // .reqntid
    std::optional<std::uint32_t> minBlocksPerSm;                        // .minnctapersm
    std::optional<std::uint32_t> maxRegisters;                          // .maxnreg
    std::optional<std::uint32_t> clusterX, clusterY, clusterZ;          // .reqnctapercluster
    bool operator==(const LaunchBounds&) const = default;
};

struct Function {
    std::string name;
    bool isEntry = false;
    bool isDeclaration = false;              ///< .extern or a prototype without a body
    std::vector<Parameter> parameters;       ///< inputs
    std::vector<Parameter> returnParameters; ///< results of a .func
    std::vector<Register> registers;
    /// .shared, .local, .const, .global variables and call-site .param variables declared in the
    /// body.
    std::vector<Variable> variables;
    /// A body that could run past its end gets a final ret, so that control never leaves the list.
    std::vector<Instruction> instructions;
    LaunchBounds bounds;
    /// Loop heads under .pragma "nounroll": indices of the instructions it stands before.
    std::vector<std::uint32_t> notUnrolled;
    /// Tables of .branchtargets (targets are instruction indices) and .calltargets (functions of
    /// the module).
    struct TargetTable {
        std::string name;
        std::vector<std::uint32_t> targets;
        bool isCall = false;
        bool operator==(const TargetTable&) const = default;
    };
    std::vector<TargetTable> targetTables;
    struct Prototype {
        std::string name;
        std::vector<Parameter> parameters;
        std::vector<Parameter> returnParameters;
        bool operator==(const Prototype&) const = default;
    };
    std::vector<Prototype> prototypes;
    bool isNoReturn = false;
    /// False when the body has instructions that are not executed (only in functions that the entry
    /// cannot reach).
    bool isComplete = true;
    SourceLocation source;
    std::uint32_t ptxLine = 0;
};

struct Module {
    std::string path; ///< for messages
    std::string text;
    std::uint32_t versionMajor = 0, versionMinor = 0;
    std::string target; ///< "sm_90a"
    std::uint32_t addressBits = 64;
    std::vector<std::string> files; ///< of .file, by index; holes are empty
    std::vector<Variable> variables;
    std::vector<Function> functions;

    /// Index of the function or -1.
    int findFunction(std::string_view functionName) const;
    int findVariable(std::string_view variableName) const;
    /// Names of the entries in file order.
    std::vector<std::string> entries() const;
};

/// Parses and checks a module. All errors of the text are collected (up to 50), each with line and
/// column. Instructions, modifiers and directives that the simulator does not execute are errors
/// with code "unsupported"; they are reported only for functions reachable from `entry` when it is
/// not empty (so that one texture kernel does not spoil a file), else for all.
Result<Module> parse(std::string text, std::string path = "<ptx>", std::string_view entry = {});

/// Names of the .entry functions in file order, without checking anything else of the text.
Result<std::vector<std::string>> entryNames(std::string_view text, const std::string& path);

/// The instruction in PTX syntax (canonical spacing); parse(print(module)) gives an equal module.
std::string print(const Module& module, const Function& function, const Instruction& instruction);
std::string print(const Module& module);

} // namespace lanescope::ptx
