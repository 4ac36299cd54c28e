// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/repeatedtensor.h"

#include "core/format/ggufwriter.h"
#include "core/format/shardset.h"
#include "core/output/bytesink.h"
#include "core/quant/dequantize.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace ql {

namespace {

/// A multiple of every block size.
constexpr std::uint64_t Columns = 4096;

Result<void> putPart(const TensorView &view, std::span<const std::byte> part, const GgufWriter::Sink &sink)
{
    if (!view.bigEndian())
        return sink(part);
    std::vector<std::byte> swapped(part.size());
    swapBlocks(view.type().type, part.data(), swapped.data(), part.size() / view.type().blockBytes);
    return sink(swapped);
}

/// So many bytes, a whole number of blocks.
Result<void> putRepeated(const std::vector<TensorView> &views, std::uint64_t bytes, const GgufWriter::Sink &sink)
{
    for (std::size_t i = 0; bytes > 0; i = (i + 1) % views.size()) {
        const auto part = views[i].bytes().first(std::min<std::uint64_t>(bytes, views[i].bytes().size()));
        if (auto put = putPart(views[i], part, sink); !put)
            return put;
        bytes -= part.size();
    }
    return {};
}

Result<void> write(int descriptor, const std::vector<TensorView> &views, std::uint64_t rows)
{
    const TypeTraits &type = views.front().type();
    const std::uint64_t bytes = rows * (Columns / type.blockSize) * type.blockBytes;
    const auto file = GgufWriter::create({}, {{"w", static_cast<std::uint32_t>(type.type), Ne{Columns, rows}, bytes}});
    if (!file)
        return tl::unexpected(file.error());
    DescriptorSink sink(descriptor, "memory");
    return file->write([&](std::size_t, const GgufWriter::Sink &put) { return putRepeated(views, bytes, put); },
                       [&](std::span<const std::byte> part) { return sink.write(part); });
}

} // namespace

RepeatedTensor::RepeatedTensor(RepeatedTensor &&other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_view(std::move(other.m_view))
{
}

RepeatedTensor::~RepeatedTensor()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

std::optional<RepeatedTensor> RepeatedTensor::of(const std::vector<TensorView> &views, std::uint64_t weights)
{
    RepeatedTensor made(::memfd_create("quantloupe", MFD_CLOEXEC));
    const std::uint64_t rows = std::max<std::uint64_t>(1, weights / Columns);
    if (made.m_descriptor < 0 || !write(made.m_descriptor, views, rows))
        return std::nullopt;
    const auto model = openModel("/proc/self/fd/" + std::to_string(made.m_descriptor));
    if (!model)
        return std::nullopt;
    const auto view = TensorView::ofTensor(*model, {0});
    if (!view)
        return std::nullopt;
    made.m_view = *view;
    return made;
}

} // namespace ql
