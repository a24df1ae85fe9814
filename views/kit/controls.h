// SPDX-License-Identifier: GPL-3.0-or-later
// Controls that panes and the shell share: segmented buttons, a combo and a spin box with a label
// inside, a button with its key.
#pragma once

#include <QAbstractButton>
#include <QComboBox>
#include <QSpinBox>
#include <QWidget>

#include "views/kit/icons.h"

class QButtonGroup;
class QLabel;

namespace lanescope::views {

struct Theme;

/// A row of joined buttons of which one is on. Small: 20 px high for pane headers, else 26 px.
class SegmentedButtons : public QWidget {
    Q_OBJECT
public:
    SegmentedButtons(const QString& name, const QStringList& labels, bool isSmall,
                     QWidget* parent = nullptr);
    int current() const;
    /// Does not emit.
    void setCurrent(int index);
    void setSegmentEnabled(int index, bool on, const QString& reason = {});
    QAbstractButton* segment(int index) const;

signals:
    void activated(int index); ///< by the user

private:
    QButtonGroup* m_group;
};

/// A combo box that shows "Warp  3": a grey label and the current text.
class LabelledCombo : public QComboBox {
    Q_OBJECT
public:
    LabelledCombo(const QString& name, QString label, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_label;
};

/// A spin box "M      60": grey label at the left, number at the right, a bar at the left edge when
/// the value has a problem.
class LabelledSpin : public QSpinBox {
    Q_OBJECT
public:
    LabelledSpin(const QString& name, const QString& label, QWidget* parent = nullptr);
    void setProblem(bool on);
    /// When not empty, steps go through these values only.
    void setChoices(QList<int> choices);
    void stepBy(int steps) override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QLabel* m_label;
    QList<int> m_choices;
};

/// "[icon] Step [F10]": text with icon and the key that does the same.
class KeyButton : public QAbstractButton {
    Q_OBJECT
public:
    KeyButton(const QString& name, Icon icon, const QString& text, const QString& key,
              QWidget* parent = nullptr);
    void setPrimary(bool on);
    void setSmall(bool on);
    void setIconShape(Icon icon);
    void setTheme(const Theme& theme);
    /// Without its text (icon and key only), for narrow windows.
    void setCompact(bool on);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Icon m_icon;
    QString m_key;
    const Theme* m_theme;
    bool m_primary = false, m_small = false, m_compact = false;
};

} // namespace lanescope::views
