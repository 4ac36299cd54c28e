// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topbar.h"

#include "widgets/theme.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace ql {

namespace {

QLabel *plainLabel(const QString &name, QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QPushButton *button(const QString &name, const QString &text, QWidget *parent)
{
    auto *result = new QPushButton(text, parent);
    result->setObjectName(name);
    return result;
}

} // namespace

TopBar::TopBar(QWidget *parent)
    : QWidget(parent)
    , m_open(button(QStringLiteral("openButton"), tr("Open…"), this))
    , m_compare(button(QStringLiteral("compareButton"), tr("Compare with…"), this))
    , m_export(button(QStringLiteral("exportButton"), tr("Export…"), this))
    , m_letterA(plainLabel(QStringLiteral("letterA"), this))
    , m_nameA(plainLabel(QStringLiteral("nameA"), this))
    , m_letterB(plainLabel(QStringLiteral("letterB"), this))
    , m_nameB(plainLabel(QStringLiteral("nameB"), this))
    , m_goTo(button(QStringLiteral("goToButton"), tr("Go to tensor or key…    Ctrl+K"), this))
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(8);
    for (QWidget *widget : {static_cast<QWidget *>(m_open), static_cast<QWidget *>(m_compare),
                            static_cast<QWidget *>(m_export)})
        layout->addWidget(widget);
    layout->addSpacing(8);
    for (QLabel *label : {m_letterA, m_nameA, m_letterB, m_nameB})
        layout->addWidget(label);
    layout->addStretch(1);
    layout->addWidget(m_goTo);

    connect(m_open, &QPushButton::clicked, this, &TopBar::openClicked);
    connect(m_compare, &QPushButton::clicked, this, &TopBar::compareClicked);
    connect(m_export, &QPushButton::clicked, this, &TopBar::exportClicked);
    connect(m_goTo, &QPushButton::clicked, this, &TopBar::goToClicked);
    m_nameA->setFont(Theme::strongFont());
    m_nameB->setFont(Theme::strongFont());
    m_letterA->setForegroundRole(Theme::MutedText);
    m_letterB->setForegroundRole(Theme::MutedText);
    m_nameA->setForegroundRole(Theme::TextOfA);
    m_nameB->setForegroundRole(Theme::TextOfB);
    setFiles({}, {});
}

void TopBar::setFiles(const QString &pathA, const QString &pathB)
{
    setFile(m_letterA, m_nameA, pathA);
    setFile(m_letterB, m_nameB, pathB);
    m_letterA->setText(pathB.isEmpty() ? QString() : QStringLiteral("A"));
    m_letterB->setText(pathB.isEmpty() ? QString() : QStringLiteral("B"));
    m_compare->setEnabled(!pathA.isEmpty());
    m_export->setEnabled(!pathA.isEmpty());
    m_goTo->setEnabled(!pathA.isEmpty());
}

void TopBar::setFile(QLabel *letter, QLabel *name, const QString &path)
{
    name->setText(QFileInfo(path).fileName());
    name->setToolTip(path);
    letter->setVisible(!path.isEmpty());
    name->setVisible(!path.isEmpty());
}

} // namespace ql
