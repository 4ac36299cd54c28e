// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overviewgrid.h"

#include "widgets/chip.h"
#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <array>

namespace ql {

namespace {

constexpr int MostLabelWidth = 168;
constexpr int LeastCellForText = 44;
constexpr int LeastCellForGap = 5;

QFont labelFont() { return Theme::fixedFont(11); }

/// Layers between two numbers of the axis, so that these don't touch.
int axisStep(double cellWidth, int labelWidth)
{
    for (const int step : std::array{1, 2, 5, 10, 20, 50, 100, 200, 500}) {
        if (step * cellWidth >= labelWidth)
            return step;
    }
    return 1000;
}

} // namespace

OverviewGrid::OverviewGrid(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("overviewGrid"));
    setAccessibleName(tr("Types of tensors by layer and role"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void OverviewGrid::setModel(ModelSummaryPtr model)
{
    m_model = std::move(model);
    m_data = m_model ? LayerGridData::of(*m_model) : LayerGridData();
    const QFontMetrics metrics(labelFont());
    m_labelWidth = 0;
    for (int row = 0; row <= static_cast<int>(m_data.roles.size()); ++row)
        m_labelWidth = std::max(m_labelWidth, metrics.horizontalAdvance(roleLabel(row)));
    m_labelWidth = std::min(m_labelWidth, MostLabelWidth) + 12;
    m_geometry = geometryFor(width());
    point(std::nullopt);
    updateGeometry();
    update();
}

LayerGridGeometry OverviewGrid::geometryFor(int width) const
{
    return m_data.isEmpty() ? LayerGridGeometry() : LayerGridGeometry(m_data, m_labelWidth, width);
}

int OverviewGrid::heightForWidth(int width) const { return geometryFor(width).size().height(); }

QSize OverviewGrid::sizeHint() const
{
    return {480, heightForWidth(480)};
}

QSize OverviewGrid::minimumSizeHint() const
{
    const int columns = static_cast<int>(m_data.layers.size());
    return {m_labelWidth + columns * LayerGridGeometry::MinCell, m_geometry.size().height()};
}

void OverviewGrid::resizeEvent(QResizeEvent *)
{
    m_geometry = geometryFor(width());
}

QString OverviewGrid::roleLabel(int row) const
{
    if (row >= static_cast<int>(m_data.roles.size()))
        return m_data.outside.empty() ? QString() : tr("outside layers");
    const std::string &role = m_data.roles[static_cast<std::size_t>(row)];
    return role.empty() ? tr("others") : QString::fromStdString(role);
}

QString OverviewGrid::readout(LayerGridSpot spot) const
{
    const LayerGridCell *cell = cellAt(m_data, m_geometry, spot);
    if (!cell)
        return {};
    const TensorInfo &tensor = m_model->tensors[cell->first.value];
    if (cell->count > 1) {
        const QString place = tr("layer %1 · %2").arg(tensor.layer.value_or(0)).arg(roleLabel(spot.row));
        const QString type = cell->typeId ? QString::fromStdString(typeLabel(*cell->typeId))
                                          : tr("several types");
        return tr("%1 · %2 tensors · %3").arg(place).arg(cell->count).arg(type);
    }
    QStringList facts{QString::fromStdString(tensor.name), QString::fromStdString(tensor.typeName()),
                      formatShape(tensor.ne)};
    if (tensor.byteSize)
        facts << formatBytes(*tensor.byteSize);
    if (!tensor.problem.empty())
        facts << QString::fromStdString(tensor.problem);
    return facts.join(QStringLiteral(" · "));
}

void OverviewGrid::point(std::optional<LayerGridSpot> spot)
{
    if (spot && !cellAt(m_data, m_geometry, *spot))
        spot = std::nullopt;
    setCursor(spot ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (spot == m_pointed)
        return;
    m_pointed = spot;
    const QString text = spot ? readout(*spot) : QString();
    setAccessibleDescription(text);
    emit readoutChanged(text);
    update();
}

void OverviewGrid::activate(LayerGridSpot spot)
{
    if (const LayerGridCell *cell = cellAt(m_data, m_geometry, spot))
        emit tensorActivated(cell->first);
}

void OverviewGrid::mouseMoveEvent(QMouseEvent *event)
{
    point(m_geometry.spotAt(event->position().toPoint()));
}

void OverviewGrid::mousePressEvent(QMouseEvent *event)
{
    const auto spot = m_geometry.spotAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || !spot)
        return QWidget::mousePressEvent(event);
    point(spot);
    activate(*spot);
}

void OverviewGrid::leaveEvent(QEvent *) { point(std::nullopt); }

void OverviewGrid::focusOutEvent(QFocusEvent *event)
{
    point(std::nullopt);
    QWidget::focusOutEvent(event);
}

void OverviewGrid::keyPressEvent(QKeyEvent *event)
{
    struct Move {
        int key, down, right;
    };
    static constexpr Move Moves[] = {{Qt::Key_Left, 0, -1}, {Qt::Key_Right, 0, 1},
                                     {Qt::Key_Up, -1, 0},   {Qt::Key_Down, 1, 0}};
    for (const Move &move : Moves) {
        if (event->key() != move.key)
            continue;
        LayerGridSpot spot = m_pointed.value_or(LayerGridSpot{0, -move.right});
        do { // over the gaps
            spot.row += move.down;
            spot.column += move.right;
        } while (spot.row >= 0 && spot.row < m_geometry.rows() && spot.column >= 0
                 && spot.column < m_geometry.columns() && !cellAt(m_data, m_geometry, spot));
        if (spot.row < m_geometry.rows() && cellAt(m_data, m_geometry, spot))
            point(spot);
        return;
    }
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && m_pointed)
        return activate(*m_pointed);
    QWidget::keyPressEvent(event);
}

void OverviewGrid::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    for (int row = 0; row < m_geometry.rows(); ++row) {
        for (int column = 0; column < m_geometry.columns(); ++column) {
            const LayerGridSpot spot{row, column};
            if (const LayerGridCell *cell = cellAt(m_data, m_geometry, spot))
                paintCell(painter, spot, *cell);
        }
    }
    paintLabels(painter);
    paintAxis(painter);
}

void OverviewGrid::paintCell(QPainter &painter, LayerGridSpot spot, const LayerGridCell &cell) const
{
    const Theme theme = themeOf(this);
    const int gap = m_geometry.cellWidth() >= LeastCellForGap ? 1 : 0;
    const QRect rect = m_geometry.cellRect(spot).adjusted(0, 0, -gap, -1);
    const ChipLook look = cell.typeId ? chipForType(*cell.typeId) : ChipLook{tr("mixed"), theme.muted};
    painter.fillRect(rect, look.fill);
    if (rect.width() >= LeastCellForText) {
        painter.setPen(Qt::white);
        painter.setFont(Theme::textFont(10));
        painter.drawText(rect, Qt::AlignCenter, painter.fontMetrics().elidedText(
                                                    look.text, Qt::ElideRight, rect.width() - 2));
    }
    if (cell.hasProblem) { // a notch: a shape, not only a colour
        const QPoint corner = rect.topRight() + QPoint(1, 0);
        const int size = std::min(8, rect.width());
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.panel);
        painter.drawPolygon(QPolygon{corner - QPoint(size, 0), corner, corner + QPoint(0, size)});
    }
    if (m_pointed == spot) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.text, 2));
        painter.drawRect(rect.adjusted(1, 1, -1, -1));
    }
}

void OverviewGrid::paintLabels(QPainter &painter) const
{
    const Theme theme = themeOf(this);
    painter.setFont(labelFont());
    const QFontMetrics metrics = painter.fontMetrics();
    const int last = m_geometry.layerRows() - (m_geometry.outsideRows() > 0 ? 0 : 1);
    for (int row = 0; row <= last; ++row) {
        const QRect rect = m_geometry.labelRect(row);
        painter.setPen(m_pointed && m_pointed->row == row ? theme.text : theme.muted);
        painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(roleLabel(row), Qt::ElideMiddle, rect.width()));
    }
}

void OverviewGrid::paintAxis(QPainter &painter) const
{
    if (m_data.layers.empty())
        return;
    painter.setFont(labelFont());
    painter.setPen(themeOf(this).muted);
    const QFontMetrics metrics = painter.fontMetrics();
    const int width = metrics.horizontalAdvance(QString::number(m_data.layers.back())) + 8;
    const int step = axisStep(m_geometry.cellWidth(), width);
    const int top = m_geometry.layerRows() * m_geometry.rowHeight();
    for (std::size_t i = 0; i < m_data.layers.size(); i += static_cast<std::size_t>(step)) {
        const QRect cell = m_geometry.cellRect({0, static_cast<int>(i)});
        const QRect box(cell.center().x() - width / 2, top + 2, width,
                        LayerGridGeometry::AxisHeight - 4);
        painter.drawText(box, Qt::AlignCenter, QString::number(m_data.layers[i]));
    }
}

} // namespace ql
