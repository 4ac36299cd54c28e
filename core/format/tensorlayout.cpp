// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/tensorlayout.h"

#include "core/format/tensorneighbours.h"
#include "core/model/checkedmath.h"

#include <algorithm>
#include <map>

namespace ql {

namespace {

void setProblem(TensorInfo &info, const std::string &problem)
{
    if (info.problem.empty())
        info.problem = problem;
}

class LayoutChecker
{
public:
    LayoutChecker(TensorTable &table, const DataSection &data, Findings &findings)
        : m_table(table), m_data(data), m_findings(findings)
    {
    }

    void check()
    {
        checkTypes();
        if (!m_table.complete)
            return markAll("the tensor table is cut short: where its data starts can't be known");
        if (!m_data.alignment.usable)
            return markAll("general.alignment is not usable: where its data lies can't be known");
        locate();
        resolveNeighbours(m_table, m_data, m_findings);
        if (dataStartsPastEnd())
            reportDataStart();
        else
            checkEnds();
        checkTotal();
    }

private:
    void markAll(const std::string &problem)
    {
        for (auto &info : m_table.infos)
            setProblem(info, problem);
    }

    struct TypeUse {
        std::size_t first = 0;
        std::uint64_t tensors = 0;
    };

    /// One finding a type, not one a tensor: a model of a fork's type has hundreds of them.
    void checkTypes()
    {
        std::map<std::uint32_t, TypeUse> uses;
        for (std::size_t i = 0; i < m_table.infos.size(); ++i) {
            const auto &info = m_table.infos[i];
            const bool ok = info.type && info.type->isDecodable()
                && (!m_data.bigEndian || info.type->bigEndianDecodable);
            if (!ok)
                ++uses.try_emplace(info.typeId, TypeUse{i, 0}).first->second.tensors;
        }
        for (const auto &[id, use] : uses)
            reportType(id, use);
        for (auto &info : m_table.infos) {
            if (uses.contains(info.typeId))
                setProblem(info, whyNotDecoded(info.typeId));
        }
    }

    static std::string whyNotDecoded(std::uint32_t id)
    {
        const auto *type = findType(id);
        if (!type)
            return "tensor type " + std::to_string(id) + " is unknown: its weights can't be decoded";
        const std::string name(type->name);
        if (type->status == TypeStatus::Fork)
            return name + " is a type of ik_llama.cpp: its weights can't be decoded";
        if (id == 36)
            return "type 36 was removed from ggml (IQ4_NL_4_4; forks use the number for I2_S): its "
                   "weights can't be decoded";
        if (type->status == TypeStatus::Retired)
            return "type " + std::to_string(id) + " (" + name
                + ") was removed from ggml: its weights can't be decoded";
        return "big-endian data of type " + name + " is not decoded: no two writers agree on it";
    }

    static const char *typeCode(std::uint32_t id)
    {
        const auto *type = findType(id);
        if (!type)
            return "unknown-type";
        if (type->status == TypeStatus::Fork)
            return "fork-type";
        return type->status == TypeStatus::Retired ? "retired-type" : "big-endian-type";
    }

    void reportType(std::uint32_t id, const TypeUse &use)
    {
        const auto &first = m_table.infos[use.first];
        auto message = whyNotDecoded(id) + " ('" + first.name + "'";
        if (use.tensors > 1)
            message += " and " + std::to_string(use.tensors - 1) + " more";
        m_findings.warning(typeCode(id), message + ")", tensorField(use.first, "type"),
                           m_table.places[use.first].type);
    }

    void locate()
    {
        for (std::size_t i = 0; i < m_table.infos.size(); ++i) {
            auto &info = m_table.infos[i];
            info.absoluteOffset = checkedAdd(m_data.start, info.offset);
            if (!info.absoluteOffset) {
                setProblem(info, "its offset is beyond 64 bits");
                m_findings.error("offset-overflow",
                                 "tensor '" + info.name + "' says its data is at "
                                     + offsetText(info.offset) + " of the data: beyond 64 bits",
                                 tensorField(i, "offset"), m_table.places[i].offset());
            } else if (info.offset % m_data.alignment.value != 0) {
                m_findings.warning("unaligned-offset",
                                   "tensor '" + info.name + "' is at " + offsetText(info.offset)
                                       + " of the data, no multiple of the alignment "
                                       + std::to_string(m_data.alignment.value),
                                   tensorField(i, "offset"), m_table.places[i].offset());
            }
        }
    }

    bool dataStartsPastEnd() const
    {
        return !m_table.infos.empty() && m_data.start > m_data.fileSize;
    }

    void reportDataStart()
    {
        for (auto &info : m_table.infos)
            setProblem(info, "the file ends before the data");
        m_findings.error("data-start-past-end",
                         "the data should start at " + offsetText(m_data.start)
                             + ", but the file ends at " + std::to_string(m_data.fileSize)
                             + ": no tensor has its data",
                         "data_start", m_table.end);
    }

    /// Bytes that a whole file would have and this one lacks.
    std::uint64_t missingBytes() const
    {
        std::uint64_t end = 0;
        for (const auto &info : m_table.infos) {
            if (info.absoluteOffset && info.byteSize)
                end = std::max(end, checkedAdd(*info.absoluteOffset, *info.byteSize).value_or(0));
        }
        return end > m_data.fileSize ? end - m_data.fileSize : 0;
    }

    void checkEnds()
    {
        const auto missing = missingBytes();
        for (std::size_t i = 0; i < m_table.infos.size(); ++i) {
            auto &info = m_table.infos[i];
            if (!info.absoluteOffset || info.byteSize == std::optional<std::uint64_t>(0))
                continue;
            const auto at = *info.absoluteOffset;
            if (at >= m_data.fileSize)
                reportAbsent(i, missing);
            else if (info.byteSize && *info.byteSize > m_data.fileSize - at)
                reportPartial(i, missing);
        }
    }

    std::string needs(const TensorInfo &info) const
    {
        const auto size = info.byteSize ? bytesText(*info.byteSize) : std::string("its data");
        return "tensor '" + info.name + "' needs " + size + " at "
            + offsetText(*info.absoluteOffset) + ", the file ends at "
            + std::to_string(m_data.fileSize);
    }

    static std::string inAll(std::uint64_t missing)
    {
        return missing ? " (" + bytesText(missing) + " missing in all)" : std::string();
    }

    void reportAbsent(std::size_t index, std::uint64_t missing)
    {
        auto &info = m_table.infos[index];
        setProblem(info, "the file ends before its data");
        m_findings.error("tensor-past-end", needs(info) + ": none of it is there" + inAll(missing),
                         tensorField(index, "offset"), m_table.places[index].offset());
    }

    void reportPartial(std::size_t index, std::uint64_t missing)
    {
        auto &info = m_table.infos[index];
        const auto lacks = *info.byteSize - (m_data.fileSize - *info.absoluteOffset);
        setProblem(info, "the file ends inside its data: " + bytesText(lacks) + " missing");
        m_findings.error("tensor-truncated",
                         needs(info) + ": " + bytesText(lacks) + " of it missing" + inAll(missing),
                         info.name, m_data.fileSize);
    }

    void checkTotal()
    {
        std::optional<std::uint64_t> total = 0;
        std::size_t largest = 0;
        for (std::size_t i = 0; i < m_table.infos.size(); ++i) {
            const auto size = m_table.infos[i].byteSize.value_or(0);
            total = total ? checkedAdd(*total, size) : std::nullopt;
            if (size > m_table.infos[largest].byteSize.value_or(0))
                largest = i;
        }
        if (!total)
            m_findings.warning("total-overflow",
                               "the tensors' sizes add up to more than 64 bits can count; the largest is '"
                                   + m_table.infos[largest].name + "'",
                               tensorField(largest, "dimensions[0]"),
                               m_table.places[largest].dimensions());
    }

    TensorTable &m_table;
    const DataSection &m_data;
    Findings &m_findings;
};

} // namespace

void checkLayout(TensorTable &table, const DataSection &data, Findings &findings)
{
    LayoutChecker(table, data, findings).check();
}

} // namespace ql
