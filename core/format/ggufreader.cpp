// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/ggufreader.h"

#include "core/format/ggufheader.h"
#include "core/format/mappedfile.h"
#include "core/format/metadatareader.h"
#include "core/format/tensorlayout.h"
#include "core/format/tensortable.h"

namespace ql {

namespace {

DataSection dataSectionOf(const MappedFile &file, const GgufHeader &header,
                          const Alignment &alignment, const TensorTable &table)
{
    DataSection data;
    data.fileSize = file.bytes().size();
    data.alignment = alignment;
    data.bigEndian = header.bigEndian;
    // An alignment beyond 64 bits of file puts the data nowhere: past any end.
    data.start = alignment.usable ? alignUp(table.end, alignment.value).value_or(~std::uint64_t(0))
                                  : table.end;
    return data;
}

void reportDuplicates(const TensorTable &table, const std::vector<RenamedTensor> &renamed,
                      Findings &findings)
{
    for (const auto &[index, first] : renamed)
        findings.warning("duplicate-tensor-name",
                         "tensor " + std::to_string(index) + " has the name of tensor "
                             + std::to_string(first) + ", '" + table.infos[first].name
                             + "'; it is listed as '" + table.infos[index].name + "'",
                         table.infos[first].name, table.places[index].name);
}

ShardInfo shardOf(const std::shared_ptr<const MappedFile> &file, const GgufHeader &header,
                  const DataSection &data, std::uint64_t tensors)
{
    ShardInfo shard;
    shard.path = file->path();
    shard.size = data.fileSize;
    shard.version = header.version;
    shard.bigEndian = header.bigEndian;
    shard.alignment = data.alignment.value;
    shard.dataOffset = data.start;
    shard.tensorCount = tensors;
    shard.file = file;
    return shard;
}

} // namespace

Result<GgufFile> readGguf(const std::shared_ptr<const MappedFile> &file)
{
    const auto header = readHeader(file->bytes());
    if (!header)
        return tl::unexpected(header.error());
    Findings findings;
    ByteReader reader(file->bytes(), header->bigEndian, header->isV1(), header->byteSize);
    auto metadata = readMetadata(reader, file, *header, findings);
    if (!metadata)
        return tl::unexpected(std::move(metadata.error()));
    auto table = readTensorTable(reader, *header, findings);
    if (!table)
        return tl::unexpected(std::move(table.error()));

    const auto alignment = readAlignment(*metadata, header->isV1(), findings);
    const auto data = dataSectionOf(*file, *header, alignment, *table);
    const auto renamed = makeNamesUnique(table->infos);
    reportDuplicates(*table, renamed, findings);
    computeSizes(*table, findings);
    checkLayout(*table, data, findings);
    if (file->faulted())
        return failure("file-changed", "'" + file->path() + "' was cut short while it was read",
                       file->path());

    GgufFile result;
    result.shard = shardOf(file, *header, data, table->infos.size());
    result.metadata = std::move(*metadata);
    result.tensors = std::move(table->infos);
    result.warnings = findings.take();
    return result;
}

} // namespace ql
