// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/main_window.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolButton>

#include <Qsci/qsciscintilla.h>

#include <algorithm>

#include "views/bridge/bridge.h"
#include "views/bridge/hardware_store.h"
#include "views/bridge/lesson_model.h"
#include "views/kit/controls.h"
#include "views/panes/lesson/lesson_pane.h"
#include "views/shell/compare_page.h"
#include "views/shell/pane_dock.h"
#include "views/shell/player.h"
#include "views/shell/search_box.h"
#include "views/shell/workspace.h"

namespace lanescope::views {

namespace {

/// Widgets that want letters and Space for themselves.
bool takesLetters(const QWidget* widget) {
    return qobject_cast<const QLineEdit*>(widget) ||
           qobject_cast<const QAbstractSpinBox*>(widget) ||
           qobject_cast<const QComboBox*>(widget) || qobject_cast<const QAbstractButton*>(widget) ||
           qobject_cast<const QsciScintillaBase*>(widget) ||
           qobject_cast<const QPlainTextEdit*>(widget) || qobject_cast<const QMenu*>(widget) ||
           qobject_cast<const QMenuBar*>(widget);
}

Playable playable(Bridge& bridge) {
    Playable out;
    out.isIdle = [&bridge] { return bridge.isIdle(); };
    out.hasTrace = [&bridge] { return bridge.snapshot()->trace != nullptr; };
    out.isAtEnd = [&bridge] {
        const session::Snapshot& now = *bridge.snapshot();
        return now.frame.index >= now.trace->events.size();
    };
    out.canStep = [&bridge] { return bridge.snapshot()->frame.nextPc.has_value(); };
    out.step = [&bridge] { bridge.step(session::StepUnit::Instruction); };
    out.rewind = [&bridge] { bridge.seek(0); };
    return out;
}

} // namespace

MainWindow::MainWindow(WindowOptions options, QWidget* parent)
    : QMainWindow(parent), m_options(std::move(options)), m_theme(&Theme::light()),
      m_bridge(new Bridge(m_options.backend, this)), m_intents(new Intents(this)),
      m_lessons(new LessonModel(std::move(m_options.lessons), this)),
      m_player(new Player(playable(*m_bridge), m_intents, this)), m_pages(new QStackedWidget(this)) {
    setObjectName(QStringLiteral("window"));
    setWindowTitle(QStringLiteral("Lanescope"));
    setMinimumSize(1280, 720);
    resize(1600, 1000);
    setAcceptDrops(true);
    const auto registry = paneRegistry(m_lessons);
    m_stepper = new Workspace(Page::Stepper, registry, m_intents, m_pages);
    m_performance = new Workspace(Page::Performance, registry, m_intents, m_pages);
    m_pages->addWidget(m_stepper);
    m_pages->addWidget(m_performance);
    setCentralWidget(m_pages);
    buildMenus();
    buildToolbar();
    buildStatusBar();
    connectIntents();
    connectHardware();
    loadSettings();
    if (m_options.theme)
        m_theme = &Theme::of(*m_options.theme);
    applyTheme();
    connect(m_bridge, &Bridge::published, this, &MainWindow::onPublished);
    connect(m_bridge, &Bridge::idle, m_player, &Player::advance);
    connect(m_bridge, &Bridge::idle, this, [this] {
        if (isReady())
            emit ready();
    });
    connect(qApp, &QApplication::focusChanged, this,
            [this](QWidget*, QWidget* now) { onFocusChanged(now); });
    qApp->installEventFilter(this);
    onPublished(m_bridge->snapshot());
    // The keys of the trace work from the start.
    if (Pane* map = pane(QStringLiteral("map")))
        map->setFocus();
}

MainWindow::~MainWindow() {
    qApp->removeEventFilter(this);
    // Panes that go out of sight say so: while there still is somebody who hears it.
    delete m_pages;
}

ComparePage& MainWindow::compare() {
    if (m_compare)
        return *m_compare;
    m_compare = new ComparePage(m_options.backend, m_options.kernels, m_pages);
    m_pages->addWidget(m_compare);
    if (m_options.settings)
        m_compare->setSavedLayout(
            m_options.settings->value(m_compare->objectName() + QStringLiteral(".layout"))
                .toByteArray());
    m_compare->setTheme(*m_theme);
    if (const auto* reduce = findChild<QAction*>(QStringLiteral("action.reduce-motion")))
        m_compare->setReduced(reduce->isChecked());
    connect(m_compare, &ComparePage::message, m_intents, &Intents::message);
    connect(m_compare, &ComparePage::published, this, [this] {
        if (m_section == Section::Compare)
            updateControls(activeSnapshot());
        if (isReady())
            emit ready();
    });
    connect(&m_compare->intents(), &Intents::setPlaying, this, [this](bool on) {
        m_playAction->setText(on ? tr("Pause\tSpace") : tr("Play\tSpace"));
    });
    return *m_compare;
}

Intents* MainWindow::activeIntents() const {
    return m_section == Section::Compare ? &m_compare->intents() : m_intents;
}

const SnapshotPtr& MainWindow::activeSnapshot() const {
    return m_section == Section::Compare ? m_compare->model().snapshot(Side::Left)
                                         : m_bridge->snapshot();
}

std::vector<Workspace*> MainWindow::workspaces() const {
    std::vector<Workspace*> out{m_stepper, m_performance};
    if (m_compare)
        out.push_back(m_compare);
    return out;
}

void MainWindow::connectIntents() {
    connect(m_intents, &Intents::openKernel, this, [this](const QString& id, const Parameters& p) {
        m_isTextEdited = false;
        m_bridge->openKernel(id, p, m_openingGpu, m_openingForm);
    });
    connect(m_intents, &Intents::openFile, m_bridge, &Bridge::openFile);
    connect(m_intents, &Intents::editText, this, [this] { m_isTextEdited = true; });
    connect(m_intents, &Intents::openLesson, this, &MainWindow::openLesson);
    connect(m_intents, &Intents::editText, m_bridge, &Bridge::editText);
    connect(m_intents, &Intents::setParameter, m_bridge, &Bridge::setParameter);
    connect(m_intents, &Intents::setDevice, m_bridge, &Bridge::setDevice);
    connect(m_intents, &Intents::setForm, m_bridge, &Bridge::setForm);
    connect(m_intents, &Intents::setTimingFigures, m_bridge, &Bridge::setTimingFigures);
    connect(m_intents, &Intents::wantTiming, this, [this](const QString& who, bool on) {
        const bool wasWanted = !m_timingWanted.empty();
        if (on)
            m_timingWanted.insert(who);
        else
            m_timingWanted.erase(who);
        if (wasWanted != !m_timingWanted.empty())
            m_bridge->setTimingWanted(!wasWanted);
    });
    connect(m_intents, &Intents::selectBlock, this, [this](quint32 x, quint32 y, quint32 z) {
        select([&](session::Selection& s) { s.block = {x, y, z}; });
    });
    connect(m_intents, &Intents::selectWarp, this,
            [this](int warp) { select([&](session::Selection& s) { s.warp = warp; }); });
    connect(m_intents, &Intents::selectLane, this,
            [this](int lane) { select([&](session::Selection& s) { s.lane = lane; }); });
    connect(m_intents, &Intents::hoverLane, this, [this](int lane) {
        for (Pane* pane : panes())
            pane->setHoverLane(lane);
    });
    connect(m_intents, &Intents::seek, m_bridge, &Bridge::seek);
    connect(m_intents, &Intents::step, m_bridge, &Bridge::step);
    connect(m_intents, &Intents::stepBack, m_bridge, &Bridge::stepBack);
    connect(m_intents, &Intents::runToLine, m_bridge,
            [this](quint32 line) { m_bridge->runToLine(line); });
    connect(m_intents, &Intents::jumpToFinding, this, &MainWindow::jumpToFinding);
    connect(m_intents, &Intents::message, this,
            [this](const QString& text) { statusBar()->showMessage(text, 5000); });
    connect(m_intents, &Intents::revealPane, this, &MainWindow::showPane);
    connect(m_intents, &Intents::revealLine, this, [this] { showPane(QStringLiteral("source")); });
    connect(m_intents, &Intents::revealPtxLine, this,
            [this] { showPane(QStringLiteral("source")); });
    connect(m_intents, &Intents::cancelWork, this, &MainWindow::cancelWork);
    // Whoever moves by hand takes over from Play.
    for (auto signal : {&Intents::step, &Intents::stepBack})
        connect(m_intents, signal, this, [this] {
            if (m_player->isPlaying())
                emit m_intents->setPlaying(false);
        });
    connect(m_intents, &Intents::setPlaying, this, [this](bool on) {
        m_playAction->setText(on ? tr("Pause\tSpace") : tr("Play\tSpace"));
    });
    connect(m_lessons, &LessonModel::actionRequested, this, &MainWindow::applyAction);
    connect(m_lessons, &LessonModel::stepChanged, this, [this] {
        if (const LessonStep* step = m_lessons->currentStep(); step && !step->setup.isEmpty())
            applyAction(step->setup);
    });
}

bool MainWindow::openLesson(const QString& id) {
    if (id.isEmpty() ||
        (m_lessons->lesson() && m_lessons->lesson()->id == id && m_section != Section::Sandbox))
        return !id.isEmpty();
    emit m_intents->setPlaying(false);
    if (m_section != Section::Stepper)
        setSection(Section::Stepper);
    if (!m_lessons->open(id)) {
        const QStringList errors = m_lessons->source().errors();
        emit m_intents->message(errors.isEmpty() ? tr("There is no lesson %1").arg(id)
                                                 : errors.join(QLatin1Char(' ')));
        return false;
    }
    saveSettings();
    return true;
}

void MainWindow::openKernel(const QString& id, const Parameters& parameters) {
    emit m_intents->setPlaying(false);
    m_fragmentsFor = id;
    emit m_intents->openKernel(id, parameters);
}

void MainWindow::openFile(const QString& path) {
    m_sandboxFile = path;
    setSection(Section::Sandbox);
    emit m_intents->setPlaying(false);
    emit m_intents->openFile(path);
}

void MainWindow::setSection(Section section) {
    if (section == Section::Compare)
        compare();
    // The compare page plays a trace of its own.
    if (section != m_section && (section == Section::Compare || m_section == Section::Compare))
        emit activeIntents()->setPlaying(false);
    m_section = section;
    m_sections->setCurrent(static_cast<int>(section));
    Workspace* page = section == Section::Performance ? m_performance
                      : section == Section::Compare   ? static_cast<Workspace*>(m_compare)
                                                      : m_stepper;
    m_pages->setCurrentWidget(page);
    for (const char* id : {"course", "lesson"})
        if (PaneDock* dock = m_stepper->dock(QLatin1String(id)))
            dock->setVisible(section != Section::Sandbox);
    if (section == Section::Compare)
        m_compare->openFrom(*m_bridge->snapshot());
    m_shownWarps = -1;
    m_shownGrid = {0, 0, 0};
    updateControls(activeSnapshot());
}

bool MainWindow::isShown(const LessonAction& action) const {
    const SnapshotPtr& snapshot = m_bridge->snapshot();
    if (m_isTextEdited || !m_bridge->isIdle() || !snapshot->program || !snapshot->run ||
        QString::fromStdString(snapshot->program->id) != action.kernel)
        return false;
    if (!action.gpu.isEmpty() && snapshot->run->deviceId != action.gpu.toStdString())
        return false;
    if (snapshot->program->form != action.form.value_or(session::CodeForm::Written))
        return false;
    const auto& parameters = snapshot->program->parameters;
    return std::all_of(parameters.begin(), parameters.end(), [&](const session::ParameterView& p) {
        const auto given = action.parameters.find(p.name);
        return p.value == (given == action.parameters.end() ? p.defaultValue : given->second);
    });
}

void MainWindow::applyAction(const LessonAction& action) {
    emit m_intents->setPlaying(false);
    if (!action.kernel.isEmpty() && !isShown(action)) {
        // Panes hear of the new program before it comes, as when the user opens it.
        m_openingGpu = action.gpu;
        m_openingForm = action.form.value_or(session::CodeForm::Written);
        emit m_intents->openKernel(action.kernel, action.parameters);
        m_openingGpu.clear();
        m_openingForm.reset();
    } else if (action.kernel.isEmpty()) {
        if (!action.gpu.isEmpty())
            m_bridge->setDevice(action.gpu);
        if (!action.parameters.empty())
            m_bridge->setParameters(action.parameters);
        if (action.form)
            m_bridge->setForm(*action.form);
    }
    if (!action.replaceText.isEmpty()) {
        m_isTextEdited = true;
        m_bridge->replaceInText(action.replaceText, action.withText);
    }
    if (action.selection)
        m_bridge->select(*action.selection);
    if (action.seek)
        m_bridge->seek(*action.seek);
    if (action.runToLine)
        m_bridge->runToLine(*action.runToLine, action.runToAccess);
    for (int i = 0; i < action.steps; ++i)
        m_bridge->step(session::StepUnit::Instruction);
    if (action.pane.isEmpty())
        return;
    showPane(action.pane);
    if (m_section == Section::Performance)
        m_performance->raisePane(QStringLiteral("lesson.performance"));
}

void MainWindow::onPublished(const SnapshotPtr& snapshot) {
    // With the link off, a selection made in one pane stays in that pane until the next step.
    const bool isOnlySelection =
        !m_link->isChecked() && snapshot->selection != m_shownSelection && snapshot->trace;
    m_shownSelection = snapshot->selection;
    for (Workspace* workspace : {m_stepper, m_performance})
        for (PaneDock* dock : workspace->docks())
            if (!isOnlySelection || dock == m_focused)
                dock->pane()->setSnapshot(snapshot);
    if (!m_fragmentsFor.isEmpty() && !snapshot->busy && snapshot->program && snapshot->program->ok() && QString::fromStdString(snapshot->program->id) == m_fragmentsFor) {
        m_fragmentsFor.clear();
        const auto& code = snapshot->program->instructions;
        if (std::any_of(code.begin(), code.end(), [](const auto& in) { return in.cls == ptx::InstructionClass::Tensor; }))
            raiseFragments();
    }
    m_search->setSnapshot(snapshot);
    if (m_section != Section::Compare)
        updateControls(snapshot);
    if (isReady())
        emit ready();
}

bool MainWindow::isReady() const {
    return m_bridge->isIdle() && !m_bridge->snapshot()->busy &&
           (!m_compare || m_compare->model().isIdle());
}

void MainWindow::select(const std::function<void(session::Selection&)>& change) {
    if (m_section == Section::Compare)
        return m_compare->select(change);
    session::Selection selection = m_bridge->selection();
    change(selection);
    const auto& trace = m_bridge->snapshot()->trace;
    selection.warp = std::clamp(selection.warp, 0, std::max(0, (trace ? trace->warps : 1) - 1));
    selection.lane = std::clamp(selection.lane, 0, kWarpSize - 1);
    if (selection != m_bridge->selection())
        m_bridge->select(selection);
}

void MainWindow::seekToEnd() {
    if (m_section == Section::Compare)
        return m_compare->model().seek(std::max(m_compare->model().length(Side::Left),
                                                m_compare->model().length(Side::Right)));
    const auto& trace = m_bridge->snapshot()->trace;
    m_bridge->seek(trace ? static_cast<std::uint32_t>(trace->events.size()) : 0);
}

void MainWindow::togglePlaying() {
    if (m_section == Section::Compare)
        m_compare->togglePlaying();
    else
        emit m_intents->setPlaying(!m_player->isPlaying());
}

void MainWindow::cancelWork() {
    m_bridge->cancel();
    if (m_compare)
        m_compare->cancel();
    HardwareStore::of(m_intents)->cancel();
}

void MainWindow::moveBy(int events) {
    if (m_section == Section::Compare)
        return m_compare->moveBy(events);
    const auto& snapshot = m_bridge->snapshot();
    if (!snapshot->trace)
        return;
    emit m_intents->setPlaying(false);
    const auto last = static_cast<std::int64_t>(snapshot->trace->events.size());
    m_bridge->seek(static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(std::int64_t{snapshot->frame.index} + events, 0, last)));
}

void MainWindow::jumpToFinding(int index) {
    const auto& snapshot = m_bridge->snapshot();
    if (!snapshot->run || index < 0 || index >= static_cast<int>(snapshot->run->findings.size()))
        return;
    const auto& finding = snapshot->run->findings[static_cast<std::size_t>(index)];
    if (!finding.thread)
        return;
    const Dim3& block = snapshot->run->launch.block;
    const auto& thread = finding.thread->thread;
    const std::uint64_t linear =
        thread.x + std::uint64_t{block.x} * (thread.y + std::uint64_t{block.y} * thread.z);
    session::Selection selection;
    selection.block = finding.thread->block;
    selection.warp = static_cast<int>(linear / kWarpSize);
    selection.lane = static_cast<int>(linear % kWarpSize);
    m_bridge->select(selection);
    if (finding.line != 0)
        m_bridge->runToLine(finding.line);
}

void MainWindow::setThemeKind(ThemeKind kind) {
    m_theme = &Theme::of(kind);
    applyTheme();
    // A choice of the user's; without one the desktop's palette decides at the next start.
    if (m_options.settings)
        m_options.settings->setValue(QStringLiteral("theme"), kind == ThemeKind::Light
                                                                  ? QStringLiteral("light")
                                                                  : QStringLiteral("dark"));
}

void MainWindow::applyTheme() {
    qApp->setPalette(m_theme->palette());
    qApp->setStyleSheet(m_theme->styleSheet());
    for (Workspace* workspace : workspaces())
        workspace->setTheme(*m_theme);
    m_search->setTheme(*m_theme);
    const bool isLight = m_theme->kind == ThemeKind::Light;
    m_themeButton->setText(isLight ? tr("Light") : tr("Dark"));
    m_themeButton->setIcon(icon(isLight ? Icon::Sun : Icon::Moon, m_theme->tx, *m_theme, 14));
    m_previousLesson->setIcon(icon(Icon::ChevronLeft, m_theme->tx, *m_theme, 14));
    m_nextLesson->setIcon(icon(Icon::ChevronRight, m_theme->tx, *m_theme, 14));
    m_logo->setPixmap(iconPixmap(Icon::Logo, 16, m_theme->acc, *m_theme, devicePixelRatioF()));
    setWindowIcon(icon(Icon::Logo, m_theme->acc, *m_theme, 32));
    updateControls(activeSnapshot());
}

void MainWindow::onFocusChanged(QWidget* now) {
    PaneDock* dock = nullptr;
    for (QWidget* widget = now; widget && !dock; widget = widget->parentWidget())
        dock = qobject_cast<PaneDock*>(widget);
    if (!dock || dock == m_focused)
        return;
    if (m_focused)
        m_focused->setActive(false);
    m_focused = dock;
    dock->setActive(true);
}

PaneDock* MainWindow::focusedDock() const {
    if (m_focused && m_focused->isVisible())
        return m_focused;
    const auto* page = static_cast<Workspace*>(m_pages->currentWidget());
    const auto& docks = page->docks();
    const auto shown =
        std::find_if(docks.begin(), docks.end(), [](PaneDock* d) { return d->isVisible(); });
    return shown == docks.end() ? nullptr : *shown;
}

Pane* MainWindow::pane(const QString& id) const {
    for (const Workspace* workspace : workspaces())
        if (Pane* found = workspace->pane(id))
            return found;
    return nullptr;
}

std::vector<Pane*> MainWindow::panes() const {
    std::vector<Pane*> result;
    for (const Workspace* workspace : workspaces())
        for (PaneDock* dock : workspace->docks())
            result.push_back(dock->pane());
    return result;
}

void MainWindow::showPane(const QString& pane) {
    const QString id = pane.section(QLatin1Char('/'), 0, 0), part = pane.section(QLatin1Char('/'), 1);
    if (Pane* shown = part.isEmpty() ? nullptr : this->pane(id))
        shown->showPart(part);
    if (m_performance->pane(id)) {
        setSection(Section::Performance);
        m_performance->raisePane(id);
    } else if (m_stepper->pane(id)) {
        if (m_section == Section::Performance || m_section == Section::Compare)
            setSection(Section::Stepper);
        if (id == QLatin1String("fragments"))
            return raiseFragments();
        m_stepper->raisePane(id);
    } else if (m_compare && m_compare->pane(id)) {
        setSection(Section::Compare);
        m_compare->raisePane(id);
    }
}

void MainWindow::raiseFragments() {
    m_stepper->raisePane(QStringLiteral("lanefragment"));
    m_stepper->raisePane(QStringLiteral("fragments"));
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress || !watched->isWidgetType())
        return QMainWindow::eventFilter(watched, event);
    auto* widget = static_cast<QWidget*>(watched);
    // Only the widget that has the focus, and not again for each of its parents.
    if (widget != QApplication::focusWidget() || widget->window() != this ||
        QApplication::activePopupWidget() || takesLetters(widget))
        return QMainWindow::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier))
        return QMainWindow::eventFilter(watched, event);
    using session::StepUnit;
    const bool isShift = key->modifiers() & Qt::ShiftModifier;
    switch (key->key()) {
    case Qt::Key_B:
        emit(isShift ? activeIntents()->stepBack(StepUnit::Barrier)
                     : activeIntents()->step(StepUnit::Barrier));
        return true;
    case Qt::Key_Space:
        togglePlaying();
        return true;
    case Qt::Key_T:
        if (auto* lesson = qobject_cast<LessonPane*>(pane(QStringLiteral("lesson"))))
            lesson->tryIt();
        return true;
    case Qt::Key_BracketLeft:
        select([](session::Selection& s) { --s.warp; });
        return true;
    case Qt::Key_BracketRight:
        select([](session::Selection& s) { ++s.warp; });
        return true;
    case Qt::Key_Comma:
        select([](session::Selection& s) { --s.lane; });
        return true;
    case Qt::Key_Period:
        select([](session::Selection& s) { ++s.lane; });
        return true;
    default:
        return QMainWindow::eventFilter(watched, event);
    }
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    // Reaches the window only when the focused widget has no use for the key.
    const int by = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
    switch (event->key()) {
    case Qt::Key_Left:
        moveBy(-by);
        break;
    case Qt::Key_Right:
        moveBy(by);
        break;
    case Qt::Key_Home:
        emit activeIntents()->seek(0);
        break;
    case Qt::Key_End:
        seekToEnd();
        break;
    case Qt::Key_Escape:
        emit m_intents->hoverLane(-1);
        break;
    default:
        QMainWindow::keyPressEvent(event);
    }
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    m_logo->setGeometry(10, 5, 16, 16);
    m_titleLabel->setGeometry(width() / 2 - 240, 0, 480, menuBar()->height());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() != 1 || !urls.front().isLocalFile())
        return;
    const QString ending = QFileInfo(urls.front().toLocalFile()).suffix().toLower();
    if (ending == QLatin1String("cu") || ending == QLatin1String("ptx"))
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    openFile(event->mimeData()->urls().front().toLocalFile());
}

void MainWindow::closeEvent(QCloseEvent* event) {
    cancelWork();
    saveSettings();
    QMainWindow::closeEvent(event);
}

void MainWindow::saveSettings() {
    QSettings* settings = m_options.settings;
    if (!settings)
        return;
    if (isVisible()) {
        settings->setValue(QStringLiteral("geometry"), saveGeometry());
        for (Workspace* workspace : workspaces())
            if (workspace->isVisible())
                settings->setValue(workspace->objectName() + QStringLiteral(".layout"),
                                   workspace->saveState(Workspace::kLayoutVersion));
    }
    if (m_lessons->lesson())
        settings->setValue(QStringLiteral("lesson"), m_lessons->lesson()->id);
    settings->beginGroup(QStringLiteral("progress"));
    for (const auto& [id, steps] : m_lessons->progress()) {
        QStringList seen;
        for (const int step : steps)
            seen << QString::number(step);
        settings->setValue(id, seen);
    }
    settings->endGroup();
}

void MainWindow::loadSettings() {
    QSettings* settings = m_options.settings;
    const bool isDarkDesktop = QApplication::palette().color(QPalette::Window).lightness() < 128;
    m_theme = &Theme::of(isDarkDesktop ? ThemeKind::Dark : ThemeKind::Light);
    if (!settings)
        return;
    if (const QString kind = settings->value(QStringLiteral("theme")).toString(); !kind.isEmpty())
        m_theme = &Theme::of(kind == QLatin1String("dark") ? ThemeKind::Dark : ThemeKind::Light);
    restoreGeometry(settings->value(QStringLiteral("geometry")).toByteArray());
    for (Workspace* workspace : {m_stepper, m_performance})
        workspace->setSavedLayout(
            settings->value(workspace->objectName() + QStringLiteral(".layout")).toByteArray());
    std::map<QString, QSet<int>> progress;
    settings->beginGroup(QStringLiteral("progress"));
    for (const QString& id : settings->childKeys())
        for (const QString& step : settings->value(id).toStringList())
            progress[id].insert(step.toInt());
    settings->endGroup();
    m_lessons->setProgress(std::move(progress));
}

} // namespace lanescope::views
