// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/quant/blockfields.h"
#include "widgets/blocklinks.h"

#include <QRect>
#include <QString>

#include <vector>

namespace ql {

/// Cells of equal size in rows, by index.
struct CellGrid {
    QPoint origin;
    QSize cell;
    int columns = 1;
    int count = 0;

    QRect rectOf(int i) const
    {
        return {origin + QPoint(i % columns * cell.width(), i / columns * cell.height()), cell};
    }
    int rows() const { return (count + columns - 1) / columns; }
    QRect area() const
    {
        return {origin, QSize(columns * cell.width(), rows() * cell.height())};
    }
    /// The cell under a point, or -1.
    int cellAt(QPoint p) const;
};

/// Fields that share a name: "scale" stands for scale[0] … scale[7].
struct FieldGroup {
    QString name;
    std::string_view kind;
    std::vector<std::uint32_t> fields; ///< indices into BlockFields::fields
    int textLength = 1;                ///< of the longest short text
    QRect title;
    CellGrid cells;
};

std::vector<FieldGroup> groupFields(const BlockFields &fields);
/// A field's text for a small cell: the code alone, without what it stands for.
QString shortText(const BlockField &field);

/// Font measures that the geometry needs, so that it can be tested without a window.
struct BlockMetrics {
    int charWidth = 7;
    int lineHeight = 16;
    int weightLength = 9; ///< characters of the longest weight
};

/// Where everything of a block lies on its canvas, for a given width: the strip with the layout on
/// top, then bytes, fields and weights side by side, or one below the other where that is too wide.
class BlockGeometry
{
public:
    static constexpr int Gap = 24;
    static constexpr int BitWidth = 3;
    static constexpr int BitHeight = 4;

    BlockGeometry() = default;
    BlockGeometry(const BlockFields &fields, std::size_t byteCount, int width,
                  const BlockMetrics &metrics);

    QSize size() const { return m_size; }
    /// The least width that shows everything, stacked.
    int minimalWidth() const { return m_minimalWidth; }
    bool isStacked() const { return m_stacked; }
    BlockTarget targetAt(QPoint p) const;

    const std::vector<QRect> &parts() const { return m_parts; } ///< one a LayoutPart: all of it
    QRect partBits(std::size_t part) const;                     ///< the bit map below the name
    QRect partWhat(std::size_t part) const; ///< what the part is, below the bit map
    const CellGrid &bytes() const { return m_bytes; }
    const std::vector<FieldGroup> &groups() const { return m_groups; }
    const CellGrid &weights() const { return m_weights; }
    QPoint bytesTitle() const { return m_bytesTitle; }
    QPoint fieldsTitle() const { return m_fieldsTitle; }
    QPoint weightsTitle() const { return m_weightsTitle; }
    int offsetWidth() const { return m_offsetWidth; } ///< of the byte numbers left of the bytes
    int stripHeight() const { return m_stripBottom; } ///< what lies above it stays when scrolling
    int titleHeight() const { return m_metrics.lineHeight + 6; }

    QRect bitRect(std::uint32_t bit) const;
    QRect fieldRect(std::uint32_t field) const;
    QRect weightRect(std::uint32_t weight) const
    {
        return m_weights.rectOf(static_cast<int>(weight));
    }

private:
    struct Columns {
        int bytes = 8;
        int fields = 8;
        int weights = 4;
    };

    void placeParts(const BlockFields &fields, int width);
    void placeSideBySide(const Columns &columns);
    void placeStacked(int width);
    Columns widestThatFits(int width) const;
    int bytesWidth(int columns) const { return m_offsetWidth + columns * m_byteCell.width(); }
    int fieldsWidth(int columns) const;
    int weightsWidth(int columns) const { return columns * m_weightCell.width(); }
    int placeBytes(QPoint at, int columns);
    int placeFields(QPoint at, int columns, int width);
    int placeWeights(QPoint at, int columns);
    QSize fieldCell(const FieldGroup &group) const;

    BlockMetrics m_metrics;
    std::vector<QRect> m_parts;
    std::vector<FieldGroup> m_groups;
    CellGrid m_bytes;
    CellGrid m_weights;
    QSize m_byteCell;
    QSize m_weightCell;
    QPoint m_bytesTitle;
    QPoint m_fieldsTitle;
    QPoint m_weightsTitle;
    QSize m_size;
    int m_offsetWidth = 0;
    int m_stripBottom = 0;
    int m_minimalWidth = 0;
    bool m_stacked = false;
};

} // namespace ql
