// SPDX-License-Identifier: GPL-3.0-or-later
// Style sheet and palette of the standard widgets, made from a theme's colours.
#include "views/kit/theme.h"

#include <QPalette>
#include <QtCore/qglobal.h>

// Resources of a static library are linked only when they are asked for, from outside any
// namespace.
static void registerIcons() {
    Q_INIT_RESOURCE(kit);
}

namespace lanescope::views {

namespace {

const char* const kSheet = R"(
* { font-family: "Inter", "DejaVu Sans", "Noto Sans CJK SC"; font-size: 12px; }
QMainWindow, QDialog, QMessageBox { background: @win; }
QMainWindow::separator { background: @win; width: 4px; height: 4px; }
QMainWindow::separator:hover { background: @accbd; }
QWidget { color: @tx; }
QLabel { background: transparent; }
QLabel[role="caption"] { color: @tx3; font-size: 11px; }
QLabel[role="longcaption"] { color: @tx3; font-size: 10px; }
QLabel[role="body"] { color: @tx2; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="title"] { font-size: 15px; font-weight: 600; }
QMenuBar { background: @hdr; border: 0; padding: 0 6px; }
QMenuBar::item { padding: 5px 9px 6px 9px; background: transparent; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @accbg; color: @acctx; }
QMenu { background: @pane; border: 1px solid @line2; padding: 4px 0; }
QMenu::item { padding: 4px 24px 4px 26px; }
QMenu::item:selected { background: @accbg; color: @acctx; }
QMenu::item:disabled { color: @dis; }
QMenu::separator { height: 1px; background: @line; margin: 4px 0; }
QMenu::indicator { width: 14px; height: 14px; left: 6px; }
QMenu::indicator:checked { image: url(:/kit/icons/check-@inverse.svg); }
QToolBar { background: @hdr; border: 0; border-bottom: 1px solid @line2; spacing: 6px; padding: 0 8px;
  min-height: 39px; max-height: 39px; }
QToolBar QFrame[role="separator"] { background: @line2; border: 0; min-width: 1px; max-width: 1px; min-height: 22px; max-height: 22px; }
QStatusBar { background: @hdr; border-top: 1px solid @line2; color: @tx2; min-height: 23px; max-height: 23px; }
QStatusBar::item { border: 0; }
QStatusBar QLabel { color: @tx2; font-size: 11px; padding: 0 8px; }
QStatusBar QLabel#status\.icon { padding: 0 0 0 10px; }
QStatusBar QLabel[divided="true"] { border-left: 1px solid @line2; margin: 4px 0; }
QSizeGrip { width: 0; height: 0; }
QToolTip { background: @tip; color: @tiptx; border: 0; padding: 5px 8px; }
QPushButton, QToolButton[role="button"] { background: @btn; border: 1px solid @btnbd; border-radius: 4px;
  padding: 0 10px; min-height: 24px; color: @tx; }
QPushButton:hover, QToolButton[role="button"]:hover { border-color: @inbd; background: @pane; }
QToolButton[role="button"] { padding: 0 8px; }
QToolButton::menu-indicator { image: none; width: 0; }
QPushButton:pressed, QToolButton[role="button"]:pressed { background: @accbg; }
QPushButton:focus, QToolButton[role="button"]:focus { border: 1px solid @acc; }
QPushButton:disabled, QToolButton[role="button"]:disabled { color: @dis; border-color: @line; background: transparent; }
QPushButton[role="primary"] { background: @acc; border-color: @acc; color: @onacc; font-weight: 600; }
QPushButton[role="primary"]:disabled { background: @line; border-color: @line; color: @dis; }
QPushButton[role="small"] { min-height: 20px; padding: 0 8px; border-radius: 3px; font-size: 11px; }
QPushButton[role="link"] { background: transparent; border: 0; color: @acctx; padding: 0; text-align: left; }
QToolButton[role="header"] { background: transparent; border: 1px solid transparent; border-radius: 3px; padding: 0; }
QToolButton[role="header"]:hover { background: @hdr; }
QToolButton[role="header"]:focus { border: 1px solid @acc; }
QToolButton[role="segment"] { background: @btn; border: 1px solid @btnbd; border-left: 0; border-radius: 0;
  padding: 0 12px; min-height: 24px; max-height: 24px; color: @tx2; }
QToolButton[role="segment"][edge="first"], QToolButton[role="segment"][edge="only"] { border-left: 1px solid @btnbd;
  border-top-left-radius: 4px; border-bottom-left-radius: 4px; }
QToolButton[role="segment"][edge="last"], QToolButton[role="segment"][edge="only"] { border-top-right-radius: 4px;
  border-bottom-right-radius: 4px; }
QToolButton[role="segment"]:hover { background: @pane; }
QToolButton[role="segment"]:focus { color: @acctx; text-decoration: underline; }
QToolButton[role="segment"]:checked { background: @acc; color: @onacc; font-weight: 600; }
QToolButton[role="segment"]:disabled { color: @dis; }
QToolButton[role="segment"][small="true"] { padding: 0 8px; min-height: 18px; max-height: 18px; font-size: 11px; }
QToolButton[role="segment"][small="true"]:checked { background: @accbg; color: @acctx; }
QComboBox, QLineEdit, QSpinBox, QDoubleSpinBox { background: @input; border: 1px solid @inbd; border-radius: 4px;
  min-height: 24px; color: @tx; selection-background-color: @acc; selection-color: @onacc; }
QComboBox { padding: 0 22px 0 8px; }
QComboBox::drop-down { border: 0; width: 20px; }
QComboBox::down-arrow { image: url(:/kit/icons/down-@theme.svg); width: 12px; height: 12px; }
QComboBox::down-arrow:disabled { image: url(:/kit/icons/down-off-@theme.svg); }
#paneHeader QComboBox { min-height: 18px; max-height: 18px; border-radius: 3px; border-color: @btnbd; font-size: 11px; }
QComboBox QAbstractItemView { background: @pane; border: 1px solid @line2; selection-background-color: @accbg;
  selection-color: @acctx; outline: 0; }
QLineEdit { padding: 0 8px; }
QComboBox:focus, QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus { border: 1px solid @acc; }
QComboBox:disabled, QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled { background: @alt;
  border-color: @line; color: @dis; }
QSpinBox, QDoubleSpinBox { min-height: 22px; border-radius: 3px; padding: 0; }
QSpinBox[bad="true"], QDoubleSpinBox[bad="true"] { border: 1px solid @err; border-left: 3px solid @err; }
QSpinBox::up-button, QDoubleSpinBox::up-button { subcontrol-origin: border; subcontrol-position: top right; width: 16px;
  border-left: 1px solid @line; border-bottom: 1px solid @line; background: @btn; margin: 1px 1px 0 0; }
QSpinBox::down-button, QDoubleSpinBox::down-button { subcontrol-origin: border; subcontrol-position: bottom right; width: 16px;
  border-left: 1px solid @line; background: @btn; margin: 0 1px 1px 0; }
QSpinBox::up-button:hover, QSpinBox::down-button:hover { background: @accbg; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url(:/kit/icons/up-@theme.svg); width: 9px; height: 9px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url(:/kit/icons/down-@theme.svg); width: 9px; height: 9px; }
QSpinBox::up-arrow:disabled, QSpinBox::up-arrow:off { image: url(:/kit/icons/up-off-@theme.svg); }
QSpinBox::down-arrow:disabled, QSpinBox::down-arrow:off { image: url(:/kit/icons/down-off-@theme.svg); }
QCheckBox, QRadioButton { spacing: 7px; background: transparent; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @inbd; border-radius: 3px; background: @input; }
QCheckBox::indicator:checked { background: @acc; border-color: @acc; image: url(:/kit/icons/check-@theme.svg); }
QCheckBox:focus, QRadioButton:focus { color: @acctx; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border-color: @acc; }
QCheckBox:disabled, QRadioButton:disabled { color: @dis; }
QCheckBox::indicator:disabled { border-color: @line; background: @alt; }
QRadioButton::indicator { width: 14px; height: 14px; border: 1px solid @inbd; border-radius: 8px; background: @input; }
QRadioButton::indicator:checked { border-color: @acc; image: url(:/kit/icons/radio-@theme.svg); }
QSlider::groove:horizontal { height: 3px; background: @line2; border-radius: 1px; }
QSlider::sub-page:horizontal { height: 3px; background: @acc; border-radius: 1px; }
QSlider::handle:horizontal { width: 10px; height: 10px; margin: -6px 0; border: 2px solid @acc; border-radius: 7px;
  background: @pane; }
QSlider::handle:horizontal:focus { background: @accbg; }
QTreeView, QTableView, QListView, QTextBrowser, QPlainTextEdit, QScrollArea { background: @pane; border: 0; color: @tx; }
QAbstractItemView { alternate-background-color: @alt; selection-background-color: @accbg; selection-color: @acctx; outline: 0; }
QTableView { gridline-color: transparent; }
QTableView::item { padding: 0 6px; border: 0; }
QTableView::item:selected { background: @accbg; color: @acctx; }
QHeaderView { background: @pane; border: 0; }
QHeaderView::section { background: @pane; color: @tx3; font-size: 11px; font-weight: 500; border: 0;
  border-bottom: 1px solid @line; padding: 0 6px; height: 21px; }
QTableCornerButton::section { background: @pane; border: 0; border-bottom: 1px solid @line; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @line2; border-radius: 3px; margin: 2px; }
QScrollBar::handle:hover { background: @inbd; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QTabBar { background: @win; qproperty-drawBase: 0; }
QTabBar::tab { background: @hdr; color: @tx2; border: 1px solid @line; padding: 0 7px; height: 24px;
  font-size: 12px; }
QTabBar::tab:selected { background: @pane; color: @tx; font-weight: 600; border-top: 2px solid @acc; }
QTabBar::tab:focus { color: @acctx; }
QSplitter::handle { background: @win; }
QSplitter::handle:horizontal { width: 4px; }
QSplitter::handle:vertical { height: 4px; }
QProgressBar { background: @line; border: 0; border-radius: 3px; max-height: 6px; min-height: 6px; text-align: center; }
QProgressBar::chunk { background: @acc; border-radius: 3px; }
)";

} // namespace

QString Theme::styleSheet() const {
    registerIcons();
    struct Name {
        const char* name;
        const QColor* color;
    };
    // Longer names first where one begins with another.
    const Name names[] = {
        {"@accbg", &accbg}, {"@accbd", &accbd}, {"@acctx", &acctx}, {"@acc", &acc},
        {"@alt", &alt},     {"@win", &win},     {"@hdr", &hdr},     {"@pane", &pane},
        {"@input", &input}, {"@inbd", &inbd},   {"@btnbd", &btnbd}, {"@btn", &btn},
        {"@line2", &line2}, {"@line", &line},   {"@grid", &grid},   {"@tiptx", &tiptx},
        {"@tip", &tip},     {"@tx2", &tx2},     {"@tx3", &tx3},     {"@tx", &tx},
        {"@dis", &dis},     {"@onacc", &onacc}, {"@err", &err},
    };
    QString sheet = QString::fromLatin1(kSheet);
    const bool isLight = kind == ThemeKind::Light;
    sheet.replace(QLatin1String("@theme"), QLatin1String(isLight ? "light" : "dark"));
    // The tick of a menu stands on the pane's colour: it is dark in the light theme.
    sheet.replace(QLatin1String("@inverse"), QLatin1String(isLight ? "dark" : "light"));
    for (const Name& entry : names)
        sheet.replace(QLatin1String(entry.name), entry.color->name());
    return sheet;
}

QPalette Theme::palette() const {
    QPalette result;
    result.setColor(QPalette::Window, win);
    result.setColor(QPalette::WindowText, tx);
    result.setColor(QPalette::Base, pane);
    result.setColor(QPalette::AlternateBase, alt);
    result.setColor(QPalette::Text, tx);
    result.setColor(QPalette::PlaceholderText, tx3);
    result.setColor(QPalette::Button, btn);
    result.setColor(QPalette::ButtonText, tx);
    result.setColor(QPalette::BrightText, errtx);
    result.setColor(QPalette::Highlight, acc);
    result.setColor(QPalette::HighlightedText, onacc);
    result.setColor(QPalette::Link, acctx);
    result.setColor(QPalette::LinkVisited, acctx);
    result.setColor(QPalette::ToolTipBase, tip);
    result.setColor(QPalette::ToolTipText, tiptx);
    result.setColor(QPalette::Light, alt);
    result.setColor(QPalette::Midlight, grid);
    result.setColor(QPalette::Mid, line);
    result.setColor(QPalette::Dark, line2);
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        result.setColor(QPalette::Disabled, role, dis);
    return result;
}

} // namespace lanescope::views
