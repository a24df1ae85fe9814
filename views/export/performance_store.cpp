// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/performance_store.h"

#include <algorithm>

#include "engine/session/snapshot.h"

namespace lanescope::views {

PerformanceStore* PerformanceStore::of(Intents* intents) {
    if (auto* store = intents->findChild<PerformanceStore*>(QString(), Qt::FindDirectChildrenOnly))
        return store;
    return new PerformanceStore(intents);
}

PerformanceStore::PerformanceStore(QObject* parent)
    : QObject(parent), m_shown(std::make_shared<Performance>()) {
    compose();
}

PerformanceStore::~PerformanceStore() {
    if (m_thread.joinable())
        m_thread.join();
}

const KernelEntry* PerformanceStore::kernel() const {
    return m_shown->find(m_selected);
}

void PerformanceStore::setSnapshot(const SnapshotPtr& snapshot) {
    m_snapshot = snapshot;
    const auto run = snapshot ? snapshot->run : nullptr;
    const auto program = snapshot ? snapshot->program : nullptr;
    if (run == m_run && program == m_program)
        return;
    const bool other = program && (!m_program || program->id != m_program->id);
    m_run = run;
    m_program = program;
    if (other)
        m_selected = program->id;
    if (run && run->deviceId != m_deviceId) {
        m_deviceId = run->deviceId;
        m_modelled.reset();
        if (m_wanted)
            modelAll();
    }
    // The open kernel's tile goes into the model; its problem size does not: a size to step is too small to fill a GPU.
    std::map<std::string, std::int64_t> tile;
    if (program)
        for (const session::ParameterView& p : program->parameters)
            if (!p.isProblem && p.problem.empty())
                tile[p.name] = p.value;
    const session::CodeForm form = program ? program->form : m_form;
    if (tile != m_tile || form != m_form) {
        m_tile = std::move(tile);
        m_form = form;
        if (m_wanted)
            modelAll();
    }
    compose();
}

void PerformanceStore::want() {
    m_wanted = true;
    if (!m_modelled && !m_busy)
        modelAll();
}

std::int64_t PerformanceStore::size(const std::string& name, std::int64_t otherwise) const {
    const auto it = m_sizes.find(name);
    return it == m_sizes.end() ? otherwise : it->second;
}

void PerformanceStore::setSize(const std::string& name, std::int64_t value) {
    if (size(name, value - 1) == value)
        return;
    m_sizes[name] = value;
    if (m_wanted)
        modelAll();
}

void PerformanceStore::modelAll() {
    if (m_busy) {
        m_again = true; // what runs was asked with other values
        return;
    }
    start();
}

void PerformanceStore::start() {
    if (m_thread.joinable())
        m_thread.join(); // it has finished
    m_busy = true;
    m_again = false;
    emit changed();
    PerformanceRequest request;
    request.deviceId = m_deviceId;
    request.sizes = m_sizes;
    if (m_program)
        request.tiledKernel = m_program->id;
    request.tile = m_tile;
    request.form = m_form;
    // The destructor joins, so `this` outlives the thread.
    m_thread = std::thread([this, request] {
        auto result = modelPerformance(request);
        auto shared = std::make_shared<Performance>();
        if (result)
            *shared = std::move(*result);
        else
            shared->error = toString(result.error());
        shared->deviceId = request.deviceId;
        QMetaObject::invokeMethod(
            this, [this, shared] { finished(shared); }, Qt::QueuedConnection);
    });
}

void PerformanceStore::finished(const std::shared_ptr<Performance>& result) {
    m_busy = false;
    if (m_again || result->deviceId != m_deviceId) {
        start();
        return;
    }
    m_modelled = result;
    compose();
}

void PerformanceStore::select(const std::string& id) {
    if (id == m_selected)
        return;
    m_selected = id;
    compose();
}

std::map<std::string, std::int64_t> PerformanceStore::valuesOf(const std::string& id) const {
    std::map<std::string, std::int64_t> values = m_sizes;
    if (m_program && m_program->id == id)
        for (const auto& [name, value] : m_tile)
            values[name] = value;
    return values;
}

void PerformanceStore::addMeasured(const session::MeasuredPoints& measured) {
    m_measured.push_back(measured);
    compose();
}

session::MeasuredPoints PerformanceStore::measuredOn(const std::string& deviceId) const {
    session::MeasuredPoints all{deviceId, {}};
    for (const session::MeasuredPoints& file : m_measured)
        if (file.isOn(deviceId))
            all.points.insert(all.points.end(), file.points.begin(), file.points.end());
    return all;
}

void PerformanceStore::markProblem(Performance& shown) const {
    if (!m_program || m_run) // it ran: what stands at a field is a remark
        return;
    const auto broken = std::find_if(m_program->parameters.begin(), m_program->parameters.end(),
                                     [](const session::ParameterView& p) { return !p.problem.empty(); });
    if (broken == m_program->parameters.end())
        return;
    const std::string& id = m_program->id;
    for (KernelEntry& entry : shown.kernels)
        if (entry.point.id == id) {
            entry.occupancy = OccupancyData{};
            entry.waves = WavesData{};
            entry.occupancy.gpu = entry.waves.gpu = shown.gpu;
            entry.occupancy.kernel = entry.waves.kernel = id;
            entry.occupancy.problem = entry.waves.problem = broken->problem;
        }
    std::erase_if(shown.roofline.points, [&](const KernelPoint& point) { return point.id == id; });
    shown.roofline.notes.push_back(id + ": " + broken->problem);
}

void PerformanceStore::compose() {
    Performance shown;
    if (m_modelled && m_modelled->error.empty()) {
        shown = *m_modelled;
    } else if (auto roofs = roofsOnly(m_deviceId)) {
        shown = std::move(*roofs);
        if (m_modelled)
            shown.error = m_modelled->error;
    } else {
        shown.deviceId = m_deviceId;
        shown.error = toString(roofs.error());
        shown.roofline.notes.push_back(shown.error);
    }
    // A file of the user's own is no kernel of the catalog: it stands in the charts as it was launched, and so does a kernel that is not
    // modelled yet.
    const bool isOpenLaunch = m_snapshot && m_snapshot->program && shown.find(m_snapshot->program->id) == nullptr && addOpenKernel(shown, *m_snapshot);
    markProblem(shown);
    views::addMeasured(shown, measuredOn(shown.deviceId), m_form, [&](const std::string& id) {
        std::map<std::string, std::int64_t> values = valuesOf(id);
        if (isOpenLaunch && id == m_snapshot->program->id)
            for (const session::ParameterView& p : m_snapshot->program->parameters)
                values[p.name] = p.value; // as it was launched, not as the charts model it
        return values;
    });
    if (shown.find(m_selected) == nullptr && !shown.kernels.empty() && m_selected.empty())
        m_selected = shown.kernels.front().point.id;
    shown.roofline.selected = m_selected;
    m_shown = std::make_shared<const Performance>(std::move(shown));
    emit changed();
}

} // namespace lanescope::views
