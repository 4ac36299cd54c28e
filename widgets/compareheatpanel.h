// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "core/stats/comparison.h"
#include "widgets/compareheattext.h"
#include "widgets/heatmapgeometry.h"

#include <QImage>
#include <QWidget>

#include <array>

class QLabel;
class QPainter;
class QStackedWidget;

namespace ql {

class Card;
class ChoiceBox;
class CompareHeatMap;
class HeatMapView;
class PlotActions;
class StatePlaceholder;

/// A, B and their error as heat maps in step: one zoom, one pan, one hovered and one selected weight.
/// While B is held (or blinking is set) B is shown in A's place.
class CompareHeatPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit CompareHeatPanel(QWidget *parent = nullptr);

    /// Null for nothing. Keeps what is in view if the shape is the same.
    void setComparison(const ComparisonPtr &comparison, const CompareTitles &titles = {});
    /// The answer to windowRequested(): finer maps of a part, drawn over the whole; null for none.
    void setDetail(const PairMapsPtr &maps);
    /// Marks the selected weight, in rows and weights of the pair compared; another tensor is shown
    /// whole again.
    void setSelection(const Selection &selection);
    /// Instead of maps: what went wrong and where.
    void setError(const QString &title, const QString &detail);
    /// Instead of maps: what is being done about it.
    void setEmpty(const QString &title, const QString &detail);
    /// Of files offered, e.g. the tensor's name.
    void setSubject(const QString &name) { m_subject = name; }

    Measure measure() const;
    Pooling pooling() const;
    /// A and B by the same colours; the error always has its own.
    bool hasCommonScale() const;
    bool isBlinking() const { return m_blinking; }
    QString readout() const;
    CompareHeatMap *mapA() const { return m_maps[0]; }
    CompareHeatMap *mapB() const { return m_maps[1]; }
    CompareHeatMap *mapError() const { return m_maps[2]; }
    Card *card() const { return m_card; }
    PlotActions *plotActions() const { return m_actions; }

    QImage picture() const;
    QString csv() const;

public slots:
    void setMeasure(ql::Measure measure);
    void setPooling(ql::Pooling pooling);
    void setCommonScale(bool common);
    /// B in A's place. Ends by itself when the key B is let go or the window loses the focus.
    void setBlinking(bool blinking);

signals:
    /// Clicked or reached by keys, in rows and weights of the pair compared.
    void cellSelected(quint64 row, quint64 column);
    /// What is seen deserves finer cells than there are.
    void windowRequested(const ql::HeatMapWindow &window);
    void blinkingChanged(bool blinking);
    void reported(const QString &message);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void buildHeader();
    void buildBody();
    void buildActions();
    void connectMaps();
    HeatMapView *viewAt(std::size_t index) const;
    bool hasMaps() const;
    /// Does `what` to every view without any of them answering.
    template <class What> void onAllViews(const What &what);

    void refresh();
    void refreshState();
    void refreshChoices();
    void refreshMaps();
    void showDetail();
    void refreshTitles();
    void refreshScales();
    void refreshReadout();
    void refreshHint();
    void drawPicture(QPainter &painter, const QSize &size) const;

    ComparisonPtr m_comparison;
    PairMapsPtr m_detail;
    CompareTitles m_titles;
    Selection m_selection;
    QString m_subject;
    bool m_blinking = false;
    bool m_sharing = false; ///< a change is being passed on: not to be passed back
    bool m_dirty = false;
    Card *m_card;
    ChoiceBox *m_measure;
    ChoiceBox *m_pooling;
    ChoiceBox *m_scales;
    QLabel *m_hint;
    QLabel *m_readout;
    QWidget *m_page;
    std::array<CompareHeatMap *, 3> m_maps{}; ///< A, B, error
    StatePlaceholder *m_placeholder;
    QStackedWidget *m_stack;
    PlotActions *m_actions = nullptr;
};

} // namespace ql
