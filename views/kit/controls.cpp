// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/controls.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QToolButton>

#include <algorithm>
#include <cmath>

#include "views/kit/paint.h"
#include "views/kit/theme.h"

namespace lanescope::views {

SegmentedButtons::SegmentedButtons(const QString& name, const QStringList& labels, bool isSmall,
                                   QWidget* parent)
    : QWidget(parent), m_group(new QButtonGroup(this)) {
    setObjectName(name);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (int i = 0; i < labels.size(); ++i) {
        auto* button = new QToolButton(this);
        button->setObjectName(name + QLatin1Char('.') + QString::number(i));
        button->setText(labels[i]);
        button->setAccessibleName(labels[i]);
        button->setCheckable(true);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setProperty("role", "segment");
        button->setProperty("small", isSmall);
        const bool isFirst = i == 0, isLast = i + 1 == labels.size();
        button->setProperty("edge", isFirst && isLast ? "only"
                                    : isFirst         ? "first"
                                    : isLast          ? "last"
                                                      : "middle");
        m_group->addButton(button, i);
        row->addWidget(button);
    }
    if (!labels.isEmpty())
        m_group->button(0)->setChecked(true);
    connect(m_group, &QButtonGroup::idClicked, this, &SegmentedButtons::activated);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

int SegmentedButtons::current() const {
    return m_group->checkedId();
}

void SegmentedButtons::setCurrent(int index) {
    if (QAbstractButton* button = m_group->button(index))
        button->setChecked(true);
}

void SegmentedButtons::setSegmentEnabled(int index, bool on, const QString& reason) {
    if (QAbstractButton* button = m_group->button(index)) {
        button->setEnabled(on);
        button->setToolTip(on ? QString() : reason);
    }
}

QAbstractButton* SegmentedButtons::segment(int index) const {
    return m_group->button(index);
}

LabelledCombo::LabelledCombo(const QString& name, QString label, QWidget* parent)
    : QComboBox(parent), m_label(std::move(label)) {
    setObjectName(name);
    setAccessibleName(m_label);
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
}

QSize LabelledCombo::sizeHint() const {
    const auto widthOf = [&](const QString& text) { return static_cast<int>(std::ceil(textWidth(font(), text))); };
    int widest = 0;
    // The widest of many equal-looking entries is among the last: looking at all of thousands would
    // be slow.
    for (int i = std::max(0, count() - 40); i < count(); ++i)
        widest = std::max(widest, widthOf(itemText(i)));
    const int label = m_label.isEmpty() ? 0 : widthOf(m_label) + 8;
    return {9 + label + std::max(widest, 12) + 28, 26};
}

void LabelledCombo::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    option.currentText.clear();
    style()->drawComplexControl(QStyle::CC_ComboBox, &option, &painter, this);
    const QColor grey = palette().color(QPalette::PlaceholderText);
    const QColor ink =
        palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::Text);
    QRectF box = QRectF(rect()).adjusted(9, 0, -24, 0);
    if (!m_label.isEmpty())
        box.setLeft(box.left() + drawText(painter, box, m_label, font(), isEnabled() ? grey : ink) +
                    8);
    drawText(painter, box, currentText(), font(), ink);
}

/// A name with more letters than this is written smaller, beside its number in a third of a row.
constexpr int kLongLabel = 5;

LabelledSpin::LabelledSpin(const QString& name, const QString& label, QWidget* parent)
    : QSpinBox(parent), m_label(new QLabel(label, this)) {
    setObjectName(name);
    setAccessibleName(label);
    setAlignment(Qt::AlignRight);
    setKeyboardTracking(true);
    m_label->setProperty("role", label.size() > kLongLabel ? "longcaption" : "caption");
    m_label->setAttribute(Qt::WA_TransparentForMouseEvents);
    lineEdit()->setFont(Theme::mono(12, QFont::Medium));
}

void LabelledSpin::setProblem(bool on) {
    if (property("bad").toBool() == on)
        return;
    setProperty("bad", on);
    style()->unpolish(this);
    style()->polish(this);
}

void LabelledSpin::setChoices(QList<int> choices) {
    std::sort(choices.begin(), choices.end());
    m_choices = std::move(choices);
}

void LabelledSpin::stepBy(int steps) {
    if (m_choices.isEmpty()) {
        QSpinBox::stepBy(steps);
        return;
    }
    auto at = std::lower_bound(m_choices.begin(), m_choices.end(), value());
    int index = static_cast<int>(at - m_choices.begin());
    if (steps > 0 && at != m_choices.end() && *at > value())
        --steps;
    index = std::clamp(index + steps, 0, static_cast<int>(m_choices.size()) - 1);
    setValue(m_choices[index]);
    selectAll();
}

QSize LabelledSpin::sizeHint() const {
    const int digits = std::max<int>(2, static_cast<int>(QString::number(maximum()).size()));
    return {m_label->sizeHint().width() + 8 * std::min(digits, 6) + 34, 24};
}

void LabelledSpin::resizeEvent(QResizeEvent* event) {
    QSpinBox::resizeEvent(event);
    m_label->setGeometry(6, 0, m_label->sizeHint().width(), height());
}

KeyButton::KeyButton(const QString& name, Icon icon, const QString& text, const QString& key,
                     QWidget* parent)
    : QAbstractButton(parent), m_icon(icon), m_key(key), m_theme(&Theme::light()) {
    setObjectName(name);
    setText(text);
    setAccessibleName(text);
    setFocusPolicy(Qt::StrongFocus);
    setToolTip(key.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, key));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
}

void KeyButton::setPrimary(bool on) {
    m_primary = on;
    update();
}

void KeyButton::setSmall(bool on) {
    m_small = on;
    updateGeometry();
}

void KeyButton::setIconShape(Icon icon) {
    m_icon = icon;
    update();
}

void KeyButton::setTheme(const Theme& theme) {
    m_theme = &theme;
    update();
}

void KeyButton::setCompact(bool on) {
    m_compact = on;
    updateGeometry();
    update();
}

QSize KeyButton::sizeHint() const {
    const QFont font = Theme::ui(m_small ? 11.5 : 12, m_primary ? QFont::DemiBold : QFont::Normal);
    double width = m_small ? 16 : 20;
    if (!m_small)
        width += 16;
    if (!m_compact)
        width += (m_small ? 0 : 6) + textWidth(font, text());
    if (!m_key.isEmpty())
        width += 8 + textWidth(Theme::mono(10, QFont::Medium), m_key) + 9;
    return {static_cast<int>(std::ceil(width)), m_small ? 22 : 26};
}

void KeyButton::paintEvent(QPaintEvent*) {
    const Theme& theme = *m_theme;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool isAccent = m_primary && isEnabled();
    QColor fill = isAccent ? theme.acc : isEnabled() ? theme.btn : QColor(Qt::transparent);
    QColor border = isAccent ? theme.acc : isEnabled() ? theme.btnbd : theme.line;
    if (isEnabled() && !isAccent && isDown())
        fill = theme.accbg;
    else if (isEnabled() && !isAccent && underMouse())
        border = theme.inbd;
    if (hasFocus())
        border = isAccent ? theme.tx : theme.acc;
    const QColor ink = isAccent ? theme.onacc : isEnabled() ? theme.tx : theme.dis;
    painter.setPen(QPen(border, hasFocus() ? 1.5 : 1));
    painter.setBrush(fill);
    const double radius = m_small ? 3 : 4;
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    QRectF box = QRectF(rect()).adjusted(m_small ? 8 : 10, 0, m_small ? -8 : -10, 0);
    if (!m_small) {
        drawIcon(painter, QRectF(box.left(), (height() - 16) / 2.0, 16, 16), m_icon, ink, theme);
        box.setLeft(box.left() + 22);
    }
    if (!m_key.isEmpty()) {
        Theme disabled = theme;
        disabled.tx3 = theme.dis;
        box.setRight(box.right() -
                     drawKeyCap(painter, box, m_key, isEnabled() ? theme : disabled, isAccent) - 4);
    }
    if (!m_compact)
        drawText(painter, box, text(),
                 Theme::ui(m_small ? 11.5 : 12, m_primary ? QFont::DemiBold : QFont::Normal), ink);
}

} // namespace lanescope::views
