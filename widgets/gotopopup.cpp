// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/gotopopup.h"

#include "widgets/card.h"
#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace ql {

namespace {

constexpr std::size_t MaxShown = 100;
constexpr int PopupWidth = 640;
constexpr int PopupHeight = 420;
constexpr int KindRole = Qt::UserRole;
constexpr int IndexRole = Qt::UserRole + 1;

enum Rank { Exact, StartsWith, Contains, NoMatch };

Rank rankOf(const QString &name, const QString &text, const QStringList &words)
{
    if (name.compare(text, Qt::CaseInsensitive) == 0)
        return Exact;
    if (name.startsWith(text, Qt::CaseInsensitive))
        return StartsWith;
    const bool all = std::all_of(words.begin(), words.end(), [&](const QString &word) {
        return name.contains(word, Qt::CaseInsensitive);
    });
    return all ? Contains : NoMatch;
}

struct Ranked {
    Rank rank;
    GoToTarget target;
};

} // namespace

std::vector<GoToTarget> findTargets(const ModelSummary &model, const QString &text, std::size_t limit)
{
    const QString trimmed = text.trimmed();
    const QStringList words = trimmed.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<Ranked> found;
    const auto consider = [&](const std::string &name, GoToTarget target) {
        const Rank rank = rankOf(QString::fromStdString(name), trimmed, words);
        if (rank != NoMatch)
            found.push_back({rank, target});
    };
    for (std::uint32_t i = 0; i < model.tensors.size(); ++i)
        consider(model.tensors[i].name, {GoToTarget::Kind::Tensor, i});
    for (std::uint32_t i = 0; i < model.metadata.size(); ++i)
        consider(model.metadata[i].key, {GoToTarget::Kind::Key, i});
    std::ranges::stable_sort(found, {}, &Ranked::rank);
    if (found.size() > limit)
        found.resize(limit);
    std::vector<GoToTarget> targets;
    std::ranges::transform(found, std::back_inserter(targets), &Ranked::target);
    return targets;
}

GoToPopup::GoToPopup(QWidget *parent)
    : QFrame(parent)
    , m_field(new QLineEdit(this))
    , m_list(new QListWidget(this))
    , m_nothing(Card::mutedLabel({}, this))
{
    setObjectName(QStringLiteral("goToPopup"));
    setAccessibleName(tr("Go to tensor or key"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    m_field->setObjectName(QStringLiteral("goToField"));
    m_field->setPlaceholderText(tr("Part of a tensor's name or a metadata key"));
    m_field->installEventFilter(this);
    m_list->setObjectName(QStringLiteral("goToList"));
    m_list->setFont(Theme::fixedFont());
    m_list->setUniformItemSizes(true);
    m_list->setFocusPolicy(Qt::NoFocus);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(m_field);
    layout->addWidget(m_list);
    layout->addWidget(m_nothing);
    m_nothing->setObjectName(QStringLiteral("goToNothing"));
    m_nothing->setTextFormat(Qt::PlainText);
    m_nothing->setWordWrap(true);
    m_nothing->setContentsMargins(4, 4, 4, 4);
    connect(m_field, &QLineEdit::textChanged, this, &GoToPopup::updateList);
    connect(m_list, &QListWidget::itemClicked, this, &GoToPopup::choose);
    hide();
}

void GoToPopup::setModel(ModelSummaryPtr model)
{
    m_model = std::move(model);
    hide();
}

void GoToPopup::openPopup()
{
    if (!m_model)
        return;
    const QWidget *parent = parentWidget();
    const int width = std::min(PopupWidth, parent->width() - 32);
    m_fullHeight = std::min(PopupHeight, parent->height() - 96);
    setGeometry((parent->width() - width) / 2, 64, width, m_fullHeight);
    m_field->clear();
    updateList({});
    show();
    raise();
    m_field->setFocus();
}

void GoToPopup::updateList(const QString &text)
{
    m_list->clear();
    for (const auto &target : findTargets(*m_model, text, MaxShown))
        addItem(target);
    m_list->setCurrentRow(0);
    showNothing(m_list->count() > 0 ? QString() : tr("No tensor and no metadata key has \u201c%1\u201d in its name.").arg(text.trimmed()));
}

/// In the list's place, in a popup as low as that; an empty text brings the list back.
void GoToPopup::showNothing(const QString &text)
{
    m_nothing->setText(text);
    m_nothing->setVisible(!text.isEmpty());
    m_list->setVisible(text.isEmpty());
    setAccessibleDescription(text);
    resize(width(), text.isEmpty() ? m_fullHeight : layout()->totalHeightForWidth(width()));
}

void GoToPopup::addItem(const GoToTarget &target)
{
    QString text;
    if (target.kind == GoToTarget::Kind::Tensor) {
        const TensorInfo &tensor = m_model->tensors[target.index];
        text = tr("%1   %2 %3").arg(QString::fromStdString(tensor.name), QString::fromStdString(tensor.typeName()),
                                    formatShape(tensor.ne));
    } else {
        const MetadataSummary &entry = m_model->metadata[target.index];
        text = tr("%1 = %2").arg(QString::fromStdString(entry.key), QString::fromStdString(entry.preview));
    }
    auto *item = new QListWidgetItem(text, m_list);
    item->setData(KindRole, static_cast<int>(target.kind));
    item->setData(IndexRole, target.index);
}

void GoToPopup::choose(const QListWidgetItem *item)
{
    if (!item)
        return;
    const auto kind = static_cast<GoToTarget::Kind>(item->data(KindRole).toInt());
    const auto index = item->data(IndexRole).toUInt();
    hide();
    if (kind == GoToTarget::Kind::Tensor)
        emit tensorChosen(TensorIndex{index});
    else
        emit keyChosen(static_cast<int>(index));
}

bool GoToPopup::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress)
        return handleKey(static_cast<QKeyEvent *>(event)->key());
    if (watched == m_field && event->type() == QEvent::FocusOut)
        hide();
    return QFrame::eventFilter(watched, event);
}

bool GoToPopup::handleKey(int key)
{
    switch (key) {
    case Qt::Key_Escape:
        hide();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose(m_list->currentItem());
        return true;
    case Qt::Key_Down:
        m_list->setCurrentRow(std::min(m_list->currentRow() + 1, m_list->count() - 1));
        return true;
    case Qt::Key_Up:
        m_list->setCurrentRow(std::max(m_list->currentRow() - 1, 0));
        return true;
    default:
        return false;
    }
}

} // namespace ql
