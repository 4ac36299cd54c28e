// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/guarded.h"
#include "core/parallel/reduce.h"
#include "core/stats/cutting.h"
#include "core/stats/lanes.h"
#include "core/stats/tilereader.h"
#include "core/stats/valuespage.h"

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

using What = FindQuery::What;

constexpr std::uint64_t GroupWeights = 1u << 20;
constexpr std::uint64_t PlainRun = 32; ///< a "block" of types that have none

/// A hit by its place among all weights, in file order.
struct Hit {
    std::uint64_t weight = 0;
    double value = 0;
};

template <class T>
using Predicate = bool (*)(T w, double bound);

template <class T>
constexpr std::pair<What, Predicate<T>> Predicates[] = {
    {What::NaN, [](T w, double) { return std::isnan(w); }},
    {What::Inf, [](T w, double) { return std::isinf(w); }},
    {What::Above, [](T w, double bound) { return static_cast<double>(w) > bound; }},
    {What::Below, [](T w, double bound) { return static_cast<double>(w) < bound; }},
    {What::MagnitudeAbove,
     [](T w, double bound) { return std::abs(static_cast<double>(w)) > bound; }},
};

/// The first weight at or after index `from` that satisfies the query; weights.size() without one.
template <class T>
std::size_t firstMatch(std::span<const T> weights, const FindQuery &query, std::size_t from)
{
    const auto row =
        std::ranges::find(Predicates<T>, query.what, &std::pair<What, Predicate<T>>::first);
    const auto hit = std::find_if(weights.begin() + static_cast<std::ptrdiff_t>(from),
                                  weights.end(), [&](T w) { return row->second(w, query.bound); });
    return static_cast<std::size_t>(hit - weights.begin());
}

/// The first run of zeros that begins at or after index `from`. Rows are cut into runs of
/// `runLength`; the last of a row may be shorter.
template <class T>
std::size_t firstZeroRun(std::span<const T> weights, std::uint64_t rowLength,
                         std::uint64_t runLength, std::size_t from)
{
    for (std::size_t row = 0; row < weights.size(); row += rowLength) {
        for (std::size_t run = 0; run < rowLength; run += runLength) {
            const auto one = weights.subspan(row + run, std::min(runLength, rowLength - run));
            if (row + run >= from && std::ranges::all_of(one, [](T w) { return w == 0; }))
                return row + run;
        }
    }
    return weights.size();
}

/// One search: the tensor's groups from the one that holds the start, round to that one again.
class Search
{
public:
    Search(const TensorView &view, const FindQuery &query, std::uint64_t start)
        : m_view(view)
        , m_query(query)
        , m_groups({0, view.rows(), 0, view.columns()}, GroupWeights)
        , m_start(start)
        , m_startGroup(groupOf(start))
    {
    }

    std::size_t steps() const { return m_groups.size() + 1; }
    std::optional<Hit> step(std::size_t i) const
    {
        const Piece group = m_groups[(m_startGroup + i) % m_groups.size()];
        const std::uint64_t from = i == 0 ? m_start : 0;
        return needsDouble(m_view.type()) ? searchGroup<double>(group, from)
                                          : searchGroup<float>(group, from);
    }

private:
    std::uint64_t begin(const Piece &piece) const
    {
        return piece.firstRow * m_view.columns() + piece.firstColumn;
    }

    std::uint64_t groupOf(std::uint64_t weight) const
    {
        std::uint64_t low = 0;
        std::uint64_t high = m_groups.size();
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            (begin(m_groups[middle]) <= weight ? low : high) = middle;
        }
        return low;
    }

    /// Groups and tiles hold weights that follow one another: whole rows, or a part of one.
    template <class T>
    std::optional<Hit> searchGroup(const Piece &group, std::uint64_t from) const
    {
        TileReader reader(m_view);
        const Cutting tiles(group, TileWeights);
        for (std::uint64_t i = 0; i < tiles.size(); ++i) {
            const Piece tile = tiles[i];
            const std::uint64_t first = begin(tile);
            if (first + tile.weights() <= from)
                continue;
            const auto weights = reader.read<T>(tile);
            const std::size_t at = searchTile<T>(weights, tile, from > first ? from - first : 0);
            if (at < weights.size())
                return Hit{first + at, static_cast<double>(weights[at])};
        }
        return std::nullopt;
    }

    template <class T>
    std::size_t searchTile(std::span<const T> weights, const Piece &tile, std::size_t from) const
    {
        if (m_query.what != What::ZeroBlock)
            return firstMatch(weights, m_query, from);
        const std::uint64_t run = std::max<std::uint64_t>(m_view.type().blockSize, PlainRun);
        return firstZeroRun(weights, tile.columns, run, from);
    }

    const TensorView &m_view;
    FindQuery m_query;
    Cutting m_groups;
    std::uint64_t m_start;
    std::uint64_t m_startGroup;
};

std::optional<std::uint64_t> weightAt(const TensorView &view, std::optional<ValuePosition> place)
{
    if (!place || place->row >= view.rows() || place->column >= view.columns())
        return std::nullopt;
    return place->row * view.columns() + place->column;
}

/// The first hit of the first step that has one; nothing also when stopped.
std::optional<Hit> run(const Search &search, std::uint64_t elements, std::stop_token stop,
                       const ProgressFn &progress, unsigned threads)
{
    std::optional<Hit> found;
    // Asked by the caller, or by the first hit. Not on the stack: GCC 12 takes it for uninitialized there.
    const auto enough = std::make_unique<std::stop_source>();
    const std::stop_callback forward(stop, [&] { enough->request_stop(); });
    const std::function<std::optional<Hit>(std::size_t)> make = [&](std::size_t i) {
        return search.step(i);
    };
    const std::function<void(std::size_t, std::optional<Hit> &&)> merge =
        [&](std::size_t i, std::optional<Hit> &&hit) {
            if (!found && hit) {
                found = hit;
                enough->request_stop();
            }
            if (progress)
                progress({std::min((i + 1) * GroupWeights, elements), elements});
        };
    reduce<std::optional<Hit>>(search.steps(), {threads, true}, enough->get_token(), make, merge);
    return found;
}

Result<std::optional<FoundValue>> find(const TensorView &view, const FindQuery &query,
                                       std::optional<ValuePosition> after, std::stop_token stop,
                                       const ProgressFn &progress, unsigned threads)
{
    const auto last = weightAt(view, after);
    const Search search(view, query, last ? (*last + 1) % view.elements() : 0);
    const auto hit = run(search, view.elements(), stop, progress, threads);
    if (view.model().changedOnDisk())
        return tl::unexpected(view.model().changedError());
    if (!hit && stop.stop_requested())
        return failure(StoppedCode, "stopped");
    if (!hit)
        return std::nullopt;
    return FoundValue{hit->weight / view.columns(), hit->weight % view.columns(), hit->value,
                      last && hit->weight <= *last};
}

} // namespace

Result<std::optional<FoundValue>> findValue(const TensorView &view, const FindQuery &query,
                                            std::optional<ValuePosition> after,
                                            std::stop_token stop, const ProgressFn &progress,
                                            unsigned threads)
{
    if (view.elements() == 0)
        return std::nullopt;
    return guarded([&] { return find(view, query, after, stop, progress, threads); });
}

} // namespace ql
