// SPDX-License-Identifier: GPL-3.0-or-later
// F32, F16, BF16: one rounding a weight.
#include "core/quant/quantize_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/quantize_plain.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/quant/half.h"
#include "core/quant/quantize_kernels.h"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void halvesOneByOne(const float *weights, std::byte *blocks, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint16_t half = floatToHalf(weights[i]);
        std::memcpy(blocks + 2 * i, &half, 2);
    }
}

void encodeF16(const float *weights, std::byte *blocks, std::size_t n)
{
    std::size_t i = 0;
    // Below AVX2 there is no instruction for it, and Highway's stand-in does not round to even.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    const hn::CappedTag<float, 16> tag;
    const hn::Rebind<hwy::float16_t, decltype(tag)> halfTag;
    for (; i + hn::Lanes(tag) <= n; i += hn::Lanes(tag)) {
        alignas(64) hwy::float16_t halves[16];
        hn::Store(hn::DemoteTo(halfTag, hn::LoadU(tag, weights + i)), halfTag, halves);
        std::memcpy(blocks + 2 * i, halves, 2 * hn::Lanes(tag));
    }
#endif
    halvesOneByOne(weights + i, blocks + 2 * i, n - i);
}

void encodeBF16(const float *HWY_RESTRICT weights, std::byte *HWY_RESTRICT blocks, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint16_t value = floatToBf16(weights[i]);
        std::memcpy(blocks + 2 * i, &value, 2);
    }
}

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ql {

HWY_EXPORT(encodeF16);
HWY_EXPORT(encodeBF16);

namespace encode {

void f32(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    if (nBlocks != 0)
        std::memcpy(blocks, weights, nBlocks * sizeof(float));
}

void f16(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeF16)(weights, blocks, nBlocks);
}

void bf16(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeBF16)(weights, blocks, nBlocks);
}

} // namespace encode
} // namespace ql
#endif
