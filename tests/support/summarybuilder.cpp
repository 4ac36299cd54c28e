// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/summarybuilder.h"

#include "core/model/tensorname.h"

namespace ql::test {

namespace {

constexpr std::uint64_t DataOffset = 4096;

void readName(TensorInfo &info)
{
    const TensorName name = parseTensorName(info.rawName);
    info.layer = name.layer;
    info.role = name.role;
    info.expert = name.expert;
    if (name.isMergedExperts)
        info.experts = info.ne[2];
}

void size(TensorInfo &info)
{
    info.elements = info.ne.elements();
    if (!info.type || !info.type->isSized())
        return;
    info.rowBytes = info.ne[0] / info.type->blockSize * info.type->blockBytes;
    if (const auto rows = info.ne.rows())
        info.byteSize = *info.rowBytes * *rows;
}

} // namespace

SummaryBuilder::SummaryBuilder()
{
    m_model.path = "/models/sample.gguf";
    m_model.name = "sample";
    m_model.architecture = "llama";
    m_model.kind = "model";
    shards(1);
}

SummaryBuilder &SummaryBuilder::named(const std::string &name, const std::string &architecture)
{
    m_model.name = name;
    m_model.architecture = architecture;
    return *this;
}

SummaryBuilder &SummaryBuilder::tensor(const std::string &name, GgmlType type, const Ne &ne,
                                       const std::string &problem)
{
    unknownTensor(name, static_cast<std::uint32_t>(type), ne);
    TensorInfo &info = m_model.tensors.back();
    info.type = &traits(type);
    info.problem = problem;
    size(info);
    m_end += info.byteSize.value_or(0);
    return *this;
}

SummaryBuilder &SummaryBuilder::unknownTensor(const std::string &name, std::uint32_t typeId,
                                              const Ne &ne)
{
    TensorInfo info;
    info.rawName = info.name = name;
    info.typeId = typeId;
    info.ne = ne;
    info.offset = m_end;
    info.absoluteOffset = DataOffset + m_end;
    info.problem = "type " + std::to_string(typeId) + " is not known";
    readName(info);
    size(info);
    m_model.tensors.push_back(std::move(info));
    return *this;
}

SummaryBuilder &SummaryBuilder::scalar(const std::string &key, ValueType type,
                                       const std::string &value)
{
    MetadataSummary entry;
    entry.key = key;
    entry.type = type;
    entry.preview = value;
    m_model.metadata.push_back(std::move(entry));
    return *this;
}

SummaryBuilder &SummaryBuilder::text(const std::string &key, const std::string &value)
{
    scalar(key, ValueType::String, escapeBytes(value).substr(0, 200));
    m_model.metadata.back().text = escapeText(value);
    m_model.metadata.back().textBytes = value.size();
    return *this;
}

SummaryBuilder &SummaryBuilder::array(const std::string &key, ValueType elementType,
                                      std::uint64_t count, const std::string &preview)
{
    scalar(key, ValueType::Array, preview);
    m_model.metadata.back().elementType = elementType;
    m_model.metadata.back().count = count;
    return *this;
}

SummaryBuilder &SummaryBuilder::warning(Severity severity, const std::string &message,
                                        const std::string &field,
                                        std::optional<std::uint64_t> offset)
{
    m_model.warnings.push_back({severity, "made-up", message, field, offset});
    return *this;
}

SummaryBuilder &SummaryBuilder::shards(std::size_t count)
{
    ShardSummary shard;
    shard.path = m_model.path;
    shard.version = 3;
    shard.alignment = 32;
    shard.dataOffset = DataOffset;
    m_model.shards.assign(count, shard);
    return *this;
}

ModelSummaryPtr SummaryBuilder::build()
{
    m_model.totals = totalsOf(m_model.tensors);
    m_model.size = DataOffset + m_end;
    return std::make_shared<const ModelSummary>(m_model);
}

ModelSummaryPtr moeSummary(std::uint32_t layers, std::uint64_t experts)
{
    SummaryBuilder model;
    model.named("Sample MoE", "qwen3moe");
    model.tensor("token_embd.weight", GgmlType::Q6_K, {2048, 151936});
    for (std::uint32_t i = 0; i < layers; ++i) {
        const std::string blk = "blk." + std::to_string(i) + ".";
        model.tensor(blk + "attn_norm.weight", GgmlType::F32, {2048})
            .tensor(blk + "attn_q.weight", GgmlType::Q4_K, {2048, 4096})
            .tensor(blk + "attn_k.weight", GgmlType::Q8_0, {2048, 512})
            .tensor(blk + "attn_v.weight", i % 3 ? GgmlType::Q5_K : GgmlType::Q6_K, {2048, 512})
            .tensor(blk + "attn_output.weight", GgmlType::Q4_K, {4096, 2048})
            .tensor(blk + "ffn_norm.weight", GgmlType::F32, {2048})
            .tensor(blk + "ffn_gate_inp.weight", GgmlType::F32, {2048, experts})
            .tensor(blk + "ffn_gate_exps.weight", GgmlType::IQ3_XXS, {2048, 768, experts})
            .tensor(blk + "ffn_up_exps.weight", GgmlType::Q2_K, {2048, 768, experts})
            .tensor(blk + "ffn_down_exps.weight", GgmlType::MXFP4, {768, 2048, experts});
    }
    model.tensor("output_norm.weight", GgmlType::F32, {2048});
    model.tensor("output.weight", GgmlType::Q6_K, {2048, 151936});
    return model.build();
}

} // namespace ql::test
