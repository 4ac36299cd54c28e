// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/mapadvice.h"

#include "core/format/mappedfile.h"

#include <algorithm>
#include <utility>

namespace ql {

MapAdvice::MapAdvice(const TensorView &view) : m_view(&view), m_bytes(view.bytes())
{
    const auto &shards = view.model().shards();
    const std::uint32_t shard = view.model().tensor(view.tensor()).shard;
    if (shard < shards.size())
        m_file = shards[shard].file;
}

std::size_t MapAdvice::offsetOf(const Piece &group) const
{
    const auto &type = m_view->type();
    return group.firstRow * m_view->rowBytes()
        + group.firstColumn / type.blockSize * type.blockBytes;
}

std::size_t MapAdvice::byteSizeOf(const Piece &group) const
{
    const auto &type = m_view->type();
    return (group.rows - 1) * m_view->rowBytes() + group.columns / type.blockSize * type.blockBytes;
}

void MapAdvice::willRead(const Piece &group) const
{
    if (m_file)
        m_file->willNeed(m_bytes.subspan(offsetOf(group), byteSizeOf(group)));
}

void MapAdvice::haveRead(const Piece &group) const
{
    if (!m_file)
        return;
    const Range read{offsetOf(group), offsetOf(group) + byteSizeOf(group)};
    const std::lock_guard lock(m_mutex);
    if (read.begin != m_held.end)
        release(std::exchange(m_held, {read.begin, read.begin}));
    m_held.end = read.end;
    if (m_held.end - m_held.begin >= HeldBytes)
        release(std::exchange(m_held, {read.end, read.end}));
}

void MapAdvice::release(Range range) const
{
    // A fault maps some neighbours as well, those of a group already let go among them.
    constexpr std::size_t Neighbours = 256u << 10;
    if (range.begin == range.end)
        return;
    const std::size_t begin = range.begin - std::min(range.begin, Neighbours);
    m_file->dontNeed(m_bytes.subspan(begin, range.end - begin));
}

MapAdvice::~MapAdvice() { release(m_held); }

} // namespace ql
