// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ptx/ir.h"

#include <algorithm>
#include <unordered_map>

#include "engine/ptx/instruction_forms.h"

namespace lanescope::ptx {

namespace {

struct OpcodeRow {
    std::string_view mnemonic;
    Family family;
};

constexpr OpcodeRow kOpcodes[] = {
#define LS_OPCODE(name, mnemonic, family) {mnemonic, Family::family},
#include "engine/ptx/opcodes.def"
#undef LS_OPCODE
};

struct TypeRow {
    std::string_view name;
    int bytes;
    bool isFloat, isSigned;
};

// In the order of enum Type.
constexpr TypeRow kTypes[] = {
    {"", 0, false, false},      {"pred", 0, false, false}, {"b8", 1, false, false},
    {"b16", 2, false, false},   {"b32", 4, false, false},  {"b64", 8, false, false},
    {"b128", 16, false, false}, {"u8", 1, false, false},   {"u16", 2, false, false},
    {"u32", 4, false, false},   {"u64", 8, false, false},  {"s8", 1, false, true},
    {"s16", 2, false, true},    {"s32", 4, false, true},   {"s64", 8, false, true},
    {"u16x2", 4, false, false}, {"s16x2", 4, false, true}, {"f16", 2, true, true},
    {"f16x2", 4, true, true},   {"bf16", 2, true, true},   {"bf16x2", 4, true, true},
    {"f32", 4, true, true},     {"f32x2", 8, true, true},  {"f64", 8, true, true},
    {"tf32", 4, true, true},    {"e4m3x2", 2, true, true}, {"e5m2x2", 2, true, true},
    {"e2m1x2", 1, true, true},  {"e2m3x2", 2, true, true}, {"e3m2x2", 2, true, true},
    {"ue8m0x2", 2, true, true}, {"e4m3", 1, true, true},   {"e5m2", 1, true, true},
    {"s4", 0, false, true},     {"u4", 0, false, false},   {"b1", 0, false, false}};
static_assert(std::size(kTypes) == static_cast<std::size_t>(Type::B1) + 1);

const TypeRow& row(Type type) {
    return kTypes[static_cast<std::size_t>(type)];
}

// In the order of enum Special.
constexpr std::string_view kSpecials[] = {"",
                                          "%tid.x",
                                          "%tid.y",
                                          "%tid.z",
                                          "%ntid.x",
                                          "%ntid.y",
                                          "%ntid.z",
                                          "%ctaid.x",
                                          "%ctaid.y",
                                          "%ctaid.z",
                                          "%nctaid.x",
                                          "%nctaid.y",
                                          "%nctaid.z",
                                          "%laneid",
                                          "%warpid",
                                          "%nwarpid",
                                          "%smid",
                                          "%nsmid",
                                          "%gridid",
                                          "%lanemask_eq",
                                          "%lanemask_le",
                                          "%lanemask_lt",
                                          "%lanemask_ge",
                                          "%lanemask_gt",
                                          "%clock",
                                          "%clock_hi",
                                          "%clock64",
                                          "%globaltimer",
                                          "%globaltimer_lo",
                                          "%globaltimer_hi",
                                          "%dynamic_smem_size",
                                          "%total_smem_size",
                                          "%aggr_smem_size",
                                          "%reserved_smem_offset_begin",
                                          "%clusterid.x",
                                          "%clusterid.y",
                                          "%clusterid.z",
                                          "%nclusterid.x",
                                          "%nclusterid.y",
                                          "%nclusterid.z",
                                          "%cluster_ctaid.x",
                                          "%cluster_ctaid.y",
                                          "%cluster_ctaid.z",
                                          "%cluster_nctaid.x",
                                          "%cluster_nctaid.y",
                                          "%cluster_nctaid.z",
                                          "%cluster_ctarank",
                                          "%cluster_nctarank",
                                          "%is_explicit_cluster",
                                          "%current_graph_exec",
                                          "%pm",
                                          "%envreg"};
static_assert(std::size(kSpecials) == static_cast<std::size_t>(Special::EnvReg) + 1);

} // namespace

std::string_view mnemonic(Opcode opcode) {
    return kOpcodes[static_cast<std::size_t>(opcode)].mnemonic;
}
Family family(Opcode opcode) {
    return kOpcodes[static_cast<std::size_t>(opcode)].family;
}

int findOpcode(std::string_view text) {
    static const auto table = [] {
        std::unordered_map<std::string_view, int> map;
        for (std::size_t i = 0; i < std::size(kOpcodes); ++i)
            map.emplace(kOpcodes[i].mnemonic, static_cast<int>(i));
        return map;
    }();
    const auto found = table.find(text);
    return found == table.end() ? -1 : found->second;
}

int sizeBytes(Type type) {
    return row(type).bytes;
}
bool isFloat(Type type) {
    return row(type).isFloat;
}
bool isSigned(Type type) {
    return row(type).isSigned;
}
bool isUntyped(Type type) {
    return type >= Type::B8 && type <= Type::B128;
}
std::string_view name(Type type) {
    return row(type).name;
}

Type findType(std::string_view token) {
    for (std::size_t i = 1; i < std::size(kTypes); ++i)
        if (kTypes[i].name == token)
            return static_cast<Type>(i);
    return Type::None;
}

std::string_view name(Space space) {
    switch (space) {
    case Space::Generic:
        return "generic";
    case Space::Global:
        return "global";
    case Space::Shared:
        return "shared";
    case Space::Local:
        return "local";
    case Space::Const:
        return "const";
    case Space::Param:
        return "param";
    }
    return {};
}

std::string_view name(Special special) {
    return kSpecials[static_cast<std::size_t>(special)];
}

int Module::findFunction(std::string_view functionName) const {
    const auto found = std::find_if(functions.begin(), functions.end(),
                                    [&](const Function& f) { return f.name == functionName; });
    return found == functions.end() ? -1 : static_cast<int>(found - functions.begin());
}

int Module::findVariable(std::string_view variableName) const {
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [&](const Variable& v) { return v.name == variableName; });
    return found == variables.end() ? -1 : static_cast<int>(found - variables.begin());
}

std::vector<std::string> Module::entries() const {
    std::vector<std::string> names;
    for (const Function& function : functions)
        if (function.isEntry && !function.isDeclaration)
            names.push_back(function.name);
    return names;
}

} // namespace lanescope::ptx
