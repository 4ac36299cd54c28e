// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "widgets/models/comparetablemodel.h"

#include <QWidget>

class QLabel;

namespace ql {

class CellMap;
class ChoiceBox;
class PlotActions;

/// Errors of roles by layers, or of one role's layers by experts.
class CompareMapsView final : public QWidget
{
    Q_OBJECT
public:
    enum class Kind { Roles, Experts };

    explicit CompareMapsView(const CompareTableModel *model, QWidget *parent = nullptr);

    QWidget *tools() const { return m_tools; }
    CellMap *map() const { return m_map; }
    PlotActions *plotActions() const { return m_actions; }
    QString readout() const;
    QString csv() const;
    void setKind(Kind kind);
    Kind kind() const;
    void setRole(const QString &role);
    void setFigure(ErrorFigure figure);
    ErrorFigure figure() const;
    void setSelection(const Selection &selection);
    /// The table has changed; drawn at once if it can be seen, else once it is.
    void refresh();

signals:
    void cellActivated(const ql::Selection &selection);
    void reported(const QString &message);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void buildTools();
    void refreshRoles();
    void showMap(ErrorMap map);
    void showSelected();
    void point(int row, int column);
    QString cellText(std::size_t cell) const;
    Selection selectionOf(const ErrorMap::Target &target) const;

    const CompareTableModel *m_model;
    ErrorMap m_errors;
    Selection m_selection;
    bool m_dirty = true;
    QWidget *m_tools;
    ChoiceBox *m_kind;
    ChoiceBox *m_role;
    ChoiceBox *m_figure;
    CellMap *m_map;
    QLabel *m_readout;
    PlotActions *m_actions;
};

} // namespace ql
