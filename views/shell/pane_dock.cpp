// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/pane_dock.h"

#include <QHBoxLayout>
#include <QMainWindow>
#include <QPainter>
#include <QToolButton>

#include "views/kit/icons.h"
#include "views/kit/paint.h"
#include "views/kit/pane.h"

namespace lanescope::views {

PaneHeader::PaneHeader(Pane* pane, QDockWidget* dock)
    : QWidget(dock), m_pane(pane), m_dock(dock), m_controls(pane->headerControls()),
      m_theme(&Theme::light()) {
    setObjectName(QStringLiteral("paneHeader"));
    setFixedHeight(26);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 0, 4, 0);
    row->setSpacing(4);
    const bool fills =
        m_controls && m_controls->sizePolicy().horizontalPolicy() == QSizePolicy::Expanding;
    if (!fills)
        row->addStretch(1);
    if (m_controls) {
        m_controls->setParent(this);
        row->addWidget(m_controls, fills ? 1 : 0);
    }
    m_float = button(QStringLiteral("float"), tr("Float or dock %1"));
    m_close = button(QStringLiteral("close"), tr("Close %1"));
    row->addWidget(m_float);
    row->addWidget(m_close);
    connect(m_float, &QAbstractButton::clicked, dock,
            [dock] { dock->setFloating(!dock->isFloating()); });
    connect(m_close, &QAbstractButton::clicked, dock, &QDockWidget::close);
    connect(pane, &Pane::contextChanged, this, [this] { update(); });
}

QToolButton* PaneHeader::button(const QString& name, const QString& text) {
    auto* result = new QToolButton(this);
    result->setObjectName(m_pane->id() + QLatin1Char('.') + name);
    result->setProperty("role", "header");
    result->setToolTip(text.arg(m_pane->title()));
    result->setAccessibleName(result->toolTip());
    result->setFixedSize(20, 20);
    result->setIconSize({14, 14});
    return result;
}

void PaneHeader::setTheme(const Theme& theme) {
    m_theme = &theme;
    m_float->setIcon(icon(Icon::Float, theme.tx3, theme, 14));
    m_close->setIcon(icon(Icon::Close, theme.tx3, theme, 14));
    update();
}

void PaneHeader::setActive(bool on) {
    if (m_isActive == on)
        return;
    m_isActive = on;
    update();
}

void PaneHeader::paintEvent(QPaintEvent*) {
    const Theme& theme = *m_theme;
    QPainter painter(this);
    painter.fillRect(rect(), theme.alt);
    hLine(painter, 0, width(), height() - 1, theme.line);
    if (m_isActive)
        painter.fillRect(0, 0, width(), 2, theme.acc);
    const bool fills =
        m_controls && m_controls->sizePolicy().horizontalPolicy() == QSizePolicy::Expanding;
    double right = m_controls && !fills ? m_controls->x() : m_float->x();
    // The source pane's controls draw in their right part only: the title may run over their left
    // one.
    if (fills)
        right = width() / 2.0 - m_controls->property("reserved").toDouble();
    QRectF box(10, 0, right - 16, height() - 1);
    // A tab above already says the pane's name.
    const auto* window = qobject_cast<const QMainWindow*>(m_dock->parentWidget());
    const bool isTab =
        window && !m_dock->isFloating() && !window->tabifiedDockWidgets(m_dock).isEmpty();
    if (!isTab || m_pane->context().isEmpty())
        box.setLeft(
            box.left() +
            drawText(painter, box, m_pane->title(), Theme::ui(12, QFont::DemiBold), theme.tx) + 8);
    if (box.width() > 56)
        drawText(painter, box, m_pane->context(), Theme::ui(11.5), theme.tx3);
}

PaneDock::PaneDock(Pane* pane, bool isBare, QWidget* parent)
    : QDockWidget(pane->title(), parent), m_pane(pane), m_theme(&Theme::light()) {
    setObjectName(QStringLiteral("dock.") + pane->id());
    setAllowedAreas(Qt::AllDockWidgetAreas);
    auto* frame = new QWidget(this);
    auto* layout = new QVBoxLayout(frame);
    // One pixel of the pane's edge on each side.
    layout->setContentsMargins(1, isBare ? 1 : 0, 1, 1);
    layout->addWidget(pane);
    setWidget(frame);
    connect(pane, &Pane::contextChanged, this, [this] {
        const QString badge = m_pane->badge();
        setWindowTitle(badge.isEmpty() ? m_pane->title()
                                       : QStringLiteral("%1 %2").arg(m_pane->title(), badge));
    });
    if (isBare) {
        setTitleBarWidget(new QWidget(this));
        titleBarWidget()->setFixedHeight(0);
    } else {
        m_header = new PaneHeader(pane, this);
        setTitleBarWidget(m_header);
    }
}

void PaneDock::setTheme(const Theme& theme) {
    m_theme = &theme;
    widget()->setObjectName(QStringLiteral("frame"));
    if (m_header)
        m_header->setTheme(theme);
    m_pane->setTheme(theme);
    update();
}

void PaneDock::setActive(bool on) {
    if (m_header)
        m_header->setActive(on);
}

void PaneDock::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->pane);
    crispFrame(painter, rect(), m_theme->line);
}

} // namespace lanescope::views
