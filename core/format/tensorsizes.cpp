// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/tensorlayout.h"

#include "core/format/metadatareader.h"
#include "core/model/checkedmath.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace ql {

namespace {

constexpr std::uint64_t MaxSigned = std::numeric_limits<std::int64_t>::max();

/// "[4, 1152921504606846977]"
std::string shapeText(const Ne &ne)
{
    std::string text = "[";
    for (std::size_t i = 0; i < ne.size(); ++i)
        text += (i ? ", " : "") + std::to_string(ne[i]);
    return text + "]";
}

std::size_t dimensionToBlame(const Ne &ne)
{
    const auto found = std::ranges::find_if(ne.dims(), [](auto dim) { return dim > MaxSigned; });
    return found == ne.dims().end() ? 0 : static_cast<std::size_t>(found - ne.dims().begin());
}

class SizeComputer
{
public:
    SizeComputer(TensorTable &table, Findings &findings) : m_table(table), m_findings(findings) {}

    void compute(std::size_t index)
    {
        auto &info = m_table.infos[index];
        if (!info.elements || *info.elements > MaxSigned || dimensionToBlame(info.ne) != 0
            || info.ne[0] > MaxSigned) {
            info.elements.reset();
            return reportOverflow(index, "more weights than 63 bits can count");
        }
        if (!info.type || !info.type->isSized())
            return;
        const auto &type = *info.type;
        if (info.ne[0] % type.blockSize != 0)
            return reportPartialBlock(index);
        if (*info.elements == 0) {
            info.byteSize = 0;
            info.rowBytes = info.ne[0] == 0 ? 0 : rowBytesOf(info);
            return;
        }
        info.rowBytes = rowBytesOf(info);
        info.byteSize = info.rowBytes ? checkedMul(*info.rowBytes, *info.elements / info.ne[0])
                                      : std::nullopt;
        if (!info.byteSize || *info.byteSize > MaxSigned) {
            info.byteSize.reset();
            reportOverflow(index, "more bytes than 63 bits can count");
        }
    }

private:
    static std::optional<std::uint64_t> rowBytesOf(const TensorInfo &info)
    {
        const auto blocks = checkedMul(info.ne[0] / info.type->blockSize, info.type->blockBytes);
        return blocks ? checkedAdd(*blocks, info.type->rowHeaderBytes) : std::nullopt;
    }

    void reportOverflow(std::size_t index, std::string_view what)
    {
        auto &info = m_table.infos[index];
        const auto &place = m_table.places[index];
        const auto dim = dimensionToBlame(info.ne);
        if (info.problem.empty())
            info.problem = "its shape makes " + std::string(what);
        const auto dimBytes = info.ne.size() ? (place.type - place.dimensions()) / place.nDimsStored : 0;
        m_findings.warning("size-overflow",
                           "tensor '" + info.name + "' of shape " + shapeText(info.ne) + " has "
                               + std::string(what),
                           tensorField(index, "dimensions[" + std::to_string(dim) + "]"),
                           place.dimensions() + dim * dimBytes);
    }

    void reportPartialBlock(std::size_t index)
    {
        auto &info = m_table.infos[index];
        const auto why = "its rows of " + std::to_string(info.ne[0]) + " weights are not whole "
            + info.typeName() + " blocks of " + std::to_string(info.type->blockSize);
        if (info.problem.empty())
            info.problem = why;
        m_findings.warning("row-not-block-multiple", "tensor '" + info.name + "': " + why,
                           tensorField(index, "dimensions[0]"), m_table.places[index].dimensions());
    }

    TensorTable &m_table;
    Findings &m_findings;
};

std::optional<std::uint64_t> integerOf(const MetadataValue &value)
{
    if (const auto *u = std::get_if<std::uint64_t>(&value))
        return *u;
    if (const auto *i = std::get_if<std::int64_t>(&value); i && *i >= 0)
        return static_cast<std::uint64_t>(*i);
    return std::nullopt;
}

constexpr const char *AlignmentKey = "general.alignment";

} // namespace

Alignment readAlignment(const std::vector<MetadataEntry> &metadata, bool v1, Findings &findings)
{
    const auto entry = std::ranges::find(metadata, AlignmentKey, &MetadataEntry::rawKey);
    if (entry == metadata.end())
        return {};
    const auto value = integerOf(entry->value);
    if (entry->type != ValueType::U32)
        findings.warning("alignment-wrong-type",
                         "general.alignment is stored as " + std::string(valueTypeName(entry->type))
                             + "; it should be u32"
                             + (value ? ", its value is used all the same" : ", so it has no value"),
                         AlignmentKey, valueTypeOffset(*entry, v1));
    if (!value)
        return {0, false};
    if (*value == 0 || *value % 8 != 0) {
        findings.warning("bad-alignment",
                         "general.alignment is " + std::to_string(*value)
                             + "; it must be a multiple of 8, so where the data lies can't be known",
                         AlignmentKey, valueOffset(*entry, v1));
        return {*value, false};
    }
    if (!std::has_single_bit(*value))
        findings.info("unusual-alignment",
                      "general.alignment is " + std::to_string(*value)
                          + ": legal, but ggml's loader insists on a power of two",
                      AlignmentKey, valueOffset(*entry, v1));
    return {*value, true};
}

std::optional<std::uint64_t> alignUp(std::uint64_t value, std::uint64_t alignment)
{
    const auto over = value % alignment;
    return over == 0 ? std::optional(value) : checkedAdd(value, alignment - over);
}

void computeSizes(TensorTable &table, Findings &findings)
{
    SizeComputer computer(table, findings);
    for (std::size_t i = 0; i < table.infos.size(); ++i)
        computer.compute(i);
}

} // namespace ql
