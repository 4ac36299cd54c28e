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
class QPushButton;
class QStackedWidget;

namespace ql {

class Card;
class CellMap;
class ChoiceBox;
class ExpertGrid;
class StatePlaceholder;

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
    /// Norms of the router's rows of a layer, beside its experts.
    void setRouterNorms(std::optional<std::uint32_t> layer, std::vector<double> norms);
    /// The answer to matrixRequested().
    void setMatrix(const CosineMatrixPtr &matrix);
    /// Shows the group of the selected tensor and marks the selected expert. No signal.
    void setSelection(const Selection &selection);
    void setError(const QString &what);
    /// A scan of the whole model is running; its share done, or nothing when it is over.
    void setScanProgress(std::optional<double> share);

    bool canShow(const Selection &selection) const;
    void setPicture(Picture picture);
    Picture picture() const;
    void setFigure(ExpertFigure figure);
    ExpertFigure figure() const;

    ExpertGrid *grid() const { return m_grid; }
    CellMap *map() const { return m_map; }
    CellMap *matrix() const { return m_matrixView; }
    QString readout() const;
    /// The numbers behind the picture that is shown.
    QString csv() const;

signals:
    void expertSelected(const ql::ExpertRef &expert);
    /// The map wants figures of all tensors.
    void modelScanRequested();
    void scanCancelled();
    void matrixRequested(const ql::ExpertGroup &group);

private:
    enum class Order { Number, Descending, Ascending };

    void buildHeader();
    void buildBody();
    void connectViews();
    const ExpertGroup *shownGroup() const;
    ExpertTablePtr tableOf(const ExpertGroup &group) const;
    ExpertTablePtr shownTable() const;
    std::vector<std::size_t> orderOf(const ExpertTable &table) const;
    void showRole(const std::string &role);
    void refresh();
    void refreshGrid();
    void refreshMap();
    void refreshMatrix();
    void refreshOdd();
    void addOdd(const QString &text, const ExpertRef &expert);
    void showReadout(const QString &text);
    QString expertText(const ExpertTable &table, const ExpertSummary &expert) const;
    void pointMap(int row, int column);
    void pointMatrix(int row, int column);
    const ExpertSummary *mapExpert(int row, int column) const;

    std::vector<ExpertGroup> m_groups;
    std::vector<ExpertTablePtr> m_tables; ///< as m_groups; null where not scanned
    std::vector<std::pair<std::optional<std::uint32_t>, std::vector<double>>> m_norms;
    std::optional<std::size_t> m_shown; ///< of m_groups
    CosineMatrixPtr m_matrix;
    Selection m_selection;
    QString m_error;
    std::optional<double> m_scanShare;

    Card *m_card;
    ChoiceBox *m_picture;
    ChoiceBox *m_role;
    ChoiceBox *m_figure;
    ChoiceBox *m_order;
    QPushButton *m_scan;
    ExpertGrid *m_grid;
    CellMap *m_map;
    CellMap *m_matrixView;
    QStackedWidget *m_pictures;
    QListWidget *m_odd;
    QLabel *m_oddTitle;
    QLabel *m_readout;
    StatePlaceholder *m_state;
};

} // namespace ql
