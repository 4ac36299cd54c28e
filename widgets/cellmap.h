// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QImage>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <optional>
#include <vector>

namespace ql {

/// A grid of numbers with a colour each and names for rows and columns. NaN: not known.
struct CellMapData {
    int rows = 0;
    int columns = 0;
    std::vector<double> values; ///< row-major
    std::vector<std::uint64_t> rowNumbers;
    std::vector<std::uint64_t> columnNumbers;
    QStringList rowNames; ///< in place of numbers, where there are any
    QStringList columnNames;
    QString rowTitle;    ///< "layer"
    QString columnTitle; ///< "expert"
    QString title;       ///< what the colours are of: "RMS"
    QString emptyText;   ///< what to do while there are no cells
    ColorMap colors = ColorMap::Magnitude;
    double lo = 0; ///< the value of the table's first colour
    double hi = 1; ///< of its last
    std::vector<bool> marked; ///< odd ones: a dot in the cell; empty: none

    double value(int row, int column) const
    {
        return values[static_cast<std::size_t>(row * columns + column)];
    }
    QString rowName(int row) const
    {
        return rowNames.isEmpty() ? QString::number(rowNumbers[static_cast<std::size_t>(row)]) : rowNames[row];
    }
    QString columnName(int column) const
    {
        return columnNames.isEmpty() ? QString::number(columnNumbers[static_cast<std::size_t>(column)])
                                     : columnNames[column];
    }
};

struct MapCell {
    int row = 0;
    int column = 0;
    bool operator==(const MapCell &) const = default;
};

/// Where cells lie: all of them always fit, however small.
struct CellMapGeometry {
    int rows = 0;
    int columns = 0;
    QRectF area;

    static CellMapGeometry fit(const CellMapData &data, const QSize &size, int labelWidth,
                               int labelHeight);
    double cellWidth() const { return columns ? area.width() / columns : 0; }
    double cellHeight() const { return rows ? area.height() / rows : 0; }
    QRectF rectOf(const MapCell &place) const;
    std::optional<MapCell> cellAt(QPointF p) const;
};

class CellMap final : public QWidget
{
    Q_OBJECT
public:
    explicit CellMap(QWidget *parent = nullptr);

    void setData(CellMapData data);
    const CellMapData &data() const { return m_data; }
    void setSelected(std::optional<MapCell> place);
    std::optional<MapCell> selected() const { return m_selected; }
    /// A second cell, marked in B's colour.
    void setHeld(std::optional<MapCell> place);
    std::optional<MapCell> held() const { return m_held; }
    CellMapGeometry geometryOfCells() const { return geometryIn(size()); }
    void draw(QPainter &painter, const QSize &size) const;

    QSize minimumSizeHint() const override { return {160, 90}; }

signals:
    /// Row and column under the pointer, or -1, -1.
    void cellPointed(int row, int column);
    void cellActivated(int row, int column);
    /// Clicked with Ctrl held down.
    void cellHeld(int row, int column);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void refreshImage();
    void paintLabels(QPainter &painter, const Theme &theme, const CellMapGeometry &cells, int titleEnd) const;
    void paintLines(QPainter &painter, const Theme &theme, const CellMapGeometry &cells) const;
    /// Returns where it begins.
    int paintLegend(QPainter &painter, const Theme &theme, int width) const;
    void paintMarks(QPainter &painter, const Theme &theme, const CellMapGeometry &cells) const;
    void point(std::optional<MapCell> place);
    QSize labelSize(int width) const;
    /// The name of the colours stands above the legend where it does not fit beside it.
    int titleHeight(int width) const;
    CellMapGeometry geometryIn(const QSize &size) const;

    CellMapData m_data;
    QImage m_image; ///< a pixel a cell
    std::optional<MapCell> m_pointed;
    std::optional<MapCell> m_selected;
    std::optional<MapCell> m_held;
};

} // namespace ql
