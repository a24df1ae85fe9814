// SPDX-License-Identifier: GPL-3.0-or-later
// The window: menus, toolbar, the pages of docks, status bar. It turns intents of panes into
// commands for the session's thread and hands every snapshot to the panes.
#pragma once

#include <QMainWindow>
#include <QPointer>

#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "views/bridge/backend.h"
#include "views/bridge/lesson_source.h"
#include "views/kit/pane.h"

class QAction;
class QActionGroup;
class QCheckBox;
class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QSettings;
class QStackedWidget;
class QToolButton;

namespace lanescope::views {

class Bridge;
class ComparePage;
class LabelledCombo;
class LessonModel;
class PaneDock;
class Player;
class SearchBox;
class SegmentedButtons;
class Workspace;

struct WindowOptions {
    BackendFactory backend;
    std::unique_ptr<LessonSource> lessons;
    /// Kernels for File > Open kernel: id and title.
    std::vector<std::pair<QString, QString>> kernels;
    /// Where layout, theme and progress are kept; null: nothing is read or written.
    QSettings* settings = nullptr;
    std::optional<ThemeKind> theme; ///< none: as set, else as the desktop's palette
};

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    enum class Section { Stepper, Performance, Compare, Sandbox };

    explicit MainWindow(WindowOptions options, QWidget* parent = nullptr);
    ~MainWindow() override;

    bool openLesson(const QString& id);
    void openKernel(const QString& id, const Parameters& parameters = {});
    void openFile(const QString& path);
    /// Points saved by `lanescope run`, `sweep` or `ladder`: drawn over the models.
    void openMeasuredFile(const QString& path);
    /// What `ncu --csv` printed: beside our counters.
    void openCountersFile(const QString& path);
    void setSection(Section section);
    void setThemeKind(ThemeKind kind);
    const Theme& theme() const { return *m_theme; }

    Bridge& bridge() { return *m_bridge; }
    Intents& intents() { return *m_intents; }
    /// The page of two launches; made when it is first wanted.
    ComparePage& compare();
    LessonModel& lessons() { return *m_lessons; }
    Pane* pane(const QString& id) const;
    std::vector<Pane*> panes() const;
    /// Brings the pane, and the page it is on, to the front.
    void showPane(const QString& id);
    /// Picture (.png .svg .pdf) or table (.csv .json) of a pane.
    Result<void> exportPaneTo(Pane& pane, const QString& path);
    /// Work has ended and the panes show it.
    bool isReady() const;

signals:
    void ready();

protected:
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // main_window.cpp
    void connectIntents();
    void onPublished(const SnapshotPtr& snapshot);
    void updateControls(const SnapshotPtr& snapshot);
    void applyAction(const LessonAction& action);
    /// The action's kernel is open as it wants it: text, parameters and GPU.
    bool isShown(const LessonAction& action) const;
    void applyTheme();
    void onFocusChanged(QWidget* now);
    PaneDock* focusedDock() const;
    /// Who holds which element, and beside it the lane's own.
    void raiseFragments();
    void select(const std::function<void(session::Selection&)>& change);
    void moveBy(int events);
    void seekToEnd();
    void togglePlaying();
    void cancelWork();
    /// Of the page that is shown: stepper and compare page have a trace each.
    Intents* activeIntents() const;
    const SnapshotPtr& activeSnapshot() const;
    std::vector<Workspace*> workspaces() const;
    void jumpToFinding(int index);
    void saveSettings();
    void loadSettings();

    // main_window_bars.cpp
    void buildToolbar();
    void buildStatusBar();
    void updateBlocks(const session::Snapshot& snapshot);
    void updateStatus(const session::Snapshot& snapshot);

    // main_window_menus.cpp
    void buildMenus();
    QAction* add(QMenu* menu, const QString& name, const QString& text, const QString& shortcut,
                 std::function<void()> run);
    void buildFileMenu(QMenu* menu);
    void buildEditMenu(QMenu* menu);
    void buildViewMenu(QMenu* menu);
    void buildCourseMenu(QMenu* menu);
    void buildTraceMenu(QMenu* menu);
    void buildMeasureMenu(QMenu* menu);
    void buildWindowMenu(QMenu* menu);
    void buildHelpMenu(QMenu* menu);
    void openFileDialog();
    void saveText();
    void exportFocused();
    void viewAsTable();
    void showReport();
    /// The kernel of the performance page on this machine's GPU, at the sizes that its charts model.
    void runOnGpu();
    void showGpuFigures();
    void connectHardware();
    void cyclePanes(int direction);

    WindowOptions m_options;
    const Theme* m_theme;
    Bridge* m_bridge;
    Intents* m_intents;
    LessonModel* m_lessons;
    Player* m_player;
    QStackedWidget* m_pages;
    Workspace* m_stepper;
    Workspace* m_performance;
    ComparePage* m_compare = nullptr;
    Section m_section = Section::Stepper;
    QPointer<PaneDock> m_focused;
    QString m_sandboxFile;
    QString m_fragmentsFor; ///< the kernel that the user opens: its fragments come to the front when it has matrix instructions
    bool m_isTextEdited = false;
    /// While the intent to open a lesson's kernel is on its way.
    QString m_openingGpu;
    std::optional<session::CodeForm> m_openingForm;

    SegmentedButtons* m_sections = nullptr;
    QToolButton *m_previousLesson = nullptr, *m_nextLesson = nullptr;
    QToolButton* m_lessonButton = nullptr;
    LabelledCombo *m_block = nullptr, *m_warp = nullptr, *m_lane = nullptr;
    QCheckBox* m_link = nullptr;
    SearchBox* m_search = nullptr;
    QToolButton* m_themeButton = nullptr;
    QLabel *m_titleLabel = nullptr, *m_logo = nullptr;

    QLabel *m_statusIcon = nullptr, *m_statusReady = nullptr, *m_statusDevice = nullptr,
           *m_statusSentence = nullptr, *m_statusUnit = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_cancel = nullptr;
    QActionGroup* m_deviceGroup = nullptr;
    QActionGroup* m_formGroup = nullptr;
    QActionGroup* m_themeGroup = nullptr;
    QAction* m_playAction = nullptr;
    std::vector<QAction*> m_traceActions;
    std::vector<QAction*> m_eventActions; ///< of one trace: not on the compare page

    Dim3 m_shownGrid{0, 0, 0};
    int m_shownWarps = -1;
    session::Selection m_shownSelection;
    std::set<QWidget*> m_frozen;
    std::set<QString> m_timingWanted; ///< panes that show the timing of the SM
};

} // namespace lanescope::views
