// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/comparetablemodel.h"

#include "widgets/models/itemroles.h"
#include "widgets/models/tooltip.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

// An index's id: 0 for rows at the top; else what it lies below, the group and the pair each plus one.
constexpr int PairBits = 32;

quintptr belowGroup(std::size_t group) { return (static_cast<quintptr>(group) + 1) << PairBits; }
quintptr belowPair(std::size_t group, std::size_t pair) { return belowGroup(group) | (pair + 1); }

QString translated(const char *text) { return QCoreApplication::translate("CompareColumns", text); }

QVariant alignmentOf(const CompareColumnSpec &column)
{
    const bool isNumber = column.look == CompareColumnSpec::Look::Number;
    return QVariant::fromValue((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

const CompareColumnSpec &columnOf(int column) { return compareColumns()[static_cast<std::size_t>(column)]; }

} // namespace

CompareTableModel::CompareTableModel(QObject *parent) : QAbstractItemModel(parent)
{
    m_telling.setSingleShot(true);
    m_telling.setInterval(ToldEveryMs);
    connect(&m_telling, &QTimer::timeout, this, &CompareTableModel::flush);
    regroup();
}

void CompareTableModel::setTable(ComparisonTable table)
{
    beginResetModel();
    m_table = std::move(table);
    regroup();
    endResetModel();
    emit updated();
}

void CompareTableModel::clear() { setTable({}); }

void CompareTableModel::setGrouping(Grouping grouping)
{
    if (grouping == m_grouping)
        return;
    beginResetModel();
    m_grouping = grouping;
    regroup();
    endResetModel();
}

void CompareTableModel::regroup()
{
    m_groups.clear();
    if (isGrouped()) {
        m_groups = m_table.groups(m_grouping);
    } else {
        ComparisonGroup all;
        for (std::size_t i = 0; i < m_table.rows().size(); ++i)
            if (!m_table.row(i).isReplaced)
                all.rows.push_back(i);
        m_groups.push_back(std::move(all));
    }
    recount();
}

void CompareTableModel::recount()
{
    m_totals.clear();
    if (isGrouped())
        for (const ComparisonGroup &group : m_groups)
            m_totals.push_back(m_table.totals(group.rows));
}

void CompareTableModel::setResult(std::size_t row, const ComparisonPtr &result)
{
    m_table.setResult(row, result);
    if (!m_telling.isActive())
        m_telling.start();
}

void CompareTableModel::setFailure(std::size_t row, const std::string &why)
{
    m_table.setFailure(row, why);
    if (!m_telling.isActive())
        m_telling.start();
}

std::size_t CompareTableModel::addByHand(const TensorPair &pair)
{
    beginResetModel();
    const std::size_t row = m_table.addByHand(pair);
    regroup();
    endResetModel();
    emit updated();
    return row;
}

void CompareTableModel::flush()
{
    m_telling.stop();
    recount();
    tellAll({});
    for (int group = 0; isGrouped() && group < rowCount(); ++group)
        tellAll(index(group, 0));
    emit updated();
}

/// One signal for all rows below a parent: a view sorts them once.
void CompareTableModel::tellAll(const QModelIndex &parent)
{
    const int rows = rowCount(parent);
    if (rows > 0)
        emit dataChanged(index(0, 0, parent), index(rows - 1, columnCount() - 1, parent));
}

CompareTableModel::Place CompareTableModel::placeOf(const QModelIndex &index) const
{
    const quintptr id = index.internalId();
    const auto row = static_cast<std::size_t>(index.row());
    constexpr quintptr PairMask = (quintptr(1) << PairBits) - 1;
    Place place;
    if (id & PairMask) {
        place.group = (id >> PairBits) - 1;
        place.pair = (id & PairMask) - 1;
        place.expert = row;
    } else if (id) {
        place.group = (id >> PairBits) - 1;
        place.pair = row;
    } else if (isGrouped()) {
        place.group = row;
    } else {
        place.pair = row;
    }
    return place;
}

const ComparisonRow &CompareTableModel::pairRow(const Place &place) const
{
    return m_table.row(m_groups[place.group].rows[*place.pair]);
}

CompareRow CompareTableModel::rowAt(const QModelIndex &index) const
{
    const Place place = placeOf(index);
    CompareRow row;
    row.table = &m_table;
    if (!place.pair) {
        row.group = &m_groups[place.group];
        row.totals = &m_totals[place.group];
        return row;
    }
    row.row = &pairRow(place);
    row.expert = place.expert;
    return row;
}

std::optional<std::size_t> CompareTableModel::tableRowOf(const QModelIndex &index) const
{
    if (!index.isValid())
        return std::nullopt;
    const Place place = placeOf(index);
    return place.pair ? std::optional(m_groups[place.group].rows[*place.pair]) : std::nullopt;
}

QModelIndex CompareTableModel::pairIndex(std::size_t group, std::size_t pair) const
{
    return createIndex(static_cast<int>(pair), 0, isGrouped() ? belowGroup(group) : 0);
}

QModelIndex CompareTableModel::indexOf(std::size_t tableRow, std::optional<std::uint64_t> expert) const
{
    for (std::size_t group = 0; group < m_groups.size(); ++group) {
        const auto &rows = m_groups[group].rows;
        const auto found = std::ranges::find(rows, tableRow);
        if (found == rows.end())
            continue;
        const auto pair = static_cast<std::size_t>(found - rows.begin());
        if (expert && *expert < m_table.row(tableRow).experts)
            return createIndex(static_cast<int>(*expert), 0, belowPair(group, pair));
        return pairIndex(group, pair);
    }
    return {};
}

Selection CompareTableModel::selectionOf(const QModelIndex &index) const
{
    Selection selection;
    if (!index.isValid())
        return selection;
    const CompareRow row = rowAt(index);
    if (!row.row || !row.row->a)
        return selection;
    selection.tensor = *row.row->a;
    selection.expert = row.expert ? row.expert : row.row->pair.expertA;
    return selection;
}

QModelIndex CompareTableModel::indexOf(const Selection &selection) const
{
    if (!selection.tensor)
        return {};
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < m_table.rows().size(); ++i) {
        const ComparisonRow &row = m_table.row(i);
        if (row.isReplaced || row.a != selection.tensor)
            continue;
        if (row.pair.expertA && row.pair.expertA == selection.expert)
            return indexOf(i);
        if (!row.pair.expertA && !best)
            best = i;
    }
    return best ? indexOf(*best, selection.expert) : QModelIndex();
}

QModelIndex CompareTableModel::index(int row, int column, const QModelIndex &parent) const
{
    if (row < 0 || column < 0 || column >= columnCount() || row >= rowCount(parent))
        return {};
    if (!parent.isValid())
        return createIndex(row, column, quintptr(0));
    const Place place = placeOf(parent);
    return createIndex(row, column, place.pair ? belowPair(place.group, *place.pair) : belowGroup(place.group));
}

QModelIndex CompareTableModel::parent(const QModelIndex &child) const
{
    if (!child.isValid() || child.internalId() == 0)
        return {};
    const Place place = placeOf(child);
    if (place.expert)
        return pairIndex(place.group, *place.pair);
    return createIndex(static_cast<int>(place.group), 0, quintptr(0));
}

int CompareTableModel::rowCount(const QModelIndex &parent) const
{
    if (parent.column() > 0)
        return 0;
    if (!parent.isValid())
        return static_cast<int>(isGrouped() ? m_groups.size() : m_groups.front().rows.size());
    const Place place = placeOf(parent);
    if (place.expert)
        return 0;
    return static_cast<int>(place.pair ? pairRow(place).experts : m_groups[place.group].rows.size());
}

int CompareTableModel::columnCount(const QModelIndex &) const { return static_cast<int>(compareColumns().size()); }

bool CompareTableModel::hasChildren(const QModelIndex &parent) const { return rowCount(parent) > 0; }

QVariant CompareTableModel::chipOf(const CompareRow &row, CompareColumn column)
{
    if (column != CompareColumn::TypeA && column != CompareColumn::TypeB)
        return {};
    const auto id = compareType(row, column == CompareColumn::TypeB);
    return id ? QVariant(*id) : QVariant();
}

QVariant CompareTableModel::barShare(const CompareRow &row) const
{
    const auto error = compareFigure(row, ErrorFigure::RelativeRmse);
    if (!error || *error == 0 || m_table.largestRelativeRmse() <= 0 || !std::isfinite(*error))
        return {};
    return std::clamp(*error / m_table.largestRelativeRmse(), 0.0, 1.0);
}

QVariant CompareTableModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const CompareColumnSpec &column = columnOf(index.column());
    if (role == Qt::TextAlignmentRole)
        return alignmentOf(column);
    const CompareRow row = rowAt(index);
    const bool isPair = row.row && row.row->state == PairState::Differs;
    switch (role) {
    case Qt::DisplayRole: return column.text(row);
    case PlainRole: return column.plain(row);
    case Qt::ToolTipRole: {
        const QString text = column.plain(row);
        return plainToolTip(text.isEmpty() ? column.text(row) : text);
    }
    case MutedRole: return row.row && !isPair && column.column == CompareColumn::RelativeRmse;
    case ProblemRole: return row.row && row.row->state == PairState::Failed && column.column == CompareColumn::Name;
    case BarRole: return column.look == CompareColumnSpec::Look::Bar ? barShare(row) : QVariant();
    case TypeIdRole: return chipOf(row, column.column);
    case SortRole: {
        const CompareKey key = column.sortKey(row);
        return key.known ? QVariant(key.number) : QVariant();
    }
    default: return {};
    }
}

QVariant CompareTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const CompareColumnSpec &column = columnOf(section);
    switch (role) {
    case Qt::DisplayRole: return translated(column.title);
    case Qt::ToolTipRole: return translated(column.toolTip);
    case Qt::TextAlignmentRole: return alignmentOf(column);
    case PlainRole: return QString::fromLatin1(column.key);
    default: return {};
    }
}

} // namespace ql
