// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/sweep/sweep_pane.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalBlocker>

#include <algorithm>

#include "views/bridge/hardware_store.h"
#include "views/export/canvas.h"
#include "views/export/painted_pane.h"
#include "views/export/performance_store.h"
#include "views/export/segment_bar.h"
#include "views/export/sweep_store.h"
#include "views/export/table_model.h"
#include "views/kit/paint.h"

namespace lanescope::views {
namespace {

class SweepPane : public PaintedPane {
public:
    SweepPane(Intents* intents, QWidget* parent)
        : PaintedPane(QStringLiteral("sweep"), QStringLiteral("Tile sweep"), intents, parent), m_performance(PerformanceStore::of(intents)),
          m_hardware(HardwareStore::of(intents)), m_store(new SweepStore(this)) {
        setMouseTracking(true);
        setMinimumSize(360, 240);
        connect(m_store, &SweepStore::changed, this, [this] { refresh(); });
        connect(m_performance, &PerformanceStore::changed, this, [this] {
            restartIfOther();
            refresh();
        });
        connect(m_hardware, &HardwareStore::changed, this, [this] { updateControls(); });
    }

    QString context() const override { return m_context; }
    bool isBusy() const override { return m_store->isBusy(); }

    QWidget* headerControls() override {
        if (m_controls != nullptr)
            return m_controls;
        m_controls = new QWidget;
        auto* row = new QHBoxLayout(m_controls);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(6);
        m_x = axisCombo(QStringLiteral("sweep_x"), tr("Parameter of the columns"));
        m_y = axisCombo(QStringLiteral("sweep_y"), tr("Parameter of the rows"));
        m_bar = new SegmentBar(QStringLiteral("sweep_measure"), m_controls);
        m_bar->setItems({tr("TFLOP/s"), tr("Occupancy"), tr("Wavefronts"), tr("Registers")}, 0);
        m_bar->onChange = [this](int i) {
            m_measure = SweepMeasure(i);
            refresh();
        };
        m_run = new QPushButton(m_controls);
        m_run->setObjectName(QStringLiteral("sweep_run"));
        m_run->setStyleSheet(QStringLiteral("min-height: 16px; max-height: 16px; font-size: 11px; padding: 0 8px; border-radius: 3px;"));
        connect(m_run, &QAbstractButton::clicked, this, [this] { m_store->isBusy() ? m_store->cancel() : start(); });
        m_runHere = new QPushButton(m_controls);
        m_runHere->setObjectName(QStringLiteral("sweep_measure"));
        m_runHere->setStyleSheet(m_run->styleSheet());
        m_runHere->setToolTip(tr("Runs what can launch on this machine's GPU"));
        connect(m_runHere, &QAbstractButton::clicked, this, [this] { m_hardware->isRunning() ? m_hardware->cancel() : measure(); });
        for (QWidget* widget : std::initializer_list<QWidget*>{m_bar, m_x, m_y, m_run, m_runHere})
            row->addWidget(widget);
        updateControls();
        return m_controls;
    }

    void setSnapshot(const SnapshotPtr& snapshot) override {
        const bool isOther = !m_snapshot || !snapshot || m_snapshot->program != snapshot->program || m_snapshot->run != snapshot->run;
        m_snapshot = snapshot;
        if (!isOther)
            return;
        m_performance->setSnapshot(snapshot);
        restartIfOther();
    }

    QAbstractItemModel* table() override {
        std::vector<QStringList> rows;
        const SweepData& d = data();
        for (std::size_t i = 0; i < d.cells.size(); ++i) {
            const SweepCell& cell = d.cells[i];
            QStringList row{QString::number(d.x.values[i % d.columns()]), QString::number(d.y.values[i / d.columns()])};
            const bool isDone = cell.state == SweepCell::State::Done;
            row << (isDone ? shortNumber(cell.flopsPerSecond / 1e12) : QString()) << (isDone ? percent(cell.occupancy) : QString())
                << (isDone ? shortNumber(cell.wavefronts) : QString()) << (isDone ? shortNumber(cell.registers) : QString())
                << QString::fromStdString(cell.boundBy) << QString::fromStdString(cell.problem)
                << (cell.measuredFlopsPerSecond ? shortNumber(*cell.measuredFlopsPerSecond / 1e12) : QString())
                << (cell.modelError() ? signedPercent(*cell.modelError()) : QString());
            rows.push_back(std::move(row));
        }
        m_table.set({QString::fromStdString(d.x.name), d.y.name.empty() ? QStringLiteral("row") : QString::fromStdString(d.y.name),
                     QStringLiteral("TFLOP/s modelled"), QStringLiteral("occupancy"), QStringLiteral("wavefronts per 1,000 FMA"),
                     QStringLiteral("registers a thread"), QStringLiteral("bound by"), QStringLiteral("problem"),
                     QStringLiteral("TFLOP/s measured"), QStringLiteral("model error")},
                    std::move(rows));
        return &m_table;
    }

protected:
    void showEvent(QShowEvent* event) override {
        PaintedPane::showEvent(event);
        restartIfOther();
    }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas canvas(painter, theme);
        SweepData shown = data();
        shown.currentX = m_currentX;
        shown.currentY = m_currentY;
        paintSweep(canvas, rect, shown, m_measure);
    }

    void paintOverlay(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        const auto cell = m_hover ? m_hover : hasFocus() ? m_cursor : std::nullopt;
        if (!cell || *cell >= data().cells.size())
            return;
        Canvas canvas(painter, theme);
        paintSweepCell(canvas, rect, data(), *cell);
        drawTip(painter, m_hover ? m_mouse : rect.topLeft() + QPointF(90, 60), tipOf(*cell), rect, theme);
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        m_mouse = event->position();
        m_hover = sweepHit(canvasRect(), data(), m_mouse);
        update();
    }
    void leaveEvent(QEvent*) override {
        m_hover.reset();
        update();
    }
    void mousePressEvent(QMouseEvent* event) override {
        if (const auto cell = sweepHit(canvasRect(), data(), event->position())) {
            m_cursor = cell;
            load(*cell);
        }
    }

    void keyPressEvent(QKeyEvent* event) override {
        const auto columns = int(data().columns()), rows = int(data().rows());
        if (data().cells.empty())
            return Pane::keyPressEvent(event);
        int x = m_cursor ? int(*m_cursor) % columns : 0, y = m_cursor ? int(*m_cursor) / columns : 0;
        switch (event->key()) {
        case Qt::Key_Left:
            --x;
            break;
        case Qt::Key_Right:
            ++x;
            break;
        case Qt::Key_Up:
            --y;
            break;
        case Qt::Key_Down:
            ++y;
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (m_cursor)
                load(*m_cursor);
            return;
        default:
            return Pane::keyPressEvent(event);
        }
        m_cursor = std::size_t(std::clamp(y, 0, rows - 1) * columns + std::clamp(x, 0, columns - 1));
        setAccessibleDescription(tipOf(*m_cursor).join(QStringLiteral(", ")));
        update();
    }

private:
    /// What the store has so far, with what was measured.
    const SweepData& data() const {
        if (m_source != m_store->data() || m_version != m_performance->measuredVersion()) {
            m_source = m_store->data();
            m_version = m_performance->measuredVersion();
            m_data = *m_source;
            addMeasured(m_data, m_performance->measuredOn(m_data.deviceId));
        }
        return m_data;
    }

    void measure() {
        const SweepData& d = data();
        if (d.cells.empty())
            return;
        GpuJob job{tr("the sweep of %1").arg(QString::fromStdString(d.kernel)), QString::fromStdString(d.kernel), {QStringLiteral("sweep"), QString::fromStdString(d.kernel)}, {}};
        for (const SweepAxis* axis : {&d.x, &d.y}) {
            if (axis->name.empty())
                continue;
            QStringList values;
            for (const std::int64_t value : axis->values)
                values << QString::number(value);
            job.arguments << QStringLiteral("--over") << QStringLiteral("%1=%2").arg(QString::fromStdString(axis->name), values.join(QLatin1Char(',')));
        }
        for (const auto& [name, value] : d.fixed)
            job.arguments << QStringLiteral("-D") << QStringLiteral("%1=%2").arg(QString::fromStdString(name)).arg(value);
        job.arguments << QStringLiteral("--run") << QStringLiteral("--progress");
        m_hardware->start({job});
    }

    QComboBox* axisCombo(const QString& name, const QString& what) {
        auto* combo = new QComboBox(m_controls);
        combo->setObjectName(name);
        combo->setAccessibleName(what);
        combo->setToolTip(what);
        combo->setStyleSheet(QStringLiteral("min-height: 18px; max-height: 18px; font-size: 11px;"));
        connect(combo, &QComboBox::activated, this, [this] {
            m_wantedX = m_x->currentText().toStdString();
            m_wantedY = m_y->currentText().toStdString();
            start();
            restartIfOther();
        });
        return combo;
    }

    SweepRequest request() const {
        SweepRequest request;
        request.deviceId = m_performance->performance()->deviceId;
        const bool isCatalog = m_snapshot && m_snapshot->program;
        request.kernelId = isCatalog ? m_snapshot->program->id : std::string();
        // Tiles as they are open; sizes as the charts of this page model them.
        if (isCatalog)
            request.form = m_snapshot->program->form;
        if (isCatalog)
            for (const session::ParameterView& p : m_snapshot->program->parameters)
                request.parameters[p.name] = p.isProblem ? m_performance->size(p.name, p.value) : p.value;
        request.x = m_wantedX;
        request.y = m_wantedY;
        return request;
    }

    /// Another kernel, GPU or size: what is shown would be stale.
    void restartIfOther() {
        if (!isVisible() || !m_snapshot || !m_snapshot->program || m_snapshot->busy)
            return;
        const SweepRequest now = request();
        const bool isOtherKernel = now.kernelId != m_shown.kernelId;
        if (isOtherKernel) {
            m_wantedX.clear();
            m_wantedY.clear();
        }
        SweepData plan;
        if (auto planned = planSweep(request()))
            plan = std::move(*planned);
        m_currentX = plan.currentX;
        m_currentY = plan.currentY;
        if (isOtherKernel || now.deviceId != m_shown.deviceId || now.form != m_shown.form || plan.fixed != data().fixed)
            start();
        else
            invalidate(); // another tile of the same sweep is open: only the mark moves
    }

    void start() {
        m_shown = request();
        m_cursor.reset();
        m_hover.reset();
        m_store->start(m_shown);
    }

    void refresh() {
        const SweepData& d = data();
        m_context = QString::fromStdString(d.kernel);
        if (!d.gpu.empty())
            m_context += QStringLiteral(", ") + QString::fromStdString(d.gpu);
        if (d.form == session::CodeForm::Compiled)
            m_context += tr(", as compiled");
        if (!d.cells.empty() && !d.isComplete())
            m_context += m_store->isBusy() ? tr(" · %1 of %2").arg(d.done()).arg(d.cells.size()) : tr(" · stopped at %1 of %2").arg(d.done()).arg(d.cells.size());
        if (const auto best = d.best(m_measure); best && d.isComplete())
            setAccessibleDescription(tr("%1; best: %2").arg(m_context, tipOf(*best).join(QStringLiteral(", "))));
        updateControls();
        emit contextChanged();
        invalidate();
    }

    void updateControls() {
        if (m_run == nullptr)
            return;
        m_run->setText(m_store->isBusy() ? tr("Cancel") : tr("Run"));
        m_run->setEnabled(m_store->isBusy() || data().problem.empty());
        m_runHere->setText(m_hardware->isRunning() ? tr("Cancel") : tr("Measure"));
        m_runHere->setEnabled(m_hardware->isRunning() || (data().problem.empty() && !data().cells.empty()));
        QStringList names;
        for (const std::string& name : sweepParameters(data().kernel))
            names << QString::fromStdString(name);
        for (const auto& [combo, name] : {std::pair{m_x, data().x.name}, std::pair{m_y, data().y.name}}) {
            const QSignalBlocker blocker(combo);
            QStringList shown;
            for (int i = 0; i < combo->count(); ++i)
                shown << combo->itemText(i);
            if (shown != names) {
                combo->clear();
                combo->addItems(names);
            }
            combo->setCurrentText(QString::fromStdString(name));
            combo->setVisible(names.size() > 1);
        }
    }

    QStringList tipOf(std::size_t i) const {
        const SweepData& d = data();
        const SweepCell& cell = d.cells[i];
        QString head = QStringLiteral("%1 = %2").arg(QString::fromStdString(d.x.name)).arg(d.x.values[i % d.columns()]);
        if (!d.y.name.empty())
            head += QStringLiteral(", %1 = %2").arg(QString::fromStdString(d.y.name)).arg(d.y.values[i / d.columns()]);
        switch (cell.state) {
        case SweepCell::State::Waiting:
            return {head, tr("not modelled yet")};
        case SweepCell::State::Broken:
            return {head, QString::fromStdString(cell.problem)};
        case SweepCell::State::Done: {
            QStringList lines{head, tr("%1 TFLOP/s modelled, bound by %2").arg(shortNumber(cell.flopsPerSecond / 1e12), QString::fromStdString(cell.boundBy))};
            if (cell.measuredFlopsPerSecond)
                lines << tr("%1 TFLOP/s measured, the model is off by %2").arg(shortNumber(*cell.measuredFlopsPerSecond / 1e12), signedPercent(cell.modelError().value_or(0)));
            QString registers = tr("occupancy %1, %2 registers a thread").arg(percent(cell.occupancy), shortNumber(cell.registers));
            if (cell.driverRegisters)
                registers += tr(" (the driver: %1)").arg(*cell.driverRegisters);
            return lines << registers << tr("%1 wavefronts per 1,000 FMA").arg(shortNumber(cell.wavefronts)) << tr("click: open this tile");
        }
        }
        return {head};
    }

    /// Opens the tile in the stepper's session; sizes stay as they are there.
    void load(std::size_t i) {
        const SweepData& d = data();
        if (d.cells[i].state == SweepCell::State::Broken) {
            emit intents()->message(QString::fromStdString(d.cells[i].problem));
            return;
        }
        emit intents()->setParameter(QString::fromStdString(d.x.name), d.x.values[i % d.columns()]);
        if (!d.y.name.empty())
            emit intents()->setParameter(QString::fromStdString(d.y.name), d.y.values[i / d.columns()]);
    }

    PerformanceStore* m_performance;
    HardwareStore* m_hardware;
    SweepStore* m_store;
    mutable std::shared_ptr<const SweepData> m_source; ///< of m_data
    mutable std::size_t m_version = 0;                 ///< of the measured points in it
    mutable SweepData m_data;
    SnapshotPtr m_snapshot;
    SweepRequest m_shown;
    std::string m_wantedX, m_wantedY;
    SweepMeasure m_measure = SweepMeasure::Flops;
    std::optional<std::size_t> m_hover, m_cursor, m_currentX, m_currentY;
    QPointF m_mouse;
    QString m_context;
    QWidget* m_controls = nullptr;
    SegmentBar* m_bar = nullptr;
    QComboBox *m_x = nullptr, *m_y = nullptr;
    QPushButton *m_run = nullptr, *m_runHere = nullptr;
    TableModel m_table;
};

} // namespace

Pane* makeSweepPane(Intents* intents, QWidget* parent) {
    return new SweepPane(intents, parent);
}

} // namespace lanescope::views
