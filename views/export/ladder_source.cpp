// SPDX-License-Identifier: GPL-3.0-or-later
// From the engine's ladder to the chart's values.
#include <cstdlib>

#include "engine/session/ladder.h"
#include "views/export/ladder_data.h"

namespace lanescope::views {

std::vector<LadderTable> ladderTables() {
    std::vector<LadderTable> out;
    if (const auto tables = session::measuredLadders())
        for (const session::MeasuredLadder& table : *tables)
            out.push_back({table.gpu, table.title});
    return out;
}

Result<LadderData> modelLadder(const std::string& gpu, session::CodeForm form, const std::atomic<bool>* cancel,
                               const std::function<void(std::size_t, std::size_t)>& progress) {
    session::LadderOptions options;
    options.form = form;
    options.cancel = cancel;
    options.progress = progress;
    const auto ladder = session::ladder(
        gpu, compile::environmentFrom([](const char* name) -> const char* { return std::getenv(name); }), options);
    if (!ladder)
        return failure(ladder.error());
    LadderData out;
    out.form = form;
    out.gpu = ladder->table.gpu;
    out.title = ladder->table.title;
    out.source = ladder->table.source;
    out.bestName = ladder->table.bestName;
    out.bestFlopsPerSecond = ladder->table.bestFlopsPerSecond;
    for (const session::LadderRung& rung : ladder->rungs) {
        LadderEntry entry;
        entry.kernel = rung.measured.kernel;
        entry.name = rung.measured.name;
        entry.measuredFlopsPerSecond = rung.measured.flopsPerSecond;
        if (rung.modelled)
            entry.modelledFlopsPerSecond = rung.flopsPerSecond;
        entry.error = rung.error;
        entry.isClose = rung.agreement == session::Agreement::Close;
        entry.agreement = session::toString(rung.agreement);
        entry.reason = rung.reason;
        entry.note = rung.measured.note;
        out.entries.push_back(std::move(entry));
    }
    return out;
}

} // namespace lanescope::views
