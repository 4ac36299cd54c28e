// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"

#include <QRect>
#include <QSize>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ql {

/// One cell: the tensors of one role in one layer.
struct LayerGridCell {
    TensorIndex first;
    std::uint32_t count = 0;             ///< 0: the layer has none
    std::optional<std::uint32_t> typeId; ///< if all share it
    bool hasProblem = false;
};

/// What the layer × role grid shows: a column a layer, a row a role, and below them the tensors
/// that are in no layer. A value.
struct LayerGridData {
    static constexpr std::size_t MostRoles = 20;
    static constexpr std::size_t MostLayers = 1024;
    static constexpr std::size_t MostOutside = 256;

    std::vector<std::uint32_t> layers;
    std::vector<std::string> roles;    ///< in the file's order; "" last: all that are less common
    std::vector<LayerGridCell> cells;  ///< roles × layers, a role's layers together
    std::vector<LayerGridCell> outside;
    std::size_t moreOutside = 0;       ///< beyond MostOutside
    std::size_t moreLayers = 0;        ///< beyond MostLayers

    static LayerGridData of(const ModelSummary &model);
    bool isEmpty() const { return layers.empty() && outside.empty(); }
    const LayerGridCell &cell(std::size_t role, std::size_t layer) const
    {
        return cells[role * layers.size() + layer];
    }
};

/// Where a cell is: row = roles.size() and on are the tensors outside layers.
struct LayerGridSpot {
    int row = 0;
    int column = 0;
    bool operator==(const LayerGridSpot &) const = default;
};

/// Pixels of a grid of a given width.
class LayerGridGeometry
{
public:
    static constexpr int AxisHeight = 20;
    static constexpr int MinCell = 3;
    static constexpr int MaxCell = 112;

    LayerGridGeometry() = default;
    LayerGridGeometry(const LayerGridData &data, int labelWidth, int width);

    double cellWidth() const { return m_cellWidth; }
    int rowHeight() const { return m_rowHeight; }
    int columns() const { return m_columns; }
    int rows() const { return m_layerRows + m_outsideRows; }
    int layerRows() const { return m_layerRows; }
    int outsideRows() const { return m_outsideRows; }
    int labelWidth() const { return m_labelWidth; }
    QSize size() const;
    QRect cellRect(LayerGridSpot spot) const;
    QRect labelRect(int row) const;
    /// The spot under a point, also where there is no tensor.
    std::optional<LayerGridSpot> spotAt(QPoint point) const;
    /// The place in LayerGridData::outside of a spot below the layers.
    std::size_t outsideIndex(LayerGridSpot spot) const;

private:
    int rowTop(int row) const;

    int m_labelWidth = 0;
    double m_cellWidth = MinCell; ///< a fraction of a pixel too, so that the width is used up
    int m_rowHeight = 18;
    int m_columns = 0;
    int m_layerRows = 0;
    int m_outsideRows = 0;
};

/// The tensors at a spot; nothing where there are none.
const LayerGridCell *cellAt(const LayerGridData &data, const LayerGridGeometry &geometry,
                            LayerGridSpot spot);

} // namespace ql
