// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/cosinematrix.h"

#include "core/output/table.h"
#include "core/parallel/guarded.h"
#include "core/parallel/reduce.h"
#include "core/stats/cutting.h"
#include "core/stats/lanes.h"
#include "core/stats/tilereader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace ql {

namespace {

constexpr std::uint64_t TilesPerGroup = 16;

/// Sums of products of each two experts: the upper triangle, row by row.
using Products = std::vector<double>;

constexpr std::size_t placeOf(std::size_t i, std::size_t j, std::size_t n)
{
    return i * n - i * (i + 1) / 2 + j; // j >= i
}

/// Eight lanes, so that the order of the sums is fixed and a compiler may use its vectors.
double dot(const double *a, const double *b, std::size_t n)
{
    constexpr std::size_t Width = 8;
    std::array<double, Width> lanes{};
    std::size_t i = 0;
    for (; i + Width <= n; i += Width)
        for (std::size_t l = 0; l < Width; ++l)
            lanes[l] += a[i + l] * b[i + l];
    for (std::size_t l = 0; i < n; ++i, ++l)
        lanes[l] += a[i] * b[i];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
           + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

class MatrixScan
{
public:
    explicit MatrixScan(std::vector<TensorView> views)
        : m_views(std::move(views))
        , m_tiles({0, m_views.front().rows(), 0, m_views.front().columns()}, TileWeights)
    {
    }

    std::size_t groups() const
    {
        return static_cast<std::size_t>((m_tiles.size() + TilesPerGroup - 1) / TilesPerGroup);
    }
    std::uint64_t weights() const { return m_views.front().elements() * m_views.size(); }
    std::size_t pairs() const
    {
        return placeOf(m_views.size() - 1, m_views.size() - 1, m_views.size()) + 1;
    }

    Products run(std::size_t group, const std::stop_token &stop) const
    {
        std::vector<TileReader> readers(m_views.begin(), m_views.end());
        std::vector<double> tiles(m_views.size() * TileWeights);
        Products sums(pairs());
        const std::uint64_t end = std::min((group + 1) * TilesPerGroup, m_tiles.size());
        for (std::uint64_t t = group * TilesPerGroup; t < end && !stop.stop_requested(); ++t) {
            for (std::size_t e = 0; e < readers.size(); ++e)
                decode(readers[e], m_tiles[t], tiles.data() + e * TileWeights);
            multiply(tiles, m_tiles[t].weights(), sums);
        }
        return sums;
    }

private:
    template <class T>
    static void copyFinite(std::span<const T> weights, double *out)
    {
        std::ranges::transform(weights, out,
                               [](T w) { return std::isfinite(w) ? static_cast<double>(w) : 0.0; });
    }

    static void decode(TileReader &reader, const Piece &tile, double *out)
    {
        if (needsDouble(reader.view().type()))
            copyFinite(reader.read<double>(tile), out);
        else
            copyFinite(reader.read<float>(tile), out);
    }

    void multiply(const std::vector<double> &tiles, std::size_t n, Products &sums) const
    {
        std::size_t pair = 0;
        for (std::size_t i = 0; i < m_views.size(); ++i)
            for (std::size_t j = i; j < m_views.size(); ++j)
                sums[pair++] +=
                    dot(tiles.data() + i * TileWeights, tiles.data() + j * TileWeights, n);
    }

    std::vector<TensorView> m_views;
    Cutting m_tiles;
};

Result<std::vector<TensorView>> viewsOf(const GgufModelPtr &model, const ExpertGroup &group)
{
    std::vector<TensorView> views;
    for (const ExpertRef &expert : group.experts) {
        auto view = expertView(model, expert);
        if (!view)
            return tl::unexpected(view.error());
        const bool fits = views.empty() || (view->rows() == views.front().rows()
                                            && view->columns() == views.front().columns());
        if (!fits)
            return failure("shape-mismatch",
                           "expert " + std::to_string(expert.number) + " of " + group.role
                               + " has another shape than expert "
                               + std::to_string(group.experts.front().number),
                           model->tensor(expert.tensor).name);
        views.push_back(std::move(*view));
    }
    return views;
}

std::string cosineText(double cosine)
{
    char text[40];
    if (!std::isfinite(cosine))
        return {};
    return {text, std::to_chars(text, text + sizeof text, cosine).ptr};
}

CosineMatrixPtr finish(const ExpertGroup &group, const Products &sums)
{
    auto matrix = std::make_shared<CosineMatrix>();
    const std::size_t n = group.experts.size();
    for (const ExpertRef &expert : group.experts)
        matrix->numbers.push_back(expert.number);
    matrix->cosines.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i; j < n; ++j) {
            const double norms =
                std::sqrt(sums[placeOf(i, i, n)]) * std::sqrt(sums[placeOf(j, j, n)]);
            const double cosine = norms > 0 ? std::clamp(sums[placeOf(i, j, n)] / norms, -1.0, 1.0)
                                            : std::numeric_limits<double>::quiet_NaN();
            matrix->cosines[i * n + j] = matrix->cosines[j * n + i] = cosine;
        }
    }
    return matrix;
}

Result<CosineMatrixPtr> scan(const GgufModelPtr &model, const ExpertGroup &group,
                             std::stop_token stop, const ProgressFn &progress, unsigned threads)
{
    auto views = viewsOf(model, group);
    if (!views)
        return tl::unexpected(views.error());
    const MatrixScan matrix(std::move(*views));
    Products total(matrix.pairs());
    const std::function<Products(std::size_t)> make = [&](std::size_t i) {
        return matrix.run(i, stop);
    };
    const std::function<void(std::size_t, Products &&)> merge = [&](std::size_t i,
                                                                    Products &&part) {
        std::ranges::transform(total, part, total.begin(), std::plus<>());
        if (progress)
            progress({matrix.weights() / matrix.groups() * (i + 1), matrix.weights()});
    };
    const bool done = reduce<Products>(matrix.groups(), {threads, true}, stop, make, merge);
    if (!done || stop.stop_requested())
        return failure(StoppedCode, "stopped");
    if (model->changedOnDisk())
        return tl::unexpected(model->changedError());
    return finish(group, total);
}

} // namespace

Result<CosineMatrixPtr> cosineMatrix(const GgufModelPtr &model, const ExpertGroup &group,
                                     std::stop_token stop, const ProgressFn &progress,
                                     unsigned threads)
{
    if (group.experts.empty())
        return std::make_shared<const CosineMatrix>();
    if (group.experts.size() > CosineMatrix::MaxExperts)
        return failure("too-many-experts",
                       "a matrix of " + std::to_string(group.experts.size()) + " experts: at most "
                           + std::to_string(CosineMatrix::MaxExperts) + " are possible",
                       group.role);
    return guarded([&] { return scan(model, group, stop, progress, threads); });
}

std::vector<NearDuplicate> findNearDuplicates(const CosineMatrix &matrix, double threshold)
{
    std::vector<NearDuplicate> pairs;
    for (std::size_t i = 0; i < matrix.size(); ++i)
        for (std::size_t j = i + 1; j < matrix.size(); ++j)
            if (matrix.at(i, j) >= threshold)
                pairs.push_back({i, j, matrix.at(i, j)});
    return pairs;
}

std::string cosineMatrixCsv(const CosineMatrix &matrix)
{
    Table csv;
    csv.columns = {"expert"};
    for (const std::uint64_t number : matrix.numbers)
        csv.columns.push_back(std::to_string(number));
    for (std::size_t i = 0; i < matrix.size(); ++i) {
        auto &cells = csv.rows.emplace_back();
        cells.push_back(TableCell::number(std::to_string(matrix.numbers[i])));
        for (std::size_t j = 0; j < matrix.size(); ++j)
            cells.push_back(TableCell::number(cosineText(matrix.at(i, j))));
    }
    return tableToCsv(csv);
}

} // namespace ql
