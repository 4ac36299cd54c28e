// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensorpage.h"

#include "widgets/besidebar.h"
#include "widgets/blockpanel.h"
#include "widgets/busyoverlay.h"
#include "widgets/compareheatpanel.h"
#include "widgets/comparepanel.h"
#include "widgets/errorhistogrampanel.h"
#include "widgets/expertpanel.h"
#include "widgets/figurespanel.h"
#include "widgets/formatting.h"
#include "widgets/heatmappanel.h"
#include "widgets/histogrampanel.h"
#include "widgets/stateplaceholder.h"
#include "widgets/tensorheader.h"
#include "widgets/valuespanel.h"

#include <QDataStream>
#include <QIODevice>
#include <QSplitter>
#include <QStackedLayout>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ql {

namespace {

/// "relative RMSE 0.2137   SQNR 13.41   cosine 0.9771   max |err| 0.0938"
QString describe(const Comparison &comparison)
{
    if (comparison.identical)
        return QObject::tr("A and B hold the same bytes");
    const ErrorSums &sums = comparison.sums;
    if (sums.compared() == 0)
        return QObject::tr("no pair of finite weights to compare");
    const QString text = QObject::tr("relative RMSE %1   SQNR %2 dB   cosine %3   max |err| %4")
                             .arg(formatNumber(sums.relativeRmse()), formatNumber(sums.sqnrDb()),
                                  formatNumber(sums.cosine()), formatNumber(sums.maxAbsError));
    return sums.nonfinite == 0 ? text
                               : text + QObject::tr("   %1 pairs not finite").arg(formatCount(sums.nonfinite));
}

// Less than the panels would like: a person may drag the border, and a laptop's screen must do.
constexpr int MinimumColumn = 320;

} // namespace

QString PageSubject::name() const
{
    if (!tensor)
        return {};
    const QString name = QString::fromStdString(tensor->name);
    return expert ? QObject::tr("%1, expert %2").arg(name).arg(*expert) : name;
}

std::optional<std::uint64_t> PageSubject::byteSize() const
{
    return expert ? tensor->slabBytes() : tensor->byteSize;
}

TensorPage::TensorPage(QWidget *parent)
    : QWidget(parent)
    , m_header(new TensorHeader(this))
    , m_besideBar(new BesideBar(this))
    , m_heatMap(new HeatMapPanel(this))
    , m_pairMaps(new CompareHeatPanel(this))
    , m_maps(new QStackedWidget(this))
    , m_histogram(new HistogramPanel(this))
    , m_errors(new ErrorHistogramPanel(this))
    , m_figures(new FiguresPanel(this))
    , m_experts(new ExpertPanel(this))
    , m_block(new BlockPanel(this))
    , m_values(new ValuesPanel(this))
    , m_compare(new ComparePanel(this))
    , m_tabs(new QTabWidget(this))
    , m_vertical(new QSplitter(Qt::Vertical, this))
    , m_lower(new QSplitter(Qt::Horizontal, this))
    , m_views(createViews())
    , m_placeholder(new StatePlaceholder(this))
    , m_stack(new QStackedLayout)
    , m_overlay(new BusyOverlay(m_views))
    , m_besideOverlay(new BusyOverlay(m_maps))
{
    setObjectName(QStringLiteral("tensorPage"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->setSpacing(8);
    layout->addWidget(m_header);
    layout->addWidget(m_besideBar);
    layout->addLayout(m_stack, 1);
    m_stack->addWidget(m_views);
    m_stack->addWidget(m_placeholder);

    m_overlay->setUnit(tr("weights"));
    m_besideOverlay->setUnit(tr("weights"));
    m_nameTimer.setSingleShot(true);
    m_nameTimer.setInterval(BusyOverlay::DelayMs);
    connect(&m_nameTimer, &QTimer::timeout, this, &TensorPage::nameAwaited);
    connect(m_tabs, &QTabWidget::currentChanged, this, &TensorPage::fitColumns);
    connect(m_overlay, &BusyOverlay::cancelRequested, this, &TensorPage::cancelRequested);
    connect(m_placeholder, &StatePlaceholder::actionTriggered, this, &TensorPage::retryRequested);
    clear();
}

QWidget *TensorPage::createViews()
{
    m_tabs->setObjectName(QStringLiteral("pageTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_figures, tr("Figures"));
    m_tabs->addTab(m_experts, tr("Experts"));
    m_tabs->addTab(m_block, tr("Block"));
    m_tabs->addTab(m_values, tr("Values"));
    m_tabs->addTab(m_compare, tr("Compare"));
    auto *distributions = new QSplitter(Qt::Vertical, this);
    distributions->addWidget(m_histogram);
    distributions->addWidget(m_errors);
    distributions->setStretchFactor(0, 1);
    distributions->setStretchFactor(1, 1);
    distributions->setSizes({1000, 900});
    distributions->setMinimumWidth(MinimumColumn);
    m_errors->hide();
    m_tabs->setMinimumWidth(MinimumColumn);
    m_tabs->setUsesScrollButtons(false); // room for all of them instead
    m_lower->addWidget(distributions);
    m_lower->addWidget(m_tabs);
    m_lower->setStretchFactor(0, 2);
    m_lower->setStretchFactor(1, 1);
    m_maps->addWidget(m_heatMap);
    m_maps->addWidget(m_pairMaps);
    m_vertical->addWidget(m_maps);
    m_vertical->addWidget(m_lower);
    m_vertical->setStretchFactor(0, 1);
    m_vertical->setStretchFactor(1, 1);
    m_vertical->setSizes({1000, 1100}); // a dozen figures are seen in a window of usual size
    for (QSplitter *splitter : {m_vertical, m_lower, distributions}) {
        splitter->setChildrenCollapsible(false);
        splitter->setHandleWidth(8);
    }
    return m_vertical;
}

/// Figures are narrow, everything else wants room: each kind keeps the border where it was left.
void TensorPage::fitColumns(int tab)
{
    const bool wide = m_tabs->widget(tab) != m_figures;
    if (wide == m_isWide)
        return;
    const QByteArray left = m_lower->saveState();
    const int width = m_lower->width();
    if (m_otherColumns.isEmpty())
        m_lower->setSizes(wide ? QList{width * 2 / 5, width * 3 / 5} : QList{width * 2 / 3, width / 3});
    else
        m_lower->restoreState(m_otherColumns);
    m_otherColumns = left;
    m_isWide = wide;
    fitRows();
}

/// The same for the border below the heat map: a block's bytes should be seen without scrolling, and
/// two distributions above each other need room for their axes.
void TensorPage::fitRows()
{
    const bool low = m_isWide || !m_errors->isHidden();
    const QList<int> rows = m_vertical->sizes();
    const int height = rows.value(0) + rows.value(1);
    if (low == m_isLow || height == 0) // nothing to do, or not shown yet
        return;
    m_vertical->setSizes(!m_otherRows.isEmpty() ? m_otherRows
                         : low                  ? QList{height * 2 / 5, height * 3 / 5}
                                                : QList{height / 2, height / 2});
    m_otherRows = rows;
    m_isLow = low;
}

void TensorPage::await(const PageSubject &subject)
{
    m_awaited = subject;
    m_nameTimer.start();
    m_overlay->start(tr("Scanning %1").arg(subject.name()));
}

void TensorPage::nameAwaited()
{
    m_header->setTensor(m_awaited.tensor, m_awaited.expert);
    if (m_shown)
        return;
    m_placeholder->showEmpty(tr("Reading %1").arg(m_awaited.name()),
                             tr("Its pictures appear as soon as the first weights are read."));
    m_stack->setCurrentWidget(m_placeholder);
}

void TensorPage::showViews() { m_stack->setCurrentWidget(m_views); }

void TensorPage::showStats(const PageSubject &subject, const TensorStatsPtr &stats)
{
    const bool isEstimate = stats->sampledShare < 1.0;
    const bool isNew = subject.tensor != m_shown.tensor || subject.expert != m_shown.expert;
    m_nameTimer.stop();
    if (isNew)
        m_block->setBlock(nullptr);
    m_shown = subject;
    m_stats = stats;
    m_header->setTensor(subject.tensor, subject.expert);
    showViews();
    m_heatMap->setSubject(subject.name());
    m_heatMap->setHeatMap(stats->heatMap ? std::shared_ptr<const HeatMap>(stats, &*stats->heatMap) : nullptr);
    m_histogram->setSubject(subject.name());
    m_histogram->setStats(stats);
    if (isNew && m_isOtherStale)
        dropStaleOther();
    if (other().comparison) // which came first, where B has no figures to wait for
        showOther();
    else
        showFigures();
    if (isNew && stats->heatMap)
        m_values->setShape(stats->heatMap->tensorRows, stats->heatMap->tensorColumns, subject.name());
    m_values->setColorRange(stats->figures.percentiles.back());
    if (isEstimate)
        return; // the exact result is still awaited; the status line tells how far it is
    m_awaited = {};
    m_overlay->finish();
}

void TensorPage::setComparison(const TensorStatsPtr &stats, const PageSubject &subject)
{
    m_fileB.stats = stats;
    m_fileB.subject = subject;
    m_isOtherStale = false;
    showOther();
}

void TensorPage::awaitComparison()
{
    m_isOtherStale = true;
    showPair(nullptr);
}

/// Keeps B's panels where they are: the new figures are on their way.
void TensorPage::dropStaleOther()
{
    m_fileB.stats.reset();
    m_histogram->setComparison(other().stats);
    m_isOtherStale = false;
}

void TensorPage::setHeld(const PageSubject &held)
{
    m_held = {held, nullptr, nullptr};
    m_besideBar->setVisible(bool(held));
    if (held)
        m_besideBar->setHeld(held.name(), held.tensor->typeId);
    showOther();
}

void TensorPage::showHeld(const TensorStatsPtr &stats, const ComparisonPtr &comparison)
{
    m_held.stats = stats;
    m_held.comparison = comparison;
    if (comparison)
        m_besideBar->setNote(describe(*comparison));
    showOther();
}

void TensorPage::showPair(const ComparisonPtr &comparison)
{
    m_fileB.comparison = comparison;
    showOther();
}

void TensorPage::showOther()
{
    const auto &[subject, stats, comparison] = other();
    m_histogram->setComparison(stats);
    showFigures();
    const bool isPair = comparison && m_shown && subject;
    // Of equal bytes there is one picture, and no error: A's own says all.
    m_maps->setCurrentWidget(isPair && !comparison->identical ? static_cast<QWidget *>(m_pairMaps) : m_heatMap);
    m_errors->setSubject(m_shown.name());
    m_errors->setComparison(isPair ? comparison : nullptr);
    m_errors->setVisible(stats || isPair);
    fitRows();
    if (!isPair) {
        m_pairMaps->setComparison(nullptr);
        m_header->setFigures({});
        return;
    }
    m_pairMaps->setSubject(m_shown.name());
    m_pairMaps->setComparison(comparison, {m_shown.tensor->typeId, subject.tensor->typeId,
                                           m_shown.tensor->bitsPerWeight().value_or(0),
                                           subject.tensor->bitsPerWeight().value_or(0)});
    m_header->setFigures(m_held.subject ? QString() : describe(*comparison)); // what is held has its own line
}

void TensorPage::showFigures()
{
    const auto source = [](const TensorStatsPtr &stats, const PageSubject &subject) {
        return stats ? FiguresSource{stats, {}, subject.byteSize(), subject.tensor->bitsPerWeight()} : FiguresSource();
    };
    m_figures->setFigures(source(m_stats, m_shown), source(other().stats, other().subject));
}

void TensorPage::showHeatMap(const std::shared_ptr<const HeatMap> &map) { m_heatMap->setDetail(map); }

void TensorPage::showError(const PageSubject &subject, const QString &message, const QString &action)
{
    clear();
    m_header->setTensor(subject.tensor, subject.expert);
    m_placeholder->showError(tr("The weights can't be shown"), message, action);
}

void TensorPage::showStopped()
{
    m_nameTimer.stop();
    if (m_shown) {
        m_header->setTensor(m_shown.tensor, m_shown.expert);
        if (m_awaited)
            m_overlay->markStale(m_shown.name());
        else
            m_overlay->finish();
    } else {
        m_overlay->finish();
        m_stack->setCurrentWidget(m_placeholder);
        m_placeholder->showEmpty(tr("Scan cancelled"), tr("The scan of %1 was cancelled before anything was known.").arg(m_awaited.name()),
                                 tr("Scan again"));
    }
}

void TensorPage::clear()
{
    m_nameTimer.stop();
    m_overlay->finish();
    m_shown = {};
    m_awaited = {};
    m_stats.reset();
    m_fileB = {};
    m_isOtherStale = false;
    m_held.stats.reset();
    m_held.comparison.reset();
    showOther();
    m_header->setTensor(nullptr, {});
    m_heatMap->setHeatMap(nullptr);
    m_histogram->setStats(nullptr);
    m_figures->setFigures({});
    m_block->setBlock(nullptr);
    m_values->setShape(0, 0);
    m_placeholder->showEmpty(tr("No tensor selected"), tr("Select a tensor on the left to see its weights."));
    m_stack->setCurrentWidget(m_placeholder);
}

void TensorPage::setSelection(const Selection &selection)
{
    m_heatMap->setSelection(selection);
    m_pairMaps->setSelection(selection);
    m_histogram->setSelection(selection);
    m_experts->setSelection(selection);
    m_block->setSelection(selection);
    m_values->setSelection(selection);
    m_compare->setSelection(selection);
}

void TensorPage::setProgress(std::uint64_t done, std::uint64_t total) { m_overlay->setProgress(done, total); }

QByteArray TensorPage::saveState() const
{
    QByteArray state;
    QDataStream stream(&state, QIODevice::WriteOnly);
    stream << m_vertical->saveState() << m_lower->saveState() << m_otherColumns << m_tabs->currentIndex()
           << m_otherRows << m_isLow;
    return state;
}

void TensorPage::restoreState(const QByteArray &state)
{
    QByteArray vertical;
    QByteArray lower;
    int tab = 0;
    QDataStream stream(state);
    QByteArray other;
    QList<int> rows;
    bool isLow = false;
    stream >> vertical >> lower >> other >> tab >> rows >> isLow;
    if (stream.status() != QDataStream::Ok)
        return;
    m_tabs->setCurrentIndex(tab);
    m_vertical->restoreState(vertical);
    m_lower->restoreState(lower);
    m_otherColumns = other;
    m_otherRows = rows;
    m_isLow = isLow;
    fitRows();
}

} // namespace ql
