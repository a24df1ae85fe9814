// SPDX-License-Identifier: GPL-3.0-or-later
// The compare page: two launches side by side in the stepper's own panes, stepped together.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "views/bridge/compare_model.h"
#include "views/shell/workspace.h"

namespace lanescope::views {

class ComparePane;
class CompareTransport;
class Player;

class ComparePage : public Workspace {
    Q_OBJECT
public:
    ComparePage(const BackendFactory& factory, const std::vector<std::pair<QString, QString>>& kernels, QWidget* parent);

    CompareModel& model() { return *m_model; }
    /// Of the transport: steps of both sides; seek counts instructions of the selected warp.
    Intents& intents() { return *m_intents; }
    /// The left side becomes what `snapshot` has open, the right side the next kernel of the catalog, at the same problem size. Once.
    void openFrom(const session::Snapshot& snapshot);
    /// Without parameters: at the other side's problem size.
    void open(Side side, const QString& kernelId, const Parameters& parameters = {});
    void select(const std::function<void(session::Selection&)>& change);
    void moveBy(int instructions);
    void togglePlaying();
    void setReduced(bool on);
    void cancel();

signals:
    void published();
    void message(const QString& text);

private:
    std::vector<PaneEntry> entriesOf(Side side, const std::vector<std::pair<QString, QString>>& kernels);
    void connectSide(Side side);
    void connectTransport();
    void show();

    CompareModel* m_model;
    Intents* m_intents;
    std::array<Intents*, 2> m_sides;
    std::vector<std::pair<QString, QString>> m_kernels;
    ComparePane* m_figures = nullptr;
    CompareTransport* m_transport = nullptr;
    Player* m_player;
    bool m_isOpened = false;
    std::array<std::vector<Pane*>, 2> m_panes;
    std::array<SnapshotPtr, 2> m_shown;
};

} // namespace lanescope::views
