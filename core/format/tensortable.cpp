// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/tensortable.h"

#include "core/model/checkedmath.h"
#include "core/model/tensorname.h"
#include "core/model/utf8.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace ql {

namespace {

constexpr std::uint64_t MaxNameBytes = 64;          ///< the written specification's limit
constexpr std::uint64_t LoaderNameBytes = 63;       ///< ggml's own
constexpr std::uint64_t MaxReadNameBytes = 65535;   ///< beyond this it is no name but damage
constexpr std::uint64_t DecodedDims = 4;

/// The product of all dimensions, also of those that Ne has no room for.
class ElementCount
{
public:
    void multiply(std::uint64_t dim)
    {
        m_zero = m_zero || dim == 0;
        if (m_product)
            m_product = checkedMul(*m_product, dim);
    }
    std::optional<std::uint64_t> get() const
    {
        return m_zero ? std::optional<std::uint64_t>(0) : m_product;
    }

private:
    std::optional<std::uint64_t> m_product = 1;
    bool m_zero = false;
};

class TableReader
{
public:
    TableReader(ByteReader &reader, Findings &findings) : m_reader(reader), m_findings(findings) {}

    Result<TensorTable> read(std::uint64_t count)
    {
        m_table.end = m_reader.position();
        for (std::uint64_t i = 0; i < count; ++i) {
            if (!readInfo(i)) {
                if (m_refusal && i == 0)
                    return tl::unexpected(std::move(*m_refusal));
                reportStop(i, count);
                m_table.complete = false;
                break;
            }
            m_table.end = m_reader.position();
        }
        return std::move(m_table);
    }

private:
    /// The first field of this info that can't be read; ends the table.
    bool stop(std::uint64_t index, std::string_view part, std::uint64_t at, std::string message)
    {
        m_stop = Error{"truncated-tensor-info", std::move(message), tensorField(index, part), at};
        return false;
    }

    bool cut(std::uint64_t index, std::string_view part, std::uint64_t at)
    {
        return stop(index, part, at, "the file ends inside tensor info " + std::to_string(index));
    }

    void reportStop(std::uint64_t index, std::uint64_t count)
    {
        m_findings.error(m_stop.code,
                         m_stop.message + "; " + std::to_string(index) + " of "
                             + std::to_string(count)
                             + " tensors are listed, and where their data starts can't be known",
                         m_stop.field, m_stop.offset);
    }

    bool readInfo(std::uint64_t index)
    {
        TensorInfo info;
        TensorPlace place;
        place.name = m_reader.position();
        if (!readName(index, info, place) || !readDims(index, info, place))
            return false;
        place.type = m_reader.position();
        const auto type = m_reader.read<std::uint32_t>();
        if (!type)
            return cut(index, "type", place.type);
        const auto offset = m_reader.read<std::uint64_t>();
        if (!offset)
            return cut(index, "offset", place.offset());
        info.typeId = *type;
        info.type = findType(*type);
        info.offset = *offset;
        checkName(index, info, place);
        checkDims(index, info, place);
        m_table.infos.push_back(std::move(info));
        m_table.places.push_back(place);
        return true;
    }

    bool readName(std::uint64_t index, TensorInfo &info, TensorPlace &place)
    {
        const auto length = m_reader.readLength();
        if (!length)
            return cut(index, "name", place.name);
        if (*length <= m_reader.remaining() && *length > MaxReadNameBytes)
            return stop(index, "name", place.name,
                        "tensor info " + std::to_string(index) + " has a name of "
                            + bytesText(*length) + ": the table is damaged");
        const auto name = m_reader.readBytes(*length);
        if (!name)
            return cut(index, "name", place.name);
        info.rawName = *name;
        info.name = escapeBytes(*name);
        place.nDims = m_reader.position();
        return true;
    }

    bool readDims(std::uint64_t index, TensorInfo &info, TensorPlace &place)
    {
        const auto count = m_reader.read<std::uint32_t>();
        if (!count)
            return cut(index, "n_dimensions", place.nDims);
        place.nDimsStored = *count;
        if (*count > Ne::MaxDims && *count > m_reader.remaining() / m_reader.lengthBytes())
            return refuseDims(index, *count, place);
        ElementCount elements;
        for (std::uint64_t d = 0; d < *count; ++d) {
            const auto at = m_reader.position();
            const auto dim = m_reader.readLength();
            if (!dim)
                return cut(index, "dimensions[" + std::to_string(d) + "]", at);
            info.ne.push(*dim);
            elements.multiply(*dim);
        }
        info.elements = elements.get();
        return true;
    }

    bool refuseDims(std::uint64_t index, std::uint32_t count, const TensorPlace &place)
    {
        stop(index, "n_dimensions", place.nDims,
             "tensor info " + std::to_string(index) + " says it has " + std::to_string(count)
                 + " dimensions, more than the rest of the file could hold");
        m_stop.code = "too-many-dimensions";
        m_refusal = m_stop;
        return false;
    }

    void checkName(std::uint64_t index, const TensorInfo &info, const TensorPlace &place)
    {
        const auto field = tensorField(index, "name");
        const auto size = info.rawName.size();
        if (size == 0)
            m_findings.warning("empty-tensor-name",
                               "tensor " + std::to_string(index) + " has an empty name", field,
                               place.name);
        else if (!isValidUtf8(info.rawName))
            m_findings.warning("name-not-utf8", "the tensor name '" + info.name + "' is not UTF-8",
                               field, place.name);
        else if (hidesCharacters(info.rawName))
            m_findings.warning("control-characters",
                               "the tensor name '" + info.name + "' has control characters", field,
                               place.name);
        if (size > MaxNameBytes)
            m_findings.warning("name-too-long",
                               "the tensor name '" + info.name + "' has " + bytesText(size)
                                   + "; the limit is 64",
                               field, place.name);
        else if (size > LoaderNameBytes)
            m_findings.info("name-at-limit",
                            "the tensor name '" + info.name
                                + "' has 64 bytes: legal, but ggml's loader stops at 63",
                            field, place.name);
    }

    void checkDims(std::uint64_t index, TensorInfo &info, const TensorPlace &place)
    {
        if (place.nDimsStored <= DecodedDims)
            return;
        const auto count = std::to_string(place.nDimsStored);
        info.problem = count + " dimensions: tensors of more than four are not decoded";
        m_findings.warning("too-many-dimensions",
                           "tensor '" + info.name + "' has " + count
                               + " dimensions; at most four are allowed, its weights are not decoded",
                           tensorField(index, "n_dimensions"), place.nDims);
    }

    ByteReader &m_reader;
    Findings &m_findings;
    TensorTable m_table;
    Error m_stop;
    std::optional<Error> m_refusal;
};

void parseNames(std::vector<TensorInfo> &tensors)
{
    for (auto &info : tensors) {
        auto parsed = parseTensorName(info.name);
        info.layer = parsed.layer;
        info.role = std::move(parsed.role);
        info.expert = parsed.expert;
        if (parsed.isMergedExperts)
            info.experts = info.ne[2];
    }
}

} // namespace

std::vector<RenamedTensor> makeNamesUnique(std::vector<TensorInfo> &tensors)
{
    std::unordered_map<std::string_view, std::size_t> firsts;
    std::vector<RenamedTensor> renamed;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto [first, isNew] = firsts.emplace(tensors[i].rawName, i);
        if (!isNew)
            renamed.push_back({i, first->second});
    }
    if (renamed.empty())
        return renamed;
    std::unordered_set<std::string> used;
    for (const auto &info : tensors)
        used.insert(escapeBytes(info.rawName));
    std::unordered_map<std::size_t, std::uint64_t> next;
    for (const auto &[index, first] : renamed) {
        auto &number = next.try_emplace(first, 1).first->second;
        const auto base = escapeBytes(tensors[index].rawName);
        do
            tensors[index].name = base + "#" + std::to_string(++number);
        while (!used.insert(tensors[index].name).second);
    }
    return renamed;
}

Result<TensorTable> readTensorTable(ByteReader &reader, const GgufHeader &header,
                                    Findings &findings)
{
    auto table = TableReader(reader, findings).read(header.tensorCount);
    if (table)
        parseNames(table->infos);
    return table;
}

} // namespace ql
