// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/account.h"

#include <algorithm>

namespace lanescope::session {

std::vector<AccountRow> account(const sim::Counters& counters) {
    using ptx::InstructionClass;
    std::vector<AccountRow> rows;
    if (counters.fmaLanes == 0)
        return rows;
    for (int i = 0; i < ptx::kInstructionClassCount; ++i) {
        const auto cls = static_cast<InstructionClass>(i);
        const std::uint64_t executions = counters.of(cls).executions;
        const std::string name(ptx::name(cls));
        if (executions != 0)
            rows.push_back({name, name, true, counters.per1000Fma(executions)});
    }
    rows.push_back({"instructions", "All instructions", true,
                    counters.per1000Fma(counters.total.executions)});
    sim::InstructionCounts global, shared;
    for (const InstructionClass cls : {InstructionClass::LoadGlobal, InstructionClass::StoreGlobal,
                                       InstructionClass::AtomicGlobal})
        global += counters.of(cls);
    for (const InstructionClass cls : {InstructionClass::LoadShared, InstructionClass::StoreShared,
                                       InstructionClass::AtomicShared})
        shared += counters.of(cls);
    const sim::InstructionCounts& copies = counters.of(InstructionClass::CopyAsync);
    const struct {
        const char* id;
        const char* label;
        std::uint64_t count;
    } memory[] = {{"l1_lines", "L1 lines", global.lines + copies.lines},
                  {"l1_tag_cycles", "L1 tag cycles", global.tagCycles},
                  {"l1_data_cycles", "L1 data cycles", global.dataCycles},
                  {"sectors", "Sectors", global.sectors + copies.l2Sectors},
                  {"shared_wavefronts", "Shared wavefronts", shared.wavefronts + copies.wavefronts},
                  {"shared_passes", "Shared passes", shared.passes + copies.passes}};
    for (const auto& row : memory)
        if (row.count != 0)
            rows.push_back({row.id, row.label, false, counters.per1000Fma(row.count)});
    return rows;
}

std::vector<AccountComparison> compareAccounts(const std::vector<AccountRow>& first,
                                               const std::vector<AccountRow>& second) {
    std::vector<AccountComparison> out;
    for (const AccountRow& row : first)
        out.push_back({row.id, row.label, row.isInstruction, row.per1000Fma, 0});
    for (const AccountRow& row : second) {
        const auto same = std::find_if(out.begin(), out.end(), [&](const AccountComparison& c) {
            return c.id == row.id;
        });
        if (same != out.end())
            same->second = row.per1000Fma;
        else
            out.push_back({row.id, row.label, row.isInstruction, 0, row.per1000Fma});
    }
    return out;
}

} // namespace lanescope::session
