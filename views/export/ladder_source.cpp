// SPDX-License-Identifier: GPL-3.0-or-later
// From the engine's ladder to the chart's values.
#include "engine/session/ladder.h"
#include "views/export/ladder_data.h"
#include "views/kit/environment.h"

namespace lanescope::views {

std::vector<LadderTable> ladderTables() {
    std::vector<LadderTable> out;
    if (const auto tables = session::measuredLadders())
        for (const session::MeasuredLadder& table : *tables)
            out.push_back({table.gpu, table.title});
    return out;
}

std::vector<std::string> tensorLadders() {
    std::vector<std::string> ids = session::ladderIds();
    std::erase(ids, "sgemm");
    return ids;
}

namespace {

session::LadderOptions optionsOf(const LadderRequest& request) {
    session::LadderOptions options;
    options.form = request.form;
    options.id = request.id;
    options.measured = &request.measured;
    options.unmeasured = request.unmeasured;
    return options;
}

LadderData dataOf(std::shared_ptr<const session::Ladder> ladder) {
    LadderData out;
    out.form = ladder->form;
    out.id = ladder->table.id;
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
        entry.isClose = rung.agreement == session::Agreement::Close || rung.agreement == session::Agreement::Clock;
        entry.agreement = session::toString(rung.agreement);
        entry.reason = rung.reason;
        entry.note = rung.measured.note;
        out.entries.push_back(std::move(entry));
    }
    out.model = std::move(ladder);
    return out;
}

} // namespace

Result<LadderData> modelLadder(const LadderRequest& request, const std::atomic<bool>* cancel, const std::function<void(std::size_t, std::size_t)>& progress) {
    session::LadderOptions options = optionsOf(request);
    options.cancel = cancel;
    options.progress = progress;
    auto ladder = session::ladder(request.gpu, ownEnvironment(), options);
    if (!ladder)
        return failure(ladder.error());
    return dataOf(std::make_shared<const session::Ladder>(std::move(*ladder)));
}

LadderData withMeasured(const LadderData& data, const LadderRequest& request) {
    if (!data.model)
        return data;
    session::Ladder ladder = *data.model;
    if (!session::setMeasured(ladder, optionsOf(request)))
        return data; // nothing is measured any more: what is shown stays
    LadderData out = dataOf(std::make_shared<const session::Ladder>(std::move(ladder)));
    out.selected = data.selected;
    return out;
}

} // namespace lanescope::views
