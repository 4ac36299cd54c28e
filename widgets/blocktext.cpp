// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/blocktext.h"

#include "widgets/formatting.h"

#include <QCoreApplication>
#include <QStringList>

#include <array>
#include <charconv>
#include <cmath>

namespace ql {

namespace {

QString tr(const char *text) { return QCoreApplication::translate("BlockText", text); }

QString separator() { return QStringLiteral(" \u00b7 "); }

/// The shortest text that gives the same float.
QString shortestText(float value)
{
    if (!std::isfinite(value))
        return exactNumber(static_cast<double>(value));
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return QString::fromLatin1(buffer.data(), end - buffer.data());
}

QString fieldText(const BlockField &field)
{
    return QString::fromStdString(field.name) + QLatin1Char(' ')
           + inLocale(QString::fromStdString(field.text));
}

/// "q[0], q[1], q[2] and 250 more"
template <class Indices, class Name>
QString listText(const Indices &indices, const Name &name)
{
    constexpr std::size_t Shown = 6;
    QStringList names;
    for (std::size_t i = 0; i < indices.size() && i < Shown; ++i)
        names << name(indices[i]);
    const QString text = names.join(QStringLiteral(", "));
    if (indices.size() <= Shown)
        return text;
    return tr("%1 and %2 more").arg(text, formatCount(indices.size() - Shown));
}

QString weightText(const BlockViewData &block, std::uint32_t w)
{
    QStringList parts;
    parts
        << QStringLiteral("w[%1] = %2").arg(w).arg(inLocale(shortestText(block.fields.weights[w].value)))
        << tr("row %1, column %2").arg(formatCount(block.row), formatCount(block.firstColumn + w));
    for (const std::uint32_t f : block.fields.weights[w].fields)
        parts << fieldText(block.fields.fields[f]);
    return parts.join(separator());
}

QString fieldDetail(const BlockViewData &block, const BlockLinks &links, std::uint32_t f)
{
    const BlockField &field = block.fields.fields[f];
    const std::size_t weights = links.weightsOfField(f).size();
    const QString use = weights ? formatWeightCount(weights) : tr("not needed to decode");
    return QStringList{fieldText(field), bitRangesText(field.bits), use}.join(separator());
}

QString partName(const BlockViewData &block, std::uint32_t byte)
{
    for (const LayoutPart &part : blockLayout(block.fields.type))
        if (byte - part.firstByte < part.bytes)
            return QString::fromUtf8(part.name.data(), static_cast<qsizetype>(part.name.size()));
    return {};
}

QString byteText(const BlockViewData &block, std::uint32_t byte)
{
    const auto value = std::to_integer<unsigned>(block.bytes[byte]);
    const QString binary = QStringLiteral("%1").arg(value, 8, 2, QLatin1Char('0'));
    return QStringLiteral("0x%1 = %2 %3")
        .arg(value, 2, 16, QLatin1Char('0'))
        .arg(binary.left(4), binary.right(4));
}

QString byteDetail(const BlockViewData &block, const BlockLinks &links, std::uint32_t byte)
{
    const BlockHighlight lit = links.highlight({BlockTarget::Kind::Byte, byte});
    std::vector<std::uint32_t> fields;
    for (std::uint32_t f = 0; f < lit.fields.size(); ++f)
        if (lit.fields[f])
            fields.push_back(f);
    const QString names =
        listText(fields, [&](std::uint32_t f) { return fieldText(block.fields.fields[f]); });
    return QStringList{tr("byte %1").arg(byte), byteText(block, byte), partName(block, byte), names}
        .join(separator());
}

QString bitDetail(const BlockViewData &block, const BlockLinks &links, std::uint32_t bit)
{
    const QString names = listText(
        links.fieldsOfBit(bit), [&](std::uint32_t f) { return fieldText(block.fields.fields[f]); });
    return QStringList{tr("bit %1 of byte %2").arg(bit % 8).arg(bit / 8), byteText(block, bit / 8),
                       partName(block, bit / 8), names}.join(separator());
}

QString partDetail(const BlockViewData &block, std::uint32_t index)
{
    const LayoutPart &part = blockLayout(block.fields.type)[index];
    const QString bytes = part.bytes == 1
        ? tr("byte %1").arg(part.firstByte)
        : tr("bytes %1\u2013%2").arg(part.firstByte).arg(part.firstByte + part.bytes - 1);
    return QStringList{
        QString::fromUtf8(part.name.data(), static_cast<qsizetype>(part.name.size())), bytes,
        QString::fromUtf8(part.what.data(), static_cast<qsizetype>(part.what.size()))}
        .join(separator());
}

} // namespace

QString bitRangesText(const std::vector<BitRange> &bits)
{
    QStringList parts;
    for (const BitRange &range : bits) {
        const std::uint32_t byte = range.firstBit / 8;
        const std::uint32_t bit = range.firstBit % 8;
        if (bit == 0 && range.bits % 8 == 0)
            parts << (range.bits == 8
                          ? tr("byte %1").arg(byte)
                          : tr("bytes %1\u2013%2").arg(byte).arg(byte + range.bits / 8 - 1));
        else if (range.bits == 1)
            parts << tr("bit %1 of byte %2").arg(bit).arg(byte);
        else if (bit + range.bits <= 8)
            parts << tr("bits %1\u2013%2 of byte %3").arg(bit).arg(bit + range.bits - 1).arg(byte);
        else
            parts << tr("%1 bits from bit %2 of byte %3").arg(range.bits).arg(bit).arg(byte);
    }
    return parts.join(QStringLiteral(", "));
}

QString blockPlaceText(const BlockViewData &block)
{
    const std::uint64_t last = block.firstColumn + block.fields.weights.size() - 1;
    const QString weights = block.fields.weights.size() == 1
        ? tr("weight %1").arg(formatCount(block.firstColumn))
        : tr("weights %1\u2013%2").arg(formatCount(block.firstColumn), formatCount(last));
    QStringList parts{
        tr("row %1").arg(formatCount(block.row)),
        tr("block %1 of %2").arg(formatCount(block.block), formatCount(block.blocksPerRow)),
        weights,
        tr("%n bytes at 0x%1")
            .replace(QStringLiteral("%n"), formatCount(block.bytes.size()))
            .arg(block.fileOffset, 0, 16)};
    if (block.bigEndian)
        parts << tr("big-endian in the file, shown little-endian");
    return parts.join(separator());
}

QString blockTargetText(const BlockViewData &block, const BlockLinks &links,
                        const BlockTarget &target)
{
    using Kind = BlockTarget::Kind;
    switch (target.kind) {
    case Kind::Part: return partDetail(block, target.index);
    case Kind::Byte: return byteDetail(block, links, target.index);
    case Kind::Bit: return bitDetail(block, links, target.index);
    case Kind::Field: return fieldDetail(block, links, target.index);
    case Kind::Weight: return weightText(block, target.index);
    case Kind::Weights: // lit from the other block, which says what is pointed at
    case Kind::None: break;
    }
    return {};
}

} // namespace ql
