// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/transport/control_bar.h"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QPainter>
#include <QSlider>
#include <QToolTip>

#include "views/export/canvas.h"
#include "views/kit/controls.h"
#include "views/panes/transport/cycle_strips.h"

namespace lanescope::views {
namespace {

constexpr double kSlowest = 0.5, kFastest = 64;

} // namespace

double ControlBar::speedAt(int position) {
    return kSlowest * std::pow(kFastest / kSlowest, position / 1000.0);
}

int ControlBar::positionOf(double stepsPerSecond) {
    const double v = std::clamp(stepsPerSecond, kSlowest, kFastest);
    return int(std::lround(1000 * std::log(v / kSlowest) / std::log(kFastest / kSlowest)));
}

ControlBar::ControlBar(Intents* intents, QWidget* parent)
    : QWidget(parent), m_intents(intents), m_theme(&Theme::light()) {
    const auto button = [&](const char* name, Icon icon, const QString& text, const QString& key) {
        return new KeyButton(QLatin1String(name), icon, text, key, this);
    };
    m_back =
        button("transport_back", Icon::StepBack, QStringLiteral("Step back"), QStringLiteral("F9"));
    m_step = button("transport_step", Icon::Step, QStringLiteral("Step"), QStringLiteral("F10"));
    m_line = button("transport_line", Icon::NextLine, QStringLiteral("Next line"),
                    QStringLiteral("F11"));
    m_barrier = button("transport_barrier", Icon::NextBarrier, QStringLiteral("Next barrier"),
                       QStringLiteral("B"));
    m_play = button("transport_play", Icon::Play, QStringLiteral("Play"), QStringLiteral("Space"));
    m_play->setPrimary(true);
    using session::StepUnit;
    connect(m_back, &KeyButton::clicked, this,
            [this] { emit m_intents->stepBack(StepUnit::Instruction); });
    connect(m_step, &KeyButton::clicked, this,
            [this] { emit m_intents->step(StepUnit::Instruction); });
    connect(m_line, &KeyButton::clicked, this, [this] { emit m_intents->step(StepUnit::Line); });
    connect(m_barrier, &KeyButton::clicked, this,
            [this] { emit m_intents->step(StepUnit::Barrier); });
    connect(m_play, &KeyButton::clicked, this, [this] { togglePlaying(); });
    connect(intents, &Intents::setPlaying, this, [this](bool on) { showPlaying(on); });

    m_axis = new SegmentedButtons(
        QStringLiteral("transport_axis"),
        {QStringLiteral("Events"), QStringLiteral("Cycles")}, true, this);
    m_axis->setToolTip(QStringLiteral("What the strips' axis counts"));
    connect(m_axis, &SegmentedButtons::activated, this,
            [this](int index) { setWantsCycles(index == 1); });

    m_speed = new QSlider(Qt::Horizontal, this);
    m_speed->setObjectName(QStringLiteral("transport_speed"));
    m_speed->setAccessibleName(QStringLiteral("Steps per second"));
    m_speed->setRange(0, 1000);
    m_speed->setPageStep(143); // one doubling
    m_speed->setSingleStep(20);
    m_speed->setValue(positionOf(4));
    connect(m_speed, &QSlider::valueChanged, this, [this](int position) {
        emit m_intents->setSpeed(speedAt(position));
        update();
    });
    setFixedHeight(38);
    setState({});
}

void ControlBar::setTheme(const Theme& theme) {
    m_theme = &theme;
    for (KeyButton* b : {m_back, m_step, m_line, m_barrier, m_play})
        b->setTheme(theme);
    update();
}

void ControlBar::setWantsCycles(bool on) {
    if (on != m_wantsCycles) {
        m_wantsCycles = on;
        emit m_intents->wantTiming(QStringLiteral("transport"), on);
    }
    setState(m_state);
    if (onAxis)
        onAxis();
}

ControlState ControlState::of(const session::Snapshot* snapshot) {
    ControlState state;
    const session::TraceView* trace = snapshot != nullptr ? snapshot->trace.get() : nullptr;
    if (trace == nullptr)
        return state;
    state.hasTrace = true;
    state.count = std::uint32_t(trace->events.size());
    state.index = snapshot->frame.index;
    state.hasTiming = snapshot->timing != nullptr;
    state.timingProblem = QString::fromStdString(snapshot->timingProblem);
    state.canStep = snapshot->frame.nextPc.has_value();
    state.canStepBack = state.index > 0;
    state.hasBarrier = std::lower_bound(trace->barriers.begin(), trace->barriers.end(),
                                        state.index) != trace->barriers.end();
    return state;
}

void ControlBar::setState(const ControlState& state) {
    m_state = state;
    m_axis->setVisible(state.hasLegend);
    const bool canTime = state.hasTrace && state.timingProblem.isEmpty();
    m_axis->setSegmentEnabled(1, canTime,
                              state.hasTrace ? state.timingProblem
                                             : QStringLiteral("Nothing has run yet"));
    m_axis->setCurrent(canTime && m_wantsCycles ? 1 : 0);
    m_back->setEnabled(state.canStepBack);
    m_step->setEnabled(state.canStep);
    m_line->setEnabled(state.canStep);
    m_barrier->setEnabled(state.hasBarrier);
    m_play->setEnabled(state.hasTrace && (m_playing || state.index < state.count));
    place();
    update();
}

void ControlBar::togglePlaying() {
    if (m_play->isEnabled())
        emit m_intents->setPlaying(!m_playing);
}

void ControlBar::showPlaying(bool on) {
    m_playing = on;
    m_play->setText(on ? QStringLiteral("Pause") : QStringLiteral("Play"));
    m_play->setIconShape(on ? Icon::Pause : Icon::Play);
    m_play->setEnabled(m_state.count > 0 && (on || m_state.index < m_state.count));
    place();
    update();
}

void ControlBar::resizeEvent(QResizeEvent*) {
    place();
}

void ControlBar::place() {
    const QString counter = QStringLiteral("%1 %2 of %2").arg(m_state.unit, grouped(m_state.count));
    const double counterWidth = Canvas::width(counter, Theme::ui(12, QFont::DemiBold)) + 24;
    // The legend of the states has nine entries: the buttons give way to it.
    const bool compact = width() < (showsCycles() ? 1500 : 900);
    double x = 8;
    for (KeyButton* b : {m_back, m_step, m_line, m_barrier, m_play}) {
        b->setCompact(compact && b != m_play);
        const QSize size = b->sizeHint();
        b->setGeometry(int(x), (height() - size.height()) / 2, size.width(), size.height());
        x += size.width() + 6;
    }
    if (m_state.hasLegend) {
        const QSize axis = m_axis->sizeHint();
        m_axis->setGeometry(int(x) + 4, (height() - axis.height()) / 2, axis.width(),
                            axis.height());
        x += axis.width() + 8;
    }
    x += 13;
    m_speedX = x;
    x += Canvas::width(QStringLiteral("Speed"), Theme::ui(12)) + 10;
    const int slider = width() < 1100 ? 84 : 120;
    const bool hasSpeed = x + slider + 84 < width() - counterWidth;
    m_speed->setVisible(hasSpeed);
    m_speed->setGeometry(int(x), 6, slider, 26);
    if (!hasSpeed)
        m_speedX = -1;
    m_legendX = hasSpeed ? x + slider + 84 + 16 : x;
}

QRectF ControlBar::legendArea() const {
    const QString counter = QStringLiteral("%1 %2 of %2").arg(m_state.unit, grouped(m_state.count));
    const double right = width() - 14 - Canvas::width(counter, Theme::mono(12, QFont::Bold)) - 20;
    return {m_legendX + 4, 0, std::max(0.0, right - m_legendX - 4), double(height())};
}

bool ControlBar::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !m_state.hasLegend || !showsCycles())
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (!legendArea().contains(help->pos()))
        return QWidget::event(event);
    QStringList lines;
    for (const LookName& item : lookNames())
        lines << QStringLiteral("%1: %2").arg(QLatin1String(item.name), QLatin1String(item.meaning));
    QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')), this);
    return true;
}

void ControlBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    Canvas c(painter, *m_theme);
    const Theme& t = *m_theme;
    c.fill(rect(), t.alt);
    c.line({0, height() - 0.5}, {double(width()), height() - 0.5}, t.line);
    const double base = height() / 2.0 + 4;
    const auto separator = [&](double x) {
        c.line({std::floor(x) + 0.5, 8}, {std::floor(x) + 0.5, 30}, t.line2);
    };
    if (m_speedX > 0) {
        separator(m_speedX - 10);
        c.text(m_speedX, base, QStringLiteral("Speed"), {Theme::ui(12), t.tx2});
        const double v = speedAt(m_speed->value());
        c.text(m_speed->geometry().right() + 8, base,
               QString::number(v, 'f', v < 9.95 ? 1 : 0) + QStringLiteral(" steps/s"),
               {Theme::mono(11.5, QFont::Medium), t.tx});
    }
    // Counter at the right: "Event 1,476 of 4,336".
    const QFont plain = Theme::ui(12), strong = Theme::mono(12, QFont::Bold);
    double x = width() - 14;
    const auto back = [&](const QString& text, const QFont& font, const QColor& color) {
        x -= Canvas::width(text, font);
        c.text(x, base, text, {font, color});
    };
    back(QStringLiteral(" of ") + grouped(m_state.count), plain, t.tx2);
    back(grouped(m_state.index), strong, t.tx);
    back(m_state.unit + QLatin1Char(' '), plain, t.tx2);
    separator(x - 12);
    if (m_state.hasLegend && m_legendX + 80 < x - 24) {
        separator(m_legendX - 10);
        if (showsCycles())
            paintCycleLegend(c, {m_legendX + 4, 0, x - 24 - m_legendX, double(height())});
        else
            paintStripLegend(c, m_legendX + 4, base, x - 20);
    }
}

} // namespace lanescope::views
