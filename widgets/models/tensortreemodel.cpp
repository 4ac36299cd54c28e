// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tensortreemodel.h"

#include "widgets/models/tooltip.h"
#include "widgets/rolenote.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

// An index carries its node's number, doubled; experts carry their tensor's number and a one.
quintptr nodeId(std::uint32_t node) { return quintptr{node} << 1; }
quintptr slabId(std::uint32_t node) { return (quintptr{node} << 1) | 1; }
bool isSlab(const QModelIndex &index) { return index.isValid() && (index.internalId() & 1); }
std::uint32_t nodeOf(const QModelIndex &index)
{
    return index.isValid() ? static_cast<std::uint32_t>(index.internalId() >> 1) : 0;
}

QString translated(const char *text) { return QCoreApplication::translate("TensorColumns", text); }

QVariant sortValue(const SortKey &key)
{
    if (!key.known)
        return {};
    if (key.text.empty())
        return key.number;
    return QString::fromUtf8(key.text.data(), static_cast<qsizetype>(key.text.size()));
}

int alignmentOf(const TensorColumnSpec &column)
{
    const bool isRight = column.look == TensorColumnSpec::Look::Number
                         && column.column != TensorColumn::Shape;
    return static_cast<int>((isRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

} // namespace

TensorTreeModel::TensorTreeModel(QObject *parent) : QAbstractItemModel(parent) {}

void TensorTreeModel::setModel(ModelSummaryPtr model)
{
    beginResetModel();
    m_model = std::move(model);
    m_moments.clear();
    m_comparisons.clear();
    m_isComparing = false;
    m_largestError = 0;
    rebuild();
    endResetModel();
}

void TensorTreeModel::setShape(TensorTree::Shape shape)
{
    if (shape == m_shape)
        return;
    beginResetModel();
    m_shape = shape;
    rebuild();
    endResetModel();
}

void TensorTreeModel::rebuild()
{
    m_tree = m_model ? TensorTree(*m_model, m_shape) : TensorTree();
    m_hasProblems = m_model
                    && std::any_of(m_model->tensors.begin(), m_model->tensors.end(),
                                   [](const TensorInfo &t) { return !t.isDecodable(); });
}

void TensorTreeModel::setMoments(TensorIndex tensor, const Moments &whole,
                                 std::vector<Moments> experts)
{
    if (!m_model || tensor.value >= m_model->tensors.size())
        return;
    m_moments.resize(m_model->tensors.size());
    m_moments[tensor.value] = {whole, std::move(experts)};
    tellChanged(tensor, TensorColumn::Rms, TensorColumn::NonFinite);
}

void TensorTreeModel::clearMoments()
{
    beginResetModel();
    m_moments.clear();
    endResetModel();
}

void TensorTreeModel::beginComparison()
{
    beginResetModel();
    m_isComparing = m_model != nullptr;
    m_comparisons.assign(m_model ? m_model->tensors.size() : 0, std::nullopt);
    m_largestError = 0;
    endResetModel();
}

void TensorTreeModel::setComparison(TensorIndex tensor, TensorComparison comparison)
{
    if (tensor.value >= m_comparisons.size())
        return;
    const double error = comparison.relativeRmse.value_or(0.0);
    if (std::isfinite(error))
        m_largestError = std::max(m_largestError, error);
    m_comparisons[tensor.value] = std::move(comparison);
    tellChanged(tensor, TensorColumn::TypeB, TensorColumn::Error);
}

void TensorTreeModel::clearComparison()
{
    beginResetModel();
    m_isComparing = false;
    m_comparisons.clear();
    endResetModel();
}

void TensorTreeModel::tellChanged(TensorIndex tensor, TensorColumn first, TensorColumn last)
{
    const QModelIndex row = indexOf(tensor);
    emit dataChanged(row.siblingAtColumn(static_cast<int>(first)),
                     row.siblingAtColumn(static_cast<int>(last)));
    const int experts = rowCount(row);
    if (experts > 0)
        emit dataChanged(index(0, static_cast<int>(first), row),
                         index(experts - 1, static_cast<int>(last), row));
}

bool TensorTreeModel::isUseful(const TensorColumnSpec &column) const
{
    switch (column.when) {
    case TensorColumnSpec::When::Always:
    case TensorColumnSpec::When::Optional: return true;
    case TensorColumnSpec::When::Split: return m_model && m_model->shards.size() > 1;
    case TensorColumnSpec::When::Scanned: return hasMoments();
    case TensorColumnSpec::When::Compared: return m_isComparing;
    case TensorColumnSpec::When::Problems: return m_hasProblems;
    }
    return false;
}

QModelIndex TensorTreeModel::indexOf(TensorIndex tensor, std::optional<std::uint64_t> expert) const
{
    if (!m_model || tensor.value >= m_model->tensors.size())
        return {};
    const std::uint32_t id = m_tree.nodeOf(tensor);
    const TensorNode &node = m_tree.node(id);
    if (expert && *expert < node.slabs)
        return createIndex(static_cast<int>(*expert), 0, slabId(id));
    return createIndex(static_cast<int>(node.row), 0, nodeId(id));
}

Selection TensorTreeModel::selectionOf(const QModelIndex &index) const
{
    Selection selection;
    const TensorRow row = rowAt(index);
    if (!row.tensor)
        return selection;
    selection.tensor = row.node->tensor;
    if (row.slab)
        selection.expert = *row.slab;
    return selection;
}

TensorRow TensorTreeModel::rowAt(const QModelIndex &index) const
{
    TensorRow row;
    row.node = &m_tree.node(nodeOf(index));
    if (row.node->kind != TensorNode::Kind::Tensor || !m_model)
        return row;
    const TensorIndex tensor = row.node->tensor;
    row.tensor = &m_model->tensors[tensor.value];
    if (isSlab(index))
        row.slab = static_cast<std::uint32_t>(index.row());
    row.fullNames = m_shape == TensorTree::Shape::Flat;
    row.isOldExpert = m_tree.node(row.node->parent).kind == TensorNode::Kind::ExpertGroup;
    row.moments = momentsOf(tensor, row.slab);
    if (tensor.value < m_comparisons.size() && m_comparisons[tensor.value])
        row.comparison = &*m_comparisons[tensor.value];
    return row;
}

const Moments *TensorTreeModel::momentsOf(TensorIndex tensor,
                                          std::optional<std::uint32_t> slab) const
{
    if (tensor.value >= m_moments.size())
        return nullptr;
    const TensorMoments &moments = m_moments[tensor.value];
    if (slab)
        return *slab < moments.experts.size() ? &moments.experts[*slab] : nullptr;
    return moments.whole ? &*moments.whole : nullptr;
}

QModelIndex TensorTreeModel::index(int row, int column, const QModelIndex &parent) const
{
    if (row < 0 || column < 0 || column >= columnCount() || row >= rowCount(parent))
        return {};
    const std::uint32_t id = nodeOf(parent);
    const TensorNode &node = m_tree.node(id);
    if (node.kind == TensorNode::Kind::Tensor)
        return createIndex(row, column, slabId(id));
    return createIndex(row, column, nodeId(node.children[static_cast<std::size_t>(row)]));
}

QModelIndex TensorTreeModel::parent(const QModelIndex &child) const
{
    if (!child.isValid())
        return {};
    const std::uint32_t id = nodeOf(child);
    const std::uint32_t parentId = isSlab(child) ? id : m_tree.node(id).parent;
    if (parentId == 0)
        return {};
    return createIndex(static_cast<int>(m_tree.node(parentId).row), 0, nodeId(parentId));
}

int TensorTreeModel::rowCount(const QModelIndex &parent) const
{
    if (isSlab(parent) || parent.column() > 0)
        return 0;
    const TensorNode &node = m_tree.node(nodeOf(parent));
    return node.kind == TensorNode::Kind::Tensor ? static_cast<int>(node.slabs)
                                                 : static_cast<int>(node.children.size());
}

int TensorTreeModel::columnCount(const QModelIndex &) const
{
    return static_cast<int>(tensorColumns().size());
}

bool TensorTreeModel::hasChildren(const QModelIndex &parent) const
{
    return rowCount(parent) > 0;
}

QVariant TensorTreeModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const TensorColumnSpec &column = tensorColumns()[static_cast<std::size_t>(index.column())];
    if (role == Qt::TextAlignmentRole)
        return alignmentOf(column);
    const TensorRow row = rowAt(index);
    switch (role) {
    case Qt::DisplayRole: return column.text(row);
    case Qt::ToolTipRole: return toolTip(row, column);
    case SortRole: return sortValue(column.sortKey(row));
    case PlainRole: return column.plain(row);
    case MutedRole: return !row.tensor && column.column != TensorColumn::Name;
    case ProblemRole:
        return column.column == TensorColumn::Name && !row.slab
               && (row.tensor ? !row.tensor->isDecodable() : row.node->hasProblem);
    case BarRole: return column.look == TensorColumnSpec::Look::Bar ? barShare(row) : QVariant();
    case TypeIdRole: break;
    default: return {};
    }
    if (column.column == TensorColumn::Type)
        return typeIdOf(row) ? QVariant(*typeIdOf(row)) : QVariant();
    if (column.column == TensorColumn::TypeB && row.comparison && row.comparison->typeB)
        return *row.comparison->typeB;
    return {};
}

QVariant TensorTreeModel::toolTip(const TensorRow &row, const TensorColumnSpec &column) const
{
    if (!row.tensor)
        return row.node->hasProblem ? translated("Some of these weights can't be decoded.")
                                    : QVariant();
    if (!row.tensor->isDecodable())
        return plainToolTip(QString::fromStdString(
            column.column == TensorColumn::Name ? row.tensor->name + "\n" + row.tensor->problem
                                                : row.tensor->problem));
    const QString note = column.column == TensorColumn::Name ? roleNote(row.tensor->role) : QString();
    return plainToolTip(column.plain(row) + (note.isEmpty() ? note : QLatin1Char('\n') + note));
}

QVariant TensorTreeModel::barShare(const TensorRow &row) const
{
    const auto error = errorOf(row);
    if (!error || row.comparison->identical || m_largestError <= 0 || !std::isfinite(*error))
        return {};
    return std::clamp(*error / m_largestError, 0.0, 1.0);
}

QVariant TensorTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const TensorColumnSpec &column = tensorColumns()[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
        if (column.column == TensorColumn::Type && m_isComparing)
            return translated("A");
        return translated(column.title);
    case Qt::ToolTipRole: return translated(column.toolTip);
    case Qt::TextAlignmentRole: return alignmentOf(column);
    case PlainRole: return QString::fromLatin1(column.key);
    case Qt::InitialSortOrderRole: // the largest numbers, and the worst errors, are what is looked for
        return column.look == TensorColumnSpec::Look::Number || column.look == TensorColumnSpec::Look::Bar
                   ? Qt::DescendingOrder
                   : Qt::AscendingOrder;
    default: return {};
    }
}

} // namespace ql
