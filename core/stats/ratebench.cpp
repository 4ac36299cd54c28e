// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/ratebench.h"

#include "core/parallel/guarded.h"
#include "core/quant/kernels.h"
#include "core/stats/blockdecoder.h"
#include "core/stats/repeatedtensor.h"
#include "core/stats/scratchpool.h"
#include "core/stats/tensorstats.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>

namespace ql {

namespace {

using Clock = std::chrono::steady_clock;
using Views = std::vector<TensorView>;

/// Blocks of a type decoded one tile after the other into the same few KB.
class TileDecoder
{
public:
    explicit TileDecoder(const TensorView &view)
        : m_view(view), m_decode(dequantizer(view.type().type)), m_decodeDouble(doubleDequantizer(view.type().type)),
          m_tileBlocks(std::max<std::uint64_t>(1, BlockDecoder::TileWeights / view.type().blockSize)),
          m_floats(m_tileBlocks * view.type().blockSize), m_doubles(m_decodeDouble ? m_floats.size() : 0)
    {
    }

    void decode(std::uint64_t first, std::uint64_t n)
    {
        for (std::uint64_t end = first + n; first < end; first += m_tileBlocks) {
            const std::uint64_t tile = std::min(m_tileBlocks, end - first);
            const std::byte *blocks = littleEndian(first, tile);
            if (m_decodeDouble)
                m_decodeDouble(blocks, m_doubles.data(), tile);
            else
                m_decode(blocks, m_floats.data(), tile);
        }
    }

private:
    const std::byte *littleEndian(std::uint64_t first, std::uint64_t n)
    {
        const auto stored = m_view.blockRange(first, n);
        if (!m_view.bigEndian())
            return stored.data();
        m_swapped.resize(stored.size());
        swapBlocks(m_view.type().type, stored.data(), m_swapped.data(), n);
        return m_swapped.data();
    }

    const TensorView &m_view;
    DequantizeFn m_decode;
    DequantizeDoubleFn m_decodeDouble;
    std::uint64_t m_tileBlocks;
    std::vector<float> m_floats;
    std::vector<double> m_doubles;
    std::vector<std::byte> m_swapped;
};

bool decodeView(const TensorView &view, const ParallelOptions &parallel, std::stop_token stop)
{
    constexpr std::uint64_t GroupWeights = 1u << 20;
    const std::uint64_t perGroup = std::max<std::uint64_t>(1, GroupWeights / view.type().blockSize);
    ScratchPool<TileDecoder> decoders([&] { return std::make_unique<TileDecoder>(view); });
    return reduce<bool>(
        (view.blocks() + perGroup - 1) / perGroup, parallel, std::move(stop),
        [&](std::size_t group) {
            const std::uint64_t first = group * perGroup;
            ScratchPool<TileDecoder>::Loan decoder(decoders);
            decoder->decode(first, std::min(perGroup, view.blocks() - first));
            return true;
        },
        [](std::size_t, bool &&) {});
}

using OnePass = std::function<Result<void>(const TensorView &)>;

Result<void> passOver(const Views &views, const OnePass &pass)
{
    for (const TensorView &view : views) {
        if (auto done = pass(view); !done)
            return done;
    }
    return {};
}

/// Whole passes until the time is up.
Result<Rate> measureRound(const Views &views, double seconds, const OnePass &pass)
{
    Rate rate;
    const auto began = Clock::now();
    do {
        if (auto done = passOver(views, pass); !done)
            return tl::unexpected(done.error());
        for (const TensorView &view : views) {
            rate.weights += view.elements();
            rate.bytes += view.bytes().size();
        }
        rate.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    } while (rate.seconds < seconds);
    return rate;
}

/// The best of a few rounds, after one pass that is not counted: whatever else the machine does only
/// ever slows down.
Result<Rate> measure(const Views &views, double seconds, const OnePass &pass)
{
    constexpr int Rounds = 5;
    if (auto warm = passOver(views, pass); !warm)
        return tl::unexpected(warm.error());
    Rate best;
    for (int round = 0; round < Rounds; ++round) {
        const auto rate = measureRound(views, seconds / Rounds, pass);
        if (!rate)
            return rate;
        if (rate->weightsPerSecond() > best.weightsPerSecond())
            best = *rate;
    }
    return best;
}

/// The largest tensors of each type, up to so many weights; of a larger one its first rows.
std::map<std::uint32_t, Views> viewsByType(const GgufModelPtr &model, std::uint64_t weights)
{
    std::map<std::uint32_t, Views> byType;
    for (std::uint32_t i = 0; i < model->tensors().size(); ++i) {
        const auto view = TensorView::ofTensor(model, {i});
        if (view && view->elements() > 0)
            byType[model->tensors()[i].typeId].push_back(*view);
    }
    for (auto &[type, views] : byType) {
        std::ranges::stable_sort(views, std::ranges::greater(), &TensorView::elements);
        std::uint64_t left = weights;
        Views chosen;
        for (const TensorView &view : views) {
            const std::uint64_t rows = std::min(view.rows(), left / view.columns());
            if (rows == 0)
                break;
            chosen.push_back(*view.rowRange(0, rows));
            left -= rows * view.columns();
        }
        if (chosen.empty()) // a single row is more than that
            chosen.push_back(*views.front().rowRange(0, 1));
        views = std::move(chosen);
    }
    return byType;
}

/// Small tensors would show how long it takes to begin, not how fast the work is: instead of them a
/// large one of their blocks.
struct Subjects {
    explicit Subjects(Views &&chosen) : views(std::move(chosen))
    {
        constexpr std::uint64_t Large = 8u << 20;
        if (views.front().elements() >= Large) {
            std::erase_if(views, [](const TensorView &view) { return view.elements() < Large / 8; });
            return;
        }
        if (auto made = RepeatedTensor::of(views, Large)) {
            repeated.emplace(std::move(*made));
            views = {repeated->view()};
        }
    }

    Views views;
    std::optional<RepeatedTensor> repeated;
};

Result<TypeRates> measureType(std::uint32_t typeId, const Views &views, const BenchOptions &options,
                              std::stop_token stop)
{
    TypeRates rates;
    rates.typeId = typeId;
    rates.kernel = activeImplementation(static_cast<GgmlType>(typeId));
    const auto decode = measure(views, options.secondsEach, [&](const TensorView &view) -> Result<void> {
        if (!decodeView(view, options.parallel, stop))
            return failure(StoppedCode, "stopped");
        return {};
    });
    if (!decode)
        return tl::unexpected(decode.error());
    ScanOptions scanOptions;
    scanOptions.heatMap = false;
    scanOptions.threads = options.parallel.threads;
    scanOptions.lowPriority = options.parallel.lowPriority;
    const auto scan = measure(views, options.secondsEach, [&](const TensorView &view) -> Result<void> {
        const auto stats = scanTensor(view, scanOptions, stop);
        return stats ? Result<void>() : tl::unexpected(stats.error());
    });
    if (!scan)
        return tl::unexpected(scan.error());
    rates.decode = *decode;
    rates.scan = *scan;
    return rates;
}

} // namespace

Result<std::vector<TypeRates>> measureRates(const GgufModelPtr &model, const BenchOptions &options,
                                            std::stop_token stop, const ProgressFn &progress)
{
    return guarded([&]() -> Result<std::vector<TypeRates>> {
        auto byType = viewsByType(model, options.weightsAPass);
        std::vector<TypeRates> all;
        for (auto &[typeId, views] : byType) {
            const Subjects subjects(std::move(views));
            auto rates = measureType(typeId, subjects.views, options, stop);
            if (!rates)
                return tl::unexpected(rates.error());
            rates->tensors = static_cast<std::uint64_t>(std::ranges::count_if(
                model->tensors(), [id = typeId](const TensorInfo &t) { return t.typeId == id && t.isDecodable(); }));
            all.push_back(*rates);
            if (progress)
                progress({all.size(), byType.size()});
        }
        if (model->changedOnDisk())
            return tl::unexpected(model->changedError());
        return all;
    });
}

} // namespace ql
