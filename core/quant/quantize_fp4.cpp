// SPDX-License-Identifier: GPL-3.0-or-later
// MXFP4 (bytes fixed by convention) and NVFP4 (searched).
#include "core/quant/quantize_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/quantize_fp4.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/model/blocks.h"
#include "core/quant/quantize_kernels.h"
#include "core/quant/quantize_lanes-inl.h"
#include "core/quant/scales.h"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

/// Borders between the magnitudes 0 1 2 3 4 6 8 12.
constexpr float BordersFP4[] = {0.5f, 1.5f, 2.5f, 3.5f, 5.0f, 7.0f, 10.0f};

/// The 4-bit code of the value nearest to v; on a border the smaller magnitude; never minus zero.
HWY_INLINE hn::Vec<hn::RebindToSigned<LaneTag>> codeFP4(Vec v)
{
    const hn::RebindToSigned<LaneTag> intTag;
    const Vec magnitude = hn::Abs(v);
    auto code = hn::Zero(intTag);
    for (const float border : BordersFP4) {
        const auto above = hn::RebindMask(intTag, hn::Gt(magnitude, all(border)));
        code = hn::Add(code, hn::IfThenElseZero(above, hn::Set(intTag, 1)));
    }
    const auto negative = hn::RebindMask(intTag, hn::Lt(v, all(-BordersFP4[0])));
    return hn::Add(code, hn::IfThenElseZero(negative, hn::Set(intTag, 8)));
}

/// floor(log2(x)) as the binary32 logarithm has it: just below a power of two it rounds up to it.
int floorLog2(float x)
{
    int exponent = 0;
    const double mantissa = 2.0 * std::frexp(static_cast<double>(x), &exponent); // [1, 2)
    const double below = 1.0 - mantissa / 2.0;
    if (below < 0x1p-16) {
        const double logarithm = exponent - (below + below * below / 2.0) * 1.4426950408889634;
        if (static_cast<float>(logarithm) == static_cast<float>(exponent))
            return exponent;
    }
    return exponent - 1;
}

void encodeMXFP4(const float *x, std::byte *blocks, std::size_t nBlocks)
{
    constexpr std::size_t Size = 32;
    const LaneTag tag;
    const hn::Rebind<std::uint8_t, LaneTag> byteTag;
    for (std::size_t b = 0; b < nBlocks; ++b, x += Size) {
        BlockMXFP4 block;
        Vec largest = hn::Zero(tag);
        for (std::size_t i = 0; i < Size; i += hn::Lanes(tag))
            largest = hn::Max(largest, hn::Abs(hn::LoadU(tag, x + i)));
        const float magnitude = hn::GetLane(hn::MaxOfLanes(tag, largest));
        // Above 252 the largest values would be infinite.
        const int exponent = magnitude > 0 ? std::clamp(floorLog2(magnitude) - 2 + 127, 0, 252) : 0;
        block.e = static_cast<std::uint8_t>(exponent);
        // In two steps: the inverse of the smallest scales does not fit one float.
        const float root = std::bit_cast<float>((127u + (128u - block.e) / 2u) << 23);
        const float rest = std::bit_cast<float>((127u + (128u - block.e) - (128u - block.e) / 2u) << 23);
        alignas(64) std::uint8_t codes[Size];
        for (std::size_t i = 0; i < Size; i += hn::Lanes(tag)) {
            const Vec v = hn::Mul(hn::Mul(hn::LoadU(tag, x + i), all(root)), all(rest));
            hn::StoreU(hn::DemoteTo(byteTag, codeFP4(v)), byteTag, codes + i);
        }
        for (std::size_t j = 0; j < 16; ++j)
            block.qs[j] = static_cast<std::uint8_t>(codes[j] | codes[j + 16] << 4);
        std::memcpy(blocks + b * sizeof block, &block, sizeof block);
    }
}

/// NVFP4: sixteen sub-blocks of 16 side by side, each with the stored scale of the least squared
/// error among those from half to twice the one that maps its largest weight to the largest value.
class SearchNVFP4
{
public:
    static constexpr std::size_t Size = 16;
    static constexpr std::uint8_t LargestScale = 0x7e;

    void run(const float *weights, std::size_t nSubs)
    {
        for (std::size_t i = 0; i < Size; ++i)
            for (std::size_t lane = 0; lane < LaneCount; ++lane)
                m_x[i][lane] = lane < nSubs ? weights[lane * Size + i] : 0.0f;
        for (std::size_t lane = 0; lane < LaneCount; lane += hn::Lanes(LaneTag()))
            search(lane);
    }

    std::uint8_t scale(std::size_t lane) const { return static_cast<std::uint8_t>(m_code[lane]); }

    void codes(std::uint8_t (&out)[LaneCount][Size]) const
    {
        const hn::RebindToSigned<LaneTag> intTag;
        for (std::size_t lane = 0; lane < LaneCount; lane += hn::Lanes(LaneTag())) {
            const Vec inverse = inverseOrZero(load(m_step, lane));
            for (std::size_t i = 0; i < Size; ++i) {
                alignas(64) std::int32_t q[LaneCount];
                hn::Store(codeFP4(hn::Mul(x(i, lane), inverse)), intTag, q);
                for (std::size_t k = 0; k < hn::Lanes(LaneTag()); ++k)
                    out[lane + k][i] = static_cast<std::uint8_t>(q[k]);
            }
        }
    }

private:
    HWY_INLINE Vec x(std::size_t i, std::size_t lane) const { return hn::Load(LaneTag(), &m_x[i][lane]); }

    /// The nearest of 0 1 2 3 4 6 8 12: round to a multiple of 1, 2 or 4, by size.
    static HWY_INLINE Vec magnitudeFP4(Vec magnitude)
    {
        const Vec coarse = hn::IfThenElse(hn::Gt(magnitude, all(8.0f)), all(4 * RoundingMagic),
                                          all(2 * RoundingMagic));
        const Vec magic = hn::IfThenElse(hn::Gt(magnitude, all(4.0f)), coarse, all(RoundingMagic));
        return hn::Min(hn::Sub(hn::Add(magnitude, magic), magic), all(12.0f));
    }

    HWY_INLINE Vec errorOf(Vec step, std::size_t lane) const
    {
        const Vec inverse = inverseOrZero(step);
        Vec error = all(0.0f);
        for (std::size_t i = 0; i < Size; ++i) {
            const Vec magnitude = hn::Abs(x(i, lane));
            const Vec q = magnitudeFP4(hn::Mul(magnitude, inverse));
            const Vec miss = hn::Sub(hn::Mul(step, q), magnitude);
            error = hn::Add(error, hn::Mul(miss, miss));
        }
        return error;
    }

    /// The code of the largest scale not above `wanted`.
    static std::uint8_t codeNotAbove(float wanted)
    {
        std::uint8_t code = 0;
        for (int bit = 64; bit > 0; bit /= 2) {
            const auto trial = static_cast<std::uint8_t>(code + bit);
            if (trial <= LargestScale && scaleUE4M3Half(trial) <= wanted)
                code = trial;
        }
        return code;
    }

    void search(std::size_t lane)
    {
        constexpr int Below = 7, Above = 8;
        Vec largest = all(0.0f);
        for (std::size_t i = 0; i < Size; ++i)
            largest = hn::Max(largest, hn::Abs(x(i, lane)));
        Lanes16 magnitudes, first;
        store(largest, magnitudes, lane);
        Lanes16 bestCode, bestStep;
        for (std::size_t k = lane; k < lane + hn::Lanes(LaneTag()); ++k)
            first[k] = static_cast<float>(codeNotAbove(magnitudes[k] / 12.0f));
        Vec bestError = errorOf(all(0.0f), lane);
        for (int offset = -Below; offset <= Above; ++offset) {
            Lanes16 code, step;
            for (std::size_t k = lane; k < lane + hn::Lanes(LaneTag()); ++k) {
                code[k] = std::clamp(first[k] + static_cast<float>(offset), 0.0f, 1.0f * LargestScale);
                step[k] = scaleUE4M3Half(static_cast<std::uint8_t>(code[k]));
            }
            const Vec error = errorOf(load(step, lane), lane);
            const LaneMask better = hn::Lt(error, bestError);
            bestError = hn::IfThenElse(better, error, bestError);
            store(hn::IfThenElse(better, load(code, lane), load(bestCode, lane)), bestCode, lane);
            store(hn::IfThenElse(better, load(step, lane), load(bestStep, lane)), bestStep, lane);
        }
        store(load(bestCode, lane), m_code, lane);
        store(load(bestStep, lane), m_step, lane);
    }

    alignas(64) float m_x[Size][LaneCount];
    Lanes16 m_code, m_step;
};

void encodeNVFP4(const float *weights, std::byte *blocks, std::size_t nBlocks)
{
    for (std::size_t first = 0; first < nBlocks; first += 4) {
        const std::size_t n = std::min<std::size_t>(4, nBlocks - first);
        SearchNVFP4 search;
        search.run(weights + first * 64, n * 4);
        std::uint8_t codes[LaneCount][SearchNVFP4::Size];
        search.codes(codes);
        for (std::size_t s = 0; s < n; ++s) {
            BlockNVFP4 block;
            for (std::size_t i = 0; i < 4; ++i) {
                const std::uint8_t *q = codes[4 * s + i];
                block.d[i] = search.scale(4 * s + i);
                for (std::size_t j = 0; j < 8; ++j)
                    block.qs[8 * i + j] = static_cast<std::uint8_t>(q[j] | q[j + 8] << 4);
            }
            std::memcpy(blocks + (first + s) * sizeof block, &block, sizeof block);
        }
    }
}

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ql {

HWY_EXPORT(encodeMXFP4);
HWY_EXPORT(encodeNVFP4);

namespace encode {

void mxfp4(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeMXFP4)(weights, blocks, nBlocks);
}

void nvfp4(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeNVFP4)(weights, blocks, nBlocks);
}

} // namespace encode
} // namespace ql
#endif
