// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace ql {

/// The line under the menu: what to open, what is open, where to go.
class TopBar final : public QWidget
{
    Q_OBJECT

public:
    explicit TopBar(QWidget *parent = nullptr);

    /// File names as shown; empty for none. Full paths go to the tool-tips.
    void setFiles(const QString &pathA, const QString &pathB);

signals:
    void openClicked();
    void compareClicked();
    void exportClicked();
    void goToClicked();

private:
    void setFile(QLabel *letter, QLabel *name, const QString &path);

    QPushButton *m_open;
    QPushButton *m_compare;
    QPushButton *m_export;
    QLabel *m_letterA;
    QLabel *m_nameA;
    QLabel *m_letterB;
    QLabel *m_nameB;
    QPushButton *m_goTo;
};

} // namespace ql
