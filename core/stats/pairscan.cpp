// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/pairscan.h"

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

constexpr std::uint64_t TinySlabWeights = 1u << 16;
constexpr std::uint64_t ManySlabs = 16384;

Result<PairSide> sideOf(const GgufModelPtr &model, TensorIndex tensor,
                        std::optional<std::uint64_t> expert, TensorPair::Half half)
{
    auto view = expert ? TensorView::ofExpert(model, tensor, *expert)
                       : TensorView::ofTensor(model, tensor);
    if (!view)
        return tl::unexpected(view.error());
    const std::uint64_t slabRows = view->slabRows();
    const std::uint64_t firstRow = half == TensorPair::Half::Up ? slabRows / 2 : 0;
    return PairSide{std::move(*view), slabRows, firstRow};
}

std::uint64_t rowsOf(const PairSide &side, TensorPair::Half half)
{
    return half == TensorPair::Half::Whole ? side.view.rows() : side.view.rows() / 2;
}

bool isHalf(const PairSide &side, std::uint64_t slabRows) { return side.viewSlabRows != slabRows; }

/// Lanes of all sums over one tile: squared and absolute errors, a², b², a·b.
using PairLanes = std::array<double, PairLaneCount>;

void foldInto(ErrorSums &sums, const PairLanes &lanes)
{
    sums.sumSqError += foldLanes(lanes.data());
    sums.sumAbsError += foldLanes(lanes.data() + Lanes);
    sums.sumSqA += foldLanes(lanes.data() + 2 * Lanes);
    sums.sumSqB += foldLanes(lanes.data() + 3 * Lanes);
    sums.sumAB += foldLanes(lanes.data() + 4 * Lanes);
}

template <class T>
void addPairsOf(PairSums &sums, std::span<const T> as, std::span<const T> bs, std::uint64_t first)
{
    ErrorSums &errors = sums.errors;
    PairLanes lanes{};
    for (std::size_t i = 0; i < as.size(); ++i) {
        ++errors.count;
        if (!std::isfinite(as[i]) || !std::isfinite(bs[i])) {
            ++errors.nonfinite;
            continue;
        }
        const auto a = static_cast<double>(as[i]);
        const auto b = static_cast<double>(bs[i]);
        const double error = a - b;
        const double magnitude = std::abs(error);
        double *const lane = lanes.data() + i % Lanes;
        lane[0] += error * error;
        lane[Lanes] += magnitude;
        lane[2 * Lanes] += a * a;
        lane[3 * Lanes] += b * b;
        lane[4 * Lanes] += a * b;
        sums.minError = std::min(sums.minError, error);
        sums.maxError = std::max(sums.maxError, error);
        if (magnitude > errors.maxAbsError || errors.compared() == 1) {
            errors.maxAbsError = magnitude;
            errors.maxAt = first + i;
        }
    }
    foldInto(errors, lanes);
}

std::size_t firstOfMagnitude(std::span<const float> a, std::span<const float> b, double magnitude)
{
    std::size_t i = 0;
    while (i < a.size() && std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) != magnitude)
        ++i;
    return i;
}

} // namespace

void addPairs(const ScanKernels &kernels, PairSums &sums, std::span<const float> a,
              std::span<const float> b, std::uint64_t first)
{
    PairLanes lanes{};
    ErrorRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    kernels.addPairs(a.data(), b.data(), a.size(), lanes.data(), range);
    // The squares of finite floats never overflow a double.
    if (!std::isfinite(foldLanes(lanes.data() + 2 * Lanes)) || !std::isfinite(foldLanes(lanes.data() + 3 * Lanes))) {
        addPairsOf(sums, a, b, first);
        return;
    }
    ErrorSums &errors = sums.errors;
    const double magnitude = std::max(std::abs(range.min), std::abs(range.max));
    if (magnitude > errors.maxAbsError || errors.compared() == 0) {
        errors.maxAbsError = magnitude;
        errors.maxAt = first + firstOfMagnitude(a, b, magnitude);
    }
    errors.count += a.size();
    sums.minError = std::min(sums.minError, range.min);
    sums.maxError = std::max(sums.maxError, range.max);
    foldInto(errors, lanes);
}

void addPairs(const ScanKernels &, PairSums &sums, std::span<const double> a, std::span<const double> b,
              std::uint64_t first)
{
    addPairsOf(sums, a, b, first);
}

Result<PairShape> PairShape::of(const GgufModelPtr &a, const GgufModelPtr &b, const TensorPair &pair)
{
    auto sideA = sideOf(a, pair.a, pair.expertA, pair.halfA);
    if (!sideA)
        return tl::unexpected(sideA.error());
    auto sideB = sideOf(b, pair.b, pair.expertB, pair.halfB);
    if (!sideB)
        return tl::unexpected(sideB.error());
    const std::uint64_t rowsA = rowsOf(*sideA, pair.halfA);
    const std::uint64_t rowsB = rowsOf(*sideB, pair.halfB);
    const std::uint64_t columns = sideA->view.columns();
    if (rowsA != rowsB || columns != sideB->view.columns()) {
        return failure("shapes-differ",
                       "'" + a->tensor(pair.a).name + "' has " + std::to_string(rowsA) + " rows of "
                           + std::to_string(columns) + " weights, '" + b->tensor(pair.b).name + "' "
                           + std::to_string(rowsB) + " of " + std::to_string(sideB->view.columns()),
                       a->tensor(pair.a).name);
    }
    const std::uint64_t slabs = std::min(sideA->view.slabs(), sideB->view.slabs());
    return PairShape{std::move(*sideA), std::move(*sideB), rowsA, columns, slabs};
}

std::uint32_t PairShape::cellWeights() const
{
    return std::max(cellWeightsOf(a.view.type().blockSize), cellWeightsOf(b.view.type().blockSize));
}

bool PairShape::groupsEndAtSlabs() const
{
    if (isHalf(a, slabRows()) || isHalf(b, slabRows()))
        return true;
    return slabs <= ManySlabs || slabRows() * columns >= TinySlabWeights;
}

Cutting PairShape::groups() const
{
    return {Piece{0, rows, 0, columns}, GroupWeights, groupsEndAtSlabs() ? slabRows() : rows};
}

PairPass::PairPass(const PairShape &shape, const HeatMapGrid *grid)
    : m_shape(&shape)
    , m_grid(grid)
    , m_kernels(&scanKernels())
    , m_slabRows(shape.slabRows())
    , m_a(shape.a.view)
    , m_b(shape.b.view)
    , m_stripsA(shape.a.view.type(), shape.cellWeights(), true)
    , m_stripsB(shape.b.view.type(), shape.cellWeights(), true)
    , m_stripsError(traits(GgmlType::F64), shape.cellWeights(), false)
{
}

template <class T>
PairPass::Tiles<T> PairPass::read(const Piece &tile)
{
    return {m_a.read<T>(m_shape->a.inView(tile, m_slabRows)),
            m_b.read<T>(m_shape->b.inView(tile, m_slabRows))};
}

template <class T>
void PairPass::takeErrors(const Tiles<T> &tiles)
{
    m_errors.resize(tiles.a.size());
    for (std::size_t i = 0; i < m_errors.size(); ++i)
        m_errors[i] = static_cast<double>(tiles.a[i]) - static_cast<double>(tiles.b[i]);
}

template <class T>
void PairPass::addHeat(const Piece &tile, const Tiles<T> &tiles, PairSums &sums)
{
    takeErrors(tiles);
    m_stripsA.sum(tile, tiles.a, 1.0);
    m_stripsB.sum(tile, tiles.b, 1.0);
    m_stripsError.sum(tile, std::span<const double>(m_errors), 1.0);
    if (m_stripsA.hasScales())
        m_stripsA.sumScales(m_a.blocks(m_shape->a.inView(tile, m_slabRows)));
    if (m_stripsB.hasScales())
        m_stripsB.sumScales(m_b.blocks(m_shape->b.inView(tile, m_slabRows)));
    m_stripsA.addTo(sums.heat[0]);
    m_stripsB.addTo(sums.heat[1]);
    m_stripsError.addTo(sums.heat[2]);
}

template <class T>
PairSums PairPass::sums(const Piece &group)
{
    PairSums sums;
    if (m_grid)
        sums.heat.fill(HeatMapPart(*m_grid, group));
    std::uint64_t position = 0;
    forEachTile(m_shape->a.view, group, [&](const Piece &tile) {
        const auto tiles = read<T>(tile);
        addPairs(*m_kernels, sums, tiles.a, tiles.b, position);
        position += tile.weights();
        if (m_grid)
            addHeat(tile, tiles, sums);
    });
    return sums;
}

template PairSums PairPass::sums<float>(const Piece &);
template PairSums PairPass::sums<double>(const Piece &);

template <class T>
void PairPass::count(const Piece &group, BinCounter &bins)
{
    forEachTile(m_shape->a.view, group, [&](const Piece &tile) {
        takeErrors(read<T>(tile));
        bins.add(std::span<const double>(m_errors), false);
    });
}

template void PairPass::count<float>(const Piece &, BinCounter &);
template void PairPass::count<double>(const Piece &, BinCounter &);

} // namespace ql
