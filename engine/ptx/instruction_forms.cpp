// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ptx/instruction_forms.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

namespace lanescope::ptx {

namespace {

struct FormText {
    Opcode opcode;
    std::string_view modifiers;
    std::string_view operands;
};

constexpr FormText kForms[] = {
#define LS_FORM(opcode, modifiers, operands) {Opcode::opcode, modifiers, operands},
#include "engine/ptx/forms.def"
#undef LS_FORM
};

struct UnsupportedText {
    Opcode opcode;
    std::string_view tokens;
};

constexpr UnsupportedText kUnsupported[] = {
#define LS_FORM(opcode, modifiers, operands)
#define LS_UNSUPPORTED(opcode, tokens) {Opcode::opcode, tokens},
#include "engine/ptx/forms.def"
#undef LS_UNSUPPORTED
#undef LS_FORM
};

struct Macro {
    std::string_view name, text;
};

#define LS_EVICT "evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"
#define LS_MEMORY_SPACES "global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func"
#define LS_N24(k) "m64n8k" k "|m64n16k" k "|m64n24k" k "|m64n32k" k
#define LS_N16(k) "|m64n48k" k "|m64n64k" k "|m64n80k" k "|m64n96k" k "|m64n112k" k "|m64n128k" k "|m64n144k" k "|m64n160k" k "|m64n176k" k \
                  "|m64n192k" k "|m64n208k" k "|m64n224k" k "|m64n240k" k "|m64n256k" k
#define LS_N8(k) "|m64n40k" k "|m64n56k" k "|m64n72k" k "|m64n88k" k "|m64n104k" k "|m64n120k" k "|m64n136k" k "|m64n152k" k "|m64n168k" k \
                 "|m64n184k" k "|m64n200k" k "|m64n216k" k "|m64n232k" k "|m64n248k" k
constexpr Macro kMacros[] = {
    {"rnd", "rnd=rn|rz|rm|rp"},
    {"rndi", "rnd=rni|rzi|rmi|rpi"},
    {"bool", "bool=and|or|xor"},
    {"cmps", "cmp=eq|ne|lt|le|gt|ge"},
    {"cmpu", "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    {"cmpf", "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"int", ":u8|u16|u32|u64|s8|s16|s32|s64"},
    {"mem", ":b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"space", "space=" LS_MEMORY_SPACES},
    {"aspace", "space=global|shared|shared::cta|shared::cluster"},
    {"sspace", "space=shared|shared::cta"},
    {"cspace", "space=shared|shared::cta|shared::cluster"},
    {"gspace", "space=global|shared|shared::cta"},
    {"scope", "scope=cta|cluster|gpu|sys"},
    {"sem", "sem=relaxed|acquire|release|acq_rel"},
    {"rsem", "sem=relaxed|release"},
    {"ldcache", "cache=ca|cg|cs|lu|cv"},
    {"stcache", "cache=wb|cg|cs|wt"},
    {"evict", "hint=L1::" LS_EVICT},
    {"evict2", "hint=L2::evict_normal|L2::evict_first|L2::evict_last"},
    {"hint", "hint=L2::cache_hint"},
    {"prefetch", "hint=L2::64B|L2::128B|L2::256B"},
    {"policy", "hint=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"},
    {"policy2", "hint=L2::evict_unchanged|L2::evict_first"},
    {"vec", "vec=v2|v4|v8"},
    {"dims", "dims=1d|2d|3d|4d|5d"},
    {"gk8", "shape=" LS_N24("8") LS_N16("8") LS_N8("8")},
    {"gk16", "shape=" LS_N24("16") LS_N16("16") LS_N8("16")},
    {"gk32", "shape=" LS_N24("32") LS_N16("32") LS_N8("32")},
    {"gi32", "shape=" LS_N24("32") LS_N16("32")}, // integers take n in steps of 16 above 32
    {"gi256", "shape=" LS_N24("256") LS_N16("256")},
};
#undef LS_N24
#undef LS_N16
#undef LS_N8
#undef LS_EVICT
#undef LS_MEMORY_SPACES

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0)
            parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

bool consume(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix))
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

Field findField(std::string_view name) {
    constexpr std::pair<std::string_view, Field> kFields[] = {
        {"rnd", Field::Rounding}, {"cmp", Field::Compare},  {"bool", Field::BoolOp},
        {"op", Field::AtomicOp},  {"shfl", Field::Shuffle}, {"vote", Field::Vote},
        {"perm", Field::Permute}, {"test", Field::Test},    {"bar", Field::Barrier},
        {"async", Field::Async},  {"bulk", Field::Bulk},    {"proxy", Field::Proxy}, {"dims", Field::Dimensions},
        {"sem", Field::Ordering}, {"scope", Field::Scope},  {"cache", Field::Cache},
        {"space", Field::Space},  {"vec", Field::Vector},   {"mbar", Field::Mbarrier},
        {"wmma", Field::Wmma},    {"wgmma", Field::Wgmma},
        {"shape", Field::Shape},  {"layA", Field::LayoutA}, {"layB", Field::LayoutB},
        {"num", Field::Matrices}, {"hint", Field::Hint}};
    for (const auto& [text, field] : kFields)
        if (text == name)
            return field;
    return Field::Flag;
}

/// A word of a form's modifiers: "#", ":f32|f64" or "field=a|b?".
void addModifierWord(Form& form, std::string_view word) {
    if (word == "#") {
        form.executed = false;
        return;
    }
    if (consume(word, ":")) {
        std::uint64_t mask = 0;
        for (std::string_view token : split(word, '|'))
            mask |= std::uint64_t{1} << static_cast<int>(findType(token));
        form.types.push_back(mask);
        return;
    }
    ModifierGroup group;
    if (word.ends_with('?')) {
        group.optional = true;
        word.remove_suffix(1);
    }
    if (const std::size_t equals = word.find('='); equals != std::string_view::npos) {
        group.field = findField(word.substr(0, equals));
        word.remove_prefix(equals + 1);
    }
    group.tokens = split(word, '|');
    form.groups.push_back(std::move(group));
}

void addModifiers(Form& form, std::string_view text) {
    for (std::string_view word : split(text, ' ')) {
        if (!word.starts_with('<')) {
            addModifierWord(form, word);
            continue;
        }
        const bool optional = word.ends_with('?');
        const std::string_view name = word.substr(1, word.find('>') - 1);
        for (const Macro& macro : kMacros)
            if (macro.name == name)
                addModifierWord(form, macro.text);
        if (optional)
            form.groups.back().optional = true;
    }
}

OperandForm parseOperandForm(std::string_view word) {
    OperandForm operand;
    operand.isDestination = consume(word, "=");
    operand.maySink = consume(word, "_");
    operand.widens = consume(word, "~");
    if (const std::size_t bar = word.find('|'); bar != std::string_view::npos) {
        operand.role = OperandRole::Pair;
        operand.pairOptional = word.ends_with('?');
        word = word.substr(0, bar);
    }
    if (word.ends_with('?')) {
        operand.optional = true;
        word.remove_suffix(1);
    }
    if (const std::size_t star = word.find('*'); star != std::string_view::npos) {
        operand.role = OperandRole::Elements;
        const std::string_view count = word.substr(0, star);
        if (count == "n" || count == "h")
            operand.count = count == "n" ? kHalfOfN : kQuarterOfN;
        else
            for (const char digit : count)
                operand.count = static_cast<std::uint8_t>(10 * operand.count + (digit - '0'));
        word.remove_prefix(star + 1);
        operand.type = findType(word);
    } else if (consume(word, "p/")) {
        operand.role = OperandRole::ValueOrPredicate;
        operand.type = findType(word);
    } else if (word == "[]") {
        operand.role = OperandRole::Memory;
    } else if (word == "[t]") {
        operand.role = OperandRole::TensorBox;
    } else if (word == "A") {
        operand.role = OperandRole::RegistersOrDescriptor;
        operand.type = Type::U64;
    } else if (word == "imm") {
        operand.role = OperandRole::Constant;
    } else if (word == "!pred") {
        operand.role = OperandRole::Predicate;
        operand.type = Type::Pred;
    } else {
        if (consume(word, "m"))
            operand.role = OperandRole::MoveValue;
        else if (consume(word, "a"))
            operand.role = OperandRole::AddressOf;
        else if (consume(word, "v"))
            operand.role = OperandRole::Elements;
        if (word == "w")
            operand.slot = kWideSlot;
        else if (word.size() == 1)
            operand.slot = static_cast<std::uint8_t>(word[0] - '0');
        else
            operand.type = findType(word);
    }
    return operand;
}

using FormTable = std::vector<std::vector<Form>>;

FormTable buildForms() {
    FormTable table(256);
    for (const FormText& text : kForms) {
        Form form;
        form.opcode = text.opcode;
        addModifiers(form, text.modifiers);
        for (std::string_view word : split(text.operands, ' ')) {
            form.operands.push_back(parseOperandForm(word));
            if (!form.operands.back().optional)
                form.minimumOperands = form.operands.size();
        }
        table[static_cast<std::size_t>(text.opcode)].push_back(std::move(form));
    }
    return table;
}

template <class E>
struct Named {
    std::string_view name;
    E value;
};

template <class E, std::size_t N>
bool assign(const Named<E> (&names)[N], std::string_view token, E& value) {
    for (const auto& entry : names)
        if (entry.name == token) {
            value = entry.value;
            return true;
        }
    return false;
}

constexpr Named<Rounding> kRoundings[] = {
    {"rn", Rounding::Rn},   {"rz", Rounding::Rz},   {"rm", Rounding::Rm},   {"rp", Rounding::Rp},
    {"rna", Rounding::Rna}, {"rni", Rounding::Rni}, {"rzi", Rounding::Rzi}, {"rmi", Rounding::Rmi},
    {"rpi", Rounding::Rpi}, {"rs", Rounding::Rs}};
constexpr Named<Compare> kCompares[] = {
    {"eq", Compare::Eq},   {"ne", Compare::Ne},   {"lt", Compare::Lt},   {"le", Compare::Le},
    {"gt", Compare::Gt},   {"ge", Compare::Ge},   {"lo", Compare::Lo},   {"ls", Compare::Ls},
    {"hi", Compare::Hi},   {"hs", Compare::Hs},   {"equ", Compare::Equ}, {"neu", Compare::Neu},
    {"ltu", Compare::Ltu}, {"leu", Compare::Leu}, {"gtu", Compare::Gtu}, {"geu", Compare::Geu},
    {"num", Compare::Num}, {"nan", Compare::Nan}};
constexpr Named<BoolOp> kBoolOps[] = {
    {"and", BoolOp::And}, {"or", BoolOp::Or}, {"xor", BoolOp::Xor}, {"and.popc", BoolOp::And}, {"xor.popc", BoolOp::Xor}};
constexpr Named<AtomicOp> kAtomicOps[] = {{"and", AtomicOp::And},   {"or", AtomicOp::Or},
                                          {"xor", AtomicOp::Xor},   {"cas", AtomicOp::Cas},
                                          {"exch", AtomicOp::Exch}, {"add", AtomicOp::Add},
                                          {"inc", AtomicOp::Inc},   {"dec", AtomicOp::Dec},
                                          {"min", AtomicOp::Min},   {"max", AtomicOp::Max}};
constexpr Named<ShuffleMode> kShuffles[] = {{"up", ShuffleMode::Up},
                                            {"down", ShuffleMode::Down},
                                            {"bfly", ShuffleMode::Bfly},
                                            {"idx", ShuffleMode::Idx}};
constexpr Named<VoteMode> kVotes[] = {{"all", VoteMode::All},
                                      {"any", VoteMode::Any},
                                      {"uni", VoteMode::Uni},
                                      {"ballot", VoteMode::Ballot}};
constexpr Named<PermuteMode> kPermutes[] = {{"f4e", PermuteMode::F4e}, {"b4e", PermuteMode::B4e},
                                            {"rc8", PermuteMode::Rc8}, {"ecl", PermuteMode::Ecl},
                                            {"ecr", PermuteMode::Ecr}, {"rc16", PermuteMode::Rc16}};
constexpr Named<TestMode> kTests[] = {
    {"finite", TestMode::Finite}, {"infinite", TestMode::Infinite},
    {"number", TestMode::Number}, {"notanumber", TestMode::NotANumber},
    {"normal", TestMode::Normal}, {"subnormal", TestMode::Subnormal}};
constexpr Named<BarrierMode> kBarriers[] = {{"sync", BarrierMode::Sync},
                                            {"arrive", BarrierMode::Arrive},
                                            {"red.popc", BarrierMode::RedPopc},
                                            {"red.and", BarrierMode::RedAnd},
                                            {"red.or", BarrierMode::RedOr},
                                            {"warp.sync", BarrierMode::Warp},
                                            {"cluster.arrive", BarrierMode::ClusterArrive},
                                            {"cluster.wait", BarrierMode::ClusterWait}};
constexpr Named<AsyncOp> kAsyncOps[] = {{"async", AsyncOp::Copy},
                                        {"async.commit_group", AsyncOp::CommitGroup},
                                        {"async.wait_group", AsyncOp::WaitGroup},
                                        {"async.wait_all", AsyncOp::WaitAll},
                                        {"async.mbarrier.arrive", AsyncOp::MbarrierArrive},
                                        {"async.bulk", AsyncOp::Bulk},
                                        {"async.bulk.prefetch", AsyncOp::BulkPrefetch},
                                        {"reduce.async.bulk", AsyncOp::BulkReduce},
                                        {"async.bulk.tensor", AsyncOp::BulkTensor},
                                        {"async.bulk.prefetch.tensor", AsyncOp::BulkTensorPrefetch},
                                        {"reduce.async.bulk.tensor", AsyncOp::BulkTensorReduce},
                                        {"async.bulk.commit_group", AsyncOp::BulkCommitGroup},
                                        {"async.bulk.wait_group", AsyncOp::BulkWaitGroup},
                                        {"async.bulk.wait_group.read", AsyncOp::BulkWaitGroupRead}};
constexpr Named<BulkCompletion> kBulkCompletions[] = {{"mbarrier::complete_tx::bytes", BulkCompletion::Mbarrier},
                                                      {"bulk_group", BulkCompletion::Group}};
constexpr Named<ProxyFence> kProxyFences[] = {{"proxy.alias", ProxyFence::Alias},
                                              {"proxy.async", ProxyFence::Async},
                                              {"proxy.async.global", ProxyFence::AsyncGlobal},
                                              {"proxy.async.shared::cta", ProxyFence::AsyncShared},
                                              {"proxy.async.shared::cluster", ProxyFence::AsyncShared},
                                              {"proxy.async::generic", ProxyFence::AsyncGeneric},
                                              {"proxy.tensormap::generic", ProxyFence::Tensormap},
                                              {"mbarrier_init", ProxyFence::MbarrierInit}};
constexpr Named<std::uint8_t> kDimensions[] = {
    {"1d", std::uint8_t{1}}, {"2d", std::uint8_t{2}}, {"3d", std::uint8_t{3}}, {"4d", std::uint8_t{4}}, {"5d", std::uint8_t{5}}};
constexpr Named<Ordering> kOrderings[] = {
    {"weak", Ordering::Weak},       {"volatile", Ordering::Volatile},
    {"relaxed", Ordering::Relaxed}, {"acquire", Ordering::Acquire},
    {"release", Ordering::Release}, {"acq_rel", Ordering::AcqRel},
    {"sc", Ordering::SeqCst}};
constexpr Named<Scope> kScopes[] = {{"cta", Scope::Cta},
                                    {"cluster", Scope::Cluster},
                                    {"gpu", Scope::Gpu},
                                    {"sys", Scope::Sys},
                                    {"gl", Scope::Gpu}};
constexpr Named<CacheOp> kCacheOps[] = {
    {"ca", CacheOp::Ca}, {"cg", CacheOp::Cg}, {"cs", CacheOp::Cs}, {"lu", CacheOp::Lu},
    {"cv", CacheOp::Cv}, {"wb", CacheOp::Wb}, {"wt", CacheOp::Wt}};
constexpr Named<Space> kSpaces[] = {{"global", Space::Global},      {"shared", Space::Shared},
                                    {"shared::cta", Space::Shared}, {"shared::cluster", Space::Shared}, {"local", Space::Local},
                                    {"const", Space::Const},        {"param", Space::Param},
                                    {"param::entry", Space::Param}, {"param::func", Space::Param}};
constexpr Named<std::uint8_t> kVectors[] = {
    {"v2", std::uint8_t{2}}, {"v4", std::uint8_t{4}}, {"v8", std::uint8_t{8}}};
constexpr Named<MbarrierOp> kMbarrierOps[] = {{"init", MbarrierOp::Init},
                                              {"inval", MbarrierOp::Inval},
                                              {"arrive", MbarrierOp::Arrive},
                                              {"arrive.expect_tx", MbarrierOp::ArriveExpectTx},
                                              {"arrive.noComplete", MbarrierOp::ArriveNoComplete},
                                              {"arrive_drop", MbarrierOp::ArriveDrop},
                                              {"arrive_drop.expect_tx", MbarrierOp::ArriveDropExpectTx},
                                              {"arrive_drop.noComplete", MbarrierOp::ArriveDropNoComplete},
                                              {"expect_tx", MbarrierOp::ExpectTx},
                                              {"complete_tx", MbarrierOp::CompleteTx},
                                              {"test_wait", MbarrierOp::TestWait},
                                              {"test_wait.parity", MbarrierOp::TestWaitParity},
                                              {"try_wait", MbarrierOp::TryWait},
                                              {"try_wait.parity", MbarrierOp::TryWaitParity},
                                              {"pending_count", MbarrierOp::PendingCount}};
constexpr Named<WmmaOp> kWmmaOps[] = {{"load.a", WmmaOp::LoadA},
                                      {"load.b", WmmaOp::LoadB},
                                      {"load.c", WmmaOp::LoadC},
                                      {"store.d", WmmaOp::StoreD},
                                      {"mma", WmmaOp::Mma}};
constexpr Named<WgmmaOp> kWgmmaOps[] = {{"fence", WgmmaOp::Fence},
                                        {"mma_async", WgmmaOp::MmaAsync},
                                        {"commit_group", WgmmaOp::CommitGroup},
                                        {"wait_group", WgmmaOp::WaitGroup}};
constexpr Named<MatrixLayout> kLayouts[] = {{"row", MatrixLayout::Row}, {"col", MatrixLayout::Col}};
constexpr Named<std::uint8_t> kMatrices[] = {
    {"x1", std::uint8_t{1}}, {"x2", std::uint8_t{2}}, {"x4", std::uint8_t{4}}};

/// "m16n8k16", "m8n8".
bool assignShape(std::string_view token, MatrixShape& shape) {
    shape = {};
    std::uint16_t* part = nullptr;
    for (const char c : token) {
        if (c >= '0' && c <= '9' && part != nullptr)
            *part = static_cast<std::uint16_t>(10 * *part + (c - '0'));
        else
            part = c == 'm' ? &shape.m : c == 'n' ? &shape.n : c == 'k' ? &shape.k : nullptr;
    }
    return shape.m != 0 && shape.n != 0;
}

constexpr Named<bool Modifiers::*> kFlags[] = {{"ftz", &Modifiers::ftz},
                                               {"sat", &Modifiers::sat},
                                               {"satfinite", &Modifiers::satfinite},
                                               {"relu", &Modifiers::relu},
                                               {"approx", &Modifiers::approx},
                                               {"full", &Modifiers::full},
                                               {"NaN", &Modifiers::nan},
                                               {"xorsign.abs", &Modifiers::xorsignAbs},
                                               {"abs", &Modifiers::abs},
                                               {"lo", &Modifiers::lo},
                                               {"hi", &Modifiers::hi},
                                               {"wide", &Modifiers::wide},
                                               {"cc", &Modifiers::carryOut},
                                               {"l", &Modifiers::left},
                                               {"wrap", &Modifiers::wrap},
                                               {"clamp", &Modifiers::clamp},
                                               {"shiftamt", &Modifiers::shiftAmount},
                                               {"to", &Modifiers::to},
                                               {"uni", &Modifiers::uniform},
                                               {"nc", &Modifiers::nonCoherent},
                                               {"sync", &Modifiers::sync},
                                               {"aligned", &Modifiers::aligned},
                                               {"all", &Modifiers::matchAll},
                                               {"trans", &Modifiers::transposed},
                                               {"noftz", &Modifiers::noftz},
                                               {"noinc", &Modifiers::noinc},
                                               {"multicast::cluster", &Modifiers::multicast}};

bool applyFlag(std::string_view token, Modifiers& modifiers) {
    if (token == "r") { // shf.r: the right shift is what `left` false means
        modifiers.left = false;
        return true;
    }
    bool Modifiers::*flag = nullptr;
    if (!assign(kFlags, token, flag))
        return false;
    modifiers.*flag = true;
    return true;
}

/// The token of a group that the modifiers have, or empty.
std::string_view chosenToken(const ModifierGroup& group, const Modifiers& modifiers,
                             const Modifiers& defaults) {
    for (std::string_view token : group.tokens) {
        Modifiers changed = modifiers;
        applyToken(group.field, token, changed);
        if (!(changed == modifiers))
            continue;
        if (!group.optional)
            return token;
        changed = defaults;
        applyToken(group.field, token, changed);
        if (!(changed == defaults))
            return token;
    }
    return {};
}

bool typesFit(const Form& form, const Type (&types)[kTypeSlots]) {
    for (std::size_t i = 0; i < kTypeSlots; ++i) {
        const bool wanted = i < form.types.size();
        if (wanted != (types[i] != Type::None))
            return false;
        if (wanted && (form.types[i] >> static_cast<int>(types[i]) & 1) == 0)
            return false;
    }
    return true;
}

/// How many of tokens[at...] an alternative of the group takes, by the one that takes most of them; 0 when none fits. "red.popc"
/// takes two.
std::size_t tokensTaken(const ModifierGroup& group, const std::vector<std::string_view>& tokens,
                        std::size_t at, std::string_view& chosen) {
    std::size_t most = 0;
    for (std::string_view alternative : group.tokens) {
        const std::vector<std::string_view> parts = split(alternative, '.');
        if (parts.size() > most && at + parts.size() <= tokens.size() &&
            std::equal(parts.begin(), parts.end(), tokens.begin() + static_cast<std::ptrdiff_t>(at))) {
            chosen = alternative;
            most = parts.size();
        }
    }
    return most;
}

/// Tries one form; true when every token has a place and every obligatory place a token.
bool matchForm(const Form& form, const std::vector<std::string_view>& tokens,
               MatchedMnemonic& result) {
    Modifiers modifiers = defaultModifiers(form.opcode);
    Type types[kTypeSlots] = {};
    std::size_t typeCount = 0;
    std::uint64_t used = 0;
    for (std::size_t at = 0; at < tokens.size();) {
        std::size_t taken = 0;
        for (std::size_t g = 0; g < form.groups.size() && taken == 0; ++g) {
            std::string_view chosen;
            if ((used >> g & 1) != 0)
                continue;
            taken = tokensTaken(form.groups[g], tokens, at, chosen);
            if (taken > 0) {
                used |= std::uint64_t{1} << g;
                applyToken(form.groups[g].field, chosen, modifiers);
            }
        }
        if (taken == 0) {
            const Type type = findType(tokens[at]);
            if (type == Type::None || typeCount == kTypeSlots)
                return false;
            types[typeCount++] = type;
            taken = 1;
        }
        at += taken;
    }
    for (std::size_t g = 0; g < form.groups.size(); ++g)
        if (!form.groups[g].optional && (used >> g & 1) == 0)
            return false;
    if (!typesFit(form, types))
        return false;
    if (result.forms.empty()) {
        result.modifiers = modifiers;
        std::copy(std::begin(types), std::end(types), std::begin(result.types));
    }
    return true;
}

/// True when some form of the opcode has the token (as a modifier or as a type).
bool isKnownToken(const std::vector<Form>& all, std::string_view token) {
    const Type type = findType(token);
    for (const Form& form : all) {
        for (const std::uint64_t mask : form.types)
            if (type != Type::None && (mask >> static_cast<int>(type) & 1) != 0)
                return true;
        for (const ModifierGroup& group : form.groups)
            for (std::string_view alternative : group.tokens)
                for (std::string_view part : split(alternative, '.'))
                    if (part == token)
                        return true;
    }
    return false;
}

} // namespace

const std::vector<Form>& forms(Opcode opcode) {
    static const FormTable table = buildForms();
    return table[static_cast<std::size_t>(opcode)];
}

bool isUnsupportedModifier(Opcode opcode, std::string_view token) {
    for (const UnsupportedText& entry : kUnsupported)
        if (entry.opcode == opcode)
            for (std::string_view word : split(entry.tokens, ' '))
                if (word == token)
                    return true;
    return false;
}

bool applyToken(Field field, std::string_view token, Modifiers& modifiers) {
    switch (field) {
    case Field::Flag:
        return applyFlag(token, modifiers);
    case Field::Rounding:
        return assign(kRoundings, token, modifiers.rounding);
    case Field::Compare:
        return assign(kCompares, token, modifiers.compare);
    case Field::BoolOp:
        return assign(kBoolOps, token, modifiers.boolOp);
    case Field::AtomicOp:
        return assign(kAtomicOps, token, modifiers.atomicOp);
    case Field::Shuffle:
        return assign(kShuffles, token, modifiers.shuffle);
    case Field::Vote:
        return assign(kVotes, token, modifiers.vote);
    case Field::Permute:
        return assign(kPermutes, token, modifiers.permute);
    case Field::Test:
        return assign(kTests, token, modifiers.test);
    case Field::Barrier:
        return assign(kBarriers, token, modifiers.barrier);
    case Field::Async:
        return assign(kAsyncOps, token, modifiers.async);
    case Field::Bulk:
        return assign(kBulkCompletions, token, modifiers.bulk);
    case Field::Proxy:
        return assign(kProxyFences, token, modifiers.proxy);
    case Field::Dimensions:
        return assign(kDimensions, token, modifiers.dimensions);
    case Field::Ordering:
        return assign(kOrderings, token, modifiers.ordering);
    case Field::Scope:
        return assign(kScopes, token, modifiers.scope);
    case Field::Cache:
        return assign(kCacheOps, token, modifiers.cache);
    case Field::Space:
        return assign(kSpaces, token, modifiers.space);
    case Field::Vector:
        return assign(kVectors, token, modifiers.vector);
    case Field::Mbarrier:
        return assign(kMbarrierOps, token, modifiers.mbarrier);
    case Field::Wmma:
        return assign(kWmmaOps, token, modifiers.wmma);
    case Field::Wgmma:
        return assign(kWgmmaOps, token, modifiers.wgmma);
    case Field::Shape:
        return assignShape(token, modifiers.shape);
    case Field::LayoutA:
        return assign(kLayouts, token, modifiers.layoutA);
    case Field::LayoutB:
        return assign(kLayouts, token, modifiers.layoutB);
    case Field::Matrices:
        return assign(kMatrices, token, modifiers.matrices);
    case Field::Hint:
        return true;
    }
    return false;
}

Modifiers defaultModifiers(Opcode opcode) {
    Modifiers modifiers;
    if (opcode == Opcode::Atom || opcode == Opcode::Red)
        modifiers.ordering = Ordering::Relaxed;
    if (opcode == Opcode::Red)
        modifiers.noReturn = true;
    if (opcode == Opcode::Membar)
        modifiers.ordering = Ordering::SeqCst;
    if (opcode == Opcode::Bar) // bar is barrier.aligned (PTX ISA, bar)
        modifiers.aligned = true;
    return modifiers;
}

MatchedMnemonic matchMnemonic(Opcode opcode, const std::vector<std::string_view>& tokens) {
    MatchedMnemonic result;
    const std::vector<Form>& all = forms(opcode);
    for (const Form& form : all)
        if (matchForm(form, tokens, result))
            result.forms.push_back(&form);
    if (!result.forms.empty())
        return result;
    for (std::string_view token : tokens)
        if (isUnsupportedModifier(opcode, token)) {
            result.supported = false;
            result.problem = fmt::format(".{} of '{}' is not simulated", token, mnemonic(opcode));
            return result;
        }
    for (std::string_view token : tokens)
        if (!isKnownToken(all, token)) {
            result.problem =
                fmt::format("'{}' has no modifier or type .{}", mnemonic(opcode), token);
            return result;
        }
    result.problem =
        fmt::format("'{}' does not take these modifiers and types together", mnemonic(opcode));
    return result;
}

const Form* findForm(const Instruction& instruction) {
    const Modifiers defaults = defaultModifiers(instruction.opcode);
    const Type types[kTypeSlots] = {instruction.type, instruction.type2, instruction.type3, instruction.type4};
    const bool custom = instruction.opcode == Opcode::Bra || instruction.opcode == Opcode::Brx ||
                        instruction.opcode == Opcode::Call;
    for (const Form& form : forms(instruction.opcode)) {
        const std::size_t constants = instruction.opcode == Opcode::Lop3 ? 1 : 0;
        const std::size_t count = instruction.operands.size() + constants;
        if (!typesFit(form, types) ||
            (!custom && (count < form.minimumOperands || count > form.operands.size())))
            continue;
        Modifiers covered = defaults;
        bool complete = true;
        for (const ModifierGroup& group : form.groups) {
            const std::string_view token = chosenToken(group, instruction.modifiers, defaults);
            if (!token.empty())
                applyToken(group.field, token, covered);
            else if (!group.optional)
                complete = false;
        }
        if (complete && covered == instruction.modifiers)
            return &form;
    }
    return nullptr;
}

std::string fullMnemonic(const Instruction& instruction, const Form& form) {
    const Modifiers defaults = defaultModifiers(instruction.opcode);
    std::string text(mnemonic(instruction.opcode));
    for (const ModifierGroup& group : form.groups) {
        const std::string_view token = chosenToken(group, instruction.modifiers, defaults);
        if (!token.empty())
            text.append(".").append(token);
    }
    for (const Type type : {instruction.type, instruction.type2, instruction.type3, instruction.type4})
        if (type != Type::None)
            text.append(".").append(name(type));
    return text;
}

Type operandType(const OperandForm& form, const Type (&types)[kTypeSlots]) {
    if (form.slot == 0)
        return form.type;
    if (form.slot <= kTypeSlots)
        return types[form.slot - 1];
    switch (types[0]) {
    case Type::U16:
        return Type::U32;
    case Type::S16:
        return Type::S32;
    case Type::U32:
        return Type::U64;
    case Type::S32:
        return Type::S64;
    default:
        return Type::None;
    }
}

int elementCount(const OperandForm& form, const Modifiers& modifiers) {
    if (form.count == kHalfOfN || form.count == kQuarterOfN)
        return modifiers.shape.n / (form.count == kHalfOfN ? 2 : 4);
    return form.count != 0 ? form.count : modifiers.vector;
}

bool isCompatible(Type have, Type want, bool widens) {
    if (want == Type::Pred || have == Type::Pred)
        return have == want;
    const int haveBytes = sizeBytes(have), wantBytes = sizeBytes(want);
    if (haveBytes != wantBytes && !(widens && haveBytes > wantBytes && !isFloat(want)))
        return false;
    if (isUntyped(have) || isUntyped(want))
        return true;
    return isFloat(have) == isFloat(want) && (!isFloat(want) || have == want);
}

} // namespace lanescope::ptx
