// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace ql {

/// A line above the views that says what went wrong, with at most one thing to do about it. Stays
/// until it is closed or the next message comes; blocks nothing.
class MessageBar final : public QFrame
{
    Q_OBJECT

public:
    explicit MessageBar(QWidget *parent = nullptr);

    /// Plain text, never rich: messages quote files. An empty action name shows no button.
    void showMessage(const QString &text, const QString &action = {});
    void clear();
    QString text() const;

signals:
    void actionTriggered();

private:
    QLabel *m_text;
    QPushButton *m_action;
    QPushButton *m_close;
};

} // namespace ql
