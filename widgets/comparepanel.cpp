// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/comparepanel.h"

#include "widgets/card.h"
#include "widgets/comparemapsview.h"
#include "widgets/comparescatterview.h"
#include "widgets/comparetableview.h"
#include "widgets/formatting.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/comparetablemodel.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace ql {

namespace {

QString bitsText(std::optional<double> bits) { return bits ? QLocale().toString(*bits, 'f', 2) : noValue(); }

/// "812 differ, 180 same, 3 unpaired"
QString countsText(const ComparisonTotals &totals)
{
    QStringList parts{ComparePanel::tr("%1 differ").arg(formatCount(totals.differ)),
                      ComparePanel::tr("%1 same").arg(formatCount(totals.same))};
    const auto add = [&](std::uint64_t count, const QString &text) {
        if (count)
            parts << text.arg(formatCount(count));
    };
    add(totals.waiting, ComparePanel::tr("%1 waiting"));
    add(totals.failed, ComparePanel::tr("%1 not decodable"));
    add(totals.shapesDiffer, ComparePanel::tr("%1 of other shape"));
    add(totals.unpaired, ComparePanel::tr("%1 unpaired"));
    return parts.join(QStringLiteral(", "));
}

QString summaryText(const ComparisonTotals &totals)
{
    const QString gap = QStringLiteral("   ");
    QString text = ComparePanel::tr("%1 → %2").arg(formatBytes(totals.bytesA), formatBytes(totals.bytesB)) + gap
        + ComparePanel::tr("%1 → %2 bpw").arg(bitsText(totals.bitsA()), bitsText(totals.bitsB())) + gap;
    if (totals.differ)
        text += ComparePanel::tr("relative RMSE %1").arg(formatNumber(totals.sums.relativeRmse())) + gap
            + ComparePanel::tr("SQNR %1 dB").arg(formatNumber(totals.sums.sqnrDb())) + gap;
    return text + countsText(totals);
}

} // namespace

ComparePanel::ComparePanel(QWidget *parent)
    : QWidget(parent)
    , m_model(new CompareTableModel(this))
    , m_card(new Card({}, this))
    , m_switch(new QButtonGroup(this))
    , m_tools(new QStackedWidget(m_card))
    , m_views(new QStackedWidget(m_card))
    , m_totals(Card::mutedLabel({}, m_card))
    , m_again(new QPushButton(tr("Compare again"), m_card))
    , m_table(new CompareTableView(m_model, m_card))
    , m_maps(new CompareMapsView(m_model, m_card))
    , m_scatter(new CompareScatterView(m_model, m_card))
    , m_placeholder(new StatePlaceholder(this))
{
    setObjectName(QStringLiteral("comparePanel"));
    setAccessibleName(tr("Compare"));
    setStyleSheet(toolSheet());
    buildHeader();
    buildBody();
    connectViews();
    setView(View::Table);
    clear();
}

void ComparePanel::buildHeader()
{
    const QStringList names{tr("Table"), tr("Maps"), tr("Scatter")};
    const QStringList objects{QStringLiteral("compareShowTable"), QStringLiteral("compareShowMaps"),
                              QStringLiteral("compareShowScatter")};
    m_switch->setExclusive(true);
    for (int i = 0; i < names.size(); ++i) {
        auto *button = new QToolButton(m_card);
        button->setObjectName(objects[i]);
        button->setText(names[i]);
        button->setAccessibleName(tr("Show as %1").arg(names[i].toLower()));
        button->setProperty("chipButton", true);
        button->setCheckable(true);
        m_switch->addButton(button, i);
        m_card->header()->addWidget(button);
    }
    for (QWidget *tools : {m_table->tools(), m_maps->tools(), m_scatter->tools()})
        m_tools->addWidget(tools);
    m_tools->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
    m_card->header()->addWidget(m_tools, 1);
}

void ComparePanel::buildBody()
{
    m_totals->setObjectName(QStringLiteral("compareTotals"));
    m_totals->setFont(Theme::textFont(Theme::SmallPx));
    m_totals->setWordWrap(true);
    m_totals->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_totals->setToolTip(tr("Sizes and bits per weight of the pairs; errors over the pairs that differ."));
    m_again->setObjectName(QStringLiteral("compareAgain"));
    auto *totals = new QHBoxLayout;
    totals->addWidget(m_totals, 1);
    totals->addWidget(m_again);
    for (QWidget *view : {static_cast<QWidget *>(m_table), static_cast<QWidget *>(m_maps), static_cast<QWidget *>(m_scatter)})
        m_views->addWidget(view);
    m_card->body()->addLayout(totals);
    m_card->body()->addWidget(m_views, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_card);
    layout->addWidget(m_placeholder);
}

void ComparePanel::connectViews()
{
    connect(m_switch, &QButtonGroup::idToggled, this, [this](int id, bool isOn) {
        if (!isOn)
            return;
        m_views->setCurrentIndex(id);
        m_tools->setCurrentIndex(id);
    });
    connect(m_model, &CompareTableModel::updated, this, [this] {
        refreshTotals();
        m_maps->refresh();
        m_scatter->refresh();
    });
    connect(m_table, &CompareTableView::rowActivated, this, &ComparePanel::activate);
    connect(m_table, &CompareTableView::pairRequested, this, &ComparePanel::pairRequested);
    connect(m_maps, &CompareMapsView::cellActivated, this, &ComparePanel::activate);
    connect(m_maps, &CompareMapsView::reported, this, &ComparePanel::reported);
    connect(m_scatter, &CompareScatterView::pointActivated, this, &ComparePanel::activate);
    connect(m_scatter, &CompareScatterView::reported, this, &ComparePanel::reported);
    connect(m_again, &QPushButton::clicked, this, &ComparePanel::compareAgainRequested);
    connect(m_placeholder, &StatePlaceholder::actionTriggered, this, [this] {
        if (m_placeholder->isError())
            emit compareAgainRequested();
        else
            emit openOtherRequested();
    });
}

void ComparePanel::showPlaceholder(const QString &title, const QString &text, const QString &button)
{
    m_placeholder->showEmpty(title, text, button);
    m_placeholder->show();
    m_card->hide();
}

void ComparePanel::clear()
{
    m_model->clear();
    m_progress.reset();
    m_isStopped = false;
    showPlaceholder(tr("No second file"),
                    tr("Open another quantization of this model to see, tensor by tensor, what was lost. "
                       "Dropping a file on the window does it too."),
                    tr("Compare with…"));
}

void ComparePanel::beginPairing()
{
    m_model->clear();
    m_isStopped = false;
    showPlaceholder(tr("Pairing tensors"), tr("The tensors of both files are being brought together by their names."));
}

void ComparePanel::setTable(ComparisonTable table)
{
    m_placeholder->hide();
    m_card->show();
    m_isStopped = false;
    m_model->setTable(std::move(table));
    m_table->setSelection(m_selection);
}

void ComparePanel::setResult(std::size_t row, const ComparisonPtr &comparison) { m_model->setResult(row, comparison); }

void ComparePanel::setFailure(std::size_t row, const QString &why) { m_model->setFailure(row, why.toStdString()); }

void ComparePanel::addByHand(const TensorPair &pair) { m_model->addByHand(pair); }

void ComparePanel::setHandResult(const TensorPair &pair, const ComparisonPtr &comparison)
{
    if (const auto row = m_model->table().rowByHand(pair))
        m_model->setResult(*row, comparison);
}

void ComparePanel::setHandFailure(const TensorPair &pair, const QString &why)
{
    if (const auto row = m_model->table().rowByHand(pair))
        m_model->setFailure(*row, why.toStdString());
}

void ComparePanel::setProgress(std::optional<double> share)
{
    m_progress = share;
    refreshTotals();
}

void ComparePanel::setFinished()
{
    m_progress.reset();
    m_isStopped = false;
    m_model->flush();
}

void ComparePanel::setStopped()
{
    m_progress.reset();
    m_isStopped = m_model->table().totals().waiting > 0;
    m_model->flush();
}

void ComparePanel::setError(const QString &what)
{
    m_placeholder->showError(tr("The files can't be compared"), what, tr("Try again"));
    m_placeholder->show();
    m_card->hide();
}

void ComparePanel::setSelection(const Selection &selection)
{
    m_selection = selection;
    m_table->setSelection(selection);
    m_maps->setSelection(selection);
    m_scatter->setSelection(selection);
}

void ComparePanel::activate(const Selection &selection)
{
    if (!selection.tensor)
        return;
    if (selection.expert)
        emit expertActivated(*selection.tensor, *selection.expert);
    else
        emit tensorActivated(*selection.tensor);
}

void ComparePanel::refreshTotals()
{
    const ComparisonTotals totals = m_model->table().totals();
    QString text = summaryText(totals);
    if (m_progress)
        text = tr("comparing, %1 done").arg(formatPercent(*m_progress)) + QStringLiteral("   ") + text;
    else if (m_isStopped)
        text = tr("stopped before all was compared") + QStringLiteral("   ") + text;
    m_totals->setText(text);
    m_again->setVisible(m_isStopped);
}

void ComparePanel::setView(View view) { m_switch->button(static_cast<int>(view))->setChecked(true); }

ComparePanel::View ComparePanel::view() const { return static_cast<View>(m_switch->checkedId()); }

Selection ComparePanel::worst() const
{
    const ComparisonTable &table = m_model->table();
    Selection selection;
    double largest = -1;
    for (const ComparisonRow &row : table.rows()) {
        const double error = errorFigure(row, {}, ErrorFigure::RelativeRmse).value_or(-1);
        if (row.isReplaced || !row.a || error <= largest)
            continue;
        largest = error;
        selection.tensor = row.a;
        selection.expert = row.pair.expertA;
    }
    return selection;
}

std::vector<TensorPair> ComparePanel::handPairs() const
{
    std::vector<TensorPair> pairs;
    for (const ComparisonRow &row : m_model->table().rows())
        if (row.byHand && !row.isReplaced)
            pairs.push_back(row.pair);
    return pairs;
}

QString ComparePanel::totalsText() const { return m_totals->text(); }

} // namespace ql
