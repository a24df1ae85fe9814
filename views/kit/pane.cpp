// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/pane.h"

#include <QPainter>

namespace lanescope::views {

Pane::Pane(const QString& id, const QString& title, Intents* intents, QWidget* parent)
    : QWidget(parent), m_intents(intents), m_theme(&Theme::light()) {
    setName(id, title);
    setFocusPolicy(Qt::StrongFocus);
}

void Pane::setName(const QString& id, const QString& title) {
    m_id = id;
    m_title = title;
    setObjectName(m_id);
    setAccessibleName(m_title);
}

void Pane::setTheme(const Theme& theme) {
    m_theme = &theme;
    update();
}

void Pane::paint(QPainter& painter, const QRectF& rect, const Theme&) {
    painter.save();
    painter.translate(rect.topLeft());
    if (width() > 0 && height() > 0)
        painter.scale(rect.width() / width(), rect.height() / height());
    render(&painter, {}, {}, QWidget::DrawChildren);
    painter.restore();
}

} // namespace lanescope::views
