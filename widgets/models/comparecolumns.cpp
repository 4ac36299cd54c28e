// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/comparecolumns.h"

#include "core/model/tensorname.h"
#include "widgets/formatting.h"

#include <QCoreApplication>

#include <array>
#include <cmath>

namespace ql {

namespace {

QString fromText(const std::string &text) { return QString::fromStdString(text); }

QString translated(const char *text) { return QCoreApplication::translate("CompareColumns", text); }

CompareKey numberKey(std::optional<double> number)
{
    return number && !std::isnan(*number) ? CompareKey{true, *number, {}} : CompareKey{};
}

// Name

QString partText(const TensorPair &pair)
{
    constexpr std::array Names{"", " (gate)", " (up)"};
    const auto half = pair.halfA != TensorPair::Half::Whole ? pair.halfA : pair.halfB;
    return QString::fromLatin1(Names[static_cast<std::size_t>(half)]);
}

QString indexed(const TensorInfo &tensor, std::optional<std::uint64_t> expert)
{
    const QString name = fromText(tensor.name);
    return expert ? name + QStringLiteral("[%1]").arg(*expert) : name;
}

QString nameText(const CompareRow &row)
{
    if (row.expert)
        return translated("expert %1").arg(*row.expert);
    return compareName(row);
}

CompareKey nameKey(const CompareRow &row)
{
    if (row.group)
        return {true, row.group->layer ? 1.0 + *row.group->layer : 0.0, row.group->label};
    if (row.expert)
        return {true, static_cast<double>(*row.expert), {}};
    return {true, 0, row.table->tensor(*row.row).name};
}

// Types

template <bool OfB>
QString typeText(const CompareRow &row)
{
    const auto id = compareType(row, OfB);
    return id ? fromText(typeLabel(*id)) : QString();
}

template <bool OfB>
CompareKey typeKey(const CompareRow &row)
{
    const auto id = compareType(row, OfB);
    if (!id)
        return {};
    const TypeTraits *type = findType(*id);
    // By width, so that the coarse ones stand together; ids break ties.
    return {true, (type ? type->bitsPerWeight() : 0.0) + *id * 1e-6, {}};
}

// Figures

template <ErrorFigure Figure>
QString figureText(const CompareRow &row)
{
    const auto value = compareFigure(row, Figure);
    return value ? formatNumber(*value) : QString();
}

/// The error, or a word on why there is none.
QString relativeText(const CompareRow &row)
{
    if (row.row && row.row->state != PairState::Differs)
        return pairStateText(row.row->state);
    return figureText<ErrorFigure::RelativeRmse>(row);
}

template <ErrorFigure Figure>
QString figurePlain(const CompareRow &row)
{
    return exactNumber(compareFigure(row, Figure));
}

template <ErrorFigure Figure>
CompareKey figureKey(const CompareRow &row)
{
    return numberKey(compareFigure(row, Figure));
}

// Sizes

std::optional<double> bitsDelta(const CompareRow &row)
{
    if (row.row)
        return row.row->bitsDelta();
    const auto a = row.totals->bitsA(), b = row.totals->bitsB();
    return a && b ? std::optional(*b - *a) : std::nullopt;
}

QString bitsDeltaText(const CompareRow &row)
{
    const auto bits = bitsDelta(row);
    if (!bits)
        return {};
    const QString number = QLocale().toString(*bits, 'f', 2);
    return *bits > 0 ? QLatin1Char('+') + number : number;
}
QString bitsDeltaPlain(const CompareRow &row) { return exactNumber(bitsDelta(row)); }
CompareKey bitsDeltaKey(const CompareRow &row) { return numberKey(bitsDelta(row)); }

enum class Count { BytesA, BytesB, Weights };

/// An expert's share of its pair.
std::uint64_t shareOf(const CompareRow &row, std::uint64_t whole)
{
    return row.expert && row.row->experts ? whole / row.row->experts : whole;
}

template <Count What>
std::optional<std::uint64_t> countOf(const CompareRow &row)
{
    const bool hasA = !row.row || row.row->a, hasB = !row.row || row.row->b;
    switch (What) {
    case Count::BytesA:
        return hasA ? std::optional(row.row ? shareOf(row, row.row->bytesA) : row.totals->bytesA) : std::nullopt;
    case Count::BytesB:
        return hasB ? std::optional(row.row ? shareOf(row, row.row->bytesB) : row.totals->bytesB) : std::nullopt;
    case Count::Weights: return row.row ? shareOf(row, row.row->weights) : row.totals->weights;
    }
    return std::nullopt;
}

template <Count What>
QString countText(const CompareRow &row)
{
    const auto count = countOf<What>(row);
    if (!count)
        return {};
    return What == Count::Weights ? formatCount(*count) : formatBytes(*count);
}

template <Count What>
QString countPlain(const CompareRow &row)
{
    const auto count = countOf<What>(row);
    return count ? QString::number(*count) : QString();
}

template <Count What>
CompareKey countKey(const CompareRow &row)
{
    const auto count = countOf<What>(row);
    return count ? CompareKey{true, static_cast<double>(*count), {}} : CompareKey{};
}

// Status

QString groupStatus(const ComparisonTotals &totals)
{
    QStringList parts;
    const auto add = [&](std::uint64_t count, const char *text) {
        if (count)
            parts << translated(text).arg(formatCount(count));
    };
    add(totals.differ, "%1 differ");
    add(totals.same, "%1 same");
    add(totals.waiting, "%1 waiting");
    add(totals.failed, "%1 not decodable");
    add(totals.shapesDiffer, "%1 of other shape");
    add(totals.unpaired, "%1 unpaired");
    return parts.join(QStringLiteral(", "));
}

QString statusText(const CompareRow &row)
{
    if (row.group)
        return groupStatus(*row.totals);
    QString text = pairStateText(row.row->state);
    if (row.row->byHand)
        text = translated("by hand") + QStringLiteral(" · ") + text;
    if (!row.row->note.empty() && !row.expert)
        text += QStringLiteral(": ") + fromText(row.row->note);
    return text;
}

CompareKey statusKey(const CompareRow &row)
{
    return row.row ? CompareKey{true, static_cast<double>(row.row->state), row.row->note} : CompareKey{};
}

using Column = CompareColumn;
using Look = CompareColumnSpec::Look;
using Figure = ErrorFigure;

#define QL_COMPARE(text) QT_TRANSLATE_NOOP("CompareColumns", text)

constexpr std::array Columns{
    CompareColumnSpec{Column::Name, "name", QL_COMPARE("name"), QL_COMPARE("Name of the tensor in A and, where it is another, in B"),
                      Look::Name, 218, nameText, compareName, nameKey},
    CompareColumnSpec{Column::TypeA, "type_a", QL_COMPARE("A"), QL_COMPARE("Type of the weights in A"), Look::Chip, 70,
                      typeText<false>, typeText<false>, typeKey<false>},
    CompareColumnSpec{Column::TypeB, "type_b", QL_COMPARE("B"), QL_COMPARE("Type of the weights in B"), Look::Chip, 70,
                      typeText<true>, typeText<true>, typeKey<true>},
    CompareColumnSpec{Column::RelativeRmse, "relative_rmse", QL_COMPARE("relative RMSE"),
                      QL_COMPARE("Root of the mean squared difference between A and B, over the RMS of A"), Look::Bar, 128,
                      relativeText, figurePlain<Figure::RelativeRmse>, figureKey<Figure::RelativeRmse>},
    CompareColumnSpec{Column::BitsDelta, "bpw_delta", QL_COMPARE("Δ bpw"),
                      QL_COMPARE("Bits per weight of B less those of A"), Look::Number, 66, bitsDeltaText,
                      bitsDeltaPlain, bitsDeltaKey},
    CompareColumnSpec{Column::Sqnr, "sqnr_db", QL_COMPARE("SQNR, dB"),
                      QL_COMPARE("10 · log10(sum of a² / sum of (a − b)²), A is the reference"), Look::Number, 82,
                      figureText<Figure::Sqnr>, figurePlain<Figure::Sqnr>, figureKey<Figure::Sqnr>},
    CompareColumnSpec{Column::Cosine, "cosine", QL_COMPARE("cosine"),
                      QL_COMPARE("Cosine of the angle between A's and B's weights: 1 where they point the same way"),
                      Look::Number, 74, figureText<Figure::Cosine>, figurePlain<Figure::Cosine>, figureKey<Figure::Cosine>},
    CompareColumnSpec{Column::Rmse, "rmse", QL_COMPARE("RMSE"), QL_COMPARE("Root of the mean squared difference between A and B"),
                      Look::Number, 86, figureText<Figure::Rmse>, figurePlain<Figure::Rmse>, figureKey<Figure::Rmse>},
    CompareColumnSpec{Column::MaxError, "max_abs_error", QL_COMPARE("max |error|"),
                      QL_COMPARE("Largest difference between two weights"), Look::Number, 92,
                      figureText<Figure::MaxAbsError>, figurePlain<Figure::MaxAbsError>, figureKey<Figure::MaxAbsError>},
    CompareColumnSpec{Column::BytesA, "bytes_a", QL_COMPARE("size A"), QL_COMPARE("Bytes of what is compared, in A"),
                      Look::Number, 84, countText<Count::BytesA>, countPlain<Count::BytesA>, countKey<Count::BytesA>},
    CompareColumnSpec{Column::BytesB, "bytes_b", QL_COMPARE("size B"), QL_COMPARE("Bytes of what is compared, in B"),
                      Look::Number, 84, countText<Count::BytesB>, countPlain<Count::BytesB>, countKey<Count::BytesB>},
    CompareColumnSpec{Column::Weights, "weights", QL_COMPARE("weights"), QL_COMPARE("Number of weights compared"),
                      Look::Number, 108, countText<Count::Weights>, countPlain<Count::Weights>, countKey<Count::Weights>},
    CompareColumnSpec{Column::Status, "status", QL_COMPARE("status"),
                      QL_COMPARE("Whether the tensors are the same, differ, or can't be compared and why"), Look::Text, 300,
                      statusText, statusText, statusKey},
};

#undef QL_COMPARE

constexpr bool isInOrder()
{
    for (std::size_t i = 0; i < Columns.size(); ++i)
        if (static_cast<std::size_t>(Columns[i].column) != i)
            return false;
    return true;
}
static_assert(isInOrder(), "the table follows enum CompareColumn");

} // namespace

std::span<const CompareColumnSpec> compareColumns() { return Columns; }

int compareKeys(const CompareKey &a, const CompareKey &b)
{
    if (a.number != b.number)
        return a.number < b.number ? -1 : 1;
    return compareNatural(a.text, b.text);
}

QString pairStateText(PairState state)
{
    constexpr std::array Texts{QT_TRANSLATE_NOOP("CompareColumns", "waiting"),
                               QT_TRANSLATE_NOOP("CompareColumns", "same"),
                               QT_TRANSLATE_NOOP("CompareColumns", "differs"),
                               QT_TRANSLATE_NOOP("CompareColumns", "not decodable"),
                               QT_TRANSLATE_NOOP("CompareColumns", "shapes differ"),
                               QT_TRANSLATE_NOOP("CompareColumns", "only in A"),
                               QT_TRANSLATE_NOOP("CompareColumns", "only in B")};
    return translated(Texts[static_cast<std::size_t>(state)]);
}

QString compareName(const CompareRow &row)
{
    if (row.group)
        return fromText(row.group->label);
    const TensorInfo *a = row.table->tensorA(*row.row), *b = row.table->tensorB(*row.row);
    const TensorPair &pair = row.row->pair;
    const QString part = partText(pair);
    const QString nameA = a ? indexed(*a, row.expert ? row.expert : pair.expertA) : QString();
    const QString nameB = b ? indexed(*b, row.expert ? row.expert : pair.expertB) : QString();
    if (!a || !b)
        return a ? nameA : nameB;
    return nameA == nameB ? nameA + part : nameA + QStringLiteral(" / ") + nameB + part;
}

std::optional<double> compareFigure(const CompareRow &row, ErrorFigure figure)
{
    if (row.row)
        return errorFigure(*row.row, row.expert, figure);
    if (row.totals->compared() == 0)
        return std::nullopt;
    return errorFigure(row.totals->sums, row.totals->differ == 0, figure);
}

std::optional<std::uint32_t> compareType(const CompareRow &row, bool ofB)
{
    if (!row.row || row.expert)
        return std::nullopt;
    const TensorInfo *tensor = ofB ? row.table->tensorB(*row.row) : row.table->tensorA(*row.row);
    return tensor ? std::optional(tensor->typeId) : std::nullopt;
}

} // namespace ql
