// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/compare/step_bars.h"

#include <algorithm>
#include <vector>

#include <QPainter>

#include "views/export/canvas.h"
#include "views/export/pair_bars.h"
#include "views/kit/icons.h"

namespace lanescope::views {

namespace {

std::vector<PairBar> barsOf(const CompareView& view) {
    std::array<session::StepFigures, 2> steps;
    for (std::size_t i = 0; i < 2; ++i)
        if (view.sides[i].snapshot && view.sides[i].snapshot->trace)
            steps[i] = session::stepFigures(view.sides[i].snapshot->frame);
    return pairBars(steps[0], steps[1]);
}

void paintVerdict(Canvas& c, const QRectF& rect, const session::Comparison* comparison) {
    using session::ResultVerdict;
    const Theme& t = c.theme();
    QString text = QStringLiteral("Results are compared when both sides have run");
    Icon shape = Icon::Note;
    QColor ink = t.tx3;
    if (comparison != nullptr) {
        text = QString::fromStdString(comparison->results);
        switch (comparison->verdict) {
        case ResultVerdict::Equal:
            shape = Icon::Pass;
            ink = t.oktx;
            break;
        case ResultVerdict::Rounding:
            shape = Icon::Note;
            ink = t.tx2;
            break;
        case ResultVerdict::Different:
            shape = Icon::Warning;
            ink = t.warntx;
            break;
        case ResultVerdict::NotComparable:
            break;
        }
    }
    c.painter().drawPixmap(QPointF(rect.left(), rect.top()), iconPixmap(shape, 13, ink, t, c.painter().device()->devicePixelRatioF()));
    c.paragraph(rect.adjusted(20, 0, 0, 0), text, {Theme::ui(12), ink}, 16);
}

constexpr double kVerdictHeight = 44, kTop = 10, kTitle = 24;

void paintStepBars(Canvas& c, const QRectF& rect, const CompareView& view) {
    const Theme& t = c.theme();
    const double x = rect.left() + 12, right = rect.right() - 12;
    paintVerdict(c, {x, rect.top() + kTop, right - x, kVerdictHeight}, view.comparison.get());
    const double y = rect.top() + kTop + kVerdictHeight;
    c.text(x, y + 14, QStringLiteral("This step"), {Theme::ui(12, QFont::DemiBold), t.tx});
    const std::vector<PairBar> bars = barsOf(view);
    if (bars.empty())
        c.textFit(x, y + kTitle + 12, right - x, QStringLiteral("No access to memory: step on"), {Theme::ui(11.5), t.tx3});
    paintPairBars(c, {x, y + kTitle, right - x, rect.bottom() - y - kTitle}, {view.name(0), view.name(1)}, bars);
}

} // namespace

StepBars::StepBars(QWidget* parent) : QWidget(parent), m_theme(&Theme::light()) {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(QStringLiteral("This step on both sides"));
}

void StepBars::setView(const CompareView& view) {
    const std::size_t before = barsOf(m_view).size();
    m_view = view;
    QStringList words;
    for (const PairBar& bar : barsOf(view))
        words << QStringLiteral("%1 %2 and %3").arg(bar.title, bar.text(0), bar.text(1));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    if (barsOf(view).size() != before)
        updateGeometry();
    update();
}

void StepBars::setTheme(const Theme& theme) {
    m_theme = &theme;
    update();
}

int StepBars::heightForWidth(int) const {
    // Room for the bars of global memory even between accesses: the table below does not jump.
    const auto bars = std::max<std::size_t>(3, barsOf(m_view).size());
    return int(kTop + kVerdictHeight + kTitle + kPairHeight * double(bars));
}

void StepBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    Canvas canvas(painter, *m_theme);
    canvas.fill(rect(), m_theme->pane);
    paintStepBars(canvas, rect(), m_view);
}

} // namespace lanescope::views
