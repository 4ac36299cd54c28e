// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "core/stats/tensorstats.h"

#include <QImage>
#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace ql {

class Card;
class ChoiceBox;
class HistogramPlot;
class PlotActions;
class StatePlaceholder;

/// The distribution of the selected tensor or expert, and of B's over it.
class HistogramPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit HistogramPanel(QWidget *parent = nullptr);

    /// A's result (estimate or exact) and which expert of it; null for nothing.
    void setStats(const TensorStatsPtr &stats, std::optional<std::size_t> expert = {});
    /// B's, drawn over A; null for none.
    void setComparison(const TensorStatsPtr &stats, std::optional<std::size_t> expert = {});
    /// Another tensor or expert starts with its own axes; the same one only sharpens.
    void setSelection(const Selection &selection);
    static bool canShow(const Selection &selection) { return selection.tensor.has_value(); }
    void setError(const QString &title, const QString &detail);
    void setSubject(const QString &name) { m_subject = name; }

    HistogramPlot *plot() const { return m_plot; }
    Card *card() const { return m_card; }
    PlotActions *plotActions() const { return m_actions; }
    QString readout() const; ///< of the hovered bin or the brushed range
    QString notes() const;   ///< what lies outside, NaN and Inf
    QString countText() const;

    QImage picture() const;
    QString csv() const;

signals:
    /// In weights, with exactly how many of A's lie in it; count 0 and equal ends once cleared.
    void rangeBrushed(double lo, double hi, quint64 count);
    void reported(const QString &message);

protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void buildHeader();
    void buildBody();
    void addBrushAction();
    void connectPlot();
    bool hasWeights() const;
    void refresh();
    void fitHeader();
    void refreshNotes();
    void setReadout(const QString &text);
    void showBin(const std::optional<std::size_t> &bin);
    QString brushText() const;
    QString outsideText() const;
    QString nonFiniteText() const;

    TensorStatsPtr m_stats;
    TensorStatsPtr m_other;
    std::optional<std::size_t> m_expert;
    std::optional<std::size_t> m_otherExpert;
    Selection m_selection;
    bool m_sameSubject = false;
    bool m_dirty = false;
    bool m_keepsRange = false;
    QString m_subject;
    Card *m_card;
    ChoiceBox *m_yScale;
    ChoiceBox *m_xScale;
    ChoiceBox *m_marks;
    QPushButton *m_fullRange;
    QLabel *m_count;
    QLabel *m_readout;
    QLabel *m_notes;
    HistogramPlot *m_plot;
    StatePlaceholder *m_placeholder;
    QStackedWidget *m_stack;
    PlotActions *m_actions = nullptr;
};

} // namespace ql
