// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/startpage.h"

#include "widgets/theme.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr int ColumnWidth = 460;
constexpr int MaxShown = 6;
constexpr int IconSize = 64;

QLabel *label(const QString &text, const QFont &font, QWidget *parent)
{
    auto *result = new QLabel(text, parent);
    result->setFont(font);
    result->setTextFormat(Qt::PlainText);
    result->setWordWrap(true);
    return result;
}

QLabel *icon(QWidget *parent)
{
    auto *result = new QLabel(parent);
    result->setPixmap(QIcon(QStringLiteral(":/icons/quantloupe.svg")).pixmap(IconSize, IconSize));
    return result;
}

void removeAll(QLayout *layout)
{
    while (QLayoutItem *item = layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

} // namespace

StartPage::StartPage(QWidget *parent)
    : QWidget(parent)
    , m_recent(nullptr)
    , m_recentBox(new QWidget(this))
{
    setObjectName(QStringLiteral("startPage"));
    auto *open = new QPushButton(tr("Open a GGUF file…"), this);
    open->setObjectName(QStringLiteral("startOpen"));
    open->setDefault(true);
    auto *sample = new QPushButton(tr("Open sample model"), this);
    sample->setObjectName(QStringLiteral("startSample"));

    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(open);
    buttons->addWidget(sample);
    buttons->addStretch(1);

    m_recent = new QVBoxLayout(m_recentBox);
    m_recent->setContentsMargins(0, 16, 0, 0);
    m_recent->setSpacing(4);
    m_recentBox->hide();

    auto *column = new QWidget(this);
    column->setFixedWidth(ColumnWidth);
    auto *inner = new QVBoxLayout(column);
    inner->setSpacing(12);
    inner->addWidget(icon(column));
    inner->addWidget(label(tr("Look inside a model"), Theme::strongFont(22), column));
    inner->addWidget(label(tr("Open a GGUF file of any size, or drop one here. You see its metadata and tensors at once, "
                              "and the exact distribution and heat map of any tensor a moment later. Nothing is changed."),
                           Theme::textFont(), column));
    inner->addLayout(buttons);
    inner->addWidget(m_recentBox);

    auto *middle = new QHBoxLayout; // not an alignment: wrapped text would lose its height
    middle->addStretch(1);
    middle->addWidget(column);
    middle->addStretch(1);
    auto *outer = new QVBoxLayout(this);
    outer->addStretch(2);
    outer->addLayout(middle);
    outer->addStretch(3);

    connect(open, &QPushButton::clicked, this, &StartPage::openClicked);
    connect(sample, &QPushButton::clicked, this, &StartPage::sampleClicked);
}

void StartPage::setRecentFiles(const QStringList &paths)
{
    removeAll(m_recent);
    m_recentBox->setVisible(!paths.isEmpty());
    if (paths.isEmpty())
        return;
    m_recent->addWidget(label(tr("Recent files"), Theme::strongFont(), m_recentBox));
    for (const QString &path : paths.mid(0, MaxShown)) {
        auto *button = new QPushButton(QFileInfo(path).fileName(), m_recentBox);
        button->setObjectName(QStringLiteral("recentFile"));
        button->setFlat(true);
        button->setToolTip(path);
        connect(button, &QPushButton::clicked, this, [this, path] { emit recentClicked(path); });
        m_recent->addWidget(button, 0, Qt::AlignLeft);
    }
}

} // namespace ql
