// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/comparison.h"

#include <QWidget>


namespace ql {

class Card;
class ChoiceBox;
class ElidedLabel;
class ErrorPlot;
class PlotActions;

/// How the errors of a pair are distributed: the histogram of a − b, below A's and B's.
class ErrorHistogramPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit ErrorHistogramPanel(QWidget *parent = nullptr);

    /// Null, or one without an error histogram: nothing to show.
    void setComparison(const ComparisonPtr &comparison);
    bool hasHistogram() const { return m_comparison && !m_comparison->identical && m_comparison->errorHistogram; }
    void setSubject(const QString &name) { m_subject = name; }

    ErrorPlot *plot() const { return m_plot; }
    PlotActions *plotActions() const { return m_actions; }
    /// Of the hovered bin, else the figures of the whole.
    QString readout() const;
    QString csv() const;

signals:
    void reported(const QString &message);

private:
    void showBin(const std::optional<std::size_t> &bin);
    QString summary() const;

    ComparisonPtr m_comparison;
    QString m_subject;
    Card *m_card;
    ChoiceBox *m_yScale;
    ElidedLabel *m_readout;
    ErrorPlot *m_plot;
    PlotActions *m_actions;
};

} // namespace ql
