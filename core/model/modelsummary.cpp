// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/modelsummary.h"

#include "core/model/checkedmath.h"
#include "core/model/kvestimate.h"
#include "core/model/tensorname.h"
#include "core/model/valuetext.h"

#include <algorithm>
#include <map>

namespace ql {

namespace {

constexpr std::size_t MaxTextBytes = std::size_t(1) << 20;

class TotalsBuilder
{
public:
    void add(const TensorInfo &info)
    {
        ++m_totals.tensors;
        auto &type = m_types[info.typeId];
        type.typeId = info.typeId;
        ++type.tensors;
        const auto parameters = info.elements && info.byteSize
            ? checkedAdd(m_totals.parameters, *info.elements)
            : std::nullopt;
        const auto bytes = parameters ? checkedAdd(m_totals.bytes, *info.byteSize) : std::nullopt;
        if (!bytes) {
            ++m_totals.unsized;
            return;
        }
        m_totals.parameters = *parameters;
        m_totals.bytes = *bytes;
        type.parameters += *info.elements;
        type.bytes += *info.byteSize;
    }

    ModelTotals finish()
    {
        if (m_totals.parameters > 0)
            m_totals.bitsPerWeight = 8.0 * static_cast<double>(m_totals.bytes)
                / static_cast<double>(m_totals.parameters);
        for (const auto &[id, type] : m_types)
            m_totals.byType.push_back(type);
        std::ranges::stable_sort(m_totals.byType, std::ranges::greater(), &TypeTotal::bytes);
        return std::move(m_totals);
    }

private:
    ModelTotals m_totals;
    std::map<std::uint32_t, TypeTotal> m_types;
};

ShardSummary summaryOf(const ShardInfo &shard)
{
    return {shard.path,      shard.size,       shard.version,    shard.bigEndian,
            shard.alignment, shard.dataOffset, shard.tensorCount};
}

MetadataSummary summaryOf(const MetadataEntry &entry)
{
    MetadataSummary summary;
    summary.key = entry.key;
    summary.type = entry.type;
    summary.preview = valuePreview(entry.value);
    summary.offset = entry.offset;
    summary.shard = entry.shard;
    if (const auto *text = std::get_if<std::string>(&entry.value)) {
        summary.text = escapeText(std::string_view(*text).substr(0, MaxTextBytes));
        summary.textBytes = text->size();
    }
    if (const auto *array = std::get_if<std::shared_ptr<const MetadataArray>>(&entry.value)) {
        summary.elementType = (*array)->elementType();
        summary.count = (*array)->count();
    }
    return summary;
}

std::string fileNameIn(const std::string &path)
{
    return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

/// What the keys and tensors look like where general.type does not say it.
std::string guessKind(const GgufModel &model, const std::string &architecture)
{
    if (model.findMetadata("adapter.type"))
        return "adapter";
    if (architecture == "clip")
        return "mmproj";
    if (model.findMetadata("imatrix.datasets") || model.findMetadata("imatrix.chunk_count"))
        return "imatrix";
    if (model.tensors().empty() && model.findMetadata("tokenizer.ggml.tokens"))
        return "vocab";
    return "model";
}

std::string fileTypeOf(const GgufModel &model)
{
    const auto id = model.metadataUint("general.file_type");
    if (!id)
        return {};
    const auto label = fileTypeLabel(*id);
    return label ? std::string(*label) : "unknown(" + std::to_string(*id) + ")";
}

void describe(ModelSummary &summary, const GgufModel &model)
{
    summary.architecture = escapeBytes(model.metadataString("general.architecture").value_or(""));
    const auto name = model.metadataString("general.name").value_or("");
    summary.name = escapeBytes(name.empty() ? fileNameIn(model.path()) : name);
    const auto kind = model.metadataString("general.type").value_or("");
    summary.kind = kind.empty() ? guessKind(model, summary.architecture) : escapeBytes(kind);
    summary.fileType = fileTypeOf(model);
    summary.hasTokenizer = model.findMetadata("tokenizer.ggml.tokens") != nullptr;
}

} // namespace

ModelSummaryPtr summarize(const GgufModel &model)
{
    auto summary = std::make_shared<ModelSummary>();
    summary->path = model.path();
    for (const auto &shard : model.shards()) {
        summary->size += shard.size;
        summary->shards.push_back(summaryOf(shard));
    }
    for (const auto &entry : model.metadata())
        summary->metadata.push_back(summaryOf(entry));
    summary->tensors = model.tensors();
    summary->warnings = model.warnings();
    summary->totals = totalsOf(model.tensors());
    summary->kvBytesPerTokenF16 = kvBytesPerTokenF16(model);
    describe(*summary, model);
    return summary;
}

ModelTotals totalsOf(const std::vector<TensorInfo> &tensors,
                     const std::vector<TensorIndex> &shown)
{
    TotalsBuilder totals;
    for (const auto index : shown)
        totals.add(tensors[index.value]);
    return totals.finish();
}

ModelTotals totalsOf(const std::vector<TensorInfo> &tensors)
{
    TotalsBuilder totals;
    for (const auto &info : tensors)
        totals.add(info);
    return totals.finish();
}

} // namespace ql
