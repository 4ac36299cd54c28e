// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overviewgriddata.h"

#include <algorithm>
#include <map>
#include <set>

namespace ql {

namespace {

constexpr int FewRows = 14;
constexpr int TallRow = 22;
constexpr int LowRow = 18;
constexpr double OutsideCell = 16; ///< of models without layers

void put(LayerGridCell &cell, TensorIndex index, const TensorInfo &tensor)
{
    if (cell.count == 0) {
        cell.first = index;
        cell.typeId = tensor.typeId;
    } else if (cell.typeId != tensor.typeId) {
        cell.typeId = std::nullopt;
    }
    ++cell.count;
    cell.hasProblem |= !tensor.isDecodable();
}

/// Roles in the order they turn up, the most common ones only; and whether any are left out.
struct Roles {
    std::vector<std::string> names;
    bool areAll = true;
};

Roles commonRoles(const std::vector<TensorInfo> &tensors)
{
    std::map<std::string, std::uint32_t> counts;
    std::vector<std::string> order;
    for (const TensorInfo &tensor : tensors) {
        if (tensor.layer && counts[tensor.role]++ == 0)
            order.push_back(tensor.role);
    }
    if (order.size() <= LayerGridData::MostRoles)
        return {order, true};
    std::vector<std::string> byCount = order;
    std::stable_sort(byCount.begin(), byCount.end(), [&](const auto &a, const auto &b) {
        return counts[a] > counts[b];
    });
    const std::set<std::string> kept(byCount.begin(), byCount.begin() + LayerGridData::MostRoles);
    std::erase_if(order, [&](const std::string &role) { return !kept.contains(role); });
    return {order, false};
}

std::vector<std::uint32_t> layersOf(const std::vector<TensorInfo> &tensors)
{
    std::set<std::uint32_t> layers;
    for (const TensorInfo &tensor : tensors) {
        if (tensor.layer)
            layers.insert(*tensor.layer);
    }
    return {layers.begin(), layers.end()};
}

template <class T>
std::size_t cut(std::vector<T> &items, std::size_t most)
{
    const std::size_t more = items.size() > most ? items.size() - most : 0;
    items.resize(items.size() - more);
    return more;
}

} // namespace

LayerGridData LayerGridData::of(const ModelSummary &model)
{
    LayerGridData data;
    data.layers = layersOf(model.tensors);
    data.moreLayers = cut(data.layers, MostLayers);
    const Roles roles = commonRoles(model.tensors);
    data.roles = roles.names;
    if (!roles.areAll)
        data.roles.emplace_back();
    data.cells.resize(data.roles.size() * data.layers.size());

    std::map<std::string, std::size_t> rowOf;
    for (std::size_t row = 0; row < roles.names.size(); ++row)
        rowOf.emplace(roles.names[row], row);
    for (std::uint32_t i = 0; i < model.tensors.size(); ++i) {
        const TensorInfo &tensor = model.tensors[i];
        if (!tensor.layer) {
            put(data.outside.emplace_back(), TensorIndex{i}, tensor);
            continue;
        }
        const auto column = std::lower_bound(data.layers.begin(), data.layers.end(), *tensor.layer);
        if (column == data.layers.end())
            continue; // beyond MostLayers
        const auto found = rowOf.find(tensor.role);
        const std::size_t row = found == rowOf.end() ? roles.names.size() : found->second;
        put(data.cells[row * data.layers.size()
                       + static_cast<std::size_t>(column - data.layers.begin())],
            TensorIndex{i}, tensor);
    }
    data.moreOutside = cut(data.outside, MostOutside);
    return data;
}

LayerGridGeometry::LayerGridGeometry(const LayerGridData &data, int labelWidth, int width)
    : m_labelWidth(labelWidth), m_layerRows(static_cast<int>(data.roles.size()))
{
    const double room = std::max(MinCell, width - labelWidth);
    const int layers = static_cast<int>(data.layers.size());
    const int outside = static_cast<int>(data.outside.size());
    m_rowHeight = m_layerRows <= FewRows ? TallRow : LowRow;
    m_cellWidth = layers > 0 ? std::clamp(room / layers, double(MinCell), double(MaxCell))
                             : std::clamp(room / std::max(1, outside), double(OutsideCell), double(MaxCell));
    // Where layers leave room on the right, tensors outside them may stand there too.
    const int across = std::max(1, static_cast<int>(room / m_cellWidth + 1e-6));
    m_columns = std::max(layers, std::min(across, outside));
    m_outsideRows = m_columns > 0 ? (outside + m_columns - 1) / m_columns : 0;
}

QSize LayerGridGeometry::size() const
{
    return {m_labelWidth + static_cast<int>(m_columns * m_cellWidth),
            rowTop(rows()) + (m_outsideRows == 0 && m_layerRows > 0 ? AxisHeight : 0)};
}

int LayerGridGeometry::rowTop(int row) const
{
    // The axis of layers stands between their rows and the tensors outside.
    const int axis = row >= m_layerRows && m_layerRows > 0 && m_outsideRows > 0 ? AxisHeight + 4 : 0;
    return row * m_rowHeight + axis;
}

QRect LayerGridGeometry::cellRect(LayerGridSpot spot) const
{
    const int left = static_cast<int>(spot.column * m_cellWidth);
    const int right = static_cast<int>((spot.column + 1) * m_cellWidth);
    return {m_labelWidth + left, rowTop(spot.row), right - left, m_rowHeight};
}

QRect LayerGridGeometry::labelRect(int row) const
{
    return {0, rowTop(row), m_labelWidth - 8, m_rowHeight};
}

std::optional<LayerGridSpot> LayerGridGeometry::spotAt(QPoint point) const
{
    if (point.x() < m_labelWidth || point.y() < 0)
        return std::nullopt;
    const int column = static_cast<int>((point.x() - m_labelWidth + 1) / m_cellWidth);
    for (int row = 0; row < rows(); ++row) {
        for (const int near : {column, column - 1}) { // edges are rounded down
            const LayerGridSpot spot{row, near};
            if (near >= 0 && near < m_columns && cellRect(spot).contains(point))
                return spot;
        }
    }
    return std::nullopt;
}

std::size_t LayerGridGeometry::outsideIndex(LayerGridSpot spot) const
{
    return static_cast<std::size_t>(spot.row - m_layerRows) * static_cast<std::size_t>(m_columns)
           + static_cast<std::size_t>(spot.column);
}

const LayerGridCell *cellAt(const LayerGridData &data, const LayerGridGeometry &geometry,
                            LayerGridSpot spot)
{
    if (spot.row < 0 || spot.column < 0 || spot.column >= geometry.columns())
        return nullptr;
    if (spot.row >= geometry.layerRows()) {
        const std::size_t index = geometry.outsideIndex(spot);
        return index < data.outside.size() ? &data.outside[index] : nullptr;
    }
    if (static_cast<std::size_t>(spot.column) >= data.layers.size())
        return nullptr;
    const LayerGridCell &cell = data.cell(static_cast<std::size_t>(spot.row),
                                          static_cast<std::size_t>(spot.column));
    return cell.count > 0 ? &cell : nullptr;
}

} // namespace ql
