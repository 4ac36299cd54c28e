// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/reduce.h"
#include "core/stats/blockdecoder.h"
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

/// Weights [begin, end), counted through all rows.
struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// A tensor cut into stretches that are decoded and searched at once: tiles, or the blocks that a
/// search for zero blocks is about.
class Stretches
{
public:
    Stretches(const TensorView &view, What what)
        : m_perRow(what == What::ZeroBlock), m_length(lengthFor(view, what)),
          m_rowLength(m_perRow ? view.columns() : view.elements()),
          m_perLine((m_rowLength + m_length - 1) / m_length), m_lines(m_perRow ? view.rows() : 1)
    {
    }

    std::uint64_t count() const { return m_perLine * m_lines; }
    std::uint64_t perGroup() const { return std::max<std::uint64_t>(1, GroupWeights / m_length); }
    std::uint64_t groups() const { return (count() + perGroup() - 1) / perGroup(); }
    /// The stretch that holds a weight.
    std::uint64_t of(std::uint64_t weight) const
    {
        return weight / m_rowLength * m_perLine + weight % m_rowLength / m_length;
    }
    Stretch at(std::uint64_t i) const
    {
        const std::uint64_t line = i / m_perLine * m_rowLength;
        const std::uint64_t begin = i % m_perLine * m_length;
        return {line + begin, line + std::min(begin + m_length, m_rowLength)};
    }

private:
    static std::uint64_t lengthFor(const TensorView &view, What what)
    {
        if (what == What::ZeroBlock)
            return std::max<std::uint64_t>(view.type().blockSize, PlainRun);
        return BlockDecoder::TileWeights;
    }

    bool m_perRow;
    std::uint64_t m_length;
    std::uint64_t m_rowLength; ///< of what the stretches divide: a row, or everything
    std::uint64_t m_perLine;
    std::uint64_t m_lines;
};

using Predicate = bool (*)(double w, double bound);

constexpr std::pair<What, Predicate> Predicates[] = {
    {What::NaN, [](double w, double) { return std::isnan(w); }},
    {What::Inf, [](double w, double) { return std::isinf(w); }},
    {What::Above, [](double w, double bound) { return w > bound; }},
    {What::Below, [](double w, double bound) { return w < bound; }},
    {What::MagnitudeAbove, [](double w, double bound) { return std::abs(w) > bound; }},
};

std::optional<std::size_t> firstMatch(std::span<const double> weights, const FindQuery &query)
{
    const auto row = std::ranges::find(Predicates, query.what, &std::pair<What, Predicate>::first);
    const auto hit = std::ranges::find_if(weights, [&](double w) { return row->second(w, query.bound); });
    if (hit == weights.end())
        return std::nullopt;
    return static_cast<std::size_t>(hit - weights.begin());
}

/// The first hit of a stretch at or after weight `from`.
std::optional<Hit> searchStretch(BlockDecoder &decoder, std::uint64_t blockSize, const FindQuery &query,
                                 Stretch stretch, std::uint64_t from)
{
    const auto weights = decoder.decode(stretch.begin / blockSize, (stretch.end - stretch.begin) / blockSize);
    if (query.what == What::ZeroBlock) {
        const bool isZero = std::ranges::all_of(weights, [](double w) { return w == 0; });
        return isZero && stretch.begin >= from ? std::optional(Hit{stretch.begin, 0.0}) : std::nullopt;
    }
    const std::uint64_t skip = from > stretch.begin ? from - stretch.begin : 0;
    if (skip >= weights.size())
        return std::nullopt;
    const auto place = firstMatch(weights.subspan(skip), query);
    if (!place)
        return std::nullopt;
    return Hit{stretch.begin + skip + *place, weights[skip + *place]};
}

/// One search: the tensor's groups from the one that holds the start, round to that one again.
class Search
{
public:
    Search(const TensorView &view, const FindQuery &query, std::uint64_t start)
        : m_view(view), m_query(query), m_stretches(view, query.what), m_start(start),
          m_startGroup(m_stretches.of(start) / m_stretches.perGroup())
    {
    }

    std::size_t steps() const { return m_stretches.groups() + 1; }

    std::optional<Hit> step(std::size_t i) const
    {
        const std::uint64_t group = (m_startGroup + i) % m_stretches.groups();
        const std::uint64_t first = group * m_stretches.perGroup();
        const std::uint64_t last = std::min(first + m_stretches.perGroup(), m_stretches.count());
        const std::uint64_t from = i == 0 ? m_start : 0;
        BlockDecoder decoder(m_view);
        for (std::uint64_t s = first; s < last; ++s) {
            const auto hit = searchStretch(decoder, m_view.type().blockSize, m_query, m_stretches.at(s), from);
            if (hit)
                return hit;
        }
        return std::nullopt;
    }

private:
    const TensorView &m_view;
    FindQuery m_query;
    Stretches m_stretches;
    std::uint64_t m_start;
    std::uint64_t m_startGroup;
};

std::optional<std::uint64_t> weightAt(const TensorView &view, std::optional<ValuePosition> place)
{
    if (!place || place->row >= view.rows() || place->column >= view.columns())
        return std::nullopt;
    return place->row * view.columns() + place->column;
}

FoundValue foundAt(const TensorView &view, Hit hit, std::optional<std::uint64_t> after)
{
    const bool wrapped = after && hit.weight <= *after;
    return {hit.weight / view.columns(), hit.weight % view.columns(), hit.value, wrapped};
}

} // namespace

Result<std::optional<FoundValue>> findValue(const TensorView &view, const FindQuery &query,
                                            std::optional<ValuePosition> after, std::stop_token stop,
                                            const ProgressFn &progress, unsigned threads)
{
    if (view.elements() == 0)
        return std::nullopt;
    const auto afterWeight = weightAt(view, after);
    const Search search(view, query, afterWeight ? (*afterWeight + 1) % view.elements() : 0);
    std::optional<Hit> found;
    std::stop_source enough; // asked by the caller, or by the first hit
    const std::stop_callback forward(stop, [&] { enough.request_stop(); });
    const std::function<std::optional<Hit>(std::size_t)> make = [&](std::size_t i) { return search.step(i); };
    const std::function<void(std::size_t, std::optional<Hit> &&)> merge = [&](std::size_t i,
                                                                            std::optional<Hit> &&hit) {
        if (!found && hit) {
            found = hit;
            enough.request_stop();
        }
        if (progress)
            progress({std::min((i + 1) * GroupWeights, view.elements()), view.elements()});
    };
    reduce<std::optional<Hit>>(search.steps(), {threads, true}, enough.get_token(), make, merge);
    if (view.model().changedOnDisk())
        return tl::unexpected(view.model().changedError());
    if (found)
        return foundAt(view, *found, afterWeight);
    if (stop.stop_requested())
        return failure(StoppedCode, "stopped");
    return std::nullopt;
}

} // namespace ql
