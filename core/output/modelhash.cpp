// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/modelhash.h"

#include "core/format/mappedfile.h"
#include "core/format/incompleteset.h"
#include "core/model/tensorname.h"
#include "core/output/storedbytes.h"
#include "core/parallel/guarded.h"

#include <algorithm>
#include <atomic>

namespace ql {

namespace {

using Bytes = std::span<const std::byte>;

/// The work of one request: each tensor is an item, and so is each algorithm's total, which has to
/// see all data in order.
class ModelHashing
{
public:
    ModelHashing(const GgufModel &model, const HashRequest &request, std::stop_token stop,
                 const ProgressFn &progress)
        : m_model(model), m_request(request), m_stop(std::move(stop)), m_progress(progress)
    {
        for (std::uint32_t i = 0; i < model.tensors().size(); ++i)
            addTensor(i);
        if (auto incomplete = incompleteError(model))
            m_result.problems.push_back(std::move(*incomplete));
    }

    Result<ModelHashes> run()
    {
        const std::size_t tensors = m_request.tensors ? m_bytes.size() : 0;
        const bool whole = m_request.total && m_result.problems.empty();
        const std::size_t totals = whole ? m_request.algorithms.size() : 0;
        m_result.tensors.resize(tensors);
        m_work *= (tensors ? m_request.algorithms.size() : 0) + totals;
        Digests total(totals);
        // The totals take longest and so begin first.
        const bool complete = forEachItem(totals + tensors, m_request.parallel, m_stop, [&](std::size_t i) {
            if (i < totals)
                total[i] = hashAll(m_request.algorithms[i]);
            else
                hashTensor(i - totals);
        });
        if (m_model.changedOnDisk())
            return tl::unexpected(m_model.changedError());
        if (!complete || m_stop.stop_requested())
            return failure(StoppedCode, "stopped");
        if (whole)
            m_result.total = std::move(total);
        return std::move(m_result);
    }

private:
    void addTensor(std::uint32_t index)
    {
        const auto bytes = storedBytes(m_model, {index});
        m_bytes.push_back(bytes ? std::optional(*bytes) : std::nullopt);
        if (bytes)
            m_work += bytes->size();
        else
            m_result.problems.push_back(bytes.error());
    }

    void feed(Hasher &hasher, std::size_t tensor)
    {
        forEachSlice(m_model.shards()[m_model.tensors()[tensor].shard], *m_bytes[tensor], m_stop, [&](Bytes slice) {
            hasher.update(slice);
            const std::uint64_t done = m_done += slice.size();
            if (m_progress)
                m_progress({done, m_work});
            return true;
        });
    }

    std::string hashAll(HashAlgorithm algorithm)
    {
        Hasher hasher(algorithm);
        for (std::size_t i = 0; i < m_bytes.size() && !m_stop.stop_requested(); ++i)
            feed(hasher, i);
        return hasher.hexDigest();
    }

    void hashTensor(std::size_t tensor)
    {
        if (!m_bytes[tensor])
            return;
        for (const HashAlgorithm algorithm : m_request.algorithms) {
            Hasher hasher(algorithm);
            feed(hasher, tensor);
            m_result.tensors[tensor].push_back(hasher.hexDigest());
        }
    }

    const GgufModel &m_model;
    const HashRequest &m_request;
    std::stop_token m_stop;
    const ProgressFn &m_progress;
    std::vector<std::optional<Bytes>> m_bytes;
    std::uint64_t m_work = 0;
    std::atomic<std::uint64_t> m_done = 0;
    ModelHashes m_result;
};

Digests digestsOf(const std::vector<Hasher> &hashers)
{
    Digests digests;
    std::ranges::transform(hashers, std::back_inserter(digests), &Hasher::hexDigest);
    return digests;
}

} // namespace

Result<ModelHashes> hashModel(const GgufModel &model, const HashRequest &request, std::stop_token stop,
                              const ProgressFn &progress)
{
    return guarded([&] { return ModelHashing(model, request, std::move(stop), progress).run(); });
}

Result<Digests> hashFile(const std::string &path, const std::vector<HashAlgorithm> &algorithms,
                         std::stop_token stop, const ProgressFn &progress)
{
    std::vector<Hasher> hashers(algorithms.begin(), algorithms.end());
    const auto file = MappedFile::open(path);
    if (!file && file.error().code == "empty-file") // nothing to map, but bytes like any other
        return digestsOf(hashers);
    if (!file)
        return tl::unexpected(file.error());
    ShardInfo shard;
    shard.file = *file;
    std::uint64_t done = 0;
    const bool complete = forEachSlice(shard, (*file)->bytes(), stop, [&](Bytes slice) {
        std::ranges::for_each(hashers, [&](Hasher &hasher) { hasher.update(slice); });
        done += slice.size();
        if (progress)
            progress({done, (*file)->bytes().size()});
        return true;
    });
    if ((*file)->changedOnDisk())
        return failure("file-changed", "'" + escapeBytes(path) + "' changed while it was read", escapeBytes(path));
    if (!complete)
        return failure(StoppedCode, "stopped");
    return digestsOf(hashers);
}

std::string hashLine(HashAlgorithm algorithm, const std::string &digest, const std::string &name)
{
    std::string padded(traits(algorithm).name);
    padded.resize(std::max<std::size_t>(padded.size(), 8), ' ');
    const bool isEscaped = name.find('\\') != std::string::npos;
    return (isEscaped ? "\\" : "") + padded + "  " + digest + "  " + name + "\n";
}

} // namespace ql
