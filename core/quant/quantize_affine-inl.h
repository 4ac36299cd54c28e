// SPDX-License-Identifier: GPL-3.0-or-later
// Scale-and-min super-blocks (Q2_K, Q4_K, Q5_K): the search for scales, mins and codes with the
// least squared error; compiled once a target.
//
//   1. Every sub-block by itself: codes for a handful of trial ranges, for each the best scale and
//      min by least squares; then twice the same with the codes of the best found so far.
//   2. d: the trial whose multiples come nearest to the scales wanted, each weighed by what missing
//      it costs; dmin likewise, with the mins that suit the scales now stored.
//   3. Every sub-block again, now on the grid that will be decoded: neighbouring scales and mins,
//      each with its own nearest codes, the least error wins.
//   4. d and dmin by least squares for these codes, kept where the error falls; 3 and 4 once more.
#if defined(QL_QUANTIZE_AFFINE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QL_QUANTIZE_AFFINE_INL_H
#undef QL_QUANTIZE_AFFINE_INL_H
#else
#define QL_QUANTIZE_AFFINE_INL_H
#endif

#include "core/quant/quantize_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

/// Config: Size (weights a sub-block), Subs (sub-blocks a super-block), MaxCode, MaxScale (of
/// scales and mins alike), Trials: {shrink below, shrink above} in steps of the plain range.
template <class Config>
class AffineSearch
{
public:
    static constexpr std::size_t Size = Config::Size;
    static constexpr std::size_t Subs = Config::Subs;
    static constexpr std::size_t Supers = LaneCount / Subs;
    /// One sub-block after another.
    using Codes = std::uint8_t[LaneCount * Size];

    void run(const float *weights, std::size_t nSupers)
    {
        m_batch.take(weights, nSupers);
        forLanes([this](std::size_t lane) { centre(lane); });
        forLanes([this](std::size_t lane) { fit(lane); });
        for (std::size_t s = 0; s < Supers; ++s)
            chooseScale(s);
        for (std::size_t s = 0; s < Supers; ++s)
            chooseMin(s);
        for (int round = 0; round < Config::Rounds; ++round) {
            forLanes([this](std::size_t lane) { refine(lane); });
            for (std::size_t s = 0; s < Supers; ++s)
                refit(s);
        }
        forLanes([this](std::size_t lane) { refine(lane); });
    }

    /// What to store, after run().
    StoredScale scaleOf(std::size_t super) const { return m_d[super]; }
    StoredScale minOf(std::size_t super) const { return m_dmin[super]; }
    std::uint8_t scaleCode(std::size_t lane) const { return static_cast<std::uint8_t>(m_scaleCode[lane]); }
    std::uint8_t minCode(std::size_t lane) const { return static_cast<std::uint8_t>(m_minCode[lane]); }

    void codes(Codes &out) const
    {
        for (std::size_t lane = 0; lane < LaneCount; lane += hn::Lanes(LaneTag())) {
            const Grid grid = gridOf(lane, load(m_scaleCode, lane), load(m_minCode, lane));
            for (std::size_t i = 0; i < Size; ++i) {
                Lanes16 q;
                store(codeOf(offsetFrom(grid, i, lane), grid), q, 0);
                for (std::size_t k = 0; k < hn::Lanes(LaneTag()); ++k)
                    out[(lane + k) * Size + i] = static_cast<std::uint8_t>(q[k]);
            }
        }
    }

private:
    /// Where code 0 lies (as a distance above the lane's mean, negated) and how far codes are apart.
    struct Grid {
        Vec bias;
        Vec step;
        Vec inverse;
    };

    /// What the least-squares fits need of one set of codes.
    struct Sums {
        Vec q;
        Vec q2;
        Vec xq;
    };

    struct Best {
        Vec gain;
        Vec scale;
        Vec min;
        Vec q;
        Vec curvature; ///< what a miss of the scale costs, squared: less where the min can follow it
    };

    template <class Function>
    HWY_INLINE void forLanes(const Function &function)
    {
        for (std::size_t lane = 0; lane < LaneCount; lane += hn::Lanes(LaneTag()))
            function(lane);
    }

    HWY_INLINE Vec x(std::size_t i, std::size_t lane) const
    {
        return hn::Load(LaneTag(), &m_batch.x[i][lane]);
    }

    /// Moves each lane's mean to zero: what is left is small, so that sums of squares keep their digits.
    void centre(std::size_t lane)
    {
        Vec sum = all(0.0f);
        Vec low = x(0, lane);
        Vec high = low;
        for (std::size_t i = 0; i < Size; ++i) {
            sum = hn::Add(sum, x(i, lane));
            low = hn::Min(low, x(i, lane));
            high = hn::Max(high, x(i, lane));
        }
        const Vec mean = hn::Mul(sum, all(1.0f / Size));
        for (std::size_t i = 0; i < Size; ++i)
            hn::Store(hn::Sub(x(i, lane), mean), LaneTag(), &m_batch.x[i][lane]);
        store(mean, m_mean, lane);
        // A min is never negative: the range starts at 0 or below.
        store(hn::Sub(hn::Min(low, all(0.0f)), mean), m_low, lane);
        store(hn::Sub(high, mean), m_high, lane);
    }

    HWY_INLINE Vec offsetFrom(const Grid &grid, std::size_t i, std::size_t lane) const
    {
        return hn::Add(x(i, lane), grid.bias);
    }

    static HWY_INLINE Vec codeOf(Vec offset, const Grid &grid)
    {
        return clampTo(nearest(hn::Mul(offset, grid.inverse)), 0.0f, Config::MaxCode);
    }

    HWY_INLINE Sums sumsOf(const Grid &grid, std::size_t lane) const
    {
        Sums sums{all(0.0f), all(0.0f), all(0.0f)};
        for (std::size_t i = 0; i < Size; ++i) {
            const Vec q = codeOf(offsetFrom(grid, i, lane), grid);
            sums.q = hn::Add(sums.q, q);
            sums.q2 = hn::Add(sums.q2, hn::Mul(q, q));
            sums.xq = hn::Add(sums.xq, hn::Mul(q, x(i, lane)));
        }
        return sums;
    }

    /// The best scale and min >= 0 for the codes that `grid` gives; kept where they gain more.
    HWY_INLINE void tryGrid(const Grid &grid, std::size_t lane, Best &best) const
    {
        const Sums sums = sumsOf(grid, lane);
        const Vec mean = load(m_mean, lane);
        const Vec spread = hn::Sub(sums.q2, hn::Mul(hn::Mul(sums.q, sums.q), all(1.0f / Size)));
        const Vec freeScale = quotientOrZero(sums.xq, spread);
        const Vec freeMin = hn::Sub(hn::Mul(hn::Mul(freeScale, sums.q), all(1.0f / Size)), mean);
        const Vec freeGain = hn::Mul(freeScale, sums.xq);
        // Where the min wants to be negative it is 0, and the scale alone has to do.
        const Vec fullXq = hn::Add(sums.xq, hn::Mul(mean, sums.q));
        const Vec boundScale = quotientOrZero(fullXq, sums.q2);
        const Vec boundGain = hn::Sub(hn::Mul(boundScale, fullXq), hn::Mul(hn::Mul(mean, mean), all(Size)));

        const LaneMask isFree = hn::Ge(freeMin, all(0.0f));
        const Vec gain = hn::IfThenElse(isFree, freeGain, boundGain);
        const LaneMask better = hn::Gt(gain, best.gain);
        best.gain = hn::IfThenElse(better, gain, best.gain);
        best.scale = hn::IfThenElse(better, hn::IfThenElse(isFree, freeScale, boundScale), best.scale);
        best.min = hn::IfThenElse(better, hn::IfThenElseZero(isFree, freeMin), best.min);
        best.q = hn::IfThenElse(better, sums.q, best.q);
        best.curvature = hn::IfThenElse(better, hn::IfThenElse(isFree, spread, sums.q2), best.curvature);
    }

    /// Step 1 for one vector of lanes.
    void fit(std::size_t lane)
    {
        const Vec mean = load(m_mean, lane);
        const Vec low = load(m_low, lane);
        const Vec range = hn::Sub(load(m_high, lane), low);
        const Vec noMin = hn::Max(hn::Neg(mean), all(0.0f));
        Best best{all(-3e38f), all(0.0f), noMin, all(0.0f), all(0.0f)};
        const Vec step = hn::Mul(range, all(1.0f / Config::MaxCode));
        for (const auto &trial : Config::Trials) {
            const Vec bias = hn::Sub(hn::Mul(step, all(-trial[0])), low);
            const Vec width = hn::Mul(range, all((Config::MaxCode - trial[0] - trial[1]) / Config::MaxCode));
            const Vec inverse = quotientOrZero(all(Config::MaxCode), usable(width));
            tryGrid({bias, step, inverse}, lane, best);
        }
        for (int i = 0; i < Config::Polish; ++i)
            tryGrid({hn::Add(best.min, mean), best.scale, inverseOrZero(usable(best.scale))}, lane, best);
        store(best.scale, m_scale, lane);
        store(hn::Mul(best.q, all(1.0f / Size)), m_meanCode, lane);
        store(best.curvature, m_curvature, lane);
    }

    /// Widths too small to divide by count as none: no scale that fits a half beside the
    /// super-block's largest weight could tell them apart.
    static HWY_INLINE Vec usable(Vec width)
    {
        return hn::IfThenElseZero(hn::Gt(width, all(0x1p-60f)), width);
    }

    using Multiples = BestMultiples<Subs, 0, Config::MaxScale>;

    /// Step 2 for one super-block and its scales or mins.
    static Multiples bestMultiples(const Wanted<Subs> &wanted, Unit unit)
    {
        const float largest = *std::max_element(wanted.value, wanted.value + Subs);
        Multiples best(wanted, unit);
        const int last = isCoarse(largest / Config::MaxScale, unit) ? 1 : Config::LastMultiple;
        best.offer(0.0f);
        for (int multiple = Config::MaxScale; multiple >= last; --multiple)
            best.offer(largest / static_cast<float>(multiple));
        best.finish();
        return best;
    }

    void chooseScale(std::size_t s)
    {
        const std::size_t lane = s * Subs;
        Wanted<Subs> wanted;
        std::copy_n(&m_scale.v[lane], Subs, wanted.value);
        std::copy_n(&m_curvature.v[lane], Subs, wanted.weight);
        const Multiples best = bestMultiples(wanted, m_batch.units[s]);
        m_d[s] = best.scale(0);
        best.multiples(0, &m_scaleCode.v[lane]);
        std::fill_n(&m_dLanes.v[lane], Subs, m_d[s].value);
    }

    void chooseMin(std::size_t s)
    {
        const std::size_t lane = s * Subs;
        Wanted<Subs> wanted;
        for (std::size_t i = 0; i < Subs; ++i) {
            const float scale = m_d[s].value * m_scaleCode[lane + i];
            wanted.value[i] = std::max(scale * m_meanCode[lane + i] - m_mean[lane + i], 0.0f);
            wanted.weight[i] = 1.0f;
        }
        const Multiples best = bestMultiples(wanted, m_batch.units[s]);
        m_dmin[s] = best.scale(0);
        best.multiples(0, &m_minCode.v[lane]);
        std::fill_n(&m_dminLanes.v[lane], Subs, m_dmin[s].value);
    }

    HWY_INLINE Grid gridOf(std::size_t lane, Vec scaleCode, Vec minCode) const
    {
        const Vec step = hn::Mul(load(m_dLanes, lane), scaleCode);
        const Vec min = hn::Mul(load(m_dminLanes, lane), minCode);
        return {hn::Add(min, load(m_mean, lane)), step, inverseOrZero(step)};
    }

    HWY_INLINE Vec errorOf(const Grid &grid, std::size_t lane) const
    {
        Vec error = all(0.0f);
        for (std::size_t i = 0; i < Size; ++i) {
            const Vec offset = offsetFrom(grid, i, lane);
            const Vec miss = hn::Sub(hn::Mul(grid.step, codeOf(offset, grid)), offset);
            error = hn::Add(error, hn::Mul(miss, miss));
        }
        return error;
    }

    /// Step 3 for one vector of lanes.
    void refine(std::size_t lane)
    {
        const Vec scale = load(m_scaleCode, lane);
        const Vec meanCode = load(m_meanCode, lane);
        const Vec mean = load(m_mean, lane);
        const Vec inverseMin = inverseOrZero(load(m_dminLanes, lane));
        Vec bestScale = scale;
        Vec bestMin = load(m_minCode, lane);
        Vec bestError = errorOf(gridOf(lane, bestScale, bestMin), lane);
        for (const float scaleStep : Config::ScaleSteps) {
            const Vec trialScale = clampTo(hn::Add(scale, all(scaleStep)), 0.0f, Config::MaxScale);
            const Vec step = hn::Mul(load(m_dLanes, lane), trialScale);
            const Vec wanted = hn::Mul(hn::Sub(hn::Mul(step, meanCode), mean), inverseMin);
            const Vec middle = nearest(clampTo(wanted, 0.0f, Config::MaxScale));
            for (const float minStep : Config::MinSteps) {
                const Vec trialMin = clampTo(hn::Add(middle, all(minStep)), 0.0f, Config::MaxScale);
                const Vec error = errorOf(gridOf(lane, trialScale, trialMin), lane);
                const LaneMask better = hn::Lt(error, bestError);
                bestError = hn::IfThenElse(better, error, bestError);
                bestScale = hn::IfThenElse(better, trialScale, bestScale);
                bestMin = hn::IfThenElse(better, trialMin, bestMin);
            }
        }
        store(bestScale, m_scaleCode, lane);
        store(bestMin, m_minCode, lane);
        store(bestError, m_error, lane);
        const Sums sums = sumsOf(gridOf(lane, bestScale, bestMin), lane);
        store(hn::Mul(sums.q, all(1.0f / Size)), m_meanCode, lane);
        store(sums.q, m_sumQ, lane);
        store(sums.q2, m_sumQ2, lane);
        store(sums.xq, m_sumXq, lane);
    }

    /// Step 4 for one super-block: (d, dmin) from the two normal equations.
    void refit(std::size_t s)
    {
        double dd = 0, dm = 0, mm = 0, dx = 0, mx = 0;
        for (std::size_t lane = s * Subs; lane < (s + 1) * Subs; ++lane) {
            const double scale = m_scaleCode[lane];
            const double min = m_minCode[lane];
            const double mean = m_mean[lane];
            const double q = m_sumQ[lane];
            dd += scale * scale * m_sumQ2[lane];
            dm += scale * min * q;
            mm += min * min * double(Size);
            dx += scale * (m_sumXq[lane] + mean * q);
            mx += min * mean * double(Size);
        }
        const double determinant = dd * mm - dm * dm;
        float d = m_d[s].value;
        float dmin = m_dmin[s].value;
        if (mm == 0 && dd > 0) {
            d = static_cast<float>(dx / dd);
        } else if (determinant > 1e-6 * dd * mm) {
            d = static_cast<float>((dx * mm - dm * mx) / determinant);
            dmin = static_cast<float>((dm * dx - dd * mx) / determinant);
        }
        if (d >= 0.0f && dmin >= 0.0f)
            adopt(s, storedScale(d, m_batch.units[s]), storedScale(dmin, m_batch.units[s]));
    }

    /// Takes new stored scales where the whole super-block is better off with them.
    void adopt(std::size_t s, StoredScale d, StoredScale dmin)
    {
        const Lanes16 before = m_error;
        const Lanes16 oldD = m_dLanes;
        const Lanes16 oldMin = m_dminLanes;
        std::fill_n(&m_dLanes.v[s * Subs], Subs, d.value);
        std::fill_n(&m_dminLanes.v[s * Subs], Subs, dmin.value);
        Lanes16 after;
        forLanes([&](std::size_t lane) {
            store(errorOf(gridOf(lane, load(m_scaleCode, lane), load(m_minCode, lane)), lane), after, lane);
        });
        if (total(after, s) < total(before, s)) {
            m_d[s] = d;
            m_dmin[s] = dmin;
        } else {
            m_dLanes = oldD;
            m_dminLanes = oldMin;
        }
    }

    static float total(const Lanes16 &lanes, std::size_t s)
    {
        Lanes16 sums = lanes;
        sumSubs<Subs>(sums);
        return sums[s * Subs];
    }

    Batch<Size, Subs> m_batch; ///< weights, less their lane's mean
    Lanes16 m_mean, m_low, m_high;
    Lanes16 m_scale, m_curvature, m_meanCode; ///< step 1; the mean code is kept up to date
    Lanes16 m_scaleCode, m_minCode, m_dLanes, m_dminLanes;
    Lanes16 m_error, m_sumQ, m_sumQ2, m_sumXq;
    StoredScale m_d[Supers], m_dmin[Supers];
};

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
