// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the encoders with given bytes; compiled once a target.
#if defined(QL_QUANTIZE_ROUNDING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QL_QUANTIZE_ROUNDING_INL_H
#undef QL_QUANTIZE_ROUNDING_INL_H
#else
#define QL_QUANTIZE_ROUNDING_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes: every block size is a multiple.
using FloatTag = hn::CappedTag<float, 16>;
using IntTag = hn::RebindToSigned<FloatTag>;
using ByteTag = hn::Rebind<std::uint8_t, FloatTag>;
using FloatVec = hn::Vec<FloatTag>;
using IntVec = hn::Vec<IntTag>;

HWY_INLINE float largestMagnitude(const float *x, std::size_t n)
{
    const FloatTag tag;
    FloatVec largest = hn::Zero(tag);
    for (std::size_t i = 0; i < n; i += hn::Lanes(tag))
        largest = hn::Max(largest, hn::Abs(hn::LoadU(tag, x + i)));
    return hn::GetLane(hn::MaxOfLanes(tag, largest));
}

/// 1/d, and 0 where that is no number to multiply with (d is 0, or so small that 1/d overflows).
HWY_INLINE float inverseOrZero(float d)
{
    const float inverse = 1.0f / d;
    return std::isfinite(inverse) ? inverse : 0.0f;
}

/// The nearest integer, halves away from zero, for |v| < 2^22: what is added is the largest float
/// below a half, so that numbers just below a half stay below one; sums at a half round up by themselves.
HWY_INLINE IntVec roundHalfAway(FloatVec v)
{
    const FloatTag tag;
    const FloatVec almostHalf = hn::Set(tag, 0x1.fffffep-2f);
    return hn::ConvertTo(IntTag(), hn::Add(v, hn::CopySignToAbs(almostHalf, v)));
}

HWY_INLINE IntVec clampCodes(IntVec codes, int highest)
{
    const IntTag intTag;
    return hn::Max(hn::Zero(intTag), hn::Min(codes, hn::Set(intTag, highest)));
}

HWY_INLINE void storeCodes(IntVec codes, std::uint8_t *out)
{
    const ByteTag byteTag;
    hn::StoreU(hn::DemoteTo(byteTag, codes), byteTag, out);
}

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
