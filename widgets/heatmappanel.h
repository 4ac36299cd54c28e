// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "core/stats/heatmap.h"
#include "widgets/heatmapgeometry.h"

#include <QImage>
#include <QWidget>

class QLabel;
class QStackedWidget;

namespace ql {

class Card;
class ChoiceBox;
class HeatMapColorBar;
class HeatMapView;
class PlotActions;
class StatePlaceholder;

/// The heat map of the selected tensor or expert, with its measure, colour bar and readout.
class HeatMapPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit HeatMapPanel(QWidget *parent = nullptr);

    /// A map of the whole tensor (estimate or exact), or null. A map of a part goes to setDetail().
    void setHeatMap(const HeatMapPtr &map);
    /// The answer to windowRequested().
    void setDetail(const HeatMapPtr &map);
    /// Marks the selected weight; another tensor is shown whole again.
    void setSelection(const Selection &selection);
    static bool canShow(const Selection &selection) { return selection.tensor.has_value(); }
    /// Instead of a map: what went wrong and where.
    void setError(const QString &title, const QString &detail);
    /// Of files offered, e.g. the tensor's name.
    void setSubject(const QString &name) { m_subject = name; }

    Measure measure() const;
    Pooling pooling() const;
    QString readout() const;
    HeatMapView *view() const { return m_view; }
    Card *card() const { return m_card; }
    PlotActions *plotActions() const { return m_actions; }

    QImage picture() const;
    QString csv() const;

public slots:
    void setMeasure(ql::Measure measure);
    void setPooling(ql::Pooling pooling);

signals:
    /// Clicked, in weights of the tensor or expert.
    void cellSelected(quint64 row, quint64 column);
    void windowRequested(const ql::HeatMapWindow &window);
    void reported(const QString &message);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void buildHeader();
    void buildBody();
    void addActions();
    void connectView();
    bool hasCells() const { return m_map && m_map->tensorRows > 0 && m_map->tensorColumns > 0; }
    void refresh();
    void refreshChoices();
    void refreshNotes();
    void refreshReadout();
    void applyScale();
    void drawPicture(QPainter &painter, const QSize &size) const;

    HeatMapPtr m_map;
    HeatMapPtr m_detail;
    HeatMapPtr m_estimate; ///< what the exact map replaced: the colours show no less than it did
    Selection m_selection;
    QString m_subject;
    bool m_dirty = false;
    Card *m_card;
    ChoiceBox *m_measure;
    ChoiceBox *m_pooling;
    QLabel *m_hint;
    QLabel *m_readout;
    QLabel *m_legend;
    HeatMapView *m_view;
    HeatMapColorBar *m_bar;
    StatePlaceholder *m_placeholder;
    QStackedWidget *m_stack;
    PlotActions *m_actions = nullptr;
};

} // namespace ql
