// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/tensorname.h"
#include "core/output/infojson.h"

#include <limits>

namespace ql {

namespace {

/// Deeper nesting is cut off: no real file nests at all, and a hostile one could exhaust the stack.
constexpr int MaxDepth = 100;

Json valueJson(const MetadataValue &value, std::uint64_t maxElements, int depth);

Json arrayJson(const MetadataArray &array, std::uint64_t maxElements, int depth)
{
    Json list = Json::array();
    if (depth == MaxDepth)
        return list;
    // In slices, so that a long array costs one walk and not a copy of all its strings at once.
    constexpr std::uint64_t Slice = 4096;
    const std::uint64_t shown = std::min(array.count(), maxElements);
    for (std::uint64_t first = 0; first < shown; first += Slice) {
        for (const MetadataValue &element : array.slice(first, std::min(Slice, shown - first)))
            list.push_back(valueJson(element, maxElements, depth + 1));
    }
    return list;
}

struct ValueToJson {
    std::uint64_t maxElements;
    int depth;

    Json operator()(std::uint64_t v) const { return v; }
    Json operator()(std::int64_t v) const { return v; }
    Json operator()(float v) const { return jsonNumber(std::optional<double>(v)); }
    Json operator()(double v) const { return jsonNumber(std::optional(v)); }
    Json operator()(BoolByte v) const { return v.byte <= 1 ? Json(v.byte == 1) : Json(v.byte); }
    Json operator()(const std::string &v) const { return escapeForJson(v); }
    Json operator()(const std::shared_ptr<const MetadataArray> &v) const
    {
        return arrayJson(*v, maxElements, depth);
    }
};

Json valueJson(const MetadataValue &value, std::uint64_t maxElements, int depth)
{
    return std::visit(ValueToJson{maxElements, depth}, value);
}

template <class Number>
Json orNull(const std::optional<Number> &value)
{
    return value ? Json(*value) : Json();
}

Json shardJson(const ShardSummary &shard)
{
    return {{"path", escapeForJson(shard.path)},
            {"size", shard.size},
            {"version", shard.version},
            {"endian", shard.bigEndian ? "big" : "little"},
            {"alignment", shard.alignment},
            {"data_offset", shard.dataOffset},
            {"tensors", shard.tensors}};
}

Json fileJson(const ModelSummary &summary)
{
    Json shards = Json::array();
    for (const ShardSummary &shard : summary.shards)
        shards.push_back(shardJson(shard));
    return {{"path", escapeForJson(summary.path)}, {"size", summary.size}, {"shards", std::move(shards)}};
}

Json metadataJson(const MetadataEntry &entry, std::uint64_t maxElements)
{
    Json json = {{"key", entry.key},
                 {"type", valueTypeName(entry.type)},
                 {"value", metadataValueJson(entry.value, maxElements)}};
    if (const auto *array = std::get_if<std::shared_ptr<const MetadataArray>>(&entry.value)) {
        json["element_type"] = valueTypeName((*array)->elementType());
        json["count"] = (*array)->count();
    }
    return json;
}

Json tensorJson(const TensorInfo &tensor)
{
    return {{"name", tensor.name},
            {"type", tensor.typeName()},
            {"type_id", tensor.typeId},
            {"shape", shapeJson(tensor.ne)},
            {"elements", jsonNumber(tensor.elements)},
            {"bytes", jsonNumber(tensor.byteSize)},
            {"offset", jsonNumber(tensor.absoluteOffset)},
            {"shard", tensor.shard},
            {"bits_per_weight", jsonNumber(tensor.bitsPerWeight())},
            {"layer", orNull(tensor.layer)},
            {"role", tensor.role},
            {"experts", jsonNumber(tensor.experts)},
            {"expert", orNull(tensor.expert)}};
}

Json totalsJson(const ModelTotals &totals)
{
    Json byType = Json::array();
    for (const TypeTotal &type : totals.byType) {
        byType.push_back({{"type", typeLabel(type.typeId)},
                          {"tensors", type.tensors},
                          {"parameters", type.parameters},
                          {"bytes", type.bytes}});
    }
    return {{"tensors", totals.tensors},
            {"parameters", totals.parameters},
            {"bytes", totals.bytes},
            {"bits_per_weight", jsonNumber(totals.bitsPerWeight)},
            {"unsized", totals.unsized},
            {"by_type", std::move(byType)}};
}

} // namespace

Json metadataValueJson(const MetadataValue &value, std::uint64_t maxElements)
{
    return valueJson(value, maxElements, 0);
}

Json shapeJson(const Ne &ne)
{
    Json shape = Json::array();
    for (const auto dim : ne.dims())
        shape.push_back(dim);
    return shape;
}

Json infoJson(const GgufModel &model, const ModelSummary &summary, bool full)
{
    const std::uint64_t shown = full ? std::numeric_limits<std::uint64_t>::max() : ShownElements;
    Json metadata = Json::array();
    for (const MetadataEntry &entry : model.metadata())
        metadata.push_back(metadataJson(entry, shown));
    Json tensors = Json::array();
    for (const TensorInfo &tensor : model.tensors())
        tensors.push_back(tensorJson(tensor));
    return {{"file", fileJson(summary)},
            {"metadata", std::move(metadata)},
            {"tensors", std::move(tensors)},
            {"totals", totalsJson(summary.totals)},
            {"estimates", {{"kv_bytes_per_token_f16", jsonNumber(summary.kvBytesPerTokenF16)}}},
            {"warnings", warningsJson(model.warnings())}};
}

} // namespace ql
