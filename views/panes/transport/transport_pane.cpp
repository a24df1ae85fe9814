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
#include "views/panes/transport/strips.h"

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
            return i != nullptr ? QVariant(i->ptxLine) : QVariant();
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
            m_from = 0;
            m_to = trace ? double(trace->events.size()) : 1;
            invalidate();
        }
        m_snapshot = snapshot;
        m_bar->setState(ControlState::of(snapshot.get()));
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
        paintStripLegend(c, rect.left() + 12, rect.top() + 20, rect.right() - width - 28);
    }

protected:
    QRectF canvasRect() const override { return QRectF(rect()).adjusted(0, m_bar->height(), 0, 0); }

    void paintBase(QPainter& painter, const QRectF& rect, const Theme& theme) override {
        Canvas c(painter, theme);
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
        paintPlayhead(c, layoutFor(rect), m_snapshot->frame);
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
        seekTo(at.x());
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        if (m_drag != Drag::None)
            seekTo(event->position().x());
    }

    void mouseReleaseEvent(QMouseEvent*) override { m_drag = Drag::None; }

    void wheelEvent(QWheelEvent* event) override {
        if (!m_index || m_index->events() < 2)
            return;
        const StripLayout l = layoutFor(canvasRect());
        const double events = m_index->events();
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
            setView(0, double(last));
            return;
        default:
            Pane::keyPressEvent(event);
        }
    }

private:
    enum class Drag { None, Strips, Scrub };

    StripLayout layoutFor(const QRectF& rect) const {
        return stripLayout(rect, m_index ? m_index->warps() : 0, m_index ? m_index->events() : 0,
                           m_from, m_to);
    }

    void setView(double from, double span) {
        const double events = m_index->events();
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
        const double at = m_snapshot->frame.index, span = m_to - m_from;
        if (at < m_from || at > m_to)
            setView(at - span / 4, span);
    }

    void seekTo(double x) {
        const StripLayout l = layoutFor(canvasRect());
        const double event = m_drag == Drag::Scrub ? l.scrubEvent(x) : l.event(x);
        const auto index = quint32(std::clamp(std::round(event), 0.0, double(m_index->events())));
        if (!m_snapshot || index != m_snapshot->frame.index)
            emit intents()->seek(index);
    }

    ControlBar* m_bar;
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
