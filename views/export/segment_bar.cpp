// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/segment_bar.h"

#include <QComboBox>
#include <QHBoxLayout>

#include "views/kit/controls.h"

namespace lanescope::views {
namespace {

constexpr int kMostButtons = 4;

} // namespace

SegmentBar::SegmentBar(const QString& name, QWidget* parent)
    : QWidget(parent), m_layout(new QHBoxLayout(this)) {
    setObjectName(name);
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
}

void SegmentBar::setItems(const QStringList& items, int current) {
    if (current < 0 || current >= items.size())
        current = static_cast<int>(items.size()) - 1;
    if (items == m_items) {
        if (current == m_current || m_control == nullptr)
            return;
        m_current = current;
        if (auto* buttons = qobject_cast<SegmentedButtons*>(m_control))
            buttons->setCurrent(current);
        else if (auto* combo = qobject_cast<QComboBox*>(m_control))
            combo->setCurrentIndex(current);
        return;
    }
    m_items = items;
    m_current = current;
    rebuild();
}

void SegmentBar::rebuild() {
    if (m_control != nullptr) {
        m_layout->removeWidget(m_control);
        m_control->hide();
        m_control->deleteLater(); // its signal may be what brought us here
        m_control = nullptr;
    }
    setVisible(m_items.size() > 1);
    if (m_items.size() < 2)
        return;
    const QString name = objectName() + QStringLiteral("_choice");
    if (m_items.size() > kMostButtons) {
        auto* combo = new QComboBox(this);
        combo->setObjectName(name);
        combo->addItems(m_items);
        combo->setCurrentIndex(m_current);
        combo->setFixedHeight(20);
        connect(combo, &QComboBox::activated, this, [this](int i) { pick(i); });
        m_control = combo;
    } else {
        auto* buttons = new SegmentedButtons(name, m_items, true, this);
        buttons->setCurrent(m_current);
        connect(buttons, &SegmentedButtons::activated, this, [this](int i) { pick(i); });
        m_control = buttons;
    }
    m_layout->addWidget(m_control);
    m_control->show();
}

void SegmentBar::pick(int index) {
    if (index == m_current)
        return;
    m_current = index;
    if (onChange)
        onChange(index);
}

} // namespace lanescope::views
