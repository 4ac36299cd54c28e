// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "widgets/models/itemroles.h"

#include <QAbstractTableModel>
#include <QString>

#include <optional>
#include <vector>

namespace ql {

/// One line of "bytes by …".
struct GroupTotal {
    QString label;
    std::optional<std::uint32_t> typeId; ///< by type: shown as a chip
    std::uint64_t tensors = 0;
    std::uint64_t parameters = 0; ///< of the sized ones
    std::uint64_t bytes = 0;
    bool isSized = true; ///< false: no one knows how large any of them is
};

std::vector<GroupTotal> totalsByType(const ModelSummary &model);
/// The roles with the most bytes, then one line "others".
std::vector<GroupTotal> totalsByRole(const ModelSummary &model, std::size_t most);

/// Totals a group, most bytes first. GUI thread.
class TotalsModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Columns { LabelColumn, TensorsColumn, WeightsColumn, BytesColumn, ShareColumn, ColumnCount };

    /// `title` and `key` of the first column: for people and for files.
    TotalsModel(const QString &title, const QString &key, QObject *parent = nullptr);

    void setTotals(std::vector<GroupTotal> totals);
    const std::vector<GroupTotal> &totals() const { return m_totals; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    double shareOf(const GroupTotal &total) const;
    QVariant textOf(const GroupTotal &total, int column) const;
    QVariant plainOf(const GroupTotal &total, int column) const;
    QVariant sortKeyOf(const GroupTotal &total, int column) const;

    QString m_title;
    QString m_key;
    std::vector<GroupTotal> m_totals;
    double m_bytes = 0;
};

} // namespace ql
