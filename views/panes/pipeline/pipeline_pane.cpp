// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/pipeline/pipeline_pane.h"

#include <algorithm>

#include <QKeyEvent>
#include <QMouseEvent>

#include "views/export/canvas.h"
#include "views/export/painted_pane.h"
#include "views/export/segment_bar.h"
#include "views/export/table_model.h"
#include "views/panes/pipeline/pipeline_paint.h"
#include "views/panes/pipeline/stage_store.h"

namespace lanescope::views {
namespace {

class PipelinePane : public PaintedPane {
public:
    PipelinePane(Intents* intents, QWidget* parent) : PaintedPane(QStringLiteral("pipeline"), QStringLiteral("Pipeline"), intents, parent), m_store(new StageStore(this)) {
        setMinimumSize(420, 170);
        connect(m_store, &StageStore::changed, this, [this] {
            describe();
            invalidate();
        });
    }

    QWidget* headerControls() override {
        if (m_bar == nullptr) {
            m_bar = new SegmentBar(QStringLiteral("pipeline_mode"));
            m_bar->setItems(modes(), 0);
            m_bar->onChange = [this](int i) { setMode(PipelineMode(i)); };
        }
        return m_bar;
    }

    QString context() const override { return m_context; }
    bool isBusy() const override { return m_store->isBusy(); }

    void setSnapshot(const SnapshotPtr& snapshot) override {
        m_snapshot = snapshot;
        m_cursor.reset();
        if (m_bar != nullptr && m_hadMbarriers != hasMbarriers()) {
            m_hadMbarriers = hasMbarriers();
            m_bar->setItems(modes(), int(m_mode));
        }
        startStages();
        describe();
        invalidate();
    }

    QAbstractItemModel* table() override {
        if (m_mode == PipelineMode::Stages) {
            std::vector<QStringList> rows;
            const StageChart chart = stages();
            for (std::size_t n = 1; n <= chart.formula.size(); ++n) {
                QStringList row{QString::number(n), {}, {}, QString::number(chart.formula[n - 1]), {}};
                for (const session::StagePoint& point : chart.points)
                    if (point.stages == int(n)) {
                        row[1] = QString::number(point.cycles);
                        row[2] = point.busy ? QString::number(*point.busy) : QString();
                        row[4] = QString::fromStdString(point.problem);
                    }
                rows.push_back(row);
            }
            m_table.set({tr("stages"), tr("cycles, modelled"), tr("busy fraction, modelled"), tr("busy fraction by formula"), tr("problem")}, std::move(rows));
        } else {
            const PipelineScene scene = makePipelineScene(m_snapshot.get(), m_cursor, {0, 0, 900, 240});
            if (m_mode == PipelineMode::Groups && !scene.mbarriers.empty())
                m_table.set(mbarrierColumns(), scene.mbarriers);
            else
                m_table.set(scene.groupColumns, scene.groups);
        }
        return &m_table;
    }

protected:
    void showEvent(QShowEvent* event) override {
        PaintedPane::showEvent(event);
        emit intents()->wantTiming(id(), true);
    }
    void hideEvent(QHideEvent* event) override {
        PaintedPane::hideEvent(event);
        emit intents()->wantTiming(id(), false);
    }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        if (m_mode == PipelineMode::Stages)
            return paintStages(canvas, stages(), rect);
        const PipelineScene scene = makePipelineScene(m_snapshot.get(), m_cursor, rect);
        if (m_mode == PipelineMode::Groups)
            paintGroups(canvas, scene);
        else
            paintTimeline(canvas, scene);
    }

    void mousePressEvent(QMouseEvent* event) override { seekTo(event->position()); }
    void mouseMoveEvent(QMouseEvent* event) override {
        if (event->buttons() & Qt::LeftButton)
            seekTo(event->position());
    }

    void keyPressEvent(QKeyEvent* event) override {
        const bool up = event->key() == Qt::Key_Up, down = event->key() == Qt::Key_Down;
        if (!up && !down)
            return PaintedPane::keyPressEvent(event);
        setMode(PipelineMode(std::clamp(int(m_mode) + (down ? 1 : -1), 0, 2)));
        if (m_bar != nullptr)
            m_bar->setItems(modes(), int(m_mode));
    }

private:
    /// Slots are passed on by groups of copies, or by mbarriers.
    bool hasMbarriers() const { return m_snapshot && m_snapshot->timing && !m_snapshot->timing->pipeline.mbarriers.empty(); }
    QStringList modes() const { return {tr("Timeline"), hasMbarriers() ? tr("mbarriers") : tr("Groups"), tr("Stages")}; }

    void setMode(PipelineMode mode) {
        m_mode = mode;
        startStages();
        describe();
        invalidate();
    }

    StageChart stages() const {
        StageChart chart = stageChartOf(m_snapshot.get());
        chart.points = m_store->points();
        chart.isBusy = m_store->isBusy();
        return chart;
    }

    /// The kernel is timed with other numbers of stages only while that is looked at.
    void startStages() {
        if (m_mode != PipelineMode::Stages || !m_snapshot || m_snapshot->busy || !m_snapshot->run || !session::hasStages(m_snapshot->program->id)) {
            if (m_snapshot && !m_snapshot->busy && m_snapshot->program && !session::hasStages(m_snapshot->program->id))
                m_store->cancel();
            return;
        }
        session::StageCurveRequest request;
        request.kernel = m_snapshot->program->id;
        request.gpu = m_snapshot->run->deviceId;
        for (const session::ParameterView& parameter : m_snapshot->program->parameters)
            if (parameter.name != request.parameter)
                request.parameters[parameter.name] = parameter.value;
        m_store->start(request);
    }

    /// Seeks to the selected warp's last instruction that is issued by the cycle under the pointer.
    void seekTo(QPointF at) {
        if (m_mode != PipelineMode::Timeline || !m_snapshot || !m_snapshot->timing)
            return;
        const PipelineScene scene = makePipelineScene(m_snapshot.get(), m_cursor, rect());
        if (!scene.emptyText.isEmpty() || at.x() < scene.plotX - 6 || at.x() > scene.plotX + scene.plotWidth + 6)
            return;
        const std::uint32_t cycle = scene.cycleAt(at.x());
        const auto& sm = m_snapshot->timing->sm;
        std::optional<std::uint32_t> event;
        for (const timing::WarpTiming& warp : sm.warps)
            if (warp.slot == 0 && int(warp.warp) == m_snapshot->selection.warp)
                for (const std::uint32_t index : warp.issues)
                    if (sm.issues[index].cycle <= cycle)
                        event = std::max(event.value_or(0), sm.issues[index].event);
        m_cursor = cycle;
        describe();
        invalidate();
        if (event)
            emit intents()->seek(*event + 1);
    }

    void describe() {
        const PipelineScene scene = makePipelineScene(m_snapshot.get(), m_cursor, {0, 0, 900, 240});
        if (!scene.emptyText.isEmpty()) {
            m_context.clear();
            setAccessibleDescription(scene.emptyText);
        } else {
            m_context = tr("%1, %2 · cycle %3 of %4, modelled").arg(counted(qint64(scene.ring.size()), QStringLiteral("slot")), counted(qint64(scene.groups.size()), QStringLiteral("tile")), grouped(scene.cursor), grouped(scene.cycles));
            QStringList texts;
            for (std::size_t i = 0; i < scene.ring.size(); ++i)
                texts += tr("slot %1 has %2, %3").arg(i).arg(scene.ring[i].tile, scene.ring[i].state) + (scene.ring[i].mbarrier.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(scene.ring[i].mbarrier));
            setAccessibleDescription(tr("Cycle %1: %2. %3: %4").arg(grouped(scene.cursor), texts.join(QStringLiteral("; ")), scene.busyName, percent(scene.busy)));
        }
        emit contextChanged();
    }

    SnapshotPtr m_snapshot;
    std::optional<std::uint32_t> m_cursor;
    PipelineMode m_mode = PipelineMode::Timeline;
    StageStore* m_store;
    SegmentBar* m_bar = nullptr;
    bool m_hadMbarriers = false;
    TableModel m_table;
    QString m_context;
};

} // namespace

Pane* makePipelinePane(Intents* intents, QWidget* parent) {
    return new PipelinePane(intents, parent);
}

} // namespace lanescope::views
