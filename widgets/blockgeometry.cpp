// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/blockgeometry.h"

#include "widgets/formatting.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ql {

namespace {

constexpr int PartGap = 2;
constexpr int MapHeight = 8 * BlockGeometry::BitHeight;

QString baseName(const BlockField &field)
{
    return QString::fromStdString(field.name.substr(0, field.name.find('[')));
}

/// Widths in proportion to `shares`, none below its minimum, together `total` where that is possible.
std::vector<int> shareOut(int total, const std::vector<int> &shares, const std::vector<int> &minima)
{
    std::vector<int> widths = minima;
    int left = total - std::accumulate(minima.begin(), minima.end(), 0);
    const int all = std::max(1, std::accumulate(shares.begin(), shares.end(), 0));
    if (left <= 0)
        return widths;
    for (std::size_t i = 0; i < widths.size(); ++i)
        widths[i] += left * shares[i] / all;
    return widths;
}

} // namespace

int CellGrid::cellAt(QPoint p) const
{
    const QPoint in = p - origin;
    if (in.x() < 0 || in.y() < 0 || cell.isEmpty())
        return -1;
    const int column = in.x() / cell.width();
    const int i = in.y() / cell.height() * columns + column;
    return column < columns && i < count ? i : -1;
}

QString shortText(const BlockField &field)
{
    const QString text = inLocale(QString::fromStdString(field.text));
    const bool isCode = field.kind == "quant" || field.kind == "grid" || field.kind == "sign";
    if (!isCode)
        return text;
    const qsizetype end = text.indexOf(QLatin1Char(field.kind == "grid" ? ':' : ' '));
    return end < 0 ? text : text.left(end);
}

std::vector<FieldGroup> groupFields(const BlockFields &fields)
{
    std::vector<FieldGroup> groups;
    for (std::uint32_t i = 0; i < fields.fields.size(); ++i) {
        const BlockField &field = fields.fields[i];
        const QString name = baseName(field);
        auto group = std::ranges::find(groups, name, &FieldGroup::name);
        if (group == groups.end())
            group = groups.insert(groups.end(), FieldGroup{name, field.kind, {}, 1, {}, {}});
        group->fields.push_back(i);
        group->textLength = std::max(group->textLength, static_cast<int>(shortText(field).size()));
    }
    return groups;
}

BlockGeometry::BlockGeometry(const BlockFields &fields, std::size_t byteCount, int width,
                             const BlockMetrics &metrics)
    : m_metrics(metrics)
    , m_groups(groupFields(fields))
    , m_byteCell(std::max(8 * BitWidth + 4, 2 * metrics.charWidth + 8),
                 metrics.lineHeight + BitHeight + 4)
    , m_weightCell((metrics.weightLength + 1) * metrics.charWidth + 4, metrics.lineHeight + 4)
    , m_offsetWidth(4 * metrics.charWidth)
{
    m_bytes.count = static_cast<int>(byteCount);
    m_weights.count = static_cast<int>(fields.weights.size());
    m_minimalWidth = std::max({bytesWidth(8), fieldsWidth(8), weightsWidth(4)});
    placeParts(fields, width);
    const Columns columns = widestThatFits(width);
    m_stacked = bytesWidth(columns.bytes) + fieldsWidth(columns.fields)
                    + weightsWidth(columns.weights) + 2 * Gap
                > width;
    if (m_stacked)
        placeStacked(width);
    else
        placeSideBySide(columns);
}

void BlockGeometry::placeParts(const BlockFields &fields, int width)
{
    std::vector<int> shares;
    std::vector<int> minima;
    for (const LayoutPart &part : blockLayout(fields.type)) {
        shares.push_back(static_cast<int>(part.bytes));
        const int label = static_cast<int>(part.name.size()) * m_metrics.charWidth + 6;
        minima.push_back(std::max(label, static_cast<int>(part.bytes)));
    }
    const int gaps = PartGap * std::max(0, static_cast<int>(shares.size()) - 1);
    int x = 0;
    for (const int partWidth : shareOut(width - gaps, shares, minima)) {
        m_parts.push_back({x, 0, partWidth, 2 * (m_metrics.lineHeight + 2) + MapHeight});
        x += partWidth + PartGap;
    }
    m_stripBottom = 2 * (m_metrics.lineHeight + 2) + MapHeight + 12;
}

QRect BlockGeometry::partBits(std::size_t part) const
{
    const int textHeight = m_metrics.lineHeight + 2;
    return m_parts[part].adjusted(0, textHeight, 0, -textHeight);
}

QRect BlockGeometry::partWhat(std::size_t part) const
{
    const QRect rect = m_parts[part];
    return {rect.left() + 1, partBits(part).bottom() + 3, rect.width() - 4, m_metrics.lineHeight};
}

QSize BlockGeometry::fieldCell(const FieldGroup &group) const
{
    return {std::max(2, group.textLength) * m_metrics.charWidth + 8, m_metrics.lineHeight + 4};
}

int BlockGeometry::fieldsWidth(int columns) const
{
    int width = 20 * m_metrics.charWidth;
    for (const FieldGroup &group : m_groups)
        if (group.fields.size() > 1 && group.textLength <= 4)
            width = std::max(width, columns * fieldCell(group).width());
    return width;
}

BlockGeometry::Columns BlockGeometry::widestThatFits(int width) const
{
    // The weights first: they are what people look for.
    constexpr std::array<Columns, 6> Choices{
        {{16, 16, 16}, {16, 16, 8}, {8, 16, 8}, {8, 8, 8}, {8, 16, 4}, {8, 8, 4}}};
    const auto fits = [&](const Columns &c) {
        return bytesWidth(c.bytes) + fieldsWidth(c.fields) + weightsWidth(c.weights) + 2 * Gap
               <= width;
    };
    const auto choice = std::ranges::find_if(Choices, fits);
    return choice != Choices.end() ? *choice : Choices.back();
}

int BlockGeometry::placeBytes(QPoint at, int columns)
{
    m_bytesTitle = at;
    m_bytes.origin = at + QPoint(m_offsetWidth, titleHeight());
    m_bytes.cell = m_byteCell;
    m_bytes.columns = columns;
    return m_bytes.area().bottom() + 1;
}

int BlockGeometry::placeFields(QPoint at, int columns, int width)
{
    m_fieldsTitle = at;
    int y = at.y() + titleHeight();
    for (FieldGroup &group : m_groups) {
        group.cells.cell = fieldCell(group);
        group.cells.count = static_cast<int>(group.fields.size());
        const bool inLine = group.fields.size() == 1;
        const int titleWidth = static_cast<int>(group.name.size() + 2) * m_metrics.charWidth;
        group.title = QRect(at.x(), y, inLine ? titleWidth : width, m_metrics.lineHeight + 4);
        if (!inLine)
            y += m_metrics.lineHeight + 4;
        group.cells.origin = QPoint(inLine ? at.x() + titleWidth : at.x(), y);
        const int fitting = std::max(1, width / group.cells.cell.width());
        group.cells.columns =
            inLine ? 1
                   : std::min(columns, 1 << (31 - __builtin_clz(static_cast<unsigned>(fitting))));
        y = group.cells.area().bottom() + (inLine ? 3 : 9);
    }
    return y;
}

int BlockGeometry::placeWeights(QPoint at, int columns)
{
    m_weightsTitle = at;
    m_weights.origin = at + QPoint(0, titleHeight());
    m_weights.cell = m_weightCell;
    m_weights.columns = columns;
    return m_weights.area().bottom() + 1;
}

void BlockGeometry::placeSideBySide(const Columns &columns)
{
    QPoint at(0, m_stripBottom);
    const int bytesBottom = placeBytes(at, columns.bytes);
    at.rx() += bytesWidth(columns.bytes) + Gap;
    const int fieldsBottom = placeFields(at, columns.fields, fieldsWidth(columns.fields));
    at.rx() += fieldsWidth(columns.fields) + Gap;
    const int weightsBottom = placeWeights(at, columns.weights);
    m_size = {at.x() + weightsWidth(columns.weights),
              std::max({bytesBottom, fieldsBottom, weightsBottom})};
}

void BlockGeometry::placeStacked(int width)
{
    const int byteColumns = bytesWidth(16) <= width ? 16 : 8;
    int y = placeBytes({0, m_stripBottom}, byteColumns) + 12;
    const int fieldColumns = fieldsWidth(16) <= width ? 16 : 8;
    y = placeFields({0, y}, fieldColumns, std::max(width, fieldsWidth(8))) + 12;
    y = placeWeights({0, y}, weightsWidth(8) <= width ? 8 : 4);
    m_size = {
        std::max({bytesWidth(byteColumns), fieldsWidth(fieldColumns), m_weights.area().width()}),
        y};
}

BlockTarget BlockGeometry::targetAt(QPoint p) const
{
    using Kind = BlockTarget::Kind;
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        if (m_parts[i].contains(p))
            return {Kind::Part, static_cast<std::uint32_t>(i)};
    if (const int byte = m_bytes.cellAt(p); byte >= 0) {
        const QRect lowest = bitRect(static_cast<std::uint32_t>(8 * byte));
        const int fromRight = (lowest.right() - p.x()) / BitWidth;
        if (p.y() >= lowest.top() - 1 && p.x() <= lowest.right() && fromRight < 8)
            return {Kind::Bit, static_cast<std::uint32_t>(8 * byte + fromRight)};
        return {Kind::Byte, static_cast<std::uint32_t>(byte)};
    }
    for (const FieldGroup &group : m_groups)
        if (const int i = group.cells.cellAt(p); i >= 0)
            return {Kind::Field, group.fields[static_cast<std::size_t>(i)]};
    if (const int w = m_weights.cellAt(p); w >= 0)
        return {Kind::Weight, static_cast<std::uint32_t>(w)};
    return {};
}

QRect BlockGeometry::bitRect(std::uint32_t bit) const
{
    const QRect cell = m_bytes.rectOf(static_cast<int>(bit / 8));
    const int left = cell.left() + (cell.width() - 8 * BitWidth) / 2;
    const int place = static_cast<int>(7 - bit % 8); // the highest bit is written first
    return {left + place * BitWidth, cell.top() + m_metrics.lineHeight, BitWidth, BitHeight};
}

QRect BlockGeometry::fieldRect(std::uint32_t field) const
{
    for (const FieldGroup &group : m_groups) {
        const auto at = std::ranges::find(group.fields, field);
        if (at != group.fields.end())
            return group.cells.rectOf(static_cast<int>(at - group.fields.begin()));
    }
    return {};
}

} // namespace ql
