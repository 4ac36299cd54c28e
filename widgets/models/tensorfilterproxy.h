// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/tensortreemodel.h"
#include "widgets/models/textmatcher.h"

#include <QSortFilterProxyModel>

#include <set>

namespace ql {

/// Which tensors are shown (name, type, layer) and in what order. A group is shown while it has
/// something to show; experts go with their tensor.
class TensorFilterProxy final : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    /// Stands for the tensors that are in no layer.
    static constexpr std::int64_t NoLayer = -1;

    explicit TensorFilterProxy(QObject *parent = nullptr);

    void setTensorModel(TensorTreeModel *model);
    void setText(const TextMatcher &text);
    void setTypes(std::set<std::uint32_t> types);   ///< empty: all
    void setLayers(std::set<std::int64_t> layers);  ///< empty: all
    const TextMatcher &text() const { return m_text; }
    const std::set<std::uint32_t> &types() const { return m_types; }
    const std::set<std::int64_t> &layers() const { return m_layers; }
    bool isFiltering() const;

    /// The tensors that pass, in the file's order.
    std::vector<TensorIndex> shownTensors() const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    void refilter();
    void computeMask() const;
    bool accepts(const TensorInfo &tensor) const;

    TensorTreeModel *m_tensors = nullptr;
    TextMatcher m_text;
    std::set<std::uint32_t> m_types;
    std::set<std::int64_t> m_layers;
    mutable std::vector<char> m_shownNodes; ///< by node; worked out once a change, not once a row
    mutable bool m_isMaskValid = false;
};

} // namespace ql
