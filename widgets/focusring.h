// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

class QApplication;

namespace ql {

/// A thin frame in the accent colour on the inner edge of the widget that has the keyboard, for widgets
/// that paint themselves: tables, plots, maps, text. It takes no room, no mouse and no focus.
class FocusRing final : public QWidget
{
    Q_OBJECT

public:
    explicit FocusRing(QWidget *around);

    /// From now on, whatever gets the focus in `app` is seen to have it. Once an application.
    static void follow(QApplication &app);

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fit();
};

} // namespace ql
