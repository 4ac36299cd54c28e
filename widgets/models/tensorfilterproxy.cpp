// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tensorfilterproxy.h"

namespace ql {

TensorFilterProxy::TensorFilterProxy(QObject *parent) : QSortFilterProxyModel(parent)
{
    setDynamicSortFilter(true);
}

void TensorFilterProxy::setTensorModel(TensorTreeModel *model)
{
    m_tensors = model;
    m_isMaskValid = false;
    connect(model, &QAbstractItemModel::modelAboutToBeReset, this,
            [this] { m_isMaskValid = false; });
    setSourceModel(model);
}

void TensorFilterProxy::setText(const TextMatcher &text)
{
    m_text = text;
    refilter();
}

void TensorFilterProxy::setTypes(std::set<std::uint32_t> types)
{
    m_types = std::move(types);
    refilter();
}

void TensorFilterProxy::setLayers(std::set<std::int64_t> layers)
{
    m_layers = std::move(layers);
    refilter();
}

bool TensorFilterProxy::isFiltering() const
{
    return !m_text.isEmpty() || !m_types.empty() || !m_layers.empty();
}

void TensorFilterProxy::refilter()
{
    m_isMaskValid = false;
    invalidateFilter();
}

std::vector<TensorIndex> TensorFilterProxy::shownTensors() const
{
    std::vector<TensorIndex> shown;
    if (!m_tensors || !m_tensors->model())
        return shown;
    if (!m_isMaskValid)
        computeMask();
    const auto count = static_cast<std::uint32_t>(m_tensors->model()->tensors.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        if (m_shownNodes[m_tensors->tree().nodeOf(TensorIndex{i})])
            shown.push_back(TensorIndex{i});
    }
    return shown;
}

void TensorFilterProxy::computeMask() const
{
    const TensorTree &tree = m_tensors->tree();
    m_shownNodes.assign(tree.size(), 0);
    m_isMaskValid = true;
    if (!m_tensors->model())
        return;
    const auto &tensors = m_tensors->model()->tensors;
    for (std::uint32_t i = 0; i < tensors.size(); ++i) {
        if (!accepts(tensors[i]))
            continue;
        for (std::uint32_t id = tree.nodeOf(TensorIndex{i}); id != 0 && !m_shownNodes[id];
             id = tree.node(id).parent)
            m_shownNodes[id] = 1;
    }
}

bool TensorFilterProxy::accepts(const TensorInfo &tensor) const
{
    if (!m_types.empty() && !m_types.contains(tensor.typeId))
        return false;
    const std::int64_t layer = tensor.layer ? std::int64_t{*tensor.layer} : NoLayer;
    if (!m_layers.empty() && !m_layers.contains(layer))
        return false;
    return m_text.isEmpty() || m_text.matches(QString::fromStdString(tensor.name));
}

bool TensorFilterProxy::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    if (!m_tensors)
        return false;
    const TensorRow above = m_tensors->rowAt(parent);
    if (above.tensor)
        return true; // an expert: its tensor has passed
    if (!m_isMaskValid)
        computeMask();
    return m_shownNodes[above.node->children[static_cast<std::size_t>(row)]] != 0;
}

bool TensorFilterProxy::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const auto &column = tensorColumns()[static_cast<std::size_t>(left.column())];
    const SortKey a = column.sortKey(m_tensors->rowAt(left));
    const SortKey b = column.sortKey(m_tensors->rowAt(right));
    if (a.known != b.known) // the unknown last, whichever way
        return a.known == (sortOrder() == Qt::AscendingOrder);
    return a.known && compareKeys(a, b) < 0;
}

} // namespace ql
