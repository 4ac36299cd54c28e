// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/tensorstats.h"

#include <QAbstractTableModel>

#include <optional>

namespace ql {

/// What the figures of one side are made from. Keeps the result alive.
struct FiguresSource {
    TensorStatsPtr stats;
    std::optional<std::size_t> expert;
    std::optional<std::uint64_t> byteSize; ///< of the tensor or expert in its file
    std::optional<double> bitsPerWeight;

    /// Null without a result, or where the result has no such expert.
    const Figures *figures() const;
};

/// A row a figure, a column a side. Four digits to read, full precision under CopyRole.
class FiguresTable final : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Columns { Name, A, B };
    enum Roles { CopyRole = Qt::UserRole };

    explicit FiguresTable(QObject *parent = nullptr);

    /// B only where `b` has figures.
    void setSources(const FiguresSource &a, const FiguresSource &b);
    /// The row of a figure by its id ("min", "zero_share", "p99.9"), -1 for none.
    static int rowOf(const QString &id);

    int rowCount(const QModelIndex &parent = {}) const final;
    int columnCount(const QModelIndex &parent = {}) const final;
    QVariant data(const QModelIndex &index, int role) const final;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const final;

private:
    FiguresSource m_a;
    FiguresSource m_b;
};

} // namespace ql
