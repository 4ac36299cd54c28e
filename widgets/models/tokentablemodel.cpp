// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tokentablemodel.h"

#include "widgets/formatting.h"
#include "widgets/models/tooltip.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ql {

namespace {

int alignment(bool isRight)
{
    return static_cast<int>((isRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

/// NaN and missing scores stand below all numbers.
float scoreForOrder(const TokenTable &table, std::uint32_t id)
{
    if (id >= table.scores.size() || std::isnan(table.scores[id]))
        return -HUGE_VALF;
    return table.scores[id];
}

std::int32_t typeForOrder(const TokenTable &table, std::uint32_t id)
{
    return id < table.types.size() ? table.types[id] : -1;
}

void sortIds(const TokenTable &table, std::vector<std::uint32_t> &ids, int column)
{
    const auto by = [&](const auto &key) {
        std::stable_sort(ids.begin(), ids.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    };
    switch (column) {
    case TokenTableModel::TokenColumn: return by([&](auto id) { return table.tokens->text(id); });
    case TokenTableModel::TypeColumn: return by([&](auto id) { return typeForOrder(table, id); });
    case TokenTableModel::ScoreColumn: return by([&](auto id) { return scoreForOrder(table, id); });
    default: return by([](auto id) { return id; });
    }
}

} // namespace

QString tokenTypeText(const TokenTable &table, std::uint32_t id)
{
    if (id >= table.types.size())
        return {};
    const std::string_view name = tokenTypeName(table.types[id]);
    return name.empty() ? TokenTableModel::tr("type %1").arg(table.types[id])
                        : QString::fromUtf8(name);
}

TokenTableModel::TokenTableModel(QObject *parent) : QAbstractTableModel(parent) {}

void TokenTableModel::setTable(TokenTablePtr table)
{
    beginResetModel();
    m_table = std::move(table);
    m_filtered = nullptr;
    putInOrder();
    endResetModel();
}

void TokenTableModel::setRows(RowSet rows)
{
    beginResetModel();
    m_filtered = std::move(rows);
    putInOrder();
    endResetModel();
}

void TokenTableModel::sort(int column, Qt::SortOrder order)
{
    beginResetModel();
    m_sortColumn = column;
    m_sortOrder = order;
    putInOrder();
    endResetModel();
}

void TokenTableModel::putInOrder()
{
    m_rows = m_filtered;
    const bool isById = m_sortColumn < 0
                        || (m_sortColumn == IdColumn && m_sortOrder == Qt::AscendingOrder);
    if (!m_table || isById)
        return;
    auto ids = std::make_shared<std::vector<std::uint32_t>>();
    if (m_filtered) {
        *ids = *m_filtered;
    } else {
        ids->resize(m_table->tokens->size());
        std::iota(ids->begin(), ids->end(), 0U);
    }
    sortIds(*m_table, *ids, m_sortColumn);
    if (m_sortOrder == Qt::DescendingOrder)
        std::reverse(ids->begin(), ids->end());
    m_rows = std::move(ids);
}

std::uint32_t TokenTableModel::idAt(int row) const
{
    return m_rows ? (*m_rows)[static_cast<std::size_t>(row)] : static_cast<std::uint32_t>(row);
}

int TokenTableModel::rowOf(std::uint64_t id) const
{
    if (!m_rows)
        return id < static_cast<std::uint64_t>(rowCount()) ? static_cast<int>(id) : -1;
    const auto found = std::find(m_rows->begin(), m_rows->end(), id);
    return found == m_rows->end() ? -1 : static_cast<int>(found - m_rows->begin());
}

int TokenTableModel::rowCount(const QModelIndex &parent) const
{
    if (parent.isValid() || !m_table)
        return 0;
    return static_cast<int>(m_rows ? m_rows->size() : m_table->tokens->size());
}

int TokenTableModel::columnCount(const QModelIndex &) const { return ColumnCount; }

QVariant TokenTableModel::textOf(std::uint32_t id, int column, bool isPlain) const
{
    switch (column) {
    case IdColumn: return isPlain ? QString::number(id) : formatCount(id);
    case TokenColumn: return QString::fromUtf8(m_table->tokens->text(id));
    case TypeColumn: return tokenTypeText(*m_table, id);
    default: break;
    }
    if (id >= m_table->scores.size())
        return QString();
    // As a float: the shortest text of 0.1f is "0.1".
    return isPlain ? QString::number(m_table->scores[id], 'g', 9)
                   : formatNumber(static_cast<double>(m_table->scores[id]));
}

QVariant TokenTableModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const int column = index.column();
    switch (role) {
    case Qt::TextAlignmentRole: return alignment(column == IdColumn || column == ScoreColumn);
    case MutedRole: return column == IdColumn || column == TypeColumn;
    case Qt::DisplayRole: return textOf(idAt(index.row()), column, false);
    case PlainRole: return textOf(idAt(index.row()), column, true);
    case Qt::ToolTipRole:
        return column == TokenColumn
                   ? QVariant(plainToolTip(textOf(idAt(index.row()), column, true).toString()))
                   : QVariant();
    default: return {};
    }
}

QVariant TokenTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const QString titles[ColumnCount] = {tr("id"), tr("token"), tr("type"), tr("score")};
    static constexpr const char *keys[ColumnCount] = {"id", "token", "type", "score"};
    if (role == Qt::DisplayRole)
        return titles[section];
    if (role == PlainRole)
        return QString::fromLatin1(keys[section]);
    if (role == Qt::TextAlignmentRole)
        return alignment(section == IdColumn || section == ScoreColumn);
    return {};
}

SpecialTokensModel::SpecialTokensModel(QObject *parent) : QAbstractTableModel(parent) {}

void SpecialTokensModel::setTable(TokenTablePtr table)
{
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

int SpecialTokensModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_table ? 0 : static_cast<int>(m_table->specials.size());
}

int SpecialTokensModel::columnCount(const QModelIndex &) const { return ColumnCount; }

QVariant SpecialTokensModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const SpecialToken &special = specialAt(index.row());
    const bool isInside = special.id < m_table->tokens->size();
    if (role == Qt::TextAlignmentRole)
        return alignment(index.column() == IdColumn);
    if (role == ProblemRole)
        return index.column() == TokenColumn && !isInside;
    if (role == MutedRole)
        return index.column() == IdColumn;
    if (role != Qt::DisplayRole && role != PlainRole)
        return {};
    switch (index.column()) {
    case NameColumn: return QString::fromStdString(special.name);
    case IdColumn: return role == PlainRole ? QString::number(special.id) : formatCount(special.id);
    default:
        return isInside ? QString::fromUtf8(m_table->tokens->text(special.id))
                        : tr("outside the vocabulary");
    }
}

QVariant SpecialTokensModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const QString titles[ColumnCount] = {tr("special"), tr("id"), tr("token")};
    static constexpr const char *keys[ColumnCount] = {"special", "id", "token"};
    if (role == Qt::DisplayRole)
        return titles[section];
    if (role == PlainRole)
        return QString::fromLatin1(keys[section]);
    return role == Qt::TextAlignmentRole ? QVariant(alignment(section == IdColumn)) : QVariant();
}

} // namespace ql
