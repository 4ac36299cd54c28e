// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/levelreader.h"

#include <algorithm>

namespace ql {

std::unique_ptr<LevelReader> LevelReader::make(const TensorView &view)
{
    const LevelType *type = levelType(view.type().type);
    return std::unique_ptr<LevelReader>(type ? new LevelReader(view, *type) : nullptr);
}

LevelReader::LevelReader(const TensorView &view, const LevelType &type)
    : m_type(type), m_blockSize(view.type().blockSize), m_split(levelSplitter(type.type)), m_reader(view)
{
}

LevelReader::Tile LevelReader::read(const Piece &group, std::size_t first, std::size_t n)
{
    const auto blocks = m_reader.blocks(group, first, n);
    m_split(blocks.data(), n, m_planes);
    return {first, blocks, m_planes};
}

void ValueList::add(const LevelPlanes &planes, std::size_t vector, double shift, double *centralLanes)
{
    float *const values = m_values + m_size;
    std::uint32_t *const times = m_times + m_size;
    const ListedRuns listed = m_kernels.list(planes, m_powers, vector, shift, centralLanes, values, times);
    if (!listed.areSummed)
        addListed({values, listed.values}, {times, listed.values}, shift, centralLanes);
    m_size += listed.values;
    m_weights += LevelPlanes::Lanes * m_powers.type.runWeights;
}

void ValueList::drop(std::size_t n)
{
    std::copy(m_values + n, m_values + m_size, m_values);
    std::copy(m_times + n, m_times + m_size, m_times);
    m_size -= n;
    m_weights = m_size * MostTimes;
}

} // namespace ql
