// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/workspace.h"

#include <QTabBar>
#include <QTimer>

#include <algorithm>
#include <tuple>
#include <utility>

#include "views/shell/pane_dock.h"

namespace lanescope::views {

namespace {

/// Below this height a column holds fewer panes above each other; they become tabs.
constexpr int kTallEnough = 800;

} // namespace

Workspace::Workspace(Page page, const std::vector<PaneEntry>& entries, Intents* intents,
                     QWidget* parent)
    : QMainWindow(parent), m_page(page) {
    setWindowFlags(Qt::Widget);
    setObjectName(page == Page::Stepper       ? QStringLiteral("page.stepper")
                  : page == Page::Performance ? QStringLiteral("page.performance")
                                              : QStringLiteral("page.compare"));
    setDockNestingEnabled(true);
    setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    setContentsMargins(4, 4, 4, 4);
    addPanes(entries, intents);
}

void Workspace::addPanes(const std::vector<PaneEntry>& entries, Intents* intents) {
    for (const PaneEntry& entry : entries) {
        if (entry.page != m_page)
            continue;
        auto* dock = new PaneDock(entry.make(intents, nullptr), entry.place == Place::Bottom, this);
        m_placed.push_back({entry.place, dock});
        m_docks.push_back(dock);
    }
    place();
}

PaneDock* Workspace::dock(const QString& paneId) const {
    const auto found = std::find_if(m_docks.begin(), m_docks.end(),
                                    [&](PaneDock* d) { return d->pane()->id() == paneId; });
    return found == m_docks.end() ? nullptr : *found;
}

Pane* Workspace::pane(const QString& paneId) const {
    PaneDock* found = dock(paneId);
    return found ? found->pane() : nullptr;
}

void Workspace::setTheme(const Theme& theme) {
    for (PaneDock* dock : m_docks)
        dock->setTheme(theme);
}

PaneDock* Workspace::first(Place place) const {
    const auto found = std::find_if(m_placed.begin(), m_placed.end(),
                                    [&](const Placed& p) { return p.place == place; });
    return found == m_placed.end() ? nullptr : found->dock;
}

void Workspace::place() {
    const bool isTall = height() >= kTallEnough;
    for (const Placed& placed : m_placed) {
        removeDockWidget(placed.dock);
        placed.dock->setFloating(false);
    }
    // Columns stand side by side in one area, so that there is no empty middle.
    PaneDock* last = nullptr;
    for (const Place column : {Place::Left, Place::Centre, Place::Right}) {
        PaneDock* top = first(column);
        if (!top)
            continue;
        if (last)
            splitDockWidget(last, top, Qt::Horizontal);
        else
            addDockWidget(Qt::TopDockWidgetArea, top);
        last = top;
    }
    if (PaneDock* bottom = first(Place::Bottom))
        addDockWidget(Qt::BottomDockWidgetArea, bottom);
    const auto below = [this](Place place, PaneDock* above, bool asTab) -> PaneDock* {
        PaneDock* dock = first(place);
        if (!dock || !above)
            return above;
        if (asTab)
            tabifyDockWidget(above, dock);
        else
            splitDockWidget(above, dock, Qt::Vertical);
        return dock;
    };
    const bool isStepper = m_page == Page::Stepper;
    PaneDock* left = below(Place::LeftLower, first(Place::Left), !isTall && isStepper);
    below(Place::LeftLowest, left, !isTall);
    PaneDock* centre = below(Place::CentreLower, first(Place::Centre), false);
    below(Place::CentreLowest, centre, !isTall);
    PaneDock* middle = below(Place::RightMiddle, first(Place::Right), false);
    below(Place::RightLower, middle, !isTall && isStepper);
    for (const Placed& placed : m_placed) {
        PaneDock* front = first(placed.place);
        if (front != placed.dock)
            tabifyDockWidget(front, placed.dock);
        placed.dock->show();
    }
    for (const Place front : {Place::Centre, Place::CentreLower, Place::Right, Place::RightMiddle, Place::LeftLower})
        if (PaneDock* dock = first(front))
            dock->raise();
}

void Workspace::resizePlaces(std::initializer_list<std::pair<Place, int>> sizes,
                             Qt::Orientation orientation) {
    QList<QDockWidget*> docks;
    QList<int> lengths;
    for (const auto& [place, length] : sizes)
        if (PaneDock* dock = first(place)) {
            docks << dock;
            lengths << length;
        }
    resizeDocks(docks, lengths, orientation);
}

void Workspace::resizeToFit() {
    switch (m_page) {
    case Page::Stepper:
        return resizeStepper();
    case Page::Performance:
        return resizePerformance();
    case Page::Compare:
        return resizeCompare();
    }
}

void Workspace::resizeStepper() {
    const bool isTall = height() >= kTallEnough, isWide = width() >= 1500;
    const int w = width() - 16;
    const int left = isWide ? 290 : 264, right = isWide ? 308 : 288;
    const int bottom = isTall ? 194 : 172, h = height() - 12 - bottom;
    resizePlaces({{Place::Left, left}, {Place::Centre, w - left - right}, {Place::Right, right}},
           Qt::Horizontal);
    const int source = isTall ? 208 + std::max(0, h - 690) / 3 : 162;
    resizePlaces({{Place::Centre, source}, {Place::CentreLower, h - source}}, Qt::Vertical);
    const int course = std::clamp(h / 3, 150, 307);
    if (isTall)
        resizePlaces({{Place::Left, course}, {Place::LeftLower, h - course}}, Qt::Vertical);
    const int parameters = isTall ? 200 : 206;
    const int counters = isTall ? 26 + 26 + 24 + 22 * 8 : h - parameters;
    if (isTall)
        resizePlaces({{Place::Right, parameters},
                {Place::RightMiddle, counters},
                {Place::RightLower, std::max(80, h - parameters - counters)}},
               Qt::Vertical);
    else
        resizePlaces({{Place::Right, parameters}, {Place::RightMiddle, counters}}, Qt::Vertical);
    resizePlaces({{Place::Bottom, bottom}}, Qt::Vertical);
}

void Workspace::resizePerformance() {
    const int w = width() - 16;
    const bool isWide = width() >= 1500;
    const int left = isWide ? 270 : 240, right = isWide ? std::min(550, w / 3) : w / 4,
              h = height() - 8;
    resizePlaces({{Place::Left, left}, {Place::Centre, w - left - right}, {Place::Right, right}},
           Qt::Horizontal);
    resizePlaces({{Place::Centre, h * 58 / 100}, {Place::CentreLower, h * 42 / 100}}, Qt::Vertical);
    resizePlaces({{Place::Left, 216}, {Place::LeftLower, h - 216}}, Qt::Vertical);
    resizePlaces({{Place::Right, h * 58 / 100}, {Place::RightLower, h * 42 / 100}}, Qt::Vertical);
}

void Workspace::resizeCompare() {
    const bool isTall = height() >= kTallEnough;
    const int w = width() - 16, right = width() >= 1500 ? 392 : 356, side = (w - right) / 2;
    resizePlaces({{Place::Left, side}, {Place::Centre, side}, {Place::Right, right}}, Qt::Horizontal);
    const int bottom = 104, h = height() - 12 - bottom, parameters = isTall ? 204 : 164;
    const int banks = isTall ? std::clamp((h - parameters) / 3, 180, 260) : 0;
    for (const auto& [top, middle, low] :
         {std::tuple{Place::Left, Place::LeftLower, Place::LeftLowest},
          std::tuple{Place::Centre, Place::CentreLower, Place::CentreLowest}}) {
        if (isTall)
            resizePlaces({{top, parameters}, {middle, h - parameters - banks}, {low, banks}},
                   Qt::Vertical);
        else
            resizePlaces({{top, parameters}, {middle, h - parameters}}, Qt::Vertical);
    }
    resizePlaces({{Place::Bottom, bottom}}, Qt::Vertical);
}

void Workspace::resetLayout() {
    place();
    resizeToFit();
}

void Workspace::raisePane(const QString& paneId) {
    PaneDock* found = dock(paneId);
    if (found == nullptr)
        return;
    found->show();
    // A tab raised before the layout has run is taken to be in front and is not: raising it again would do nothing.
    if (m_isSettled)
        found->raise();
    else if (!m_raised.contains(paneId))
        m_raised << paneId;
}

void Workspace::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (m_isLaidOut)
        return;
    m_isLaidOut = true;
    if (m_saved.isEmpty() || !restoreState(m_saved, kLayoutVersion))
        resetLayout();
    // Sizes hold only once the layout has run with the docks visible.
    QTimer::singleShot(0, this, [this] {
        if (m_saved.isEmpty())
            resizeToFit();
        m_isSettled = true;
        for (const QString& pane : std::exchange(m_raised, {}))
            raisePane(pane);
    });
}

} // namespace lanescope::views
