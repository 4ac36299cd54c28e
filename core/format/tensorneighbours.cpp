// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/tensorneighbours.h"

#include "core/model/checkedmath.h"

#include <algorithm>
#include <map>

namespace ql {

namespace {

/// A type id that another fork uses for blocks of another size.
struct RivalGeometry {
    std::uint32_t typeId;
    std::uint32_t blockSize;
    std::uint32_t blockBytes;
};

constexpr RivalGeometry Rivals[] = {
    {42, 128, 34}, // Q2_0 is 18 bytes a 64 in ggml
};

std::optional<std::uint64_t> rivalSize(const TensorInfo &info)
{
    const auto rival = std::ranges::find(Rivals, info.typeId, &RivalGeometry::typeId);
    if (rival == std::end(Rivals) || !info.elements || info.ne[0] == 0
        || info.ne[0] % rival->blockSize != 0)
        return std::nullopt;
    return checkedMul(*info.elements / rival->blockSize, rival->blockBytes);
}

bool isFork(const TensorInfo &info) { return info.type && info.type->status == TypeStatus::Fork; }

bool isRetired(const TensorInfo &info)
{
    return info.type && info.type->status == TypeStatus::Retired;
}

class Neighbours
{
public:
    Neighbours(TensorTable &table, const DataSection &data, Findings &findings)
        : m_table(table), m_data(data), m_findings(findings)
    {
    }

    void resolve()
    {
        sortByOffset();
        measureGaps();
        recognizeRivals();
        for (std::size_t at = 0; at < m_order.size(); ++at)
            useGap(at);
        findOverlaps();
        findGaps();
        findTrailingBytes();
    }

private:
    TensorInfo &info(std::size_t at) { return m_table.infos[m_order[at]]; }

    void sortByOffset()
    {
        for (std::size_t i = 0; i < m_table.infos.size(); ++i) {
            if (m_table.infos[i].absoluteOffset)
                m_order.push_back(i);
        }
        std::ranges::stable_sort(
            m_order, {}, [this](std::size_t i) { return *m_table.infos[i].absoluteOffset; });
    }

    /// From each tensor to the next that lies elsewhere, or to the end of the file.
    void measureGaps()
    {
        m_gaps.resize(m_order.size());
        std::uint64_t next = m_data.fileSize;
        for (std::size_t at = m_order.size(); at-- > 0;) {
            const auto here = *info(at).absoluteOffset;
            if (at + 1 < m_order.size() && *info(at + 1).absoluteOffset != here)
                next = *info(at + 1).absoluteOffset;
            m_gaps[at] = next > here ? next - here : 0;
        }
    }

    bool isLast(std::size_t at)
    {
        return *info(at).absoluteOffset + m_gaps[at] == m_data.fileSize;
    }

    /// The gap is this many bytes and the padding they need; at the end of the file padding may lack.
    bool fitsGap(std::size_t at, std::uint64_t size)
    {
        const auto padded = alignUp(size, m_data.alignment.value);
        return padded == m_gaps[at] || (isLast(at) && size <= m_gaps[at] && padded >= m_gaps[at]);
    }

    void recognizeRivals()
    {
        for (const auto &rival : Rivals) {
            std::vector<std::size_t> all;
            std::vector<std::size_t> others;
            bool tableFits = false;
            for (std::size_t at = 0; at < m_order.size(); ++at) {
                if (info(at).typeId != rival.typeId || !info(at).byteSize || !rivalSize(info(at)))
                    continue;
                const bool byTable = fitsGap(at, *info(at).byteSize);
                const bool byRival = fitsGap(at, *rivalSize(info(at)));
                all.push_back(at);
                tableFits = tableFits || (byTable && !byRival);
                if (byRival && !byTable)
                    others.push_back(at);
            }
            // One file has one meaning: a single clear contradiction settles the ambiguous ones.
            if (!others.empty())
                adoptRival(rival, tableFits ? others : all);
        }
    }

    void adoptRival(const RivalGeometry &rival, const std::vector<std::size_t> &tensors)
    {
        const auto geometry = std::to_string(rival.blockBytes) + " bytes for "
            + std::to_string(rival.blockSize) + " weights";
        const auto &type = *findType(rival.typeId);
        const auto why = "the offsets say that " + std::string(type.name) + " is " + geometry
            + " here, another fork's type: its weights can't be decoded";
        for (const auto at : tensors) {
            info(at).byteSize = rivalSize(info(at));
            info(at).rowBytes = info(at).ne[0] / rival.blockSize * rival.blockBytes;
            if (info(at).problem.empty())
                info(at).problem = why;
        }
        const auto first = *std::ranges::min_element(
            tensors, {}, [this](std::size_t at) { return m_order[at]; });
        m_findings.warning("type-contradicts-offsets",
                           "'" + info(first).name + "' and " + std::to_string(tensors.size() - 1)
                               + " more: " + why,
                           tensorField(m_order[first], "type"), m_table.places[m_order[first]].type);
    }

    void useGap(std::size_t at)
    {
        auto &tensor = info(at);
        if (m_gaps[at] == 0 || isRetired(tensor) || !tensor.elements)
            return;
        if (!tensor.byteSize && (!tensor.type || isFork(tensor)))
            tensor.byteSize = m_gaps[at];
        else if (isFork(tensor) && tensor.byteSize && !fitsGap(at, *tensor.byteSize)
                 && !(isLast(at) && *tensor.byteSize > m_gaps[at]))
            reportContradiction(at);
    }

    void reportContradiction(std::size_t at)
    {
        const auto &tensor = info(at);
        m_findings.warning("type-contradicts-offsets",
                           "'" + tensor.name + "': " + tensor.typeName() + " of this shape should take "
                               + bytesText(*tensor.byteSize) + ", the offsets leave "
                               + bytesText(m_gaps[at]) + ": perhaps another fork's type",
                           tensorField(m_order[at], "type"), m_table.places[m_order[at]].type);
    }

    std::uint64_t endOf(std::size_t at)
    {
        return *info(at).absoluteOffset + *info(at).byteSize;
    }

    /// Has bytes of a known size that lie whole within the file. What doesn't has its own finding.
    bool occupies(std::size_t at)
    {
        const auto &tensor = info(at);
        return tensor.byteSize && *tensor.byteSize > 0 && *tensor.absoluteOffset <= m_data.fileSize
            && *tensor.byteSize <= m_data.fileSize - *tensor.absoluteOffset;
    }

    void findOverlaps()
    {
        std::optional<std::size_t> farthest;
        for (std::size_t at = 0; at < m_order.size(); ++at) {
            if (!occupies(at) || isFork(info(at)))
                continue;
            if (farthest && *info(at).absoluteOffset < endOf(*farthest))
                reportOverlap(*farthest, at);
            if (!farthest || endOf(at) > endOf(*farthest))
                farthest = at;
        }
    }

    void reportOverlap(std::size_t a, std::size_t b)
    {
        const bool same = info(a).absoluteOffset == info(b).absoluteOffset;
        const std::string how = same ? "shares its offset with '" : "overlaps '";
        for (const auto &[at, other] : {std::pair(a, b), std::pair(b, a)}) {
            if (info(at).problem.empty())
                info(at).problem = how + info(other).name + "': whose bytes these are can't be known";
        }
        m_findings.error(same ? "same-offset" : "tensors-overlap",
                         "tensor '" + info(b).name + "' " + how + info(a).name + "' ("
                             + bytesText(std::min(endOf(a), endOf(b)) - *info(b).absoluteOffset)
                             + " in common)",
                         tensorField(m_order[b], "offset"), m_table.places[m_order[b]].offset());
    }

    /// More than padding between two tensors: legal, said once.
    void findGaps()
    {
        std::uint64_t unused = 0;
        std::optional<std::size_t> before;
        std::optional<std::size_t> firstBefore;
        for (std::size_t at = 0; at < m_order.size(); ++at) {
            if (info(at).byteSize == std::optional<std::uint64_t>(0))
                continue;
            if (!occupies(at))
                return; // nothing can be said about a file with tensors of unknown size
            const auto end = before ? alignUp(endOf(*before), m_data.alignment.value)
                                    : std::optional(m_data.start);
            const auto start = *info(at).absoluteOffset;
            if (end && start > *end) {
                unused += start - *end;
                firstBefore = firstBefore ? firstBefore : std::optional(at);
            }
            if (!before || endOf(at) > endOf(*before))
                before = at;
        }
        if (firstBefore)
            m_findings.info("unused-bytes",
                            bytesText(unused) + " between tensors are not used, the first of them before '"
                                + info(*firstBefore).name + "'",
                            tensorField(m_order[*firstBefore], "offset"),
                            m_table.places[m_order[*firstBefore]].offset());
    }

    void findTrailingBytes()
    {
        std::uint64_t end = m_table.infos.empty() ? m_table.end : m_data.start;
        for (std::size_t at = 0; at < m_order.size(); ++at) {
            if (!info(at).byteSize)
                return;
            end = std::max(end, checkedAdd(*info(at).absoluteOffset, *info(at).byteSize)
                                    .value_or(m_data.fileSize));
        }
        const auto padded = alignUp(end, m_data.alignment.value);
        if (padded && m_data.fileSize > *padded)
            m_findings.warning("trailing-bytes",
                               bytesText(m_data.fileSize - end) + " behind the last tensor at "
                                   + offsetText(end) + " belong to nothing",
                               "file_end", end);
    }

    TensorTable &m_table;
    const DataSection &m_data;
    Findings &m_findings;
    std::vector<std::size_t> m_order; ///< indices of located tensors by their offset
    std::vector<std::uint64_t> m_gaps;
};

} // namespace

void resolveNeighbours(TensorTable &table, const DataSection &data, Findings &findings)
{
    Neighbours(table, data, findings).resolve();
}

} // namespace ql
