// SPDX-License-Identifier: GPL-3.0-or-later
// Toolbar and status bar.
#include "views/shell/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QCheckBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QMenuBar>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStatusBar>
#include <QStyle>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>

#include "views/bridge/bridge.h"
#include "views/bridge/lesson_model.h"
#include "views/kit/controls.h"
#include "views/kit/icons.h"
#include "views/kit/paint.h"
#include "views/shell/compare_page.h"
#include "views/shell/search_box.h"

namespace lanescope::views {

namespace {

/// A menu of blocks is useful up to here; beyond, the combo lists the first ones and those near the
/// selected one.
constexpr std::uint64_t kMostBlocks = 512;

QString blockText(const Dim3& grid, const Dim3& block) {
    return grid.z > 1 ? QStringLiteral("(%1, %2, %3)").arg(block.x).arg(block.y).arg(block.z)
                      : QStringLiteral("(%1, %2)").arg(block.x).arg(block.y);
}

Dim3 blockAt(const Dim3& grid, std::uint64_t linear) {
    return {static_cast<std::uint32_t>(linear % grid.x),
            static_cast<std::uint32_t>(linear / grid.x % grid.y),
            static_cast<std::uint32_t>(linear / (std::uint64_t{grid.x} * grid.y))};
}

std::uint64_t linearOf(const Dim3& grid, const Dim3& block) {
    return block.x + std::uint64_t{grid.x} * (block.y + std::uint64_t{grid.y} * block.z);
}

QToolButton* toolButton(const QString& name, const QString& tip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(name);
    button->setProperty("role", "button");
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setIconSize({14, 14});
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

} // namespace

void MainWindow::buildToolbar() {
    auto* bar = new QToolBar(tr("Main toolbar"), this);
    bar->setObjectName(QStringLiteral("toolbar"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    addToolBar(Qt::TopToolBarArea, bar);
    const auto addSeparator = [bar] {
        auto* line = new QFrame(bar);
        line->setProperty("role", "separator");
        auto* box = new QWidget(bar);
        auto* row = new QHBoxLayout(box);
        row->setContentsMargins(4, 0, 4, 0);
        row->addWidget(line);
        bar->addWidget(box);
    };
    setContextMenuPolicy(Qt::NoContextMenu);

    m_sections =
        new SegmentedButtons(QStringLiteral("toolbar.section"),
                             {tr("Stepper"), tr("Performance"), tr("Compare"), tr("Sandbox")}, false, bar);
    m_sections->setAccessibleName(tr("Workspace"));
    m_sections->segment(2)->setToolTip(tr("Two launches side by side, stepped together"));
    m_sections->segment(3)->setToolTip(tr("A .cu or .ptx file of your own, with the same panes"));
    connect(m_sections, &SegmentedButtons::activated, this, [this](int index) {
        const auto section = static_cast<Section>(index);
        if (section == Section::Sandbox && m_sandboxFile.isEmpty()) {
            m_sections->setCurrent(static_cast<int>(m_section));
            openFileDialog();
        } else if (section == Section::Sandbox && m_section != Section::Sandbox) {
            openFile(m_sandboxFile);
        } else if (section == Section::Stepper && m_section == Section::Sandbox &&
                   m_lessons->lesson()) {
            setSection(section);
            const QString id = m_lessons->lesson()->id;
            m_lessons->close();
            openLesson(id);
        } else {
            setSection(section);
        }
    });
    bar->addWidget(m_sections);
    addSeparator();

    m_previousLesson =
        toolButton(QStringLiteral("toolbar.lesson.previous"), tr("Previous lesson"), bar);
    m_nextLesson = toolButton(QStringLiteral("toolbar.lesson.next"), tr("Next lesson"), bar);
    connect(m_previousLesson, &QAbstractButton::clicked, this,
            [this] { openLesson(m_lessons->neighbour(-1)); });
    connect(m_nextLesson, &QAbstractButton::clicked, this,
            [this] { openLesson(m_lessons->neighbour(1)); });
    m_lessonButton = toolButton(QStringLiteral("toolbar.lesson"), tr("Choose a lesson"), bar);
    m_lessonButton->setPopupMode(QToolButton::InstantPopup);
    m_lessonButton->setToolButtonStyle(Qt::ToolButtonTextOnly);
    auto* lessonMenu = new QMenu(m_lessonButton);
    for (const CourseEntry& entry : m_lessons->source().course()) {
        const QString text = entry.number.isEmpty()
                                 ? entry.title
                                 : entry.number + QStringLiteral("  ") + entry.title;
        connect(lessonMenu->addAction(text), &QAction::triggered, this,
                [this, id = entry.id] { openLesson(id); });
    }
    m_lessonButton->setMenu(lessonMenu);
    bar->addWidget(m_previousLesson);
    bar->addWidget(m_lessonButton);
    bar->addWidget(m_nextLesson);
    addSeparator();

    m_block = new LabelledCombo(QStringLiteral("toolbar.block"), tr("Block"), bar);
    m_warp = new LabelledCombo(QStringLiteral("toolbar.warp"), tr("Warp"), bar);
    m_lane = new LabelledCombo(QStringLiteral("toolbar.lane"), tr("Lane"), bar);
    for (int lane = 0; lane < kWarpSize; ++lane)
        m_lane->addItem(QString::number(lane));
    connect(m_block, &QComboBox::activated, this, [this](int index) {
        const Dim3 block = blockAt(m_shownGrid, m_block->itemData(index).toULongLong());
        emit activeIntents()->selectBlock(block.x, block.y, block.z);
    });
    connect(m_warp, &QComboBox::activated, this,
            [this](int index) { emit activeIntents()->selectWarp(index); });
    connect(m_lane, &QComboBox::activated, this,
            [this](int index) { emit activeIntents()->selectLane(index); });
    for (LabelledCombo* combo : {m_block, m_warp, m_lane})
        bar->addWidget(combo);
    addSeparator();

    m_link = new QCheckBox(tr("Link selection"), bar);
    m_link->setObjectName(QStringLiteral("toolbar.link"));
    m_link->setChecked(true);
    m_link->setToolTip(tr("On: a block, warp or lane chosen in one pane is chosen in all. Off: it "
                          "stays in that pane until the next step."));
    connect(m_link, &QCheckBox::toggled, this, [this](bool on) {
        if (on)
            onPublished(m_bridge->snapshot());
    });
    bar->addWidget(m_link);

    auto* space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    m_search = new SearchBox(m_lessons, m_intents, bar);
    bar->addWidget(m_search);
    m_themeButton = toolButton(QStringLiteral("toolbar.theme"), tr("Light or dark theme"), bar);
    m_themeButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_themeButton->setFixedWidth(68);
    connect(m_themeButton, &QAbstractButton::clicked, this, [this] {
        setThemeKind(m_theme->kind == ThemeKind::Light ? ThemeKind::Dark : ThemeKind::Light);
    });
    bar->addWidget(m_themeButton);

    m_titleLabel = new QLabel(menuBar());
    m_titleLabel->setObjectName(QStringLiteral("menu.title"));
    m_titleLabel->setProperty("role", "body");
    m_titleLabel->setAlignment(Qt::AlignCenter);
    m_titleLabel->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_logo = new QLabel(menuBar());
    m_logo->setAttribute(Qt::WA_TransparentForMouseEvents);
}

void MainWindow::buildStatusBar() {
    QStatusBar* bar = statusBar();
    bar->setSizeGripEnabled(false);
    const auto label = [this](const QString& name) {
        auto* result = new QLabel(this);
        result->setObjectName(name);
        return result;
    };
    m_statusIcon = label(QStringLiteral("status.icon"));
    m_statusIcon->setFixedWidth(25);
    m_statusReady = label(QStringLiteral("status.ready"));
    m_statusDevice = label(QStringLiteral("status.device"));
    m_statusSentence = label(QStringLiteral("status.sentence"));
    m_statusSentence->setAccessibleName(tr("Present step"));
    m_statusUnit = label(QStringLiteral("status.unit"));
    m_statusUnit->setText(tr("Step unit: instruction, one warp"));
    for (QLabel* divided : {m_statusDevice, m_statusUnit})
        divided->setProperty("divided", true);
    m_progress = new QProgressBar(this);
    m_progress->setObjectName(QStringLiteral("status.progress"));
    m_progress->setRange(0, 1000);
    m_progress->setFixedWidth(120);
    m_progress->setTextVisible(false);
    m_cancel = new QPushButton(tr("Cancel"), this);
    m_cancel->setObjectName(QStringLiteral("status.cancel"));
    m_cancel->setStyleSheet(QStringLiteral("min-height: 16px; max-height: 16px; font-size: 11px; "
                                           "padding: 0 8px; border-radius: 3px;"));
    connect(m_cancel, &QAbstractButton::clicked, this, &MainWindow::cancelWork);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_statusIcon, m_statusReady, m_progress,
                                                           m_cancel, m_statusDevice})
        bar->addWidget(widget);
    bar->addPermanentWidget(m_statusSentence);
    bar->addPermanentWidget(m_statusUnit);
    m_progress->hide();
    m_cancel->hide();
}

void MainWindow::updateControls(const SnapshotPtr& snapshot) {
    const bool hasTrace = snapshot->trace != nullptr;
    updateBlocks(*snapshot);
    for (LabelledCombo* combo : {m_block, m_warp, m_lane}) {
        combo->setEnabled(hasTrace);
        combo->setToolTip(hasTrace ? QString() : tr("Nothing has run yet"));
    }
    for (QAction* action : m_traceActions)
        action->setEnabled(hasTrace);
    for (QAction* action : m_eventActions)
        action->setEnabled(hasTrace && m_section != Section::Compare);
    const Lesson* lesson = m_lessons->lesson();
    m_lessonButton->setText(
        lesson ? (lesson->number.isEmpty() ? lesson->title : tr("Lesson %1").arg(lesson->number))
               : tr("Lessons"));
    m_lessonButton->setEnabled(!m_lessons->source().course().empty());
    m_previousLesson->setEnabled(!m_lessons->neighbour(-1).isEmpty());
    m_nextLesson->setEnabled(!m_lessons->neighbour(1).isEmpty());
    QString title = lesson && m_section != Section::Sandbox ? lesson->title
                    : snapshot->program ? QString::fromStdString(snapshot->program->title)
                                        : QString();
    if (m_section == Section::Compare)
        title = tr("Compare: two launches in lock-step");
    if (m_section == Section::Performance)
        title = title.isEmpty() ? tr("Performance") : tr("Performance: %1").arg(title);
    m_titleLabel->setText(title);
    setWindowTitle(title.isEmpty() ? QStringLiteral("Lanescope")
                                   : title + QStringLiteral(" - Lanescope"));
    if (snapshot->run && m_deviceGroup)
        for (QAction* action : m_deviceGroup->actions())
            action->setChecked(action->data().toString().toStdString() == snapshot->run->deviceId);
    if (snapshot->program && m_formGroup)
        for (QAction* action : m_formGroup->actions())
            action->setChecked(action->data().toInt() == static_cast<int>(snapshot->program->form));
    updateStatus(*snapshot);
}

void MainWindow::updateBlocks(const session::Snapshot& snapshot) {
    const Dim3 grid = snapshot.run ? snapshot.run->launch.grid : Dim3{1, 1, 1};
    const QSignalBlocker blockBlocker(m_block), warpBlocker(m_warp), laneBlocker(m_lane);
    const std::uint64_t selected = linearOf(grid, snapshot.selection.block);
    if (grid != m_shownGrid || m_block->findData(QVariant::fromValue<qulonglong>(selected)) < 0) {
        m_shownGrid = grid;
        m_block->clear();
        const std::uint64_t count = grid.count();
        const std::uint64_t start =
            count <= kMostBlocks || selected < kMostBlocks ? 0 : selected - kMostBlocks / 2;
        for (std::uint64_t i = start; i < std::min(count, start + kMostBlocks); ++i)
            m_block->addItem(blockText(grid, blockAt(grid, i)), QVariant::fromValue<qulonglong>(i));
        if (count > kMostBlocks)
            m_block->addItem(blockText(grid, blockAt(grid, count - 1)),
                             QVariant::fromValue<qulonglong>(count - 1));
        m_block->updateGeometry();
    }
    m_block->setCurrentIndex(m_block->findData(QVariant::fromValue<qulonglong>(selected)));
    const int warps = snapshot.trace ? snapshot.trace->warps : 1;
    if (warps != m_shownWarps) {
        m_shownWarps = warps;
        m_warp->clear();
        for (int warp = 0; warp < warps; ++warp)
            m_warp->addItem(QString::number(warp));
        m_warp->updateGeometry();
    }
    m_warp->setCurrentIndex(snapshot.selection.warp);
    m_lane->setCurrentIndex(snapshot.selection.lane);
}

void MainWindow::updateStatus(const session::Snapshot& snapshot) {
    Icon shape = Icon::Pass;
    QString text;
    if (snapshot.busy) {
        shape = Icon::Reload;
        text =
            snapshot.activity.empty() ? tr("Working") : QString::fromStdString(snapshot.activity);
    } else if (!snapshot.program) {
        shape = Icon::Note;
        text = tr("Nothing is open: choose a lesson, or File > Open");
    } else if (!snapshot.program->diagnostics.empty() && !snapshot.run) {
        shape = Icon::Error;
        const Diagnostic& first = snapshot.program->diagnostics.front();
        text =
            first.where.line != 0
                ? tr("Line %1: %2").arg(first.where.line).arg(QString::fromStdString(first.message))
                : QString::fromStdString(first.message);
    } else if (snapshot.trace) {
        const auto& trace = *snapshot.trace;
        const Dim3 grid = snapshot.run ? snapshot.run->launch.grid : Dim3{};
        text = tr("Trace ready: block %1, %2")
                   .arg(blockText(grid, trace.block),
                        countedText(trace.warps, tr("%1 warp"), tr("%1 warps")));
        if (!trace.complete) {
            shape = Icon::Warning;
            text = tr("Trace cut at %1 events: block %2")
                       .arg(QLocale(QLocale::English)
                                .toString(static_cast<qulonglong>(trace.events.size())),
                            blockText(grid, trace.block));
        }
    } else {
        shape = Icon::Warning;
        text = tr("No trace");
    }
    m_statusIcon->setPixmap(iconPixmap(shape, 13, m_theme->tx3, *m_theme, devicePixelRatioF()));
    m_statusReady->setText(m_statusReady->fontMetrics().elidedText(text, Qt::ElideRight, 420));
    m_statusReady->setToolTip(text);
    // A message of the moment has their place.
    const bool isFree = statusBar()->currentMessage().isEmpty();
    m_progress->setVisible(snapshot.busy && isFree);
    m_progress->setRange(0, snapshot.progress > 0 ? 1000 : 0);
    m_progress->setValue(static_cast<int>(snapshot.progress * 1000));
    m_cancel->setVisible(snapshot.busy && isFree);
    m_statusDevice->setVisible(snapshot.run != nullptr && isFree);
    m_statusDevice->setText(
        snapshot.run ? tr("Modelled on %1").arg(QString::fromStdString(snapshot.run->deviceName))
                     : QString());
    m_statusSentence->setText(m_statusSentence->fontMetrics().elidedText(
        QString::fromStdString(snapshot.frame.sentence), Qt::ElideRight, 520));
    m_statusUnit->setVisible(snapshot.trace != nullptr);
}

} // namespace lanescope::views
