// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/candidatemodel.h"

#include "core/format/mappedfile.h"
#include "core/parallel/guarded.h"
#include "core/parallel/reduce.h"
#include "core/stats/mapadvice.h"
#include "core/stats/scratchpool.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

namespace ql {

namespace {

constexpr const char *MemoryPath = "/proc/self/fd/";
constexpr const char *OutOfMemoryCode = "out-of-memory";

/// Nameless memory that can be mapped like a file. The descriptor stays open: the map's path goes
/// through it.
class MemoryFile
{
public:
    MemoryFile() : m_descriptor(::memfd_create("quantloupe candidate", MFD_CLOEXEC)) {}
    ~MemoryFile()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

    Result<void> write(std::string_view bytes) const
    {
        while (!bytes.empty()) {
            const ssize_t n = ::write(m_descriptor, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return failure(OutOfMemoryCode, std::string("no memory for the tensor: ") + std::strerror(errno));
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return {};
    }

    Result<void> map()
    {
        auto file = MappedFile::open(MemoryPath + std::to_string(m_descriptor));
        if (!file)
            return tl::unexpected(file.error());
        m_file = std::move(*file);
        return {};
    }
    const std::shared_ptr<const MappedFile> &file() const { return m_file; }

private:
    int m_descriptor;
    std::shared_ptr<const MappedFile> m_file;
};

std::uint64_t spareMemory()
{
    std::ifstream info("/proc/meminfo");
    std::string name, unit;
    std::uint64_t kilobytes = 0;
    while (info >> name >> kilobytes) {
        if (name == "MemAvailable:")
            return kilobytes * 1024;
        std::getline(info, unit);
    }
    return 0;
}

Result<void> checkMemory(const TensorInfo &tensor, GgmlType type, std::uint64_t bytes, std::uint64_t most)
{
    const std::uint64_t limit = most > 0 ? most : spareMemory() / 2;
    if (bytes <= limit)
        return {};
    return failure(OutOfMemoryCode,
                   "tensor '" + tensor.name + "' as " + std::string(traits(type).name) + " takes " + std::to_string(bytes)
                       + " bytes of memory, " + std::to_string(limit)
                       + " are there for it; write a file instead (Save as) and compare with that",
                   tensor.name);
}

struct EncodedPart {
    RequantizedGroup result;
    std::string bytes;
};

/// Encodes the view group by group into the memory file.
class CandidateEncoder
{
public:
    CandidateEncoder(const TensorView &view, GgmlType type, MemoryFile &memory)
        : m_view(view), m_types{type}, m_groups(requantizeGroups(view)), m_memory(memory)
    {
    }

    Result<void> run(bool lowPriority, std::stop_token stop, const ProgressFn &progress)
    {
        using Pool = ScratchPool<RequantizePass>;
        Pool pool([this] { return std::make_unique<RequantizePass>(m_view, m_types); });
        const MapAdvice advice(m_view);
        const auto ended = std::make_unique<std::stop_source>();
        const std::stop_callback passOn(stop, [&] { ended->request_stop(); });
        std::uint64_t done = 0;
        const bool complete = reduce<EncodedPart>(
            m_groups.size(), {0, lowPriority}, ended->get_token(),
            [&](std::size_t i) {
                Pool::Loan pass(pool);
                EncodedPart part;
                part.result = pass->run(m_groups[i], &part.bytes);
                return part;
            },
            [&](std::size_t i, EncodedPart &&part) {
                take(m_groups[i], part);
                advice.haveRead(m_groups[i]);
                done += m_groups[i].weights();
                if (progress)
                    progress({done, m_view.elements()});
                if (!m_written)
                    ended->request_stop();
            });
        if (m_view.model().changedOnDisk())
            return tl::unexpected(m_view.model().changedError());
        if (!m_written || complete)
            return m_written;
        return failure(StoppedCode, "stopped");
    }

private:
    void take(const Piece &group, const EncodedPart &part)
    {
        if (!m_written)
            return;
        const TensorInfo &tensor = m_view.model().tensor(m_view.tensor());
        const std::uint64_t first = group.firstRow * m_view.columns() + group.firstColumn;
        if (part.result.nonFiniteAt)
            m_written = tl::unexpected(notFiniteError(tensor, first + *part.result.nonFiniteAt, part.result.nonFinite));
        else if (part.result.types.front().overflowAt)
            m_written = tl::unexpected(
                scaleOverflowError(tensor, m_types.front(), first + *part.result.types.front().overflowAt));
        else
            m_written = m_memory.write(part.bytes);
    }

    const TensorView &m_view;
    std::vector<GgmlType> m_types;
    Cutting m_groups;
    MemoryFile &m_memory;
    Result<void> m_written;
};

ShardInfo shardOf(const std::shared_ptr<MemoryFile> &memory, std::uint64_t bytes, const std::string &path)
{
    ShardInfo shard;
    shard.path = path;
    shard.size = bytes;
    shard.version = 3;
    shard.tensorCount = 1;
    shard.file = std::shared_ptr<const MappedFile>(memory, memory->file().get());
    return shard;
}

TensorInfo replaced(TensorInfo tensor, GgmlType type, std::uint64_t bytes, std::uint32_t shard)
{
    tensor.type = &traits(type);
    tensor.typeId = static_cast<std::uint32_t>(type);
    tensor.offset = 0;
    tensor.absoluteOffset = 0;
    tensor.byteSize = bytes;
    tensor.rowBytes = tensor.ne[0] / tensor.type->blockSize * tensor.type->blockBytes;
    tensor.shard = shard;
    return tensor;
}

std::string nameOf(const GgufModel &source, const TensorInfo &tensor, GgmlType type)
{
    const std::string &path = source.path();
    return path.substr(path.rfind('/') + 1) + " · " + tensor.name + " as " + std::string(traits(type).name);
}

Result<GgufModelPtr> make(const GgufModelPtr &source, const TensorTypeChoice &choice, const CandidateOptions &options,
                          std::stop_token stop, const ProgressFn &progress)
{
    const TensorInfo &tensor = source->tensor(choice.tensor);
    const auto view = TensorView::ofTensor(source, choice.tensor);
    if (!view)
        return tl::unexpected(view.error());
    if (tensor.type->type == choice.type)
        return source; // nothing to encode: A itself
    const auto type = fittingType(tensor, choice.type);
    if (!type)
        return tl::unexpected(type.error());
    const std::uint64_t bytes = encodedBytes(tensor, *type).value_or(0);
    if (const auto fits = checkMemory(tensor, *type, bytes, options.maxBytes); !fits)
        return tl::unexpected(fits.error());
    const auto memory = std::make_shared<MemoryFile>();
    CandidateEncoder encoder(*view, *type, *memory);
    if (const auto done = encoder.run(options.lowPriority, std::move(stop), progress); !done)
        return tl::unexpected(done.error());
    if (const auto mapped = memory->map(); !mapped)
        return tl::unexpected(mapped.error());
    const std::string path = nameOf(*source, tensor, *type);
    auto shards = source->shards();
    auto tensors = source->tensors();
    tensors[choice.tensor.value] = replaced(tensor, *type, bytes, static_cast<std::uint32_t>(shards.size()));
    shards.push_back(shardOf(memory, bytes, path));
    return std::make_shared<const GgufModel>(path, std::move(shards), source->metadata(), std::move(tensors),
                                             source->warnings());
}

} // namespace

ModelSummaryPtr summarizeCandidate(const GgufModel &candidate, const ModelSummary &source)
{
    auto summary = std::make_shared<ModelSummary>(*summarize(candidate));
    summary->size = source.size + summary->totals.bytes - source.totals.bytes;
    return summary;
}

bool isInMemory(const GgufModel &model)
{
    const auto &file = model.shards().back().file;
    return file && file->path().starts_with(MemoryPath);
}

Result<GgufModelPtr> candidateModel(const GgufModelPtr &source, const TensorTypeChoice &choice,
                                    const CandidateOptions &options, std::stop_token stop, const ProgressFn &progress)
{
    return guarded([&]() -> Result<GgufModelPtr> { return make(source, choice, options, std::move(stop), progress); });
}

} // namespace ql
