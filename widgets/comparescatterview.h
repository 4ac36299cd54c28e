// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "widgets/models/comparetablemodel.h"

#include <QWidget>

class QLabel;

namespace ql {

class ChoiceBox;
class PlotActions;
class ScatterPlot;

/// What the bits bought: each pair a point, bits per weight against error, in the colour of B's type.
class CompareScatterView final : public QWidget
{
    Q_OBJECT
public:
    enum class Bits { OfB, Delta };

    explicit CompareScatterView(const CompareTableModel *model, QWidget *parent = nullptr);

    QWidget *tools() const { return m_tools; }
    ScatterPlot *plot() const { return m_plot; }
    PlotActions *plotActions() const { return m_actions; }
    QString readout() const;
    QString csv() const;
    void setBits(Bits bits);
    void setFigure(ErrorFigure figure);
    void setLogarithmic(bool logarithmic);
    void setSelection(const Selection &selection);
    /// The table has changed; drawn at once if it can be seen, else once it is.
    void refresh();

signals:
    void pointActivated(const ql::Selection &selection);
    void reported(const QString &message);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void buildTools();
    void buildActions();
    void hover(std::optional<std::size_t> row);
    QString pointText(std::size_t row) const;
    std::optional<double> bitsOf(const ComparisonRow &row) const;
    ErrorFigure figure() const;

    const CompareTableModel *m_model;
    Selection m_selection;
    bool m_dirty = true;
    QWidget *m_tools;
    ChoiceBox *m_bits;
    ChoiceBox *m_figure;
    ChoiceBox *m_scale;
    ScatterPlot *m_plot;
    QLabel *m_readout;
    PlotActions *m_actions = nullptr;
};

} // namespace ql
