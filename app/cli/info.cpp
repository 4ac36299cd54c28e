// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/humantext.h"
#include "app/cli/openfile.h"
#include "core/format/shardset.h"
#include "core/model/tensorname.h"
#include "core/output/infojson.h"

namespace ql::cli {

namespace {

constexpr OptionSpec Options[] = {
    {"--json", "", "machine-readable, on standard output"},
    {"--full", "", "whole arrays instead of their first eight elements"},
};

std::string endianText(const ModelSummary &summary)
{
    const ShardSummary &first = summary.shards.front();
    return "GGUF v" + std::to_string(first.version) + (first.bigEndian ? ", big-endian" : ", little-endian")
        + ", alignment " + std::to_string(first.alignment);
}

std::string headText(const ModelSummary &summary)
{
    const auto &totals = summary.totals;
    std::string text = escapeBytes(summary.path) + "\n";
    if (!summary.name.empty())
        text += summary.name + "\n";
    text += (summary.architecture.empty() ? "unknown architecture" : summary.architecture)
        + (summary.kind.empty() ? "" : ", " + summary.kind)
        + (summary.fileType.empty() ? "" : ", " + summary.fileType) + "\n";
    if (!summary.shards.empty())
        text += endianText(summary) + "\n";
    text += byteText(summary.size) + " in " + counted(summary.shards.size(), "file")
        + ", " + counted(totals.tensors, "tensor") + ", " + counted(totals.parameters, "parameter");
    if (totals.bitsPerWeight)
        text += ", " + significant(totals.bitsPerWeight) + " bits per weight";
    if (totals.unsized)
        text += " (" + counted(totals.unsized, "tensor") + " of unknown size left out)";
    if (summary.kvBytesPerTokenF16)
        text += "\nKV cache at f16: " + byteText(*summary.kvBytesPerTokenF16) + " a token";
    return text + "\n";
}

std::string shardsText(const ModelSummary &summary)
{
    Table table{{"shard", "file", "size", "data at", "tensors"}, {}};
    for (const ShardSummary &shard : summary.shards) {
        table.rows.push_back({TableCell::number(std::to_string(table.rows.size())),
                              textCell(escapeBytes(shard.path)), numberCell(shard.size),
                              numberCell(shard.dataOffset), numberCell(shard.tensors)});
    }
    return tableToText(table);
}

std::string typesText(const ModelTotals &totals)
{
    Table table{{"type", "tensors", "parameters", "bytes"}, {}};
    for (const TypeTotal &type : totals.byType) {
        table.rows.push_back({textCell(typeLabel(type.typeId)), numberCell(type.tensors),
                              numberCell(type.parameters), numberCell(type.bytes)});
    }
    return tableToText(table);
}

std::string metadataTypeText(const MetadataSummary &entry)
{
    const std::string type(valueTypeName(entry.type));
    if (!entry.elementType || !entry.count)
        return type;
    return std::string(valueTypeName(*entry.elementType)) + "[" + std::to_string(*entry.count) + "]";
}

std::string metadataText(const GgufModel &model, const ModelSummary &summary, bool full)
{
    Table table{{"key", "type", "value"}, {}};
    for (std::size_t i = 0; i < summary.metadata.size(); ++i) {
        const MetadataSummary &entry = summary.metadata[i];
        const bool wholeArray = full && entry.elementType;
        std::string value = wholeArray
            ? metadataValueJson(model.metadata()[i].value, ~std::uint64_t(0)).dump()
            : entry.preview;
        table.rows.push_back({textCell(entry.key), textCell(metadataTypeText(entry)), textCell(std::move(value))});
    }
    return tableToText(table);
}

std::string tensorsText(const ModelSummary &summary)
{
    Table table{{"tensor", "type", "shape", "weights", "bytes", "bpw", "offset", "shard"}, {}};
    for (const TensorInfo &tensor : summary.tensors) {
        table.rows.push_back({textCell(tensor.name), textCell(tensor.typeName()),
                              textCell(shapeText(tensor.ne)), numberCell(tensor.elements),
                              numberCell(tensor.byteSize), numberCell(tensor.bitsPerWeight()),
                              numberCell(tensor.absoluteOffset),
                              TableCell::number(std::to_string(tensor.shard))});
    }
    return tableToText(table);
}

Result<int> runInfo(const Context &context, const Arguments &arguments)
{
    const auto model = openModel(arguments.positional(0));
    if (!model)
        return tl::unexpected(model.error());
    const GgufModel &m = **model;
    const ModelSummaryPtr summary = summarize(m);
    const bool full = arguments.has("--full");
    if (context.json) {
        context.console.printJson(infoJson(m, *summary, full));
        return Done;
    }
    std::string text = headText(*summary);
    if (summary->shards.size() > 1)
        text += "\n" + shardsText(*summary);
    if (!summary->totals.byType.empty())
        text += "\n" + typesText(summary->totals);
    if (!summary->metadata.empty())
        text += "\n" + metadataText(m, *summary, full);
    if (!summary->tensors.empty())
        text += "\nshapes are in file order: the first number is the row length\n\n" + tensorsText(*summary);
    if (!m.warnings().empty())
        text += "\n" + warningsText(m.warnings());
    context.console.print(text);
    return m.changedOnDisk() ? Result<int>(tl::unexpected(m.changedError())) : Done;
}

} // namespace

constinit const Command infoCommand{
    "info", "what is in a file: metadata, tensors, sizes, warnings", "FILE", 1, 1, Options, "", runInfo};

} // namespace ql::cli
