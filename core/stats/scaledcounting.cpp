// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/scaledcounting.h"

#include "core/stats/countedscan-inl.h"

#include <cstring>

namespace ql {

namespace {

/// With fewer weights going through the counts takes longer than a second look at the weights. It is the
/// size of an expert that decides, so that its figures are the same bits in its tensor and alone.
constexpr std::uint64_t FewestWeights = 1u << 19;
static_assert(FewestWeights >= TinySlabWeights, "experts must be groups of their own");

bool canBeCounted(GgmlType type)
{
    return type == GgmlType::Q4_0 || type == GgmlType::Q5_0 || type == GgmlType::IQ4_NL || type == GgmlType::MXFP4
        || type == GgmlType::NVFP4;
}

bool hasByteScales(GgmlType type) { return type == GgmlType::MXFP4 || type == GgmlType::NVFP4; }

/// The bits of scale i of a block, which begins with them.
template <class Stored>
std::uint16_t scaleBits(const std::byte *block, std::size_t i)
{
    Stored bits;
    std::memcpy(&bits, block + i * sizeof bits, sizeof bits);
    return bits;
}

} // namespace

bool ScaledCounting::pays(const TensorView &view)
{
    return canBeCounted(view.type().type) && view.slabRows() * view.columns() >= FewestWeights;
}

ScaledCounting::Worker::Worker(const TensorView &view, std::uint32_t cellWeights, bool withHeatMap)
    : m_type(view.type())
    , m_reader(LevelReader::make(view))
    , m_pass(view, cellWeights, withHeatMap)
    , m_counter(m_reader->type().codes())
    , m_kernels(levelKernels())
{
}

void ScaledCounting::Worker::run(const Piece &group, HeatMapPart *part)
{
    RangeSums sums; // the counts tell more
    m_reader->forEachTile(group, [&](const LevelReader::Tile &tile) {
        count(tile);
        if (part)
            m_pass.addLevels(group, tile, sums, part);
    });
}

/// Of run `run` of some blocks.
void ScaledCounting::Worker::readScales(std::span<const std::byte> blocks, std::size_t run)
{
    const std::size_t n = blocks.size() / m_type.blockBytes;
    if (hasByteScales(m_type.type)) {
        for (std::size_t i = 0; i < n; ++i)
            m_bits[i] = scaleBits<std::uint8_t>(blocks.data() + i * m_type.blockBytes, run);
    } else {
        for (std::size_t i = 0; i < n; ++i)
            m_bits[i] = scaleBits<std::uint16_t>(blocks.data() + i * m_type.blockBytes, run);
    }
}

void ScaledCounting::Worker::count(const LevelReader::Tile &tile)
{
    const LevelType &type = m_reader->type();
    std::uint8_t counts[LevelPlanes::Lanes << LevelPlanes::MaxBits];
    for (std::size_t run = 0; run < type.runs; ++run) {
        readScales(tile.blocks, run);
        for (std::size_t first = 0; first < tile.planes.blocks; first += LevelPlanes::Lanes) {
            m_kernels.count(tile.planes, type, first / LevelPlanes::Lanes * type.runs + run, counts);
            m_counter.add(counts, m_bits + first, std::min(LevelPlanes::Lanes, tile.planes.blocks - first));
        }
    }
}

template class CountedScan<ScaledCounting>;

} // namespace ql
