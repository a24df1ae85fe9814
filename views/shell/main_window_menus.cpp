// SPDX-License-Identifier: GPL-3.0-or-later
// The menus and the dialogs behind them.
#include "views/shell/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QSaveFile>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QStatusBar>
#include <QTableView>
#include <QVBoxLayout>

#include <Qsci/qsciscintilla.h>

#include <algorithm>

#include "engine/device/device.h"
#include "engine/session/ncu_report.h"
#include "engine/session/simulate.h"
#include "views/bridge/bridge.h"
#include "views/bridge/hardware_store.h"
#include "views/bridge/lesson_model.h"
#include "views/export/export.h"
#include "views/export/performance_store.h"
#include "views/kit/controls.h"
#include "views/panes/lesson/lesson_pane.h"
#include "views/panes/source/source_pane.h"
#include "views/shell/compare_page.h"
#include "views/shell/pane_dock.h"
#include "views/shell/player.h"
#include "views/shell/search_box.h"
#include "views/shell/workspace.h"

namespace lanescope::views {

namespace {

/// A dialog with one large widget and a Close button.
void showDialog(QWidget* parent, const QString& title, QWidget* content, QSize size) {
    QDialog dialog(parent);
    dialog.setWindowTitle(title);
    auto* column = new QVBoxLayout(&dialog);
    column->addWidget(content);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, &dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    column->addWidget(buttons);
    dialog.resize(size);
    dialog.exec();
}

QsciScintilla* focusedEditor() {
    return qobject_cast<QsciScintilla*>(QApplication::focusWidget());
}

} // namespace

QAction* MainWindow::add(QMenu* menu, const QString& name, const QString& text,
                         const QString& shortcut, std::function<void()> run) {
    QAction* action = menu->addAction(text);
    action->setObjectName(QStringLiteral("action.") + name);
    if (!shortcut.isEmpty())
        action->setShortcut(QKeySequence(shortcut));
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    return action;
}

void MainWindow::buildMenus() {
    // The logo stands before the first menu.
    menuBar()->setStyleSheet(QStringLiteral("QMenuBar { padding-left: 30px; }"));
    const auto menu = [this](const char* name, const QString& title) {
        QMenu* result = menuBar()->addMenu(title);
        result->setObjectName(QLatin1String("menu.") + QLatin1String(name));
        return result;
    };
    buildFileMenu(menu("file", tr("&File")));
    buildEditMenu(menu("edit", tr("&Edit")));
    buildViewMenu(menu("view", tr("&View")));
    buildCourseMenu(menu("course", tr("&Course")));
    buildTraceMenu(menu("trace", tr("&Trace")));
    buildMeasureMenu(menu("measure", tr("&Measure")));
    buildWindowMenu(menu("window", tr("&Window")));
    buildHelpMenu(menu("help", tr("&Help")));
}

void MainWindow::buildFileMenu(QMenu* menu) {
    add(menu, QStringLiteral("open"), tr("&Open .cu or .ptx file..."), QStringLiteral("Ctrl+O"),
        [this] { openFileDialog(); });
    QMenu* kernels = menu->addMenu(tr("Open &kernel"));
    kernels->setEnabled(!m_options.kernels.empty());
    for (const auto& [id, title] : m_options.kernels)
        add(kernels, QStringLiteral("kernel.") + id, QStringLiteral("%1  (%2)").arg(title, id), {},
            [this, kernelId = id] {
                if (m_section == Section::Sandbox)
                    setSection(Section::Stepper);
                openKernel(kernelId);
            });
    menu->addSeparator();
    add(menu, QStringLiteral("save"), tr("&Save CUDA text as..."), QStringLiteral("Ctrl+S"),
        [this] { saveText(); });
    add(menu, QStringLiteral("export"), tr("&Export pane..."), QStringLiteral("Ctrl+E"),
        [this] { exportFocused(); });
    menu->addSeparator();
    add(menu, QStringLiteral("quit"), tr("&Quit"), QStringLiteral("Ctrl+Q"), [this] { close(); });
}

void MainWindow::buildEditMenu(QMenu* menu) {
    const auto edit = [this, menu](const QString& name, const QString& text,
                                   void (QsciScintilla::*run)()) {
        // No shortcut here: the editor has its own, and other fields theirs.
        return add(menu, name, text, {}, [this, run] {
            auto* source = static_cast<SourcePane*>(pane(QStringLiteral("source")));
            auto* editor = focusedEditor()
                               ? focusedEditor()
                               : source->findChild<QsciScintilla*>(QStringLiteral("source.cuda"));
            (editor->*run)();
        });
    };
    edit(QStringLiteral("undo"), tr("&Undo in the CUDA text\tCtrl+Z"), &QsciScintilla::undo);
    edit(QStringLiteral("redo"), tr("&Redo\tCtrl+Y"), &QsciScintilla::redo);
    menu->addSeparator();
    edit(QStringLiteral("cut"), tr("Cu&t\tCtrl+X"), &QsciScintilla::cut);
    edit(QStringLiteral("copy"), tr("&Copy\tCtrl+C"), &QsciScintilla::copy);
    edit(QStringLiteral("paste"), tr("&Paste\tCtrl+V"), &QsciScintilla::paste);
    menu->addSeparator();
    add(menu, QStringLiteral("copy-picture"), tr("Copy picture of the pane"),
        QStringLiteral("Ctrl+Shift+C"), [this] {
            if (PaneDock* dock = focusedDock()) {
                QApplication::clipboard()->setPixmap(dock->pane()->grab());
                statusBar()->showMessage(tr("Picture of %1 copied").arg(dock->pane()->title()),
                                         4000);
            }
        });
    add(menu, QStringLiteral("search"), tr("&Search lessons, lines, counters"),
        QStringLiteral("Ctrl+K"), [this] {
            m_search->setFocus(Qt::ShortcutFocusReason);
            m_search->selectAll();
        });
}

void MainWindow::buildViewMenu(QMenu* menu) {
    add(menu, QStringLiteral("page.stepper"), tr("&Stepper"), QStringLiteral("Ctrl+1"),
        [this] { m_sections->segment(0)->click(); });
    add(menu, QStringLiteral("page.performance"), tr("&Performance"), QStringLiteral("Ctrl+2"),
        [this] { m_sections->segment(1)->click(); });
    add(menu, QStringLiteral("page.compare"), tr("&Compare"), QStringLiteral("Ctrl+3"),
        [this] { m_sections->segment(2)->click(); });
    add(menu, QStringLiteral("page.sandbox"), tr("S&andbox"), QStringLiteral("Ctrl+4"),
        [this] { m_sections->segment(3)->click(); });
    menu->addSeparator();
    m_formGroup = new QActionGroup(this);
    for (const auto& [name, text, form] :
         {std::tuple{"form.written", tr("PTX as &written"), session::CodeForm::Written},
          std::tuple{"form.compiled", tr("PTX as ptxas c&ompiles it"),
                     session::CodeForm::Compiled}}) {
        QAction* action = add(menu, QLatin1String(name), text, {},
                              [this, form = form] { emit activeIntents()->setForm(form); });
        action->setCheckable(true);
        action->setData(static_cast<int>(form));
        m_formGroup->addAction(action);
    }
    menu->addSeparator();
    add(menu, QStringLiteral("table"), tr("View pane as &table"), QStringLiteral("Ctrl+Shift+T"),
        [this] { viewAsTable(); });
    menu->addSeparator();
    QMenu* themes = menu->addMenu(tr("T&heme"));
    add(themes, QStringLiteral("theme.light"), tr("&Light"), {},
        [this] { setThemeKind(ThemeKind::Light); });
    add(themes, QStringLiteral("theme.dark"), tr("&Dark"), {},
        [this] { setThemeKind(ThemeKind::Dark); });
    if (m_options.settings) {
        QAction* desktop =
            add(themes, QStringLiteral("theme.desktop"), tr("As the desktop, from the next start"),
                {}, [this] { m_options.settings->remove(QStringLiteral("theme")); });
        desktop->setToolTip(tr("Follows the desktop's palette"));
        QMenu* scales = menu->addMenu(tr("UI s&cale, from the next start"));
        auto* group = new QActionGroup(this);
        const int now = m_options.settings->value(QStringLiteral("scale"), 100).toInt();
        for (const int percent : {100, 125, 150, 175, 200}) {
            QAction* action =
                add(scales, QStringLiteral("scale.%1").arg(percent), tr("%1%").arg(percent), {},
                    [this, percent] {
                        m_options.settings->setValue(QStringLiteral("scale"), percent);
                        statusBar()->showMessage(
                            tr("The window has this scale from the next start on"), 6000);
                    });
            action->setCheckable(true);
            action->setChecked(percent == now);
            group->addAction(action);
        }
    }
    QAction* reduce = add(menu, QStringLiteral("reduce-motion"), tr("&Reduce motion"), {}, [] {});
    reduce->setCheckable(true);
    reduce->setToolTip(tr("Play makes at most four steps a second"));
    connect(reduce, &QAction::toggled, this, [this](bool on) {
        m_player->setReduced(on);
        if (m_compare)
            m_compare->setReduced(on);
        if (m_options.settings)
            m_options.settings->setValue(QStringLiteral("reduceMotion"), on);
    });
    if (m_options.settings)
        reduce->setChecked(m_options.settings->value(QStringLiteral("reduceMotion")).toBool());
}

void MainWindow::buildCourseMenu(QMenu* menu) {
    add(menu, QStringLiteral("lesson.next"), tr("&Next lesson"), QStringLiteral("Ctrl+PgDown"),
        [this] { openLesson(m_lessons->neighbour(1)); });
    add(menu, QStringLiteral("lesson.previous"), tr("&Previous lesson"),
        QStringLiteral("Ctrl+PgUp"), [this] { openLesson(m_lessons->neighbour(-1)); });
    add(menu, QStringLiteral("lesson.step.next"), tr("Next st&ep of the lesson"),
        QStringLiteral("Alt+Right"), [this] { m_lessons->setStep(m_lessons->step() + 1); });
    add(menu, QStringLiteral("lesson.step.previous"), tr("Previous step of the lesson"),
        QStringLiteral("Alt+Left"), [this] { m_lessons->setStep(m_lessons->step() - 1); });
    add(menu, QStringLiteral("lesson.try"), tr("&Try it\tT"), {}, [this] {
        if (auto* lesson = qobject_cast<LessonPane*>(pane(QStringLiteral("lesson"))))
            lesson->tryIt();
    });
    menu->addSeparator();
    QString section;
    QMenu* part = nullptr;
    for (const CourseEntry& entry : m_lessons->source().course()) {
        if (!part || entry.section != section) {
            section = entry.section;
            part = menu->addMenu(section);
        }
        add(part, QStringLiteral("lesson.") + entry.id,
            entry.number.isEmpty() ? entry.title
                                   : entry.number + QStringLiteral("  ") + entry.title,
            {}, [this, id = entry.id] { openLesson(id); });
    }
    if (part)
        menu->addSeparator();
    add(menu, QStringLiteral("progress.reset"), tr("Forget my progress..."), {}, [this] {
        if (QMessageBox::question(this, tr("Progress"),
                                  tr("Forget which lessons have been read?")) != QMessageBox::Yes)
            return;
        m_lessons->setProgress({});
        if (m_options.settings)
            m_options.settings->remove(QStringLiteral("progress"));
    });
}

void MainWindow::buildTraceMenu(QMenu* menu) {
    using session::StepUnit;
    const auto step = [&](const char* name, const QString& text, const char* key, StepUnit unit,
                          bool isBack) {
        m_traceActions.push_back(
            add(menu, QLatin1String(name), text, QLatin1String(key), [this, unit, isBack] {
                if (isBack)
                    emit activeIntents()->stepBack(unit);
                else
                    emit activeIntents()->step(unit);
            }));
    };
    step("step", tr("&Step"), "F10", StepUnit::Instruction, false);
    step("step.back", tr("Step &back"), "F9", StepUnit::Instruction, true);
    step("line", tr("Next &line"), "F11", StepUnit::Line, false);
    step("line.back", tr("Line back"), "Shift+F11", StepUnit::Line, true);
    step("barrier", tr("Next ba&rrier\tB"), "", StepUnit::Barrier, false);
    step("barrier.back", tr("Barrier back\tShift+B"), "", StepUnit::Barrier, true);
    menu->addSeparator();
    m_playAction = add(menu, QStringLiteral("play"), tr("Play\tSpace"), {},
                       [this] { togglePlaying(); });
    m_traceActions.push_back(m_playAction);
    menu->addSeparator();
    const auto move = [&](const char* name, const QString& text, std::function<void()> run) {
        m_traceActions.push_back(add(menu, QLatin1String(name), text, {}, std::move(run)));
    };
    move("event.next", tr("One event on\tRight"), [this] { moveBy(1); });
    move("event.previous", tr("One event back\tLeft"), [this] { moveBy(-1); });
    move("start", tr("To the start\tHome"), [this] { emit activeIntents()->seek(0); });
    move("end", tr("To the end\tEnd"), [this] { seekToEnd(); });
    move("goto", tr("&Go to event..."), [this] {
        const auto& snapshot = m_bridge->snapshot();
        bool isOk = false;
        const int last = static_cast<int>(snapshot->trace->events.size());
        const int event =
            QInputDialog::getInt(this, tr("Go to event"), tr("Event, 0 to %1").arg(last),
                                 static_cast<int>(snapshot->frame.index), 0, last, 1, &isOk);
        if (isOk)
            m_bridge->seek(static_cast<std::uint32_t>(event));
    });
    move("run-to-line", tr("Run to line..."), [this] {
        bool isOk = false;
        const int line = QInputDialog::getInt(this, tr("Run to line"), tr("Line of the CUDA text"),
                                              1, 1, 1'000'000, 1, &isOk);
        if (isOk)
            emit m_intents->runToLine(static_cast<quint32>(line));
    });
    for (const char* name : {"action.goto", "action.run-to-line"})
        m_eventActions.push_back(menu->findChild<QAction*>(QLatin1String(name)));
    menu->addSeparator();
    move("warp.next", tr("Next warp\t]"),
         [this] { select([](session::Selection& s) { ++s.warp; }); });
    move("warp.previous", tr("Previous warp\t["),
         [this] { select([](session::Selection& s) { --s.warp; }); });
    move("lane.next", tr("Next lane\t."),
         [this] { select([](session::Selection& s) { ++s.lane; }); });
    move("lane.previous", tr("Previous lane\t,"),
         [this] { select([](session::Selection& s) { --s.lane; }); });
}

void MainWindow::buildMeasureMenu(QMenu* menu) {
    QMenu* gpus = menu->addMenu(tr("Modelled &GPU"));
    m_deviceGroup = new QActionGroup(this);
    if (const auto devices = device::allDevices())
        for (const device::Device& gpu : *devices) {
            const QString id = QString::fromStdString(gpu.id);
            QAction* action =
                add(gpus, QStringLiteral("gpu.") + id, QString::fromStdString(gpu.name), {},
                    [this, id] { emit activeIntents()->setDevice(id); });
            action->setCheckable(true);
            action->setData(id);
            m_deviceGroup->addAction(action);
        }
    add(menu, QStringLiteral("gpu.run"), tr("R&un on this machine's GPU"), QStringLiteral("Ctrl+G"), [this] { runOnGpu(); });
    add(menu, QStringLiteral("gpu.open"), tr("Open &measured points..."), {}, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Measured points"), {}, tr("Measured points (*.json)"));
        if (!path.isEmpty())
            openMeasuredFile(path);
    });
    add(menu, QStringLiteral("ncu.open"), tr("Open Nsight Compute's &CSV..."), {}, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Counters of ncu --csv --page raw"), {}, tr("CSV (*.csv *.txt);;All files (*)"));
        if (!path.isEmpty())
            openCountersFile(path);
    });
    QAction* close = add(menu, QStringLiteral("ncu.close"), tr("Close Nsight Compute's counters"), {}, [this] { HardwareStore::of(m_intents)->setCounters(nullptr); });
    close->setEnabled(false);
    connect(HardwareStore::of(m_intents), &HardwareStore::countersChanged, close, [this, close] { close->setEnabled(HardwareStore::of(m_intents)->counters() != nullptr); });
    add(menu, QStringLiteral("gpu.figures"), tr("&Figures of the modelled GPU..."), {}, [this] { showGpuFigures(); });
    add(menu, QStringLiteral("report"), tr("&Report of this launch..."), QStringLiteral("Ctrl+R"),
        [this] { showReport(); });
    for (const auto& [id, text] :
         {std::pair{"roofline", tr("Roof&line")}, std::pair{"occupancy", tr("&Occupancy")},
          std::pair{"waves", tr("&Waves")}, std::pair{"sweep", tr("&Tile sweep")},
          std::pair{"ladder", tr("&Ladder")}, std::pair{"models", tr("&Models")}})
        if (m_performance->pane(QLatin1String(id)))
            add(menu, QLatin1String("show.") + QLatin1String(id), text, {},
                [this, name = QString(QLatin1String(id))] { showPane(name); });
    menu->addSeparator();
    add(menu, QStringLiteral("cancel"), tr("&Cancel the work under way"), {},
        [this] { cancelWork(); });
}

void MainWindow::buildWindowMenu(QMenu* menu) {
    add(menu, QStringLiteral("pane.next"), tr("&Next pane"), QStringLiteral("F6"),
        [this] { cyclePanes(1); });
    add(menu, QStringLiteral("pane.previous"), tr("&Previous pane"), QStringLiteral("Shift+F6"),
        [this] { cyclePanes(-1); });
    add(menu, QStringLiteral("layout.reset"), tr("&Reset the layout"), {},
        [this] { static_cast<Workspace*>(m_pages->currentWidget())->resetLayout(); });
    for (Workspace* workspace : {m_stepper, m_performance}) {
        menu->addSeparator();
        for (PaneDock* dock : workspace->docks()) {
            QAction* action = dock->toggleViewAction();
            action->setObjectName(QStringLiteral("action.pane.") + dock->pane()->id());
            menu->addAction(action);
        }
    }
}

void MainWindow::buildHelpMenu(QMenu* menu) {
    add(menu, QStringLiteral("keys"), tr("&Keys"), QStringLiteral("F1"), [this] {
        QMessageBox::information(
            this, tr("Keys"),
            tr("<table cellspacing=4>"
               "<tr><td><b>F10</b>, <b>F9</b></td><td>step, step back</td></tr>"
               "<tr><td><b>F11</b>, <b>Shift+F11</b></td><td>next line, line back</td></tr>"
               "<tr><td><b>B</b>, <b>Shift+B</b></td><td>next barrier, barrier back</td></tr>"
               "<tr><td><b>Space</b></td><td>play or pause</td></tr>"
               "<tr><td><b>Left</b>, <b>Right</b></td><td>one event; with Shift ten</td></tr>"
               "<tr><td><b>Home</b>, <b>End</b></td><td>start, end of the trace</td></tr>"
               "<tr><td><b>[</b> <b>]</b></td><td>previous, next warp</td></tr>"
               "<tr><td><b>,</b> <b>.</b></td><td>previous, next lane</td></tr>"
               "<tr><td><b>T</b></td><td>try it</td></tr>"
               "<tr><td><b>Alt+Left</b>, <b>Alt+Right</b></td><td>step of the lesson</td></tr>"
               "<tr><td><b>Ctrl+K</b></td><td>search</td></tr>"
               "<tr><td><b>Ctrl+1</b> .. <b>4</b></td><td>stepper, performance, compare, sandbox</td></tr>"
               "<tr><td><b>F6</b>, <b>Shift+F6</b></td><td>next, previous pane</td></tr>"
               "<tr><td><b>Ctrl+E</b></td><td>export the pane</td></tr>"
               "<tr><td><b>Ctrl+Shift+T</b></td><td>the pane as a table</td></tr></table>"
               "<p>Letters and Space work while no field, button or text has the keyboard.</p>"));
    });
    add(menu, QStringLiteral("about"), tr("&About Lanescope"), {}, [this] {
        QMessageBox::about(this, tr("About Lanescope"),
                           tr("<b>Lanescope %1</b><p>Steps CUDA kernels warp by warp on an "
                              "embedded PTX simulator and shows what every "
                              "lane does.</p><p>GNU General Public License, version 3 or later, "
                              "with the additional permission to load "
                              "NVIDIA's CUDA libraries.</p>")
                               .arg(QCoreApplication::applicationVersion()));
    });
    add(menu, QStringLiteral("about-qt"), tr("About &Qt"), {}, [] { QApplication::aboutQt(); });
}

void MainWindow::openFileDialog() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a kernel"), m_sandboxFile, tr("CUDA and PTX (*.cu *.ptx);;All files (*)"));
    if (!path.isEmpty())
        openFile(path);
}

void MainWindow::saveText() {
    const auto& program = m_bridge->snapshot()->program;
    const QString name = program && !program->cudaFile.empty()
                             ? QFileInfo(QString::fromStdString(program->cudaFile)).fileName()
                             : QStringLiteral("kernel.cu");
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the CUDA text"), name, tr("CUDA (*.cu)"));
    if (path.isEmpty())
        return;
    QSaveFile file(path);
    const QByteArray bytes =
        static_cast<SourcePane*>(pane(QStringLiteral("source")))->cudaText().toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        QMessageBox::warning(this, tr("Save the CUDA text"),
                             tr("%1 was not written: %2").arg(path, file.errorString()));
    else
        statusBar()->showMessage(tr("Saved %1").arg(path), 5000);
}

void MainWindow::exportFocused() {
    PaneDock* dock = focusedDock();
    if (!dock)
        return;
    Pane& pane = *dock->pane();
    QStringList filters;
    for (const QString& extension : exportExtensions())
        if (pane.table() ||
            (extension != QLatin1String(".csv") && extension != QLatin1String(".json")))
            filters << QStringLiteral("%1 (*%2)").arg(extension.mid(1).toUpper(), extension);
    QString chosen;
    QString path = QFileDialog::getSaveFileName(this, tr("Export %1").arg(pane.title()),
                                                pane.id() + QStringLiteral(".png"),
                                                filters.join(QStringLiteral(";;")), &chosen);
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += QLatin1Char('.') + chosen.section(QLatin1Char(' '), 0, 0).toLower();
    const auto written = exportPaneTo(pane, path);
    if (!written)
        QMessageBox::warning(this, tr("Export"), QString::fromStdString(toString(written.error())));
    else
        statusBar()->showMessage(tr("Written %1").arg(path), 5000);
}

Result<void> MainWindow::exportPaneTo(Pane& pane, const QString& path) {
    PaneExport options;
    const bool isCompared = m_compare && m_compare->pane(pane.id()) == &pane;
    const SnapshotPtr& snapshot =
        isCompared ? m_compare->model().snapshot(pane.id().endsWith(QLatin1String(".right"))
                                                     ? Side::Right
                                                     : Side::Left)
                   : m_bridge->snapshot();
    // The ladder is of its table's GPU, which it names itself.
    const bool isLadder = pane.id() == QLatin1String("ladder");
    if (snapshot->run && !isLadder)
        options.gpu = snapshot->run->deviceName;
    // The comparison names both kernels itself.
    if (snapshot->program && !isLadder && pane.id() != QLatin1String("compare"))
        options.kernel = snapshot->program->title;
    options.theme = m_theme->kind;
    if (!pane.size().isEmpty())
        options.size = pane.size();
    return exportPane(pane, options, path.toStdString());
}

void MainWindow::viewAsTable() {
    PaneDock* dock = focusedDock();
    QAbstractItemModel* model = dock ? dock->pane()->table() : nullptr;
    if (!model) {
        statusBar()->showMessage(
            dock ? tr("%1 has no table").arg(dock->pane()->title()) : tr("No pane is shown"), 4000);
        return;
    }
    auto* view = new QTableView;
    view->setObjectName(QStringLiteral("dialog.table"));
    view->setModel(model);
    view->setAlternatingRowColors(true);
    view->resizeColumnsToContents();
    view->horizontalHeader()->setStretchLastSection(true);
    showDialog(this, dock->pane()->title(), view, {720, 480});
}

void MainWindow::showReport() {
    const auto& run = m_bridge->snapshot()->run;
    if (!run) {
        statusBar()->showMessage(tr("Nothing has run yet"), 4000);
        return;
    }
    auto* text = new QPlainTextEdit(QString::fromStdString(run->json));
    text->setObjectName(QStringLiteral("dialog.report"));
    text->setReadOnly(true);
    text->setFont(Theme::mono(12));
    showDialog(this, tr("Report of this launch (JSON)"), text, {760, 620});
}

void MainWindow::runOnGpu() {
    const auto& program = m_bridge->snapshot()->program;
    if (!program || program->parameters.empty()) {
        statusBar()->showMessage(tr("Only kernels of the course run on a GPU from here; lanescope run takes files"), 6000);
        return;
    }
    HardwareStore* const hardware = HardwareStore::of(m_intents);
    if (hardware->isRunning())
        return;
    std::map<std::string, std::int64_t> values;
    const auto wanted = PerformanceStore::of(m_intents)->valuesOf(program->id);
    for (const session::ParameterView& p : program->parameters)
        if (const auto it = wanted.find(p.name); it != wanted.end())
            values[p.name] = it->second;
    const auto kernels = session::builtInKernels();
    const catalog::Kernel* kernel = kernels ? catalog::findKernel(**kernels, program->id) : nullptr;
    if (kernel == nullptr)
        return;
    hardware->start({runJob(QString::fromStdString(program->id), values, program->cudaText == kernel->text ? QString() : QString::fromStdString(program->cudaText))});
}

void MainWindow::connectHardware() {
    connect(statusBar(), &QStatusBar::messageChanged, this, [this](const QString& text) {
        if (text.isEmpty())
            updateStatus(*activeSnapshot());
    });
    HardwareStore* const hardware = HardwareStore::of(m_intents);
    connect(hardware, &HardwareStore::changed, this, [this, hardware] {
        if (hardware->isRunning())
            statusBar()->showMessage(hardware->activity() + QStringLiteral(" ..."));
        else if (!hardware->note().isEmpty())
            statusBar()->showMessage(hardware->note(), 15000);
    });
    connect(hardware, &HardwareStore::measured, this, [this](const session::MeasuredPoints& points) {
        PerformanceStore::of(m_intents)->addMeasured(points);
    });
    connect(hardware, &HardwareStore::reported, this, [this](const QString& report, const session::MeasuredPoints& points) {
        QString text = report;
        if (!points.isOn(PerformanceStore::of(m_intents)->performance()->deviceId))
            text += tr("\nThe charts model another GPU: choose this one under Measure, Modelled GPU to see both.\n");
        auto* view = new QPlainTextEdit(text);
        view->setObjectName(QStringLiteral("dialog.gpu"));
        view->setReadOnly(true);
        view->setFont(Theme::mono(12));
        showDialog(this, tr("Measured on this machine's GPU"), view, {900, 260});
    });
}

void MainWindow::openMeasuredFile(const QString& path) {
    const auto points = session::readMeasured(path.toStdString());
    if (!points) {
        statusBar()->showMessage(QString::fromStdString(toString(points.error())), 15000);
        return;
    }
    auto* store = PerformanceStore::of(m_intents);
    store->addMeasured(*points);
    const auto& run = m_bridge->snapshot()->run;
    statusBar()->showMessage(!run || points->isOn(run->deviceId)
                                 ? tr("%1 measured points for roofline, ladder and sweep").arg(points->points.size())
                                 : tr("The points were measured on %1: choose it under Measure, Modelled GPU").arg(QString::fromStdString(points->gpu)),
                             8000);
}

void MainWindow::openCountersFile(const QString& path) {
    auto report = session::readNcuCsv(path.toStdString());
    if (!report) {
        statusBar()->showMessage(QString::fromStdString(toString(report.error())), 15000);
        return;
    }
    statusBar()->showMessage(tr("%1 launches of Nsight Compute: their counters stand beside ours").arg(report->launches.size()), 8000);
    HardwareStore::of(m_intents)->setCounters(std::make_shared<const session::NcuReport>(std::move(*report)));
    showPane(QStringLiteral("counters"));
}

void MainWindow::showGpuFigures() {
    const auto& run = m_bridge->snapshot()->run;
    const auto device = device::findDevice(run ? run->deviceId : std::string("h100"));
    if (!device)
        return;
    auto* model = new QStandardItemModel;
    model->setHorizontalHeaderLabels({tr("Figure"), tr("Described"), tr("Measured here"), tr("Unit"), tr("Source of what is used")});
    for (const device::FigureKind& kind : device::figureKinds()) {
        const device::Figure* figure = device->figure(kind.key);
        if (figure == nullptr)
            continue;
        const auto number = [](double value) { return QString::number(value, 'g', 6); };
        const QString described = figure->described ? number(*figure->described) : figure->calibrated ? QStringLiteral("–") : number(figure->value);
        QList<QStandardItem*> row;
        for (const QString& text : {QString::fromUtf8(kind.description.data(), qsizetype(kind.description.size())), described, figure->calibrated ? number(figure->value) : QStringLiteral("–"),
                                    QString::fromStdString(figure->unit), QString::fromStdString(figure->source)}) {
            row << new QStandardItem(text);
            row.back()->setEditable(false);
            row.back()->setToolTip(text);
        }
        model->appendRow(row);
    }
    auto* view = new QTableView;
    model->setParent(view);
    view->setObjectName(QStringLiteral("dialog.figures"));
    view->setModel(model);
    view->setAlternatingRowColors(true);
    view->verticalHeader()->hide();
    view->resizeColumnsToContents();
    view->setColumnWidth(0, std::min(view->columnWidth(0), 320));
    view->horizontalHeader()->setStretchLastSection(true);
    showDialog(this, tr("Figures of %1").arg(QString::fromStdString(device->name)), view, {980, 560});
}

void MainWindow::cyclePanes(int direction) {
    const auto* page = static_cast<Workspace*>(m_pages->currentWidget());
    std::vector<PaneDock*> shown;
    for (PaneDock* dock : page->docks())
        if (dock->isVisible() && !dock->pane()->visibleRegion().isEmpty())
            shown.push_back(dock);
    if (shown.empty())
        return;
    const auto at = std::find(shown.begin(), shown.end(), m_focused.data());
    const auto count = static_cast<int>(shown.size());
    const int index =
        at == shown.end() ? 0 : (static_cast<int>(at - shown.begin()) + direction + count) % count;
    shown[static_cast<std::size_t>(index)]->pane()->setFocus(Qt::TabFocusReason);
}

} // namespace lanescope::views
