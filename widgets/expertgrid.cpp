// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/expertgrid.h"

#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace ql {

int TileGeometry::columns() const
{
    return std::max(1, (width + Gap) / (LeastTileWidth + Gap));
}

int TileGeometry::tileWidth() const
{
    return std::max(LeastTileWidth, (width + Gap) / columns() - Gap);
}

int TileGeometry::height() const
{
    const int rows = (count + columns() - 1) / columns();
    return std::max(0, rows * (TileHeight + Gap) - Gap);
}

QRect TileGeometry::rectOf(int place) const
{
    return {place % columns() * (tileWidth() + Gap), place / columns() * (TileHeight + Gap),
            tileWidth(), TileHeight};
}

int TileGeometry::placeAt(QPoint p) const
{
    if (p.x() < 0 || p.y() < 0)
        return -1;
    const int column = p.x() / (tileWidth() + Gap);
    const int place = p.y() / (TileHeight + Gap) * columns() + column;
    const bool isTile = column < columns() && place < count && rectOf(place).contains(p);
    return isTile ? place : -1;
}

int TileGeometry::barAt(int place, QPoint p, int bars) const
{
    const QRect area = barsOf(place);
    if (p.x() < area.left() || p.x() > area.right() || p.y() < area.top() || bars == 0)
        return -1;
    return std::min(bars - 1, (p.x() - area.left()) * bars / area.width());
}

ExpertGrid::ExpertGrid(QWidget *parent) : QAbstractScrollArea(parent)
{
    setObjectName(QStringLiteral("expertGrid"));
    setAccessibleName(tr("Histogram of each expert"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setAutoFillBackground(false);
    viewport()->setMouseTracking(true);
}

void ExpertGrid::setTable(ExpertTablePtr table, std::vector<std::size_t> order)
{
    m_table = std::move(table);
    m_order = std::move(order);
    m_tallest = 1;
    if (m_table)
        for (const ExpertSummary &expert : m_table->experts)
            for (const std::uint64_t count : expert.counts)
                m_tallest = std::max(m_tallest, count);
    updateScrollBar();
    viewport()->update();
}

void ExpertGrid::setEmptyText(const QString &text)
{
    m_emptyText = text;
    viewport()->update();
}

void ExpertGrid::setFigure(ExpertFigure figure)
{
    m_figure = figure;
    viewport()->update();
}

void ExpertGrid::setOdd(std::vector<OddExpert> odd)
{
    m_odd = std::move(odd);
    viewport()->update();
}

void ExpertGrid::setSelected(std::optional<std::uint64_t> number)
{
    if (m_selected == number)
        return;
    m_selected = number;
    ensureVisible(selectedPlace());
    viewport()->update();
}

void ExpertGrid::setHeld(std::optional<std::uint64_t> number)
{
    m_held = number;
    viewport()->update();
}

TileGeometry ExpertGrid::tiles() const
{
    return {viewport()->width(), static_cast<int>(m_order.size())};
}

QPoint ExpertGrid::fromViewport(QPoint p) const
{
    return p + QPoint(0, verticalScrollBar()->value());
}

void ExpertGrid::updateScrollBar()
{
    verticalScrollBar()->setRange(0, std::max(0, tiles().height() - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep((TileGeometry::TileHeight + TileGeometry::Gap) / 2);
}

void ExpertGrid::resizeEvent(QResizeEvent *)
{
    updateScrollBar();
}

int ExpertGrid::placeOf(std::optional<std::uint64_t> number) const
{
    if (!m_table || !number)
        return -1;
    const auto at = std::ranges::find_if(
        m_order, [&](std::size_t i) { return m_table->experts[i].ref.number == *number; });
    return at != m_order.end() ? static_cast<int>(at - m_order.begin()) : -1;
}

void ExpertGrid::ensureVisible(int place)
{
    if (place < 0)
        return;
    const QRect tile = tiles().rectOf(place);
    const int top = verticalScrollBar()->value();
    if (tile.top() < top)
        verticalScrollBar()->setValue(tile.top());
    else if (tile.bottom() >= top + viewport()->height())
        verticalScrollBar()->setValue(tile.bottom() + 1 - viewport()->height());
}

void ExpertGrid::activate(int place)
{
    if (place < 0 || place >= static_cast<int>(m_order.size()))
        return;
    const std::size_t index = m_order[static_cast<std::size_t>(place)];
    setSelected(m_table->experts[index].ref.number);
    emit expertActivated(index);
}

QString ExpertGrid::readoutAt(QPoint p) const
{
    const TileGeometry geometry = tiles();
    const int place = geometry.placeAt(fromViewport(p));
    if (!m_table || place < 0)
        return {};
    const ExpertSummary &expert = m_table->experts[m_order[static_cast<std::size_t>(place)]];
    const QString name = tr("expert %1").arg(expert.ref.number);
    const int bar = geometry.barAt(place, fromViewport(p), static_cast<int>(expert.counts.size()));
    if (bar < 0)
        return name;
    const double width = (m_table->hi - m_table->lo) / static_cast<double>(expert.counts.size());
    const double lo = m_table->lo + bar * width;
    return tr("%1 \u00b7 %2 to %3 \u00b7 %4")
        .arg(name, formatNumber(lo), formatNumber(lo + width),
             formatWeightCount(expert.counts[static_cast<std::size_t>(bar)]));
}

void ExpertGrid::mouseMoveEvent(QMouseEvent *event)
{
    emit readoutChanged(readoutAt(event->pos()));
}

void ExpertGrid::leaveEvent(QEvent *)
{
    emit readoutChanged({});
}

void ExpertGrid::mousePressEvent(QMouseEvent *event)
{
    const int place = tiles().placeAt(fromViewport(event->pos()));
    if (event->button() != Qt::LeftButton || place < 0)
        return;
    if (event->modifiers() & Qt::ControlModifier)
        emit expertHeld(m_order[static_cast<std::size_t>(place)]);
    else
        activate(place);
}

void ExpertGrid::keyPressEvent(QKeyEvent *event)
{
    const int columns = tiles().columns();
    const std::pair<int, int> steps[] = {
        {Qt::Key_Left, -1}, {Qt::Key_Right, 1}, {Qt::Key_Up, -columns}, {Qt::Key_Down, columns}};
    const auto step = std::ranges::find(steps, event->key(), &std::pair<int, int>::first);
    if (step == std::end(steps) || m_order.empty())
        return QAbstractScrollArea::keyPressEvent(event);
    const int at = selectedPlace();
    activate(at < 0 ? 0 : at + step->second);
}

const OddExpert *ExpertGrid::oddOf(std::size_t index) const
{
    const auto odd = std::ranges::find(m_odd, index, &OddExpert::index);
    return odd != m_odd.end() ? &*odd : nullptr;
}

void ExpertGrid::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    if (!m_table) {
        painter.setPen(themeOf(this).muted);
        painter.drawText(viewport()->rect(), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    painter.translate(0, -verticalScrollBar()->value());
    draw(painter, event->rect().translated(0, verticalScrollBar()->value()));
}

void ExpertGrid::draw(QPainter &painter, const QRect &part) const
{
    if (!m_table)
        return;
    const Theme theme = themeOf(this);
    const TileGeometry geometry = tiles();
    // Only the rows in sight: there may be hundreds of tiles.
    const int rowHeight = TileGeometry::TileHeight + TileGeometry::Gap;
    const int first = std::max(0, part.top() / rowHeight * geometry.columns());
    const int last =
        std::min(geometry.count, (part.bottom() / rowHeight + 1) * geometry.columns());
    for (int place = first; place < last; ++place)
        paintTile(painter, theme, place);
}

void ExpertGrid::paintTile(QPainter &painter, const Theme &theme, int place) const
{
    const QRectF tile = QRectF(tiles().rectOf(place)).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool isSelected = place == selectedPlace();
    const bool isHeld = place == placeOf(m_held);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(isSelected ? theme.accent : isHeld ? theme.b : theme.line, isSelected || isHeld ? 2 : 1));
    painter.setBrush(isSelected ? theme.selection : theme.panel);
    painter.drawRoundedRect(tile, 6, 6);
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintBars(painter, theme, place);
    paintCaption(painter, theme, place);
}

void ExpertGrid::paintCaption(QPainter &painter, const Theme &theme, int place) const
{
    const std::size_t index = m_order[static_cast<std::size_t>(place)];
    const ExpertSummary &expert = m_table->experts[index];
    const QRect caption = tiles().rectOf(place).adjusted(8, 2, -8, 0);
    const QRect line(caption.topLeft(), QSize(caption.width(), TileGeometry::Caption));
    const OddExpert *odd = oddOf(index);
    painter.setFont(odd ? Theme::strongFont(Theme::SmallPx) : Theme::textFont(Theme::SmallPx));
    painter.setPen(odd ? theme.warning : theme.muted);
    const QString mark = odd ? QStringLiteral("\u25b2 ") : QString();
    const QString value = expert.isDead() ? tr("all zero") : formatNumber(expert.figure(m_figure));
    const int room = line.width() - QFontMetrics(Theme::fixedFont()).horizontalAdvance(value) - 4;
    QString name = mark + tr("expert %1").arg(expert.ref.number);
    if (painter.fontMetrics().horizontalAdvance(name) > room)
        name = mark + QString::number(expert.ref.number);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setFont(Theme::fixedFont());
    painter.setPen(theme.text);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, value);
}

void ExpertGrid::paintBars(QPainter &painter, const Theme &theme, int place) const
{
    const ExpertSummary &expert = m_table->experts[m_order[static_cast<std::size_t>(place)]];
    const QRect area = tiles().barsOf(place);
    painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), theme.line);
    const int bars = static_cast<int>(expert.counts.size());
    const double scale = (area.height() - 1) / std::log1p(static_cast<double>(m_tallest));
    for (int i = 0; i < bars; ++i) {
        const std::uint64_t count = expert.counts[static_cast<std::size_t>(i)];
        if (count == 0)
            continue;
        const int height =
            std::max(1, static_cast<int>(scale * std::log1p(static_cast<double>(count))));
        const int left = area.left() + i * area.width() / bars;
        const int right = area.left() + (i + 1) * area.width() / bars;
        painter.fillRect(QRect(left, area.bottom() - height, right - left, height), theme.accent);
    }
    // Weights beyond the axis: an arrow's worth of colour at the edge.
    if (expert.below > 0)
        painter.fillRect(QRect(area.left() - 4, area.bottom() - 10, 2, 10), theme.bText);
    if (expert.above > 0)
        painter.fillRect(QRect(area.right() + 3, area.bottom() - 10, 2, 10), theme.bText);
    if (m_table->lo < 0 && m_table->hi > 0) {
        const double zero = area.left() - m_table->lo / (m_table->hi - m_table->lo) * area.width();
        painter.setPen(QPen(theme.muted, 1, Qt::DotLine));
        painter.drawLine(QPointF(zero, area.top()), QPointF(zero, area.bottom()));
    }
}

} // namespace ql
