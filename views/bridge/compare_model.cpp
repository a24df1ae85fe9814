// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/bridge/compare_model.h"

#include <algorithm>

#include "views/bridge/bridge.h"

namespace lanescope::views {

namespace {

/// The events of the snapshot's selected warp, ascending; null without a trace.
const std::vector<std::uint32_t>* eventsOf(const session::Snapshot& snapshot) {
    const auto warp = static_cast<std::size_t>(std::max(0, snapshot.selection.warp));
    if (!snapshot.trace || warp >= snapshot.trace->eventsOfWarp.size())
        return nullptr;
    return &snapshot.trace->eventsOfWarp[warp];
}

} // namespace

CompareModel::CompareModel(const BackendFactory& factory, QObject* parent) : QObject(parent) {
    for (Bridge*& bridge : m_bridges) {
        bridge = new Bridge(factory, this);
        connect(bridge, &Bridge::published, this, &CompareModel::onPublished);
        connect(bridge, &Bridge::idle, this, [this] {
            if (isIdle())
                emit idle();
        });
    }
}

CompareModel::~CompareModel() = default;

const SnapshotPtr& CompareModel::snapshot(Side side) const {
    return bridge(side).snapshot();
}

void CompareModel::setCountBase(session::CountBase base) {
    m_base = base;
    recompare();
    emit published();
}

void CompareModel::open(Side side, const QString& kernelId, const Parameters& parameters) {
    bridge(side).openKernel(kernelId, parameters);
}

void CompareModel::setDevice(const QString& id) {
    for (Bridge* bridge : m_bridges)
        bridge->setDevice(id);
}

void CompareModel::select(const session::Selection& selection) {
    for (Bridge* bridge : m_bridges) {
        // A launch with fewer warps or blocks keeps its nearest.
        session::Selection own = selection;
        const session::Snapshot& now = *bridge->snapshot();
        if (now.trace)
            own.warp = std::clamp(own.warp, 0, std::max(0, now.trace->warps - 1));
        if (now.run) {
            const Dim3 grid = now.run->launch.grid;
            own.block = {std::min(own.block.x, grid.x - 1), std::min(own.block.y, grid.y - 1),
                         std::min(own.block.z, grid.z - 1)};
        }
        if (own != bridge->selection())
            bridge->select(own);
    }
}

void CompareModel::step(session::StepUnit unit) {
    for (Bridge* bridge : m_bridges)
        bridge->step(unit);
}

void CompareModel::stepBack(session::StepUnit unit) {
    for (Bridge* bridge : m_bridges)
        bridge->stepBack(unit);
}

void CompareModel::seek(std::uint32_t count) {
    for (Bridge* bridge : m_bridges)
        if (const auto* events = eventsOf(*bridge->snapshot())) {
            const std::size_t own = std::min<std::size_t>(count, events->size());
            bridge->seek(own == 0 ? 0 : (*events)[own - 1] + 1);
        }
}

std::uint32_t CompareModel::position(Side side) const {
    const session::Snapshot& now = *snapshot(side);
    const auto* events = eventsOf(now);
    return events ? static_cast<std::uint32_t>(
                        std::lower_bound(events->begin(), events->end(), now.frame.index) -
                        events->begin())
                  : 0;
}

std::uint32_t CompareModel::length(Side side) const {
    const auto* events = eventsOf(*snapshot(side));
    return events ? static_cast<std::uint32_t>(events->size()) : 0;
}

bool CompareModel::isIdle() const {
    return std::all_of(m_bridges.begin(), m_bridges.end(), [](const Bridge* b) {
        return b->isIdle() && !b->snapshot()->busy;
    });
}

bool CompareModel::canStep() const {
    return std::any_of(kSides.begin(), kSides.end(), [this](Side side) {
        return position(side) < length(side);
    });
}

void CompareModel::onPublished() {
    const auto runs = std::array{snapshot(Side::Left)->run, snapshot(Side::Right)->run};
    if (runs != m_runs) {
        m_runs = runs;
        recompare();
    }
    // In a step one side comes before the other: what is shown moves once.
    const bool isMoving =
        std::any_of(m_bridges.begin(), m_bridges.end(), [](const Bridge* b) {
            return !b->isIdle() && !b->snapshot()->busy && b->snapshot()->trace;
        });
    if (!isMoving || isIdle())
        emit published();
}

void CompareModel::recompare() {
    m_comparison = m_runs[0] && m_runs[1]
                       ? std::make_shared<const session::Comparison>(
                             session::compare(*m_runs[0], *m_runs[1], m_base))
                       : nullptr;
}

} // namespace lanescope::views
