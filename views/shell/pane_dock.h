// SPDX-License-Identifier: GPL-3.0-or-later
// A dock with the program's own 26-pixel header: title, context, the pane's controls, float, close.
#pragma once

#include <QDockWidget>

class QToolButton;

namespace lanescope::views {

class Pane;
struct Theme;

class PaneHeader : public QWidget {
    Q_OBJECT
public:
    PaneHeader(Pane* pane, QDockWidget* dock);
    void setTheme(const Theme& theme);
    /// The pane has the keyboard: a line in the accent colour at the top.
    void setActive(bool on);

protected:
    void paintEvent(QPaintEvent* event) override;
    QSize sizeHint() const override { return {120, 26}; }
    QSize minimumSizeHint() const override { return {80, 26}; }

private:
    QToolButton* button(const QString& name, const QString& text);

    Pane* m_pane;
    QDockWidget* m_dock;
    QToolButton *m_float, *m_close;
    QWidget* m_controls;
    const Theme* m_theme;
    bool m_isActive = false;
};

class PaneDock : public QDockWidget {
    Q_OBJECT
public:
    /// isBare: no header (the transport).
    PaneDock(Pane* pane, bool isBare, QWidget* parent);
    Pane* pane() const { return m_pane; }
    void setTheme(const Theme& theme);
    void setActive(bool on);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Pane* m_pane;
    PaneHeader* m_header = nullptr;
    const Theme* m_theme;
};

} // namespace lanescope::views
