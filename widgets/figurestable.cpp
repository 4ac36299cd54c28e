// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figurestable.h"

#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <array>
#include <cmath>

namespace ql {

namespace {

struct Cell {
    QString shown;
    QString exact;
};

Cell number(const std::optional<double> &value)
{
    return {formatNumber(value), exactNumber(value)};
}

/// A figure of the weights; of a sample it says how it stands to the whole's: about it, or a bound.
Cell measured(const std::optional<double> &value, const FiguresSource &source, QChar mark = QChar(0x2248))
{
    Cell cell = number(value);
    if (source.stats->sampledShare < 1 && value)
        cell.shown = mark + QLatin1Char(' ') + cell.shown;
    return cell;
}

constexpr QChar AtMost(0x2264);
constexpr QChar AtLeast(0x2265);

/// All weights: known whatever was sampled.
Cell wholeCount(const FiguresSource &source)
{
    const double n = static_cast<double>(source.figures()->moments.count) / source.stats->sampledShare;
    const auto whole = static_cast<qulonglong>(std::llround(n));
    return {formatCount(whole), QString::number(whole)};
}

/// A count; of a sample it is scaled up to the whole, and says so.
Cell counted(std::uint64_t n, const FiguresSource &source)
{
    const double share = source.stats->sampledShare;
    if (share >= 1)
        return {formatCount(n), QString::number(static_cast<qulonglong>(n))};
    const auto whole = static_cast<qulonglong>(std::llround(static_cast<double>(n) / share));
    return {QStringLiteral("≈ ") + formatCount(whole), QString::number(whole)};
}

Cell share(std::uint64_t part, std::uint64_t all)
{
    if (all == 0)
        return {noValue(), {}};
    const double value = static_cast<double>(part) / static_cast<double>(all);
    return {formatPercent(value), exactNumber(value)};
}

template<std::size_t Point>
Cell percentileCell(const FiguresSource &s)
{
    return measured(s.figures()->percentiles[Point], s);
}

const Moments &moments(const FiguresSource &s)
{
    return s.figures()->moments;
}

struct FigureRow {
    const char *id;
    const char *name;
    const char *help;
    Cell (*cell)(const FiguresSource &);
};

constexpr std::array<FigureRow, 23> Rows{{
    {"count", QT_TRANSLATE_NOOP("ql::FiguresTable", "weights"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "all weights, NaN and Inf among them"),
     [](const FiguresSource &s) { return wholeCount(s); }},
    {"min", QT_TRANSLATE_NOOP("ql::FiguresTable", "min"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "smallest finite weight"),
     [](const FiguresSource &s) { return measured(moments(s).minValue(), s, AtMost); }},
    {"max", QT_TRANSLATE_NOOP("ql::FiguresTable", "max"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "largest finite weight"),
     [](const FiguresSource &s) { return measured(moments(s).maxValue(), s, AtLeast); }},
    {"absmax", QT_TRANSLATE_NOOP("ql::FiguresTable", "absmax"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "max(|w|)"),
     [](const FiguresSource &s) { return measured(moments(s).absMax(), s, AtLeast); }},
    {"mean", QT_TRANSLATE_NOOP("ql::FiguresTable", "mean"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "μ = Σw / n over the n finite weights"),
     [](const FiguresSource &s) { return measured(moments(s).meanValue(), s); }},
    {"std", QT_TRANSLATE_NOOP("ql::FiguresTable", "σ"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "standard deviation, sqrt(Σ(w − μ)² / n)"),
     [](const FiguresSource &s) { return measured(moments(s).std(), s); }},
    {"rms", QT_TRANSLATE_NOOP("ql::FiguresTable", "RMS"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "sqrt(Σw² / n)"),
     [](const FiguresSource &s) { return measured(moments(s).rms(), s); }},
    {"mean_abs", QT_TRANSLATE_NOOP("ql::FiguresTable", "mean |w|"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "Σ|w| / n"),
     [](const FiguresSource &s) { return measured(moments(s).meanAbs(), s); }},
    {"kurtosis", QT_TRANSLATE_NOOP("ql::FiguresTable", "kurtosis"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "n·Σ(w − μ)⁴ / (Σ(w − μ)²)²: 3 for a Gaussian, more with heavier tails"),
     [](const FiguresSource &s) { return measured(moments(s).kurtosis(), s); }},
    {"zeros", QT_TRANSLATE_NOOP("ql::FiguresTable", "zeros"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "weights equal to 0 or -0"),
     [](const FiguresSource &s) { return counted(moments(s).zeros, s); }},
    {"zero_share", QT_TRANSLATE_NOOP("ql::FiguresTable", "zero share"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "zeros / weights"),
     [](const FiguresSource &s) { return share(moments(s).zeros, moments(s).count); }},
    {"nan", QT_TRANSLATE_NOOP("ql::FiguresTable", "NaN"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "weights that are not a number; in no other figure"),
     [](const FiguresSource &s) { return counted(moments(s).nan, s); }},
    {"inf", QT_TRANSLATE_NOOP("ql::FiguresTable", "Inf"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "infinite weights of both signs; in no other figure"),
     [](const FiguresSource &s) { return counted(moments(s).inf, s); }},
    {"bytes", QT_TRANSLATE_NOOP("ql::FiguresTable", "bytes"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "size in the file; 1 MiB = 1,048,576 bytes"),
     [](const FiguresSource &s) {
         return s.byteSize ? Cell{formatBytes(*s.byteSize), QString::number(qulonglong(*s.byteSize))}
                           : Cell{noValue(), {}};
     }},
    {"bpw", QT_TRANSLATE_NOOP("ql::FiguresTable", "bits/weight"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "8 · bytes / weights"),
     [](const FiguresSource &s) { return number(s.bitsPerWeight); }},
    {"p0.1", QT_TRANSLATE_NOOP("ql::FiguresTable", "percentile 0.1"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "0.1 % of the finite weights lie below, to one fine bin"),
     percentileCell<0>},
    {"p1", QT_TRANSLATE_NOOP("ql::FiguresTable", "percentile 1"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "1 % of the finite weights lie below, to one fine bin"),
     percentileCell<1>},
    {"p25", QT_TRANSLATE_NOOP("ql::FiguresTable", "percentile 25"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "lower quartile, to one fine bin"), percentileCell<2>},
    {"p50", QT_TRANSLATE_NOOP("ql::FiguresTable", "median"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "half of the finite weights lie below, to one fine bin"),
     percentileCell<3>},
    {"p75", QT_TRANSLATE_NOOP("ql::FiguresTable", "percentile 75"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "upper quartile, to one fine bin"), percentileCell<4>},
    {"p99", QT_TRANSLATE_NOOP("ql::FiguresTable", "percentile 99"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "99 % of the finite weights lie below, to one fine bin"),
     percentileCell<5>},
    {"p99.9", QT_TRANSLATE_NOOP("ql::FiguresTable", "percentile 99.9"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "99.9 % of the finite weights lie below, to one fine bin"),
     percentileCell<6>},
    {"sampled", QT_TRANSLATE_NOOP("ql::FiguresTable", "sampled"),
     QT_TRANSLATE_NOOP("ql::FiguresTable", "share of the weights behind these figures; 100 % is exact"),
     [](const FiguresSource &s) {
         return Cell{formatPercent(s.stats->sampledShare), exactNumber(s.stats->sampledShare)};
     }},
}};

} // namespace

const Figures *FiguresSource::figures() const
{
    if (!stats)
        return nullptr;
    if (!expert)
        return &stats->figures;
    return *expert < stats->experts.size() ? &stats->experts[*expert] : nullptr;
}

FiguresTable::FiguresTable(QObject *parent) : QAbstractTableModel(parent) {}

void FiguresTable::setSources(const FiguresSource &a, const FiguresSource &b)
{
    const bool sameShape = (a.figures() != nullptr) == (m_a.figures() != nullptr)
        && (b.figures() != nullptr) == (m_b.figures() != nullptr);
    if (!sameShape)
        beginResetModel();
    m_a = a;
    m_b = b;
    if (!sameShape)
        endResetModel();
    else if (rowCount() > 0) // keeps the person's selection from an estimate to its exact result
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int FiguresTable::rowOf(const QString &id)
{
    for (std::size_t i = 0; i < Rows.size(); ++i)
        if (id == QLatin1String(Rows[i].id))
            return static_cast<int>(i);
    return -1;
}

int FiguresTable::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_a.figures() ? 0 : static_cast<int>(Rows.size());
}

int FiguresTable::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_b.figures() ? 3 : 2;
}

QVariant FiguresTable::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const FigureRow &row = Rows[static_cast<std::size_t>(index.row())];
    const bool isName = index.column() == Name;
    switch (role) {
    case Qt::DisplayRole:
    case CopyRole: {
        if (isName)
            return tr(row.name);
        const Cell cell = row.cell(index.column() == A ? m_a : m_b);
        return role == CopyRole ? cell.exact : cell.shown;
    }
    case Qt::ToolTipRole:
        return tr(row.help);
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter | (isName ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::FontRole:
        return isName ? QVariant() : QVariant(Theme::fixedFont());
    default:
        return {};
    }
}

QVariant FiguresTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section == Name ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole)
        return {};
    if (section == Name)
        return tr("figure");
    if (section == B)
        return QStringLiteral("B");
    return m_b.figures() ? QStringLiteral("A") : tr("value");
}

} // namespace ql
