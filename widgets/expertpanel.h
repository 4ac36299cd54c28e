// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "core/stats/cosinematrix.h"
#include "core/stats/expertstats.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QListWidget;
class QPainter;
class QPushButton;
class QStackedWidget;

namespace ql {

class BusyOverlay;
class Card;
class CellMap;
class ChoiceBox;
class ExpertGrid;
class PlotActions;
class StatePlaceholder;
struct MapCell;

/// The Experts view: a small histogram an expert of the selected layer, a map of all layers, and how
/// alike the experts are. Tables come one by one, as tensors are scanned.
class ExpertPanel final : public QWidget
{
    Q_OBJECT
public:
    enum class Picture { Histograms, Map, Cosines };

    explicit ExpertPanel(QWidget *parent = nullptr);

    /// Another model: its groups, no tables yet.
    void setGroups(std::vector<ExpertGroup> groups);
    /// The table of one group, new or better. Groups that setGroups() did not name (any other 3-D
    /// tensor) are shown as well.
    void setTable(const ExpertTablePtr &table);
    /// The answer to tableRequested() in vain: why, or nothing where it was cancelled.
    void setTableEnded(const QString &why);
    /// The answer to matrixRequested(); dropped where another group has been chosen since.
    void setMatrix(const CosineMatrixPtr &matrix);
    /// Why there is no answer, or nothing where it was cancelled.
    void setMatrixEnded(const QString &why);
    /// Shows the group of the selected tensor and marks the selected expert. No signal.
    void setSelection(const Selection &selection);
    /// Marks the expert that is held as B, whatever it is compared with. No signal.
    void setHeld(const std::optional<Selection> &held);
    /// A scan of the whole model is running; its share done, or nothing when it is over.
    void setScanProgress(std::optional<double> share);

    bool canShow(const Selection &selection) const;
    void setPicture(Picture picture);
    Picture picture() const;
    void setFigure(ExpertFigure figure);
    ExpertFigure figure() const;

    ExpertGrid *grid() const { return m_grid; }
    CellMap *map() const { return m_map; }
    CellMap *routerMap() const { return m_routerMap; }
    CellMap *matrix() const { return m_matrixView; }
    /// Over the matrix while it is computed.
    /// Over the histograms while their experts are scanned.
    BusyOverlay *gridOverlay() const { return m_gridOverlay; }
    BusyOverlay *matrixOverlay() const { return m_matrixOverlay; }
    QString readout() const;
    /// The numbers behind the picture that is shown.
    QString csv() const;
    /// All figures of the experts of the grid, a line each.
    QString figuresCsv() const;
    /// Of the picture that is shown.
    PlotActions *plotActions() const;

signals:
    void expertSelected(const ql::ExpertRef &expert);
    /// The map wants figures of all tensors.
    void modelScanRequested();
    void scanCancelled();
    /// An expert is selected and no scan has told the others' figures.
    void tableRequested(const ql::ExpertGroup &group);
    void tableCancelled();
    void matrixRequested(const ql::ExpertGroup &group);
    void matrixCancelled();
    /// An expert to compare the selected one with; nothing for none.
    void besideRequested(const std::optional<ql::ExpertRef> &other);
    void reported(const QString &message);

protected:
    void showEvent(QShowEvent *event) override;

private:
    static constexpr int PictureTitle = 24; ///< above the tiles of a picture that is taken away
    enum class Order { Number, Descending, Ascending };

    void buildHeader();
    void buildChoices();
    void buildPictures();
    void buildBody();
    void buildActions();
    PlotActions *addActions(CellMap *map, const QString &name);
    void addFiguresAction();
    void addCopyAction();
    void connectChoices();
    void connectGrid();
    void connectMap(CellMap *map);
    void connectMatrix();
    void adoptGroup(const ExpertTable &table);
    void scanClicked();
    const ExpertGroup *shownGroup() const;
    ExpertTablePtr shownTable() const;
    std::vector<std::size_t> orderOf(const ExpertTable &table) const;
    void showGroup(std::size_t place);
    void showRole(const std::string &role);
    QString baseName(const QString &picture) const;
    void saveFigures();

    // Pictures, in expertpanelpictures.cpp
    void refresh();
    void refreshNow();
    bool isAboutNone() const;
    void showNone();
    void refreshState();
    void refreshFigures();
    void refreshBeside();
    void requestMissing();
    void refreshGrid();
    void refreshMap();
    void refreshMatrix();
    void refreshOdd();
    void listOdd(const ExpertTable &table);
    void listNearDuplicates(const ExpertGroup &group);
    void addOdd(const QString &text, const ExpertRef &expert);
    void showReadout(const QString &text);
    QString restingText(const ExpertTable &table) const;
    void pointMap(int row, int column);
    void pointMatrix(int row, int column);
    const ExpertSummary *mapExpert(int row, int column) const;
    ExpertTablePtr mapTable(int row) const;
    std::optional<std::uint64_t> numberOf(const std::optional<Selection> &selection) const;
    std::optional<MapCell> cellOf(const std::optional<Selection> &selection) const;
    void drawGrid(QPainter &painter, const QSize &size) const;

    std::vector<ExpertGroup> m_groups;
    std::vector<ExpertTablePtr> m_tables; ///< as m_groups; null where not scanned
    std::optional<std::size_t> m_shown; ///< of m_groups
    CosineMatrixPtr m_matrix;
    std::optional<std::size_t> m_tableAsked;  ///< the group that is being scanned, or could not be
    std::optional<std::size_t> m_matrixAsked; ///< the group whose matrix is being computed
    QString m_matrixProblem;
    Selection m_selection;
    std::optional<Selection> m_held;
    std::optional<double> m_scanShare;
    bool m_dirty = false; ///< changed while hidden

    Card *m_card;
    ChoiceBox *m_picture;
    ChoiceBox *m_role;
    ChoiceBox *m_figure;
    ChoiceBox *m_order;
    QPushButton *m_scan;
    ExpertGrid *m_grid;
    CellMap *m_map;
    CellMap *m_routerMap; ///< norms of the routers' rows, cell by cell beside the map
    CellMap *m_matrixView;
    BusyOverlay *m_gridOverlay;
    BusyOverlay *m_matrixOverlay;
    std::vector<PlotActions *> m_actions; ///< as Picture
    QStackedWidget *m_pictures;
    QListWidget *m_odd;
    QLabel *m_oddTitle;
    QLabel *m_readout;
    ChoiceBox *m_beside;
    StatePlaceholder *m_state;
};

} // namespace ql
