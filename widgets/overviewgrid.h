// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/overviewgriddata.h"

#include <QWidget>

namespace ql {

/// Layers across, roles down, each cell in the colour of its tensor's type. Pointing reads a cell
/// off, a click or Enter goes to its tensor; arrow keys move.
class OverviewGrid final : public QWidget
{
    Q_OBJECT

public:
    explicit OverviewGrid(QWidget *parent = nullptr);

    void setModel(ModelSummaryPtr model);
    const LayerGridData &data() const { return m_data; }
    const LayerGridGeometry &geometryOfCells() const { return m_geometry; }

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void tensorActivated(ql::TensorIndex tensor);
    /// What is under the pointer, in words; empty: nothing.
    void readoutChanged(const QString &text);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    LayerGridGeometry geometryFor(int width) const;
    QString roleLabel(int row) const;
    QString readout(LayerGridSpot spot) const;
    void point(std::optional<LayerGridSpot> spot);
    void activate(LayerGridSpot spot);
    void paintCell(QPainter &painter, LayerGridSpot spot, const LayerGridCell &cell) const;
    void paintLabels(QPainter &painter) const;
    void paintAxis(QPainter &painter) const;

    ModelSummaryPtr m_model;
    LayerGridData m_data;
    LayerGridGeometry m_geometry;
    int m_labelWidth = 0;
    std::optional<LayerGridSpot> m_pointed;
};

} // namespace ql
