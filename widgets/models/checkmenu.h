// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QToolButton>

#include <set>
#include <vector>

namespace ql {

/// A menu of check marks that stays open while several are set.
class CheckMenu final : public QMenu
{
    Q_OBJECT

public:
    struct Choice {
        qint64 id = 0;
        QString text;
    };

    explicit CheckMenu(QWidget *parent = nullptr);

    /// "All", then the choices; nothing is checked.
    void setChoices(const std::vector<Choice> &choices);
    void setChecked(const std::set<qint64> &ids);
    /// What is checked; empty means all.
    std::set<qint64> checked() const;

signals:
    void checkedChanged();

protected:
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    bool triggerInPlace(QAction *action);

    QAction *m_all = nullptr;
    std::vector<QAction *> m_choices;
};

/// What the narrow tool buttons of the panels add to the application's style sheet.
QString toolSheet();

/// "type ▾": a button in the window's look with a CheckMenu below; it names how many are checked.
class CheckMenuButton final : public QToolButton
{
    Q_OBJECT

public:
    /// `name` is the button's object name; the menu's is name + "Menu".
    CheckMenuButton(const QString &name, const QString &label, QWidget *parent = nullptr);

    CheckMenu *checkMenu() const { return m_menu; }
    void relabel();

private:
    QString m_label;
    CheckMenu *m_menu;
};

} // namespace ql
