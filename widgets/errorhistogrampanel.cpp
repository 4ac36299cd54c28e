// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/errorhistogrampanel.h"

#include "widgets/card.h"
#include "widgets/choicebox.h"
#include "widgets/elidedlabel.h"
#include "widgets/formatting.h"
#include "widgets/plot/errorplot.h"
#include "widgets/plotactions.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <cmath>

namespace ql {

ErrorHistogramPanel::ErrorHistogramPanel(QWidget *parent)
    : QWidget(parent)
    , m_card(new Card(tr("Error"), this))
    , m_yScale(new ChoiceBox({}, m_card))
    , m_readout(new ElidedLabel(Qt::ElideRight, m_card))
    , m_plot(new ErrorPlot(m_card))
{
    setObjectName(QStringLiteral("errorHistogramPanel"));
    setAccessibleName(tr("Distribution of the error"));
    m_yScale->setObjectName(QStringLiteral("errorHistogramY"));
    m_yScale->setAccessibleName(tr("Vertical scale of the error's histogram"));
    m_yScale->addItem(tr("log y"), true);
    m_yScale->addItem(tr("linear y"), false);
    m_readout->setObjectName(QStringLiteral("errorHistogramReadout"));
    m_readout->setForegroundRole(QPalette::PlaceholderText);
    m_readout->setFont(Theme::fixedFont());
    m_readout->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_readout->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_plot->setObjectName(QStringLiteral("errorHistogramPlot"));
    m_card->header()->addWidget(m_yScale);
    m_card->header()->addWidget(m_readout, 1);
    m_card->body()->addWidget(m_plot, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_card);
    m_actions = new PlotActions(m_plot, {[this] { return m_plot->size(); },
                                         [this](QPainter &painter, const QSize &size) { m_plot->draw(painter, size); },
                                         [this] { return csv(); },
                                         [this] { return m_subject + QStringLiteral("-error-histogram"); }});
    connect(m_actions, &PlotActions::reported, this, &ErrorHistogramPanel::reported);
    connect(m_yScale, &QComboBox::currentIndexChanged, this,
            [this] { m_plot->setLogarithmicY(m_yScale->currentData().toBool()); });
    connect(m_plot, &ErrorPlot::binHovered, this, &ErrorHistogramPanel::showBin);
    connect(m_plot, &ErrorPlot::visibleRangeChanged, this, [this] { showBin({}); });
}

void ErrorHistogramPanel::setComparison(const ComparisonPtr &comparison)
{
    m_comparison = comparison;
    m_plot->setHistogram(hasHistogram() ? std::shared_ptr<const Histogram>(comparison, &*comparison->errorHistogram) : nullptr);
    showBin({});
}

/// Of the whole, and what lies outside of what is in view.
QString ErrorHistogramPanel::summary() const
{
    if (m_comparison && m_comparison->identical)
        return tr("the same bytes: no error");
    if (!hasHistogram())
        return m_comparison ? QString() : tr("comparing…");
    const ErrorSums &sums = m_comparison->sums;
    return tr("RMSE %1 · max %2").arg(formatNumber(sums.rmse()), formatNumber(sums.maxAbsError));
}

void ErrorHistogramPanel::showBin(const std::optional<std::size_t> &bin)
{
    const DrawnBins &bins = m_plot->bins();
    if (!bin || *bin >= bins.counts.size())
        return m_readout->setText(summary());
    m_readout->setText(tr("%1 … %2 · %3").arg(formatNumber(bins.edges[*bin]), formatNumber(bins.edges[*bin + 1]),
                                              formatWeightCount(static_cast<std::uint64_t>(std::llround(bins.counts[*bin])))));
}

QString ErrorHistogramPanel::readout() const { return m_readout->text(); }

/// All fine bins, not only those in view.
QString ErrorHistogramPanel::csv() const
{
    QString text = QStringLiteral("from,to,count\n");
    if (!hasHistogram() || !m_comparison->errorHistogram->lo)
        return text;
    const Histogram &histogram = *m_comparison->errorHistogram;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        const double from = *histogram.lo + histogram.binWidth() * static_cast<double>(i);
        text += exactNumber(from) + QLatin1Char(',') + exactNumber(from + histogram.binWidth()) + QLatin1Char(',')
            + QString::number(histogram.counts[i]) + QLatin1Char('\n');
    }
    return text;
}

} // namespace ql
