// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tensorcolumns.h"

#include "core/model/tensorname.h"
#include "widgets/formatting.h"

#include <QCoreApplication>

#include <array>
#include <cmath>

namespace ql {

namespace {

QString fromText(const std::string &text) { return QString::fromStdString(text); }

QString translated(const char *text) { return QCoreApplication::translate("TensorColumns", text); }

SortKey numberKey(std::optional<double> number)
{
    return number && !std::isnan(*number) ? SortKey{true, *number, 0, {}} : SortKey{};
}

SortKey countKey(std::optional<std::uint64_t> number)
{
    return number ? SortKey{true, static_cast<double>(*number), 0, {}} : SortKey{};
}

QString plainCount(std::optional<std::uint64_t> number)
{
    return number ? QString::number(*number) : QString();
}

QString shownNumber(std::optional<double> number)
{
    return number ? formatNumber(*number) : QString();
}

// Name

QString oldExpertName(const TensorInfo &tensor)
{
    const std::string name = shortName(tensor);
    const bool isSecond = name.find('#') != std::string::npos; // two of one name in a file
    const QString number = translated("expert %1").arg(*tensor.expert);
    return isSecond ? number + QLatin1String(" · ") + fromText(name) : number;
}

QString nameText(const TensorRow &row)
{
    if (row.slab) {
        const char *text = row.tensor->experts ? "expert %1" : "slice %1";
        return translated(text).arg(*row.slab);
    }
    if (!row.tensor)
        return fromText(row.node->label);
    if (row.isOldExpert)
        return oldExpertName(*row.tensor);
    return fromText(row.fullNames ? row.tensor->name : shortName(*row.tensor));
}

QString namePlain(const TensorRow &row)
{
    if (!row.tensor)
        return fromText(row.node->label);
    const QString name = fromText(row.tensor->name);
    return row.slab ? name + QStringLiteral("[%1]").arg(*row.slab) : name;
}

SortKey nameKey(const TensorRow &row)
{
    if (row.slab)
        return {true, static_cast<double>(*row.slab), 0, {}};
    if (row.isOldExpert)
        return {true, static_cast<double>(*row.tensor->expert), 0, row.tensor->name};
    return {true, 0, 0, row.tensor ? row.tensor->name : row.node->label};
}

// Type

QString typeText(const TensorRow &row)
{
    const auto id = typeIdOf(row);
    return id ? fromText(typeLabel(*id)) : QString();
}

/// By width, so that the coarse ones stand together; ids break ties.
SortKey keyOfType(std::optional<std::uint32_t> id)
{
    if (!id)
        return {};
    const TypeTraits *type = findType(*id);
    return {true, type ? type->bitsPerWeight() : 0.0, static_cast<double>(*id), {}};
}

SortKey typeKey(const TensorRow &row) { return keyOfType(typeIdOf(row)); }

// Type in B and the error against it

std::optional<std::uint32_t> typeB(const TensorRow &row)
{
    return row.comparison ? row.comparison->typeB : std::nullopt;
}

QString typeBText(const TensorRow &row)
{
    if (!row.comparison)
        return {};
    return row.comparison->typeB ? fromText(typeLabel(*row.comparison->typeB))
                                 : translated("only in A");
}

QString typeBPlain(const TensorRow &row)
{
    const auto id = typeB(row);
    return id ? fromText(typeLabel(*id)) : QString();
}

SortKey typeBKey(const TensorRow &row) { return keyOfType(typeB(row)); }

QString errorText(const TensorRow &row)
{
    if (!row.comparison)
        return {};
    if (row.comparison->identical)
        return translated("same");
    return shownNumber(errorOf(row));
}

QString errorPlain(const TensorRow &row) { return exactNumber(errorOf(row)); }
SortKey errorKey(const TensorRow &row) { return numberKey(errorOf(row)); }

// Shape

QString shapeText(const TensorRow &row)
{
    if (!row.tensor)
        return {};
    // A slab has no dimension that counts slabs.
    return formatShape(row.slab ? Ne{row.tensor->ne[0], row.tensor->ne[1]} : row.tensor->ne);
}

SortKey shapeKey(const TensorRow &row)
{
    if (!row.tensor)
        return {};
    return {true, static_cast<double>(row.tensor->ne[0]), static_cast<double>(row.tensor->ne[1]), {}};
}

// Sizes

QString weightsText(const TensorRow &row)
{
    const auto weights = weightsOf(row);
    return weights ? formatCount(*weights) : translated("unknown");
}
QString weightsPlain(const TensorRow &row) { return plainCount(weightsOf(row)); }
SortKey weightsKey(const TensorRow &row) { return countKey(weightsOf(row)); }

QString bytesText(const TensorRow &row)
{
    const auto bytes = bytesOf(row);
    return bytes ? formatBytes(*bytes) : translated("unknown");
}
QString bytesPlain(const TensorRow &row) { return plainCount(bytesOf(row)); }
SortKey bytesKey(const TensorRow &row) { return countKey(bytesOf(row)); }

std::optional<double> bitsOf(const TensorRow &row)
{
    if (row.tensor)
        return row.tensor->bitsPerWeight();
    const auto weights = row.node->weights;
    const auto bytes = row.node->bytes;
    if (!weights || !bytes || *weights == 0)
        return std::nullopt;
    return 8.0 * static_cast<double>(*bytes) / static_cast<double>(*weights);
}

QString bitsText(const TensorRow &row)
{
    const auto bits = bitsOf(row);
    return bits ? QLocale().toString(*bits, 'f', 2) : QString();
}
QString bitsPlain(const TensorRow &row) { return exactNumber(bitsOf(row)); }
SortKey bitsKey(const TensorRow &row) { return numberKey(bitsOf(row)); }

// Place

std::optional<std::uint64_t> offsetOf(const TensorRow &row)
{
    if (!row.tensor || !row.tensor->absoluteOffset)
        return std::nullopt;
    if (!row.slab)
        return row.tensor->absoluteOffset;
    return *row.tensor->absoluteOffset + *row.slab * bytesOf(row).value_or(0);
}

QString offsetText(const TensorRow &row)
{
    const auto offset = offsetOf(row);
    return offset ? formatCount(*offset) : QString();
}
QString offsetPlain(const TensorRow &row) { return plainCount(offsetOf(row)); }
SortKey offsetKey(const TensorRow &row) { return countKey(offsetOf(row)); }

std::optional<std::uint64_t> shardOf(const TensorRow &row)
{
    return row.tensor ? std::optional<std::uint64_t>(row.tensor->shard + 1ULL) : std::nullopt;
}
QString shardText(const TensorRow &row) { return plainCount(shardOf(row)); }
SortKey shardKey(const TensorRow &row) { return countKey(shardOf(row)); }

// Figures of a whole-model scan

template <std::optional<double> (Moments::*Figure)() const>
std::optional<double> figure(const TensorRow &row)
{
    return row.moments ? (row.moments->*Figure)() : std::nullopt;
}
template <std::optional<double> (Moments::*Figure)() const>
QString figureText(const TensorRow &row)
{
    return shownNumber(figure<Figure>(row));
}
template <std::optional<double> (Moments::*Figure)() const>
QString figurePlain(const TensorRow &row)
{
    return exactNumber(figure<Figure>(row));
}
template <std::optional<double> (Moments::*Figure)() const>
SortKey figureKey(const TensorRow &row)
{
    return numberKey(figure<Figure>(row));
}

std::optional<double> zeroShareOf(const TensorRow &row)
{
    if (!row.moments || row.moments->count == 0)
        return std::nullopt;
    return static_cast<double>(row.moments->zeros) / static_cast<double>(row.moments->count);
}
QString zeroShareText(const TensorRow &row)
{
    const auto share = zeroShareOf(row);
    return share ? formatPercent(*share) : QString();
}
QString zeroSharePlain(const TensorRow &row) { return exactNumber(zeroShareOf(row)); }
SortKey zeroShareKey(const TensorRow &row) { return numberKey(zeroShareOf(row)); }

std::optional<std::uint64_t> nonFiniteOf(const TensorRow &row)
{
    return row.moments ? std::optional(row.moments->nan + row.moments->inf) : std::nullopt;
}
QString nonFiniteText(const TensorRow &row)
{
    const auto count = nonFiniteOf(row);
    return count ? formatCount(*count) : QString();
}
QString nonFinitePlain(const TensorRow &row) { return plainCount(nonFiniteOf(row)); }
SortKey nonFiniteKey(const TensorRow &row) { return countKey(nonFiniteOf(row)); }

// Problem

QString problemText(const TensorRow &row)
{
    return row.tensor && !row.slab ? fromText(row.tensor->problem) : QString();
}
SortKey problemKey(const TensorRow &row)
{
    if (!row.tensor || row.tensor->problem.empty())
        return {};
    return {true, 0, 0, row.tensor->problem};
}

using Column = TensorColumn;
using Look = TensorColumnSpec::Look;
using When = TensorColumnSpec::When;

constexpr std::array Columns{
    TensorColumnSpec{Column::Name, "name", QT_TRANSLATE_NOOP("TensorColumns", "name"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Name of the tensor, or the group it is in"),
                     Look::Name, When::Always, nameText, namePlain, nameKey},
    TensorColumnSpec{Column::Type, "type", QT_TRANSLATE_NOOP("TensorColumns", "type"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Type of the weights as the file stores them"),
                     Look::Chip, When::Always, typeText, typeText, typeKey},
    TensorColumnSpec{Column::TypeB, "type_b", QT_TRANSLATE_NOOP("TensorColumns", "B"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Type of the same tensor in B"),
                     Look::Chip, When::Compared, typeBText, typeBPlain, typeBKey},
    TensorColumnSpec{Column::Error, "relative_rmse",
                     QT_TRANSLATE_NOOP("TensorColumns", "relative RMSE"),
                     QT_TRANSLATE_NOOP("TensorColumns",
                                       "Root of the mean squared difference between A and B, over the RMS of A"),
                     Look::Bar, When::Compared, errorText, errorPlain, errorKey},
    TensorColumnSpec{Column::Shape, "shape", QT_TRANSLATE_NOOP("TensorColumns", "shape"),
                     QT_TRANSLATE_NOOP("TensorColumns",
                                       "Dimensions in file order; the first is the length of a row"),
                     Look::Number, When::Always, shapeText, shapeText, shapeKey},
    TensorColumnSpec{Column::Weights, "weights", QT_TRANSLATE_NOOP("TensorColumns", "weights"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Number of weights"),
                     Look::Number, When::Always, weightsText, weightsPlain, weightsKey},
    TensorColumnSpec{Column::Bytes, "bytes", QT_TRANSLATE_NOOP("TensorColumns", "size"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Bytes in the file"),
                     Look::Number, When::Always, bytesText, bytesPlain, bytesKey},
    TensorColumnSpec{Column::BitsPerWeight, "bits_per_weight",
                     QT_TRANSLATE_NOOP("TensorColumns", "bpw"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Bits per weight: 8 × bytes / weights"),
                     Look::Number, When::Always, bitsText, bitsPlain, bitsKey},
    TensorColumnSpec{Column::Offset, "offset", QT_TRANSLATE_NOOP("TensorColumns", "offset"),
                     QT_TRANSLATE_NOOP("TensorColumns", "First byte in its file"),
                     Look::Number, When::Optional, offsetText, offsetPlain, offsetKey},
    TensorColumnSpec{Column::Shard, "shard", QT_TRANSLATE_NOOP("TensorColumns", "shard"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Which file of the split model, from 1"),
                     Look::Number, When::Split, shardText, shardText, shardKey},
    TensorColumnSpec{Column::Rms, "rms", QT_TRANSLATE_NOOP("TensorColumns", "RMS"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Root of the mean square of the finite weights"),
                     Look::Number, When::Scanned, figureText<&Moments::rms>,
                     figurePlain<&Moments::rms>, figureKey<&Moments::rms>},
    TensorColumnSpec{Column::Std, "std", QT_TRANSLATE_NOOP("TensorColumns", "σ"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Standard deviation of the finite weights"),
                     Look::Number, When::Scanned, figureText<&Moments::std>,
                     figurePlain<&Moments::std>, figureKey<&Moments::std>},
    TensorColumnSpec{Column::AbsMax, "absmax", QT_TRANSLATE_NOOP("TensorColumns", "absmax"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Largest magnitude of a finite weight"),
                     Look::Number, When::Scanned, figureText<&Moments::absMax>,
                     figurePlain<&Moments::absMax>, figureKey<&Moments::absMax>},
    TensorColumnSpec{Column::Kurtosis, "kurtosis", QT_TRANSLATE_NOOP("TensorColumns", "kurtosis"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Fourth moment over σ⁴; 3 for a Gaussian"),
                     Look::Number, When::Scanned, figureText<&Moments::kurtosis>,
                     figurePlain<&Moments::kurtosis>, figureKey<&Moments::kurtosis>},
    TensorColumnSpec{Column::ZeroShare, "zero_share", QT_TRANSLATE_NOOP("TensorColumns", "zeros"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Share of the weights that are exactly zero"),
                     Look::Number, When::Scanned, zeroShareText, zeroSharePlain, zeroShareKey},
    TensorColumnSpec{Column::NonFinite, "nan_inf", QT_TRANSLATE_NOOP("TensorColumns", "NaN, Inf"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Weights that are no finite number"),
                     Look::Number, When::Scanned, nonFiniteText, nonFinitePlain, nonFiniteKey},
    TensorColumnSpec{Column::Problem, "problem", QT_TRANSLATE_NOOP("TensorColumns", "problem"),
                     QT_TRANSLATE_NOOP("TensorColumns", "Why the weights can't be decoded"),
                     Look::Text, When::Problems, problemText, problemText, problemKey},
};

constexpr bool isInOrder()
{
    for (std::size_t i = 0; i < Columns.size(); ++i) {
        if (static_cast<std::size_t>(Columns[i].column) != i)
            return false;
    }
    return true;
}
static_assert(isInOrder(), "the table follows enum TensorColumn");

} // namespace

std::span<const TensorColumnSpec> tensorColumns() { return Columns; }

int compareKeys(const SortKey &a, const SortKey &b)
{
    if (a.number != b.number)
        return a.number < b.number ? -1 : 1;
    if (a.second != b.second)
        return a.second < b.second ? -1 : 1;
    return compareNatural(a.text, b.text);
}

std::optional<std::uint64_t> weightsOf(const TensorRow &row)
{
    if (!row.tensor)
        return row.node->weights;
    if (!row.slab || !row.tensor->elements)
        return row.tensor->elements;
    return *row.tensor->elements / row.tensor->ne[2];
}

std::optional<std::uint64_t> bytesOf(const TensorRow &row)
{
    if (!row.tensor)
        return row.node->bytes;
    if (!row.slab || !row.tensor->byteSize)
        return row.tensor->byteSize;
    return *row.tensor->byteSize / row.tensor->ne[2];
}

std::optional<std::uint32_t> typeIdOf(const TensorRow &row)
{
    return row.tensor ? std::optional(row.tensor->typeId) : row.node->typeId;
}

std::optional<double> errorOf(const TensorRow &row)
{
    if (!row.comparison)
        return std::nullopt;
    if (row.comparison->identical)
        return 0.0;
    if (!row.slab)
        return row.comparison->relativeRmse;
    const auto &experts = row.comparison->experts;
    return *row.slab < experts.size() ? experts[*row.slab] : std::nullopt;
}

} // namespace ql
