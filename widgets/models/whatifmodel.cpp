// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/whatifmodel.h"

#include "widgets/formatting.h"

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

QString typeText(GgmlType type) { return QString::fromStdString(typeLabel(static_cast<std::uint32_t>(type))); }

/// One measure of one value: a row of a table.
struct MeasureSpec {
    const char *title;
    const char *plainTitle; ///< for files; never translated
    const char *toolTip;
    std::optional<double> (*number)(const WhatIfValue &);
};

std::optional<double> error(const WhatIfValue &value)
{
    return value.identical ? std::optional(0.0) : value.errors.relativeRmse();
}

std::optional<double> sqnr(const WhatIfValue &value)
{
    return value.identical ? std::nullopt : value.errors.sqnrDb();
}

constexpr MeasureSpec Measures[] = {
    {QT_TRANSLATE_NOOP("WhatIfModel", "size"), "bytes", QT_TRANSLATE_NOOP("WhatIfModel", "Bytes of the tensor in this type"),
     [](const WhatIfValue &v) { return std::optional(static_cast<double>(v.bytes)); }},
    {QT_TRANSLATE_NOOP("WhatIfModel", "bpw"), "bits_per_weight", QT_TRANSLATE_NOOP("WhatIfModel", "Bits per weight"),
     [](const WhatIfValue &v) { return std::optional(v.bitsPerWeight); }},
    {QT_TRANSLATE_NOOP("WhatIfModel", "rel. RMSE"), "relative_rmse",
     QT_TRANSLATE_NOOP("WhatIfModel", "sqrt(sum (a-b)²) / sqrt(sum a²), a being the weights as they are in the file"), error},
    {QT_TRANSLATE_NOOP("WhatIfModel", "SQNR dB"), "sqnr_db",
     QT_TRANSLATE_NOOP("WhatIfModel", "10·log10(sum a² / sum (a-b)²) in dB, a being the weights as they are in the file"), sqnr},
};
static_assert(std::size(Measures) == WhatIfModel::MeasureCount);

QString shown(const WhatIfValue &value, WhatIfModel::Measure measure)
{
    if (measure == WhatIfModel::Size)
        return formatBytes(value.bytes);
    const auto number = Measures[measure].number(value);
    if (measure == WhatIfModel::Bits)
        return QLocale().toString(*number, 'f', 2);
    const QString text = formatNumber(number);
    return value.estimated && number ? QStringLiteral("≈ ") + text : text;
}

QString plainText(const WhatIfValue &value, WhatIfModel::Measure measure)
{
    if (measure == WhatIfModel::Size)
        return QString::number(value.bytes);
    return exactNumber(Measures[measure].number(value));
}

QString fallbackNote(const TensorInfo &tensor, const WhatIfValue &value)
{
    return WhatIfModel::tr("rows of %1 don't fit %2 (blocks of %3): %4 instead")
        .arg(tensor.ne[0])
        .arg(typeText(value.wanted))
        .arg(traits(value.wanted).blockSize)
        .arg(typeText(value.type));
}

} // namespace

QString measureTitle(WhatIfModel::Measure measure) { return WhatIfModel::tr(Measures[measure].title); }

struct WhatIfModel::Cell {
    std::size_t row;
    int column;
    const TensorInfo &tensor;
    const WhatIfRow *measured;        ///< null until it is, or where it can't be
    const WhatIfValue *value;         ///< of the column's candidate, or of the choice
    std::optional<Measure> measure;
};

WhatIfModel::WhatIfModel(QObject *parent)
    : QAbstractTableModel(parent)
{}

void WhatIfModel::setTable(WhatIfTable table)
{
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
    emit choiceChanged();
}

void WhatIfModel::setRow(const WhatIfRowPtr &row)
{
    const auto place = m_table.setRow(row);
    if (!place)
        return;
    const int at = static_cast<int>(*place);
    emit dataChanged(index(at, 0), index(at, columnCount() - 1));
    emit choiceChanged();
}

bool WhatIfModel::choose(int row, std::size_t value)
{
    if (!m_table.choose(static_cast<std::size_t>(row), value))
        return false;
    emit dataChanged(index(row, 0), index(row, columnCount() - 1));
    emit choiceChanged();
    return true;
}

void WhatIfModel::choose(const std::vector<int> &rows, std::optional<GgmlType> type)
{
    std::size_t value = 0;
    if (type) {
        const auto &candidates = m_table.order().candidates;
        const auto found = std::ranges::find(candidates, *type);
        if (found == candidates.end())
            return;
        value = static_cast<std::size_t>(found - candidates.begin()) + 1;
    }
    for (const int row : rows)
        m_table.choose(static_cast<std::size_t>(row), value);
    choiceOfAllChanged();
}

bool WhatIfModel::chooseForBudget(std::uint64_t fileBytes)
{
    const bool fits = m_table.chooseForBudget(fileBytes);
    if (fits)
        choiceOfAllChanged();
    return fits;
}

void WhatIfModel::choiceOfAllChanged()
{
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    emit choiceChanged();
}

std::optional<WhatIfModel::Measure> WhatIfModel::measureOf(int column) const
{
    if (column < FirstValueColumn || column >= seenColumn())
        return std::nullopt;
    return static_cast<Measure>((column - FirstValueColumn) % MeasureCount);
}

std::optional<std::size_t> WhatIfModel::valueOf(int column) const
{
    if (column == PresentColumn)
        return 0;
    if (!measureOf(column))
        return std::nullopt;
    return static_cast<std::size_t>((column - FirstValueColumn) / MeasureCount) + 1;
}

int WhatIfModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rowCount());
}

int WhatIfModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : noteColumn() + 1; }

QVariant WhatIfModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const auto row = static_cast<std::size_t>(index.row());
    const WhatIfRow *measured = m_table.row(row).get();
    const auto place = valueOf(index.column());
    const WhatIfValue *value = index.column() == ChoiceColumn ? m_table.chosenValue(row) : nullptr;
    if (place && measured && *place < measured->values.size())
        value = &measured->values[*place];
    const Cell cell{row, index.column(), m_table.tensor(row), measured, value, measureOf(index.column())};
    switch (role) {
    case Qt::DisplayRole: return displayed(cell);
    case PlainRole: return plain(cell);
    case SortRole: return sortKey(cell);
    case Qt::ToolTipRole: return toolTip(cell);
    case TypeIdRole: return typeId(cell);
    case ChosenRole: return cell.measure && isChosen(cell);
    case ProblemRole:
        return (cell.column == noteColumn() && !note(cell).isEmpty())
               || (cell.measure && value && (value->isFallback() || value->overflowAt));
    case MutedRole: return cell.measure && value && value->identical;
    case Qt::TextAlignmentRole:
        return cell.measure || cell.column == seenColumn() ? int(Qt::AlignRight | Qt::AlignVCenter)
                                                           : int(Qt::AlignLeft | Qt::AlignVCenter);
    default: return {};
    }
}

/// The candidate that is the present type stands for it.
bool WhatIfModel::isChosen(const Cell &cell) const
{
    const WhatIfValue *chosen = m_table.chosenValue(cell.row);
    return chosen && cell.value && cell.value->type == chosen->type;
}

QVariant WhatIfModel::typeId(const Cell &cell) const
{
    if (cell.column == PresentColumn)
        return cell.tensor.typeId;
    if (cell.column == ChoiceColumn && cell.value)
        return static_cast<std::uint32_t>(cell.value->type);
    return {};
}

QVariant WhatIfModel::displayed(const Cell &cell) const
{
    if (cell.measure)
        return cell.value ? shown(*cell.value, *cell.measure) : QString();
    if (cell.column == seenColumn())
        return cell.measured && !cell.measured->values.empty() ? formatSampled(cell.measured->sampledShare) : QString();
    return plain(cell);
}

QVariant WhatIfModel::plain(const Cell &cell) const
{
    if (cell.measure)
        return cell.value ? plainText(*cell.value, *cell.measure) : QString();
    if (cell.column == TensorColumn)
        return QString::fromStdString(cell.tensor.name);
    if (cell.column == PresentColumn)
        return QString::fromStdString(cell.tensor.typeName());
    if (cell.column == ChoiceColumn)
        return cell.value ? typeText(cell.value->type) : QString();
    if (cell.column == seenColumn())
        return cell.measured && !cell.measured->values.empty() ? exactNumber(cell.measured->sampledShare) : QString();
    return note(cell);
}

/// Fallbacks and scales that overflow, and why there are no numbers at all.
QString WhatIfModel::note(const Cell &cell) const
{
    if (!cell.measured)
        return {};
    if (!cell.measured->problem.empty())
        return QString::fromStdString(cell.measured->problem);
    QStringList notes;
    for (const WhatIfValue &value : cell.measured->values) {
        if (value.isFallback())
            notes += fallbackNote(cell.tensor, value);
        if (value.overflowAt)
            notes += tr("%1: a scale would be infinite at element %2").arg(typeText(value.type)).arg(*value.overflowAt);
    }
    return notes.join(QStringLiteral("; "));
}

QVariant WhatIfModel::sortKey(const Cell &cell) const
{
    if (cell.column == TensorColumn)
        return static_cast<quint64>(cell.row); // the file's order
    if (cell.column == PresentColumn)
        return cell.tensor.bitsPerWeight().value_or(0);
    if (cell.column == ChoiceColumn)
        return cell.value ? QVariant(cell.value->bitsPerWeight) : QVariant();
    if (cell.column == seenColumn())
        return cell.measured ? QVariant(cell.measured->sampledShare) : QVariant();
    if (!cell.measure || !cell.value)
        return {};
    const auto number = Measures[*cell.measure].number(*cell.value);
    return number ? QVariant(*number) : QVariant();
}

QVariant WhatIfModel::toolTip(const Cell &cell) const
{
    if (!cell.measure)
        return cell.column == noteColumn() ? note(cell) : displayed(cell);
    if (!cell.value)
        return {};
    const WhatIfValue &value = *cell.value;
    QString text = tr("%1 in %2: %3, %4\nrelative RMSE %5, SQNR %6 dB, %7")
                       .arg(QString::fromStdString(cell.tensor.name), typeText(value.type), formatBytesLong(value.bytes),
                            formatBitsPerWeight(value.bitsPerWeight), formatNumber(error(value)), formatNumber(sqnr(value)),
                            value.identical ? tr("as it is now") : formatSampled(cell.measured->sampledShare));
    if (value.isFallback())
        text += QLatin1Char('\n') + fallbackNote(cell.tensor, value);
    return text + QLatin1Char('\n') + tr("Click to choose it");
}

QString WhatIfModel::title(int column, bool plain) const
{
    if (const auto measure = measureOf(column)) {
        const QString type = typeText(m_table.order().candidates[*valueOf(column) - 1]);
        return plain ? type + QLatin1Char('_') + QLatin1String(Measures[*measure].plainTitle)
                     : type + QLatin1Char('\n') + measureTitle(*measure);
    }
    switch (column) {
    case TensorColumn: return plain ? QStringLiteral("tensor") : tr("tensor");
    case PresentColumn: return plain ? QStringLiteral("present") : tr("present");
    case ChoiceColumn: return plain ? QStringLiteral("choice") : tr("choice");
    default: break;
    }
    if (column == seenColumn())
        return plain ? QStringLiteral("share_seen") : tr("measured");
    return plain ? QStringLiteral("note") : tr("note");
}

QVariant WhatIfModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= columnCount())
        return {};
    const auto measure = measureOf(section);
    switch (role) {
    case Qt::DisplayRole: return title(section, false);
    case PlainRole: return title(section, true);
    case Qt::ToolTipRole: return measure ? tr(Measures[*measure].toolTip) : QVariant();
    case Qt::TextAlignmentRole:
        return measure || section == seenColumn() ? int(Qt::AlignRight | Qt::AlignVCenter)
                                                  : int(Qt::AlignLeft | Qt::AlignVCenter);
    default: return {};
    }
}

} // namespace ql
