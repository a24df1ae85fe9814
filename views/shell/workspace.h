// SPDX-License-Identifier: GPL-3.0-or-later
// A page of docks: the stepper's or the performance page's. Its default layout depends on the room
// there is.
#pragma once

#include <QMainWindow>

#include <initializer_list>
#include <utility>
#include <vector>

#include "views/kit/pane.h"
#include "views/shell/pane_registry.h"

namespace lanescope::views {

class PaneDock;

class Workspace : public QMainWindow {
    Q_OBJECT
public:
    /// Of saved layouts: another set of panes is another version.
    static constexpr int kLayoutVersion = 3;

    Workspace(Page page, const std::vector<PaneEntry>& entries, Intents* intents, QWidget* parent);

    Page page() const { return m_page; }
    const std::vector<PaneDock*>& docks() const { return m_docks; }
    PaneDock* dock(const QString& paneId) const;
    Pane* pane(const QString& paneId) const;
    void setTheme(const Theme& theme);
    /// Gives the panes their places again.
    void resetLayout();
    /// A saved layout (QMainWindow::saveState) to use instead of the default one when the page is
    /// first shown.
    void setSavedLayout(const QByteArray& state) { m_saved = state; }
    void raisePane(const QString& paneId);

protected:
    void showEvent(QShowEvent* event) override;

    /// Those of this page, made and placed. A page may add its own panes when it is made.
    void addPanes(const std::vector<PaneEntry>& entries, Intents* intents);

private:
    struct Placed {
        Place place;
        PaneDock* dock;
    };
    PaneDock* first(Place place) const;
    void place();
    void resizeToFit();
    void resizeStepper();
    void resizePerformance();
    void resizeCompare();
    void resizePlaces(std::initializer_list<std::pair<Place, int>> sizes, Qt::Orientation orientation);

    Page m_page;
    std::vector<Placed> m_placed;
    std::vector<PaneDock*> m_docks;
    QByteArray m_saved;
    bool m_isLaidOut = false;
    bool m_isSettled = false; ///< the first layout has run with the docks visible
    QStringList m_raised;     ///< panes brought to the front before that
};

} // namespace lanescope::views
