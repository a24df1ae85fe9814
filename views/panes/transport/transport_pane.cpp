// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/transport/transport_pane.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <QAbstractTableModel>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "views/export/canvas.h"
#include "views/export/painted_pane.h"
#include "views/kit/paint.h"
#include "views/panes/transport/control_bar.h"
#include "views/panes/transport/cycle_strips.h"
#include "views/panes/transport/why_popup.h"

namespace lanescope::views {
namespace {

/// The events of the trace, read from it row by row: nothing is copied.
class EventTable : public QAbstractTableModel {
public:
    void set(std::shared_ptr<const session::TraceView> trace,
             std::shared_ptr<const session::ProgramView> program) {
        if (trace == m_trace && program == m_program)
            return;
        beginResetModel();
        m_trace = std::move(trace);
        m_program = std::move(program);
        endResetModel();
    }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() || !m_trace ? 0 : int(m_trace->events.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : int(kColumns.size());
    }
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        if (role != Qt::DisplayRole)
            return {};
        return orientation == Qt::Vertical ? QVariant(section) : QVariant(kColumns.value(section));
    }
    QVariant data(const QModelIndex& index, int role) const override {
        if (role != Qt::DisplayRole || !index.isValid() || !m_trace)
            return {};
        const session::TraceEvent& e = m_trace->events[std::size_t(index.row())];
        const auto* i = m_program && e.pc < m_program->instructions.size()
                            ? &m_program->instructions[e.pc]
                            : nullptr;
        switch (index.column()) {
        case 0:
            return index.row() + 1;
        case 1:
            return e.warp;
        case 2:
            return i != nullptr ? QVariant(i->cudaLine) : QVariant();
        case 3:
            return i != nullptr ? QVariant(i->writtenLine) : QVariant();
        case 4:
            return i != nullptr ? QString::fromStdString(i->text) : QString();
        case 5:
            return laneCount(e.active);
        default:
            return {};
        }
    }

private:
    const QStringList kColumns{QStringLiteral("event"),       QStringLiteral("warp"),
                               QStringLiteral("line"),        QStringLiteral("PTX line"),
                               QStringLiteral("instruction"), QStringLiteral("active lanes")};
    std::shared_ptr<const session::TraceView> m_trace;
    std::shared_ptr<const session::ProgramView> m_program;
};

class TransportPane : public PaintedPane {
public:
    TransportPane(Intents* intents, QWidget* parent)
        : PaintedPane(QStringLiteral("transport"), QStringLiteral("Transport"), intents, parent),
          m_bar(new ControlBar(intents, this)) {
        m_bar->onAxis = [this] { resetView(); };
        setMouseTracking(true);
        setMinimumHeight(m_bar->height() + 96);
        setMinimumWidth(480);
    }

    void setSnapshot(const SnapshotPtr& snapshot) override {
        const auto trace = snapshot ? snapshot->trace : nullptr;
        if (trace != m_trace) {
            m_trace = trace;
            m_index.reset();
            if (trace)
                m_index.emplace(trace, snapshot->program.get());
            m_snapshot = snapshot;
            m_bar->setState(ControlState::of(snapshot.get()));
            resetView();
        }
        m_snapshot = snapshot;
        const bool wasCycles = m_bar->showsCycles();
        m_bar->setState(ControlState::of(snapshot.get()));
        if (wasCycles != m_bar->showsCycles())
            resetView();
        m_table.set(trace, snapshot ? snapshot->program : nullptr);
        followPlayhead();
        if (snapshot)
            setAccessibleDescription(QString::fromStdString(snapshot->frame.sentence));
        update();
    }

    void setTheme(const Theme& theme) override {
        m_bar->setTheme(theme);
        PaintedPane::setTheme(theme);
    }

    QAbstractItemModel* table() override { return &m_table; }
    QSize sizeHint() const override { return {1200, 194}; }

    void paint(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        // On paper there are no buttons: the legend and the counter take their place.
        Canvas c(painter, theme);
        const QRectF strips = rect.adjusted(0, 30, 0, 0);
        paintBase(painter, strips, theme);
        paintOverlay(painter, strips, theme);
        c.fill({rect.left(), rect.top(), rect.width(), 30}, theme.alt);
        const session::FrameView* frame = m_snapshot ? &m_snapshot->frame : nullptr;
        const QString counter = QStringLiteral("Event %1 of %2")
                                    .arg(grouped(frame != nullptr ? frame->index : 0),
                                         grouped(m_trace ? qint64(m_trace->events.size()) : 0));
        const double width = Canvas::width(counter, Theme::ui(12));
        c.text(rect.right() - 14, rect.top() + 20, counter,
               {Theme::ui(12), theme.tx2, Align::Right});
        const double right = rect.right() - width - 28;
        if (showsCycles())
            paintCycleLegend(c, {rect.left() + 12, rect.top(), right - rect.left() - 12, 30});
        else
            paintStripLegend(c, rect.left() + 12, rect.top() + 20, right);
    }

protected:
    QRectF canvasRect() const override { return QRectF(rect()).adjusted(0, m_bar->height(), 0, 0); }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas c(painter, theme);
        if (m_index && showsCycles()) {
            paintCycleStrips(c, layoutFor(rect), *m_snapshot->timing);
            return;
        }
        if (m_index) {
            paintStrips(c, layoutFor(rect), *m_index);
            return;
        }
        c.fill(rect, theme.pane);
        c.text(rect.center().x(), rect.center().y() + 4,
               QStringLiteral("No trace: the strips appear when the kernel has run"),
               {Theme::ui(12), theme.tx3, Align::Center});
    }

    void paintOverlay(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        if (!m_index || !m_snapshot)
            return;
        Canvas c(painter, theme);
        QStringList states;
        if (showsCycles())
            states = statesAt(*m_snapshot->timing, m_index->warps(), std::uint32_t(position()));
        paintPlayhead(c, layoutFor(rect), m_snapshot->frame, position(), states);
        if (!m_tip.isEmpty())
            drawTip(painter, m_tipAt, m_tip, rect, theme);
    }

    void resizeEvent(QResizeEvent* event) override {
        m_bar->setGeometry(0, 0, width(), m_bar->height());
        PaintedPane::resizeEvent(event);
    }

    void mousePressEvent(QMouseEvent* event) override {
        if (!m_index)
            return;
        const StripLayout l = layoutFor(canvasRect());
        const QPointF at = event->position();
        if (at.x() < l.left - 6) {
            if (const int warp = l.warpAt(at.y()); warp >= 0)
                emit intents()->selectWarp(warp);
            return;
        }
        m_drag = at.y() >= l.axisY + 12 ? Drag::Scrub : Drag::Strips;
        m_tip.clear();
        if (showsCycles() && m_drag == Drag::Strips && askWhy(at, l))
            return;
        seekTo(at.x());
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        if (m_drag != Drag::None)
            seekTo(event->position().x());
        else
            hover(event->position());
    }

    void mouseReleaseEvent(QMouseEvent*) override { m_drag = Drag::None; }

    void leaveEvent(QEvent*) override {
        if (!m_tip.isEmpty()) {
            m_tip.clear();
            update();
        }
    }

    void wheelEvent(QWheelEvent* event) override {
        if (!m_index || extent() < 2)
            return;
        const StripLayout l = layoutFor(canvasRect());
        const double events = extent();
        if (event->modifiers().testFlag(Qt::ShiftModifier) || event->angleDelta().x() != 0) {
            const double delta =
                event->angleDelta().x() != 0 ? event->angleDelta().x() : event->angleDelta().y();
            setView(m_from - delta / 1200.0 * (m_to - m_from), m_to - m_from);
        } else {
            const double factor = std::pow(0.999, event->angleDelta().y());
            const double span =
                std::clamp((m_to - m_from) * factor, std::min(events, 16.0), events);
            const double at = l.event(std::clamp(event->position().x(), l.left, l.right));
            setView(at - (at - m_from) * span / (m_to - m_from), span);
        }
        event->accept();
    }

    void keyPressEvent(QKeyEvent* event) override {
        if (!m_index || !m_snapshot) {
            Pane::keyPressEvent(event);
            return;
        }
        const qint64 many = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
        const qint64 index = m_snapshot->frame.index, last = m_index->events();
        const int warp = m_snapshot->selection.warp;
        const auto seek = [&](qint64 to) {
            emit intents()->seek(quint32(std::clamp<qint64>(to, 0, last)));
        };
        switch (event->key()) {
        case Qt::Key_Left:
            seek(index - many);
            return;
        case Qt::Key_Right:
            seek(index + many);
            return;
        case Qt::Key_Home:
            seek(0);
            return;
        case Qt::Key_End:
            seek(last);
            return;
        case Qt::Key_Up:
            if (warp > 0)
                emit intents()->selectWarp(warp - 1);
            return;
        case Qt::Key_Down:
            if (warp + 1 < m_index->warps())
                emit intents()->selectWarp(warp + 1);
            return;
        case Qt::Key_Escape:
            setView(0, extent());
            return;
        default:
            Pane::keyPressEvent(event);
        }
    }

private:
    enum class Drag { None, Strips, Scrub };

    StripLayout layoutFor(const QRectF& rect) const {
        return stripLayout(rect, m_index ? m_index->warps() : 0,
                           m_index ? std::uint32_t(extent()) : 0, m_from, m_to);
    }

    void setView(double from, double span) {
        const double events = extent();
        from = std::clamp(from, 0.0, std::max(0.0, events - span));
        if (from == m_from && from + span == m_to)
            return;
        m_from = from;
        m_to = from + span;
        invalidate();
    }

    void followPlayhead() {
        if (!m_index || !m_snapshot || m_drag == Drag::Strips)
            return;
        const double at = position(), span = m_to - m_from;
        if (at < m_from || at > m_to)
            setView(at - span / 4, span);
    }

    void seekTo(double x) {
        const StripLayout l = layoutFor(canvasRect());
        const double event = m_drag == Drag::Scrub ? l.scrubEvent(x) : l.event(x);
        const auto index = showsCycles()
                               ? indexAt(event)
                               : quint32(std::clamp(std::round(event), 0.0, double(m_index->events())));
        if (!m_snapshot || index != m_snapshot->frame.index)
            emit intents()->seek(index);
    }

    bool showsCycles() const {
        return m_bar->showsCycles() && m_snapshot != nullptr && m_snapshot->timing != nullptr;
    }
    /// Length of the axis: events or cycles.
    double extent() const {
        return showsCycles() ? double(std::max(1u, m_snapshot->timing->sm.cycles))
                             : double(m_index->events());
    }
    /// Where the present moment is on the axis.
    double position() const {
        return showsCycles() ? cycleOf(*m_snapshot->timing, m_snapshot->frame.index)
                             : m_snapshot->frame.index;
    }
    void resetView() {
        m_tip.clear();
        m_from = 0;
        m_to = m_index ? extent() : 1;
        invalidate();
    }

    /// The moment of the trace for a cycle: after the selected warp's last event issued by then.
    quint32 indexAt(double cycle) const {
        const session::TimingReport& timing = *m_snapshot->timing;
        const int warp = smWarp(timing, m_snapshot->selection.warp);
        if (warp < 0 || cycle <= 0)
            return 0;
        const auto& list = timing.sm.warps[std::size_t(warp)].issues;
        const auto after = std::partition_point(list.begin(), list.end(), [&](std::uint32_t i) {
            return timing.sm.issues[i].cycle < cycle;
        });
        return after == list.begin() ? 0 : timing.sm.issues[*(after - 1)].event + 1;
    }

    /// Opens the chain of causes when the warp under the pointer waits there.
    bool askWhy(const QPointF& at, const StripLayout& l) {
        const int warp = l.warpAt(at.y());
        if (warp < 0 || at.x() > l.right)
            return false;
        emit intents()->selectWarp(warp);
        const session::TimingReport& timing = *m_snapshot->timing;
        const int index = smWarp(timing, warp);
        const double cycle = std::clamp(std::floor(l.event(at.x())), 0.0, extent() - 1);
        if (index < 0)
            return false;
        const timing::WarpState state = timing.sm.at(std::uint32_t(index), std::uint32_t(cycle)).state;
        if (state == timing::WarpState::Issued || state == timing::WarpState::Done ||
            state == timing::WarpState::Drain)
            return false;
        m_drag = Drag::None;
        showWhy(this, intents(), m_snapshot, std::uint32_t(index), std::uint32_t(cycle),
                mapToGlobal(QPoint(int(at.x()), int(l.top))));
        update();
        return true;
    }

    void hover(const QPointF& at) {
        QStringList tip;
        if (m_index && showsCycles()) {
            const StripLayout l = layoutFor(canvasRect());
            const int warp = l.warpAt(at.y());
            if (warp >= 0 && at.x() >= l.left && at.x() <= l.right && at.y() < l.axisY)
                tip = describe(*m_snapshot->timing, warp,
                               std::uint32_t(std::clamp(l.event(at.x()), 0.0, extent() - 1)));
        }
        if (tip.isEmpty() && m_tip.isEmpty())
            return;
        m_tip = std::move(tip);
        m_tipAt = at + QPointF(12, 8);
        update();
    }

    ControlBar* m_bar;
    QStringList m_tip;
    QPointF m_tipAt;
    SnapshotPtr m_snapshot;
    std::shared_ptr<const session::TraceView> m_trace;
    std::optional<TraceIndex> m_index;
    double m_from = 0, m_to = 1;
    Drag m_drag = Drag::None;
    EventTable m_table;
};

} // namespace

Pane* makeTransportPane(Intents* intents, QWidget* parent) {
    return new TransportPane(intents, parent);
}

} // namespace lanescope::views
