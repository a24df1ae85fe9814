// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/transport/compare_transport.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "views/export/canvas.h"
#include "views/panes/transport/control_bar.h"

namespace lanescope::views {

namespace {

constexpr double kRow = 24, kBar = 10;

ControlState stateOf(const CompareView& view) {
    ControlState state;
    state.unit = QStringLiteral("Instruction");
    state.hasLegend = false;
    for (const CompareView::SideView& side : view.sides) {
        const ControlState own = ControlState::of(side.snapshot.get());
        state.hasTrace = state.hasTrace || own.hasTrace;
        state.canStep = state.canStep || own.canStep;
        state.canStepBack = state.canStepBack || own.canStepBack;
        state.hasBarrier = state.hasBarrier || own.hasBarrier;
        state.index = std::max(state.index, side.position);
        state.count = std::max(state.count, side.length);
    }
    return state;
}

} // namespace

CompareTransport::CompareTransport(Intents* intents, QWidget* parent)
    : Pane(QStringLiteral("compare.transport"), tr("Transport"), intents, parent), m_bar(new ControlBar(intents, this)) {
    setMinimumHeight(m_bar->height() + 60);
    setMinimumWidth(480);
}

void CompareTransport::setView(const CompareView& view) {
    m_view = view;
    m_bar->setState(stateOf(view));
    setAccessibleDescription(QStringLiteral("%1; %2").arg(text(0), text(1)));
    update();
}

void CompareTransport::setTheme(const Theme& theme) {
    m_bar->setTheme(theme);
    Pane::setTheme(theme);
}

CompareTransport::Axis CompareTransport::axis() const {
    Axis axis;
    for (std::size_t i = 0; i < 2; ++i)
        axis.left = std::max(axis.left, Canvas::width(m_view.name(i), Theme::ui(12, QFont::DemiBold)));
    axis.left = std::clamp(axis.left + 30, 90.0, width() * 0.25);
    axis.right = std::max(axis.left + 40, width() - 230.0);
    axis.length = std::max({1u, m_view.sides[0].length, m_view.sides[1].length});
    return axis;
}

QString CompareTransport::text(std::size_t i) const {
    const CompareView::SideView& side = m_view.sides[i];
    if (!side.snapshot || !side.snapshot->trace)
        return side.snapshot && side.snapshot->busy ? QString::fromStdString(side.snapshot->activity)
                                                    : QStringLiteral("no trace");
    QString text = QStringLiteral("%1 of %2").arg(grouped(side.position), grouped(side.length));
    const session::FrameView& f = side.snapshot->frame;
    if (f.hasStep && f.pc < side.snapshot->program->instructions.size())
        if (const auto line = side.snapshot->program->instructions[f.pc].cudaLine; line != 0)
            text += QStringLiteral(" · line %1").arg(line);
    return text;
}

void CompareTransport::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    Canvas c(painter, theme());
    const Theme& t = theme();
    c.fill(rect(), t.pane);
    const Axis a = axis();
    for (std::size_t i = 0; i < 2; ++i) {
        const CompareView::SideView& side = m_view.sides[i];
        const double y = m_bar->height() + 8 + kRow * double(i);
        c.textFit(14, y + 13, a.left - 26, m_view.name(i), {Theme::ui(12, QFont::DemiBold), t.tx});
        c.fill({a.left, y + 4, a.right - a.left, kBar}, t.alt);
        if (side.length > 0) {
            c.box({a.left, y + 4, a.x(side.length) - a.left, kBar}, t.accbg, t.accbd);
            c.fill({a.left, y + 4, a.x(side.position) - a.left, kBar}, t.acc);
            c.line({std::round(a.x(side.position)) + 0.5, y}, {std::round(a.x(side.position)) + 0.5, y + kBar + 8}, t.tx, 2);
        }
        c.textFit(a.right + 14, y + 13, width() - a.right - 28, text(i), {Theme::mono(11.5, QFont::Medium), t.tx2});
    }
}

void CompareTransport::resizeEvent(QResizeEvent* event) {
    m_bar->setGeometry(0, 0, width(), m_bar->height());
    Pane::resizeEvent(event);
}

void CompareTransport::seekTo(double x) {
    const Axis a = axis();
    const double share = std::clamp((x - a.left) / (a.right - a.left), 0.0, 1.0);
    emit intents()->seek(quint32(std::lround(share * a.length)));
}

void CompareTransport::mousePressEvent(QMouseEvent* event) {
    const Axis a = axis();
    if (event->position().y() > m_bar->height() && event->position().x() >= a.left - 6 && event->position().x() <= a.right + 6)
        seekTo(event->position().x());
}

void CompareTransport::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton))
        seekTo(event->position().x());
}

void CompareTransport::keyPressEvent(QKeyEvent* event) {
    const ControlState now = stateOf(m_view);
    const qint64 by = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
    const auto seek = [&](qint64 to) { emit intents()->seek(quint32(std::clamp<qint64>(to, 0, now.count))); };
    switch (event->key()) {
    case Qt::Key_Left:
        return seek(qint64(now.index) - by);
    case Qt::Key_Right:
        return seek(qint64(now.index) + by);
    case Qt::Key_Home:
        return seek(0);
    case Qt::Key_End:
        return seek(now.count);
    default:
        Pane::keyPressEvent(event);
    }
}

} // namespace lanescope::views
