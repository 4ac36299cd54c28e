// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/checkmenu.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QSignalBlocker>

namespace ql {

CheckMenu::CheckMenu(QWidget *parent) : QMenu(parent) {}

void CheckMenu::setChoices(const std::vector<Choice> &choices)
{
    clear();
    m_choices.clear();
    m_all = addAction(tr("All"));
    m_all->setObjectName(QStringLiteral("all"));
    connect(m_all, &QAction::triggered, this, [this] {
        setChecked({});
        emit checkedChanged();
    });
    addSeparator();
    for (const Choice &choice : choices) {
        QAction *action = addAction(choice.text);
        action->setCheckable(true);
        action->setData(choice.id);
        connect(action, &QAction::toggled, this, &CheckMenu::checkedChanged);
        m_choices.push_back(action);
    }
}

void CheckMenu::setChecked(const std::set<qint64> &ids)
{
    for (QAction *action : m_choices) {
        const QSignalBlocker quiet(action);
        action->setChecked(ids.contains(action->data().toLongLong()));
    }
}

std::set<qint64> CheckMenu::checked() const
{
    std::set<qint64> ids;
    for (const QAction *action : m_choices) {
        if (action->isChecked())
            ids.insert(action->data().toLongLong());
    }
    return ids;
}

bool CheckMenu::triggerInPlace(QAction *action)
{
    if (!action || !action->isCheckable() || !action->isEnabled())
        return false;
    action->trigger();
    return true;
}

void CheckMenu::mouseReleaseEvent(QMouseEvent *event)
{
    if (!triggerInPlace(actionAt(event->position().toPoint())))
        QMenu::mouseReleaseEvent(event);
}

void CheckMenu::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_Space || !triggerInPlace(activeAction()))
        QMenu::keyPressEvent(event);
}

QString toolSheet()
{
    return QStringLiteral("QToolButton[chipButton=\"true\"] { padding: 4px 6px; }"
                          "QToolButton[chipButton=\"true\"]:checked {"
                          " background: palette(highlight); border-color: palette(link);"
                          " color: palette(link); }"
                          // As wide as without the focus.
                          "QToolButton[chipButton=\"true\"]:focus { padding: 3px 5px;"
                          " border: 2px solid palette(link); }");
}

CheckMenuButton::CheckMenuButton(const QString &name, const QString &label, QWidget *parent)
    : QToolButton(parent), m_label(label), m_menu(new CheckMenu(this))
{
    setObjectName(name);
    setProperty("chipButton", true);
    setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_menu->setObjectName(name + QLatin1String("Menu"));
    connect(m_menu, &CheckMenu::checkedChanged, this, &CheckMenuButton::relabel);
    // popup() instead of setMenu(): no second arrow, and no nested event loop
    connect(this, &QToolButton::clicked, this,
            [this] { m_menu->popup(mapToGlobal(QPoint(0, height() + 2))); });
    relabel();
}

void CheckMenuButton::relabel()
{
    const auto count = m_menu->checked().size();
    setText(count == 0 ? tr("%1 ▾").arg(m_label) : tr("%1: %2 ▾").arg(m_label).arg(count));
    setAccessibleName(count == 0 ? tr("Filter by %1").arg(m_label)
                                 : tr("Filter by %1, %2 chosen").arg(m_label).arg(count));
}

} // namespace ql
