// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/compare_page.h"

#include <algorithm>

#include "engine/session/simulate.h"
#include "views/bridge/bridge.h"
#include "views/panes/banks/banks_pane.h"
#include "views/panes/compare/compare_pane.h"
#include "views/panes/map/map_pane.h"
#include "views/panes/parameters/parameters_pane.h"
#include "views/panes/source/source_pane.h"
#include "views/panes/transport/compare_transport.h"
#include "views/shell/pane_dock.h"
#include "views/shell/player.h"

namespace lanescope::views {

namespace {

std::size_t at(Side side) {
    return static_cast<std::size_t>(side);
}

/// Sizes of the problem that this program has and the kernel takes, so that both do the same work.
Parameters problemOf(const session::ProgramView* program, const QString& kernelId) {
    const auto kernels = session::builtInKernels();
    const catalog::Kernel* kernel = kernels ? catalog::findKernel(**kernels, kernelId.toStdString()) : nullptr;
    Parameters out;
    if (kernel && program)
        for (const session::ParameterView& p : program->parameters)
            if (p.isProblem && kernel->findParameter(p.name) != nullptr)
                out[p.name] = p.value;
    return out;
}

} // namespace

ComparePage::ComparePage(const BackendFactory& factory, const std::vector<std::pair<QString, QString>>& kernels, QWidget* parent)
    : Workspace(Page::Compare, {}, nullptr, parent), m_model(new CompareModel(factory, this)), m_intents(new Intents(this)),
      m_sides{new Intents(this), new Intents(this)}, m_kernels(kernels) {
    Playable both;
    both.isIdle = [this] { return m_model->isIdle(); };
    both.hasTrace = [this] { return m_model->length(Side::Left) + m_model->length(Side::Right) > 0; };
    both.isAtEnd = [this] { return !m_model->canStep(); };
    both.canStep = [this] { return m_model->canStep(); };
    both.step = [this] { m_model->step(session::StepUnit::Instruction); };
    both.rewind = [this] { m_model->seek(0); };
    m_player = new Player(std::move(both), m_intents, this);
    connect(m_model, &CompareModel::idle, m_player, &Player::advance);

    std::vector<PaneEntry> entries;
    for (const Side side : kSides)
        for (PaneEntry& entry : entriesOf(side, kernels))
            entries.push_back(std::move(entry));
    entries.push_back({QStringLiteral("compare"), Page::Compare, Place::Right, [this](Intents*, QWidget* p) -> Pane* {
                           return m_figures = new ComparePane(m_intents, p);
                       }});
    entries.push_back({QStringLiteral("compare.transport"), Page::Compare, Place::Bottom, [this](Intents*, QWidget* p) -> Pane* {
                           return m_transport = new CompareTransport(m_intents, p);
                       }});
    addPanes(entries, m_intents);
    for (const Side side : kSides)
        connectSide(side);
    connectTransport();
    connect(m_model, &CompareModel::published, this, &ComparePage::show);
    connect(m_model, &CompareModel::idle, this, &ComparePage::show);
    show();
}

std::vector<PaneEntry> ComparePage::entriesOf(Side side, const std::vector<std::pair<QString, QString>>& kernels) {
    const bool isLeft = side == Side::Left;
    const QString suffix = isLeft ? QStringLiteral(".left") : QStringLiteral(".right");
    const Place top = isLeft ? Place::Left : Place::Centre;
    const Place middle = isLeft ? Place::LeftLower : Place::CentreLower;
    const Place low = isLeft ? Place::LeftLowest : Place::CentreLowest;
    const auto entry = [&](const char* id, const QString& title, Place place, std::function<Pane*(Intents*, QWidget*)> make) {
        const QString name = QLatin1String(id) + suffix;
        return PaneEntry{name, Page::Compare, place, [this, side, name, title, make](Intents*, QWidget* parent) {
                             Pane* pane = make(m_sides[at(side)], parent);
                             pane->setName(name, title);
                             m_panes[at(side)].push_back(pane);
                             return pane;
                         }};
    };
    return {entry("parameters", isLeft ? tr("Left") : tr("Right"), top,
                  [kernels](Intents* intents, QWidget* parent) {
                      auto* pane = new ParametersPane(intents, parent);
                      pane->setKernels(kernels);
                      return pane;
                  }),
            entry("map", tr("Thread to address map"), middle, makeMapPane),
            entry("source", tr("CUDA"), middle, [](Intents* intents, QWidget* parent) { return new SourcePane(intents, parent); }),
            entry("banks", tr("Shared-memory banks"), low, makeBanksPane)};
}

void ComparePage::connectSide(Side side) {
    Intents* own = m_sides[at(side)];
    Bridge& bridge = m_model->bridge(side);
    connect(own, &Intents::openKernel, this, [this, side](const QString& id, const Parameters& p) {
        const Side other = side == Side::Left ? Side::Right : Side::Left;
        m_model->open(side, id, p.empty() ? problemOf(m_model->snapshot(other)->program.get(), id) : p);
    });
    connect(own, &Intents::openFile, &bridge, &Bridge::openFile);
    connect(own, &Intents::editText, &bridge, &Bridge::editText);
    connect(own, &Intents::setParameter, &bridge, &Bridge::setParameter);
    connect(own, &Intents::runToLine, &bridge, [&bridge](quint32 line) { bridge.runToLine(line); });
    connect(own, &Intents::setDevice, m_model, &CompareModel::setDevice);
    connect(own, &Intents::setForm, &bridge, &Bridge::setForm);
    connect(own, &Intents::selectWarp, m_intents, &Intents::selectWarp);
    connect(own, &Intents::selectLane, m_intents, &Intents::selectLane);
    connect(own, &Intents::step, m_intents, &Intents::step);
    connect(own, &Intents::stepBack, m_intents, &Intents::stepBack);
    connect(own, &Intents::message, this, &ComparePage::message);
    connect(own, &Intents::hoverLane, this, [this](int lane) {
        for (const auto& panes : m_panes)
            for (Pane* pane : panes)
                pane->setHoverLane(lane);
    });
}

void ComparePage::connectTransport() {
    connect(m_intents, &Intents::step, m_model, &CompareModel::step);
    connect(m_intents, &Intents::stepBack, m_model, &CompareModel::stepBack);
    connect(m_intents, &Intents::seek, m_model, &CompareModel::seek);
    connect(m_intents, &Intents::setDevice, m_model, &CompareModel::setDevice);
    for (const Side side : kSides)
        connect(m_intents, &Intents::setForm, &m_model->bridge(side), &Bridge::setForm);
    connect(m_intents, &Intents::selectBlock, this, [this](quint32 x, quint32 y, quint32 z) {
        select([&](session::Selection& s) { s.block = {x, y, z}; });
    });
    connect(m_intents, &Intents::selectWarp, this, [this](int warp) { select([&](session::Selection& s) { s.warp = warp; }); });
    connect(m_intents, &Intents::selectLane, this, [this](int lane) { select([&](session::Selection& s) { s.lane = lane; }); });
    // Whoever moves by hand takes over from Play.
    for (auto signal : {&Intents::step, &Intents::stepBack})
        connect(m_intents, signal, this, [this] {
            if (m_player->isPlaying())
                emit m_intents->setPlaying(false);
        });
    connect(m_figures, &ComparePane::countBaseChosen, m_model, &CompareModel::setCountBase);
}

void ComparePage::open(Side side, const QString& kernelId, const Parameters& parameters) {
    // As when the user opens it: the panes hear of the new program before it comes.
    emit m_sides[at(side)]->openKernel(kernelId, parameters);
}

void ComparePage::openFrom(const session::Snapshot& snapshot) {
    if (m_kernels.empty() || m_isOpened)
        return;
    m_isOpened = true;
    const QString current = snapshot.program ? QString::fromStdString(snapshot.program->id) : QString();
    auto left = std::find_if(m_kernels.begin(), m_kernels.end(), [&](const auto& kernel) { return kernel.first == current; });
    Parameters parameters;
    if (left != m_kernels.end())
        for (const session::ParameterView& p : snapshot.program->parameters)
            parameters[p.name] = p.value;
    else
        left = m_kernels.begin();
    const auto right = left + 1 == m_kernels.end() ? left : left + 1;
    if (snapshot.run)
        m_model->setDevice(QString::fromStdString(snapshot.run->deviceId));
    open(Side::Left, left->first, parameters);
    open(Side::Right, right->first, problemOf(snapshot.program.get(), right->first));
}

void ComparePage::select(const std::function<void(session::Selection&)>& change) {
    session::Selection selection = m_model->bridge(Side::Left).selection();
    // The side with more warps leads.
    for (const Side side : kSides)
        if (m_model->bridge(side).selection().warp > selection.warp)
            selection = m_model->bridge(side).selection();
    change(selection);
    selection.warp = std::max(0, selection.warp);
    selection.lane = std::clamp(selection.lane, 0, kWarpSize - 1);
    m_model->select(selection);
}

void ComparePage::moveBy(int instructions) {
    emit m_intents->setPlaying(false);
    const std::int64_t now = std::max(m_model->position(Side::Left), m_model->position(Side::Right));
    m_model->seek(static_cast<std::uint32_t>(std::max<std::int64_t>(0, now + instructions)));
}

void ComparePage::togglePlaying() {
    emit m_intents->setPlaying(!m_player->isPlaying());
}

void ComparePage::setReduced(bool on) {
    m_player->setReduced(on);
}

void ComparePage::cancel() {
    for (const Side side : kSides)
        m_model->bridge(side).cancel();
}

void ComparePage::show() {
    CompareView view;
    for (const Side side : kSides) {
        const SnapshotPtr& snapshot = m_model->snapshot(side);
        view.sides[at(side)] = {snapshot, m_model->position(side), m_model->length(side)};
        if (snapshot == m_shown[at(side)])
            continue;
        m_shown[at(side)] = snapshot;
        for (Pane* pane : m_panes[at(side)])
            pane->setSnapshot(snapshot);
    }
    view.comparison = m_model->comparison();
    m_figures->setView(view);
    m_transport->setView(view);
    emit published();
}

} // namespace lanescope::views
