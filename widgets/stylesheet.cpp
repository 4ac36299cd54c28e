// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme.h"

namespace ql {

namespace {

// @names are replaced by the theme's colours. Kept small: what the palette can say stays there.
constexpr const char *Template = R"(
QToolTip { background: @panel; color: @text; border: 1px solid @line; padding: 4px 6px; }
QPushButton, QToolButton[chipButton="true"] {
  background: @panel; color: @text; border: 1px solid @line; border-radius: 6px;
  padding: 4px 12px; min-height: 18px; }
QPushButton:hover, QToolButton[chipButton="true"]:hover { background: @grid; }
QPushButton:pressed, QPushButton:checked { background: @selection; border-color: @accent; }
QPushButton:focus, QToolButton[chipButton="true"]:focus {
  border: 2px solid @accent; padding: 3px 11px; }
QPushButton:disabled { color: @faint; background: @window; }
QLineEdit { background: @window; color: @text; border: 1px solid @line; border-radius: 6px;
  padding: 4px 8px; min-height: 18px; selection-background-color: @accent;
  selection-color: @panel; }
QLineEdit:focus { border-color: @accent; background: @panel; }
QMenuBar { background: @panel; border-bottom: 1px solid @line; padding: 2px 4px; }
QMenuBar::item { background: transparent; padding: 4px 8px; border-radius: 4px; }
QMenuBar::item:selected { background: @grid; }
QMenu { background: @panel; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: @selection; color: @text; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QStatusBar { background: @panel; border-top: 1px solid @line; }
QStatusBar::item { border: none; }
QToolBar { background: @panel; border: none; border-bottom: 1px solid @line; spacing: 6px;
  padding: 6px 8px; }
QAbstractItemView { background: @panel; border: none; outline: 0;
  selection-background-color: @selection; selection-color: @text; }
QHeaderView { background: @panel; }
QHeaderView::section { background: @panel; color: @muted; border: none;
  border-bottom: 1px solid @line; padding: 5px 8px; }
QTableCornerButton::section { background: @panel; border: none; }
QTabWidget::pane { border: none; border-top: 1px solid @line; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: @muted; border: none; padding: 7px 4px 6px 4px;
  margin: 0 6px; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:focus { background: @selection; border: 2px solid @accent; border-radius: 4px;
  padding: 5px 2px 6px 2px; }
QProgressBar { background: @grid; border: none; border-radius: 3px; max-height: 6px;
  min-height: 6px; color: transparent; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QSplitter::handle { background: transparent; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 4px; margin: 1px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)";

} // namespace

QString Theme::styleSheet() const
{
    const QColor faint = dark ? QColor(0x5c6675) : QColor(0xa3acb8);
    const std::pair<const char *, QColor> tokens[] = {
        {"@window", window}, {"@panel", panel}, {"@line", line}, {"@grid", grid}, {"@text", text},
        {"@muted", muted}, {"@accent", accent}, {"@selection", selection}, {"@faint", faint},
    };
    QString sheet = QString::fromLatin1(Template);
    for (const auto &[name, color] : tokens)
        sheet.replace(QLatin1String(name), color.name());
    return sheet;
}

} // namespace ql
