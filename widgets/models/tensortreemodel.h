// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "widgets/models/itemroles.h"
#include "widgets/models/tensorcolumns.h"

#include <QAbstractItemModel>

namespace ql {

/// The tensors of a model as a tree (layers, roles, experts) or as a flat table. GUI thread.
class TensorTreeModel final : public QAbstractItemModel
{
    Q_OBJECT

public:
    explicit TensorTreeModel(QObject *parent = nullptr);

    void setModel(ModelSummaryPtr model);
    const ModelSummaryPtr &model() const { return m_model; }
    void setShape(TensorTree::Shape shape);
    TensorTree::Shape shape() const { return m_shape; }
    const TensorTree &tree() const { return m_tree; }

    /// Figures of a whole-model scan as they come; experts may be empty.
    void setMoments(TensorIndex tensor, const Moments &whole, std::vector<Moments> experts);
    void clearMoments();
    bool hasMoments() const { return !m_moments.empty(); }
    /// Between beginning and clearing a comparison the columns of B are there.
    void beginComparison();
    void setComparison(TensorIndex tensor, TensorComparison comparison);
    void clearComparison();
    bool isComparing() const { return m_isComparing; }

    /// Whether a column has something to say for this model.
    bool isUseful(const TensorColumnSpec &column) const;

    /// The row of a tensor, or of its expert where it shows one; invalid if there is none.
    QModelIndex indexOf(TensorIndex tensor, std::optional<std::uint64_t> expert = {}) const;
    /// The tensor (and expert) of a row; nothing for groups.
    Selection selectionOf(const QModelIndex &index) const;
    TensorRow rowAt(const QModelIndex &index) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &child) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    bool hasChildren(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct TensorMoments {
        std::optional<Moments> whole;
        std::vector<Moments> experts;
    };

    void rebuild();
    void tellChanged(TensorIndex tensor, TensorColumn first, TensorColumn last);
    const Moments *momentsOf(TensorIndex tensor, std::optional<std::uint32_t> slab) const;
    QVariant toolTip(const TensorRow &row, const TensorColumnSpec &column) const;
    QVariant barShare(const TensorRow &row) const;

    ModelSummaryPtr m_model;
    TensorTree m_tree;
    TensorTree::Shape m_shape = TensorTree::Shape::Tree;
    std::vector<TensorMoments> m_moments;           ///< by tensor, or empty
    std::vector<std::optional<TensorComparison>> m_comparisons;
    bool m_isComparing = false;
    bool m_hasProblems = false;
    double m_largestError = 0;
};

} // namespace ql
