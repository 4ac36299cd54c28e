// SPDX-License-Identifier: GPL-3.0-or-later
// The nearest of IQ4_NL's 16 uneven steps, for a vector of weights over their scale; compiled once a target.
#if defined(QL_QUANTIZE_TABLE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QL_QUANTIZE_TABLE_INL_H
#undef QL_QUANTIZE_TABLE_INL_H
#else
#define QL_QUANTIZE_TABLE_INL_H
#endif

#include "core/quant/codebooks.h"
#include "core/quant/quantize_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

struct alignas(64) StepTable {
    float border[16]; ///< border[i] lies between values i and i + 1; the last is never looked at
    float value[16];
};

constexpr StepTable stepTable()
{
    StepTable table{};
    for (std::size_t i = 0; i < 16; ++i)
        table.value[i] = ValuesIQ4NL[i];
    for (std::size_t i = 0; i < 15; ++i)
        table.border[i] = (table.value[i] + table.value[i + 1]) / 2;
    return table;
}
inline constexpr StepTable Steps = stepTable();

using LaneIntTag = hn::RebindToSigned<LaneTag>;
using IntVec = hn::Vec<LaneIntTag>;

/// Entries [offset, offset + lanes) by index, which is below the number of lanes. The tables hold 16.
template <std::size_t Offset>
HWY_INLINE Vec lookUp(const float (&table)[16], IntVec index)
{
    const LaneTag tag;
    return hn::TableLookupLanes(hn::LoadU(tag, table + Offset), hn::IndicesFromVec(tag, index));
}

/// Adds `Step` to the index of the lanes whose weight lies above the border in the middle of what
/// is left. Upper: the lanes' half of the table, where vectors are too short for all of it.
template <int Step>
HWY_INLINE IntVec descend(Vec v, IntVec index, LaneMask upper)
{
    const LaneIntTag intTag;
    const IntVec probe = hn::Add(index, hn::Set(intTag, Step - 1));
    Vec border = lookUp<0>(Steps.border, probe);
    if constexpr (hn::MaxLanes(LaneTag()) == 8)
        border = hn::IfThenElse(upper, lookUp<8>(Steps.border, probe), border);
    const auto above = hn::RebindMask(intTag, hn::Gt(v, border));
    return hn::IfThenElse(above, hn::Add(index, hn::Set(intTag, Step)), index);
}

HWY_INLINE Vec nearestByHalving(Vec v)
{
    const LaneIntTag intTag;
    constexpr bool Short = hn::MaxLanes(LaneTag()) == 8;
    const LaneMask upper = hn::Gt(v, all(Steps.border[7]));
    IntVec index = hn::Zero(intTag);
    if constexpr (!Short)
        index = hn::IfThenElseZero(hn::RebindMask(intTag, upper), hn::Set(intTag, 8));
    index = descend<4>(v, index, upper);
    index = descend<2>(v, index, upper);
    index = descend<1>(v, index, upper);
    const Vec value = lookUp<0>(Steps.value, index);
    return Short ? hn::IfThenElse(upper, lookUp<Short ? 8 : 0>(Steps.value, index), value) : value;
}

HWY_INLINE Vec nearestByBorders(Vec v)
{
    Vec result = all(Steps.value[0]);
    for (std::size_t i = 0; i < 15; ++i) {
        const Vec step = all(Steps.value[i + 1] - Steps.value[i]);
        result = hn::Add(result, hn::IfThenElseZero(hn::Gt(v, all(Steps.border[i])), step));
    }
    return result;
}

/// Both ways give the same value; halving needs vectors that hold half the table.
HWY_INLINE Vec nearestStep(Vec v)
{
    if constexpr (hn::MaxLanes(LaneTag()) >= 8)
        return nearestByHalving(v);
    else
        return nearestByBorders(v);
}

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
