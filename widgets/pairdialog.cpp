// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pairdialog.h"

#include "core/stats/comparisontable.h"
#include "widgets/card.h"
#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ql {

namespace {

constexpr int CandidateRole = Qt::UserRole;
constexpr QSize DialogSize(560, 440);

TensorPair pairOfParts(const Selection &inA, const PairCandidate &inB)
{
    return {*inA.tensor, inB.tensor, inA.expert, inB.expert, TensorPair::Half::Whole, TensorPair::Half::Whole};
}

bool hasAllWords(const QString &name, const QStringList &words)
{
    return std::ranges::all_of(words, [&](const QString &word) { return name.contains(word, Qt::CaseInsensitive); });
}

} // namespace

std::vector<PairCandidate> pairCandidates(const ModelSummary &a, const ModelSummary &b, const Selection &inA)
{
    std::vector<PairCandidate> fitting, others;
    const auto fits = [&](const PairCandidate &candidate) { return pairByHand(a, b, pairOfParts(inA, candidate)).has_value(); };
    for (std::uint32_t i = 0; i < b.tensors.size(); ++i) {
        PairCandidate candidate{TensorIndex{i}, {}, false};
        candidate.fits = fits(candidate);
        (candidate.fits ? fitting : others).push_back(candidate);
        const std::uint64_t experts = b.tensors[i].experts.value_or(0);
        candidate.expert = 0;
        if (experts == 0 || !fits(candidate))
            continue;
        candidate.fits = true;
        for (std::uint64_t expert = 0; expert < experts; ++expert) {
            candidate.expert = expert;
            fitting.push_back(candidate);
        }
    }
    fitting.insert(fitting.end(), others.begin(), others.end());
    return fitting;
}

PairDialog::PairDialog(ModelSummaryPtr a, ModelSummaryPtr b, const Selection &inA, QWidget *parent)
    : QDialog(parent)
    , m_a(std::move(a))
    , m_b(std::move(b))
    , m_inA(inA)
    , m_candidates(pairCandidates(*m_a, *m_b, inA))
    , m_field(new QLineEdit(this))
    , m_list(new QListWidget(this))
    , m_message(Card::mutedLabel({}, this))
{
    setObjectName(QStringLiteral("pairDialog"));
    setWindowTitle(tr("Pair with a tensor of B"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(DialogSize);
    build();
    fill({});
}

void PairDialog::build()
{
    const TensorInfo &tensor = m_a->tensors[m_inA.tensor->value];
    QString name = QString::fromStdString(tensor.name);
    if (m_inA.expert)
        name = tr("%1, expert %2").arg(name).arg(*m_inA.expert);
    auto *title = new QLabel(tr("A: %1  %2").arg(name, formatShape(partShape(tensor, m_inA.expert))), this);
    title->setFont(Theme::fixedFont(Theme::BodyPx));
    title->setTextFormat(Qt::PlainText);
    title->setWordWrap(true);
    m_field->setObjectName(QStringLiteral("pairField"));
    m_field->setPlaceholderText(tr("search B's tensors…"));
    m_field->setAccessibleName(tr("Search the tensors of B"));
    m_field->installEventFilter(this);
    m_list->setObjectName(QStringLiteral("pairList"));
    m_list->setAccessibleName(tr("Tensors of B"));
    m_list->setFont(Theme::fixedFont());
    m_list->setUniformItemSizes(true);
    m_message->setObjectName(QStringLiteral("pairMessage"));
    m_message->setWordWrap(true);
    m_message->setMinimumHeight(36);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_ok = buttons->addButton(tr("Pair"), QDialogButtonBox::AcceptRole);
    m_ok->setObjectName(QStringLiteral("pairOk"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(8);
    for (QWidget *widget : {static_cast<QWidget *>(title), static_cast<QWidget *>(m_field)})
        layout->addWidget(widget);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_message);
    layout->addWidget(buttons);
    connect(m_field, &QLineEdit::textChanged, this, &PairDialog::fill);
    connect(m_list, &QListWidget::currentRowChanged, this, &PairDialog::showCurrent);
    connect(m_list, &QListWidget::itemActivated, this, &PairDialog::accept);
    connect(buttons, &QDialogButtonBox::accepted, this, &PairDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &PairDialog::reject);
}

QString PairDialog::nameOf(const PairCandidate &candidate) const
{
    const QString name = QString::fromStdString(m_b->tensors[candidate.tensor.value].name);
    return candidate.expert ? tr("%1, expert %2").arg(name).arg(*candidate.expert) : name;
}

void PairDialog::fill(const QString &text)
{
    m_list->clear();
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (std::size_t i = 0; i < m_candidates.size() && m_list->count() < MostShown; ++i)
        if (hasAllWords(nameOf(m_candidates[i]), words))
            addRow(i);
    m_list->setCurrentRow(0);
    showCurrent();
}

void PairDialog::addRow(std::size_t candidate)
{
    const PairCandidate &what = m_candidates[candidate];
    const TensorInfo &tensor = m_b->tensors[what.tensor.value];
    auto *item = new QListWidgetItem(QStringLiteral("%1  %2  %3")
                                         .arg(nameOf(what), QString::fromStdString(tensor.typeName()),
                                              formatShape(partShape(tensor, what.expert))),
                                     m_list);
    item->setData(CandidateRole, QVariant::fromValue<qulonglong>(candidate));
    if (!what.fits)
        item->setForeground(themeOf(this).muted);
}

const PairCandidate *PairDialog::current() const
{
    const QListWidgetItem *item = m_list->currentItem();
    return item ? &m_candidates[item->data(CandidateRole).toULongLong()] : nullptr;
}

TensorPair PairDialog::pairOf(const PairCandidate &candidate) const { return pairOfParts(m_inA, candidate); }

void PairDialog::showCurrent()
{
    const PairCandidate *candidate = current();
    m_ok->setEnabled(candidate && candidate->fits);
    if (!candidate)
        return m_message->setText(tr("No tensor of B has these words in its name."));
    if (candidate->fits)
        return m_message->setText(tr("Both have the same shape. Rows of the table that these tensors have are replaced."));
    m_message->setText(QString::fromStdString(pairByHand(*m_a, *m_b, pairOf(*candidate)).error().message) + QLatin1Char('.'));
}

void PairDialog::accept()
{
    const PairCandidate *candidate = current();
    if (!candidate || !candidate->fits)
        return;
    emit pairChosen(pairOf(*candidate));
    QDialog::accept();
}

/// Up and down walk through the list while the field has the focus.
bool PairDialog::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        const int by = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (by != 0 && m_list->count() > 0) {
            m_list->setCurrentRow(std::clamp(m_list->currentRow() + by, 0, m_list->count() - 1));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace ql
