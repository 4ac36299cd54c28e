// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "widgets/models/itemroles.h"

#include <QAbstractTableModel>

#include <optional>

namespace ql {

/// The tensor a finding is about, if it names one.
std::optional<TensorIndex> tensorOf(const ModelSummary &model, const Warning &warning);
/// "Error", "Warning", "Note".
QString severityText(Severity severity);

/// Findings about a file, the gravest first. GUI thread.
class WarningsModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Columns { SeverityColumn, MessageColumn, FieldColumn, OffsetColumn, ColumnCount };

    explicit WarningsModel(QObject *parent = nullptr);

    void setModel(ModelSummaryPtr model);
    int count(Severity severity) const;
    std::optional<TensorIndex> tensorAt(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Warning &warningAt(int row) const { return m_model->warnings[m_order[std::size_t(row)]]; }

    ModelSummaryPtr m_model;
    std::vector<std::size_t> m_order;
};

} // namespace ql
