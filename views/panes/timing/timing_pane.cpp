// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/timing/timing_pane.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include "views/export/canvas.h"
#include "views/export/painted_pane.h"
#include "views/export/table_model.h"
#include "views/panes/timing/figures_model.h"
#include "views/panes/timing/timing_scene.h"

namespace lanescope::views {
namespace {

/// The painted half: facts, bars, causes.
class StallView : public QWidget {
public:
    explicit StallView(QWidget* parent) : QWidget(parent) {
        setObjectName(QStringLiteral("timing.stalls"));
        setMinimumWidth(300);
    }
    void show(TimingScene scene, const Theme& theme) {
        m_scene = std::move(scene);
        m_theme = &theme;
        setAccessibleName(m_scene.problem.isEmpty() ? m_scene.facts.join(QStringLiteral(", ")) : m_scene.problem);
        setAccessibleDescription(m_scene.why.join(QStringLiteral(". ")));
        update();
    }
    const TimingScene& scene() const { return m_scene; }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        Canvas canvas(painter, *m_theme);
        paintTiming(canvas, rect(), m_scene);
    }

private:
    TimingScene m_scene;
    const Theme* m_theme = &Theme::light();
};

class TimingPane : public Pane {
public:
    TimingPane(Intents* intents, QWidget* parent)
        : Pane(QStringLiteral("timing"), tr("SM timing"), intents, parent), m_stalls(new StallView(this)), m_model(new FiguresModel(this)),
          m_view(new QTableView(this)), m_note(new QLabel(this)) {
        m_view->setObjectName(QStringLiteral("timing.figures"));
        m_view->setAccessibleName(tr("Figures of the timing, values can be edited"));
        m_view->setModel(m_model);
        m_view->setAlternatingRowColors(true);
        m_view->setShowGrid(false);
        m_view->setSelectionMode(QAbstractItemView::SingleSelection);
        m_view->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked | QAbstractItemView::EditKeyPressed |
                                QAbstractItemView::AnyKeyPressed);
        m_view->setWordWrap(false);
        m_view->setTabKeyNavigation(false);
        m_view->verticalHeader()->hide();
        m_view->verticalHeader()->setDefaultSectionSize(22);
        m_view->verticalHeader()->setMinimumSectionSize(22);
        QHeaderView* header = m_view->horizontalHeader();
        header->setHighlightSections(false);
        header->setFixedHeight(22);
        header->setSectionResizeMode(QHeaderView::Fixed);
        header->setSectionResizeMode(FiguresModel::kName, QHeaderView::Stretch);
        header->resizeSection(FiguresModel::kValue, 58);
        header->resizeSection(FiguresModel::kUnit, 64);
        header->resizeSection(FiguresModel::kSource, 80);
        m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_note->setObjectName(QStringLiteral("timing.note"));
        m_note->setWordWrap(true);
        m_note->hide();
        auto* side = new QWidget(this);
        auto* column = new QVBoxLayout(side);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(m_view, 1);
        column->addWidget(m_note);
        auto* splitter = new QSplitter(Qt::Horizontal, this);
        splitter->setHandleWidth(1);
        splitter->setChildrenCollapsible(false);
        splitter->addWidget(m_stalls);
        splitter->addWidget(side);
        splitter->setSizes({540, 460});
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(0, 0, 0, 0);
        row->addWidget(splitter);
        setFocusProxy(m_view);
        connect(m_model, &FiguresModel::edited, this, [this](const timing::Overrides& figures) {
            say({});
            emit this->intents()->setTimingFigures(figures);
        });
        connect(m_model, &FiguresModel::refused, this, &TimingPane::say);
    }

    ~TimingPane() override = default;

    QString context() const override {
        if (!m_snapshot || !m_snapshot->timing)
            return {};
        const auto changed = m_model->overrides().size();
        QString text = tr("modelled");
        if (m_snapshot->run)
            text += QStringLiteral(" · ") + QString::fromStdString(m_snapshot->run->deviceName);
        if (changed > 0)
            text += tr(" · %1 changed").arg(counted(qint64(changed), tr("figure")));
        return text;
    }

    QWidget* headerControls() override {
        if (m_reset == nullptr) {
            m_reset = new QPushButton(tr("Reset figures"));
            m_reset->setObjectName(QStringLiteral("timing.reset"));
            m_reset->setStyleSheet(QStringLiteral("min-height: 16px; max-height: 16px; font-size: 11px; padding: 0 8px; border-radius: 3px;"));
            connect(m_reset, &QAbstractButton::clicked, this, [this] {
                say({});
                emit intents()->setTimingFigures({});
            });
            updateReset();
        }
        return m_reset;
    }

    void setSnapshot(const SnapshotPtr& snapshot) override {
        m_snapshot = snapshot;
        if (!isVisible())
            return; // it is shown anew when it comes to the front
        refresh();
    }

    void setTheme(const Theme& theme) override {
        Pane::setTheme(theme);
        m_model->setTheme(theme);
        m_note->setStyleSheet(QStringLiteral("background: %1; color: %2; padding: 4px 8px;").arg(theme.errbg.name(), theme.errtx.name()));
        refresh();
    }

    void paint(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        paintTiming(canvas, rect, timingScene(m_snapshot.get()));
    }

    QAbstractItemModel* table() override {
        const TimingScene scene = timingScene(m_snapshot.get());
        std::vector<QStringList> rows;
        for (const StallRow& r : scene.rows)
            rows.push_back({tr("state"), QLatin1String(timing::id(r.state)), QLatin1String(timing::label(r.state)), QString::number(r.smCycles), percent(r.sm),
                            QString::number(r.warpCycles), percent(r.warp), QString()});
        if (m_snapshot && m_snapshot->timing)
            for (const timing::NamedFigure& f : m_snapshot->timing->parameters.figures)
                rows.push_back({f.overridden ? tr("figure, changed") : tr("figure"), QString::fromStdString(f.key), QString::fromStdString(f.description),
                                QString::number(f.figure.value, 'g', 8), QString(), QString(), QString(), QString::fromStdString(f.figure.source)});
        m_table.set({tr("kind"), tr("name"), tr("meaning"), tr("SM"), tr("SM share"), tr("warp %1").arg(scene.warp), tr("warp %1 share").arg(scene.warp),
                     tr("source")},
                    std::move(rows));
        return &m_table;
    }

protected:
    void showEvent(QShowEvent* event) override {
        Pane::showEvent(event);
        emit intents()->wantTiming(id(), true);
        refresh();
    }
    void hideEvent(QHideEvent* event) override {
        Pane::hideEvent(event);
        emit intents()->wantTiming(id(), false);
    }

private:
    void say(const QString& text) {
        m_note->setText(text);
        m_note->setVisible(!text.isEmpty());
        if (!text.isEmpty())
            emit intents()->message(text);
    }

    void refresh() {
        m_stalls->show(timingScene(m_snapshot.get()), theme());
        if (m_snapshot && !m_snapshot->busy)
            m_model->setReport(m_snapshot->timing);
        updateReset();
        emit contextChanged();
    }

    void updateReset() {
        if (m_reset == nullptr)
            return;
        const bool isChanged = !m_model->overrides().empty();
        m_reset->setEnabled(isChanged);
        m_reset->setToolTip(isChanged ? tr("The GPU's own figures again") : tr("No figure is changed: double-click a value to change it"));
    }

    SnapshotPtr m_snapshot;
    StallView* m_stalls;
    FiguresModel* m_model;
    QTableView* m_view;
    QLabel* m_note;
    QPushButton* m_reset = nullptr;
    TableModel m_table;
};

} // namespace

Pane* makeTimingPane(Intents* intents, QWidget* parent) { return new TimingPane(intents, parent); }

} // namespace lanescope::views
