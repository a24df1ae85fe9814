// SPDX-License-Identifier: GPL-3.0-or-later
// What every pane is: a widget that gets snapshots, paints them, and emits intents. No pane includes another pane, computes
// addresses or touches the session.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include <QRectF>
#include <QString>
#include <QWidget>

#include "engine/session/session.h"
#include "views/kit/theme.h"

class QAbstractItemModel;
class QPainter;

namespace lanescope::views {

using SnapshotPtr = std::shared_ptr<const session::Snapshot>;

/// What panes ask for. The shell connects them to the worker; one object for the whole window.
class Intents : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
signals:
    void openKernel(const QString& id, const std::map<std::string, std::int64_t>& parameters);
    void openFile(const QString& path);
    void openLesson(const QString& id);
    void editText(const QString& cudaText);
    void setParameter(const QString& name, qint64 value);
    void setDevice(const QString& id);
    void setForm(lanescope::session::CodeForm form); ///< of the PTX: as written or as compiled
    /// Whoever shows the timing of the SM says so while it is in sight: it is made only then.
    void wantTiming(const QString& who, bool on);
    void setTimingFigures(const lanescope::timing::Overrides& figures);
    void selectBlock(quint32 x, quint32 y, quint32 z);
    void selectWarp(int warp);
    void selectLane(int lane);
    void hoverLane(int lane); ///< -1: none; a preview in linked panes
    void seek(quint32 index);
    void step(lanescope::session::StepUnit unit);
    void stepBack(lanescope::session::StepUnit unit);
    void runToLine(quint32 cudaLine);
    void setPlaying(bool on);
    void setSpeed(double stepsPerSecond);
    void jumpToFinding(int index);
    void revealLine(quint32 cudaLine);          ///< scrolls the source pane there; no step
    void revealPtxLine(quint32 ptxLine);
    void revealCounter(const QString& metricId); ///< shows this row of the counters
    void revealPane(const QString& paneId);      ///< brings a pane to the front
    void cancelWork();
    void message(const QString& text); ///< for the status bar
};

class Pane : public QWidget {
    Q_OBJECT
public:
    Pane(const QString& id, const QString& title, Intents* intents, QWidget* parent = nullptr);

    const QString& id() const { return m_id; }       ///< "map"; also the objectName
    const QString& title() const { return m_title; } ///< "Thread to address map"
    /// A second pane of a kind gets a name of its own, before it is placed.
    void setName(const QString& id, const QString& title);
    /// Grey text beside the title: "warp 3 · line 8 · i = 20".
    virtual QString context() const { return {}; }
    /// What the pane's tab adds to its title while another tab is in front: "2", or nothing.
    virtual QString badge() const { return {}; }
    /// Whether what the pane shows is still being worked out, apart from the session's own work.
    virtual bool isBusy() const { return false; }
    /// Buttons for the pane's header, or null. Called once.
    virtual QWidget* headerControls() { return nullptr; }

    /// Brings a part of the pane into sight, by the pane's own name for it. Unknown ones change nothing.
    virtual void showPart(const QString& /*part*/) {}

    virtual void setSnapshot(const SnapshotPtr& snapshot) = 0;
    virtual void setTheme(const Theme& theme);
    virtual void setHoverLane(int /*lane*/) {}
    /// Paints the pane's content into a rectangle with any painter: screen, PNG, SVG and PDF go through here. Panes made of
    /// standard widgets keep the default, which renders the widget.
    virtual void paint(QPainter& painter, const QRectF& rect, const Theme& theme);
    /// The same content as a table ("View as table", CSV export), or null. Owned by the pane.
    virtual QAbstractItemModel* table() { return nullptr; }

signals:
    void contextChanged();

protected:
    Intents* intents() const { return m_intents; }
    const Theme& theme() const { return *m_theme; }

private:
    QString m_id, m_title;
    Intents* m_intents;
    const Theme* m_theme;
};

/// Makes a pane. The shell's registry (views/shell/pane_registry.cpp) has one line per pane.
using PaneFactory = std::function<Pane*(Intents*, QWidget* parent)>;

} // namespace lanescope::views
