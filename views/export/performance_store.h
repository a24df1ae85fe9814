// SPDX-License-Identifier: GPL-3.0-or-later
// The models of the performance page, shared by its panes: one per window, a child of its Intents.
// Modelling all kernels runs on a thread of its own; the open kernel's own figures follow each run
// at once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>

#include <QObject>

#include "engine/session/measured.h"
#include "views/export/chart_source.h"
#include "views/kit/pane.h"

namespace lanescope::views {

class PerformanceStore : public QObject {
    Q_OBJECT
public:
    /// The store of this window; the first call makes it.
    static PerformanceStore* of(Intents* intents);
    ~PerformanceStore() override;

    /// Never null.
    std::shared_ptr<const Performance> performance() const { return m_shown; }
    /// The kernel that all panes of the page speak of; null: none.
    const KernelEntry* kernel() const;
    const std::string& selected() const { return m_selected; }
    bool isBusy() const { return m_busy; }

    /// Every pane passes its snapshots on; only changes count.
    void setSnapshot(const SnapshotPtr& snapshot);
    /// A pane of the page came into view: models all kernels unless that was done for this GPU.
    void want();
    /// The problem size that the charts model, by parameter name; `otherwise` when none was chosen for it.
    std::int64_t size(const std::string& name, std::int64_t otherwise) const;
    void setSize(const std::string& name, std::int64_t value);
    /// Models all kernels again, at these sizes and with the open kernel's tile.
    void modelAll();
    void select(const std::string& id);
    /// What the page models the open kernel with: sizes of the charts, and its tile.
    std::map<std::string, std::int64_t> valuesOf(const std::string& id) const;
    /// Points measured on a GPU, drawn over the modelled ones of the same GPU, kernel and parameters. Newer ones replace older ones.
    void addMeasured(const session::MeasuredPoints& measured);
    /// All of them that are of this GPU, oldest first.
    session::MeasuredPoints measuredOn(const std::string& deviceId) const;
    /// Grows with every addMeasured.
    std::size_t measuredVersion() const { return m_measured.size(); }

signals:
    void changed();

private:
    explicit PerformanceStore(QObject* parent);
    void compose();
    /// The open kernel cannot launch as it is set: no figures of other settings stand for it.
    void markProblem(Performance& shown) const;
    void start();
    void finished(const std::shared_ptr<Performance>& result);

    SnapshotPtr m_snapshot;
    std::shared_ptr<const session::RunView> m_run;
    std::shared_ptr<const session::ProgramView> m_program;
    std::string m_deviceId = "h100", m_selected;
    std::shared_ptr<const Performance> m_modelled; ///< of the catalog, for one GPU
    std::shared_ptr<const Performance> m_shown;
    std::thread m_thread;
    bool m_busy = false, m_again = false, m_wanted = false;
    std::map<std::string, std::int64_t> m_sizes = chartSizes(); ///< of the problem
    std::map<std::string, std::int64_t> m_tile;                 ///< of the open kernel
    session::CodeForm m_form = session::CodeForm::Written;      ///< likewise, of all kernels
    std::vector<session::MeasuredPoints> m_measured;            ///< oldest first
};

} // namespace lanescope::views
