// SPDX-License-Identifier: GPL-3.0-or-later
// Scale-only types (Q3_K, Q6_K, IQ4_XS, IQ4_NL): the search for scales and codes with the least
// squared error; compiled once a target.
//
//   1. Every sub-block by itself: codes for a list of trial scales, negative ones too where the
//      code's values are lopsided; for each the best scale by least squares; then again with the
//      codes of the best found so far.
//   2. d: the trial whose multiples come nearest to the scales wanted, each weighed by what missing
//      it costs (types without sub-blocks store the scale itself).
//   3. Every sub-block again on the grid that will be decoded: neighbouring scales and the mirrored
//      one, each with its own nearest codes, the least error wins.
//   4. d by least squares for these codes, kept where the error falls; 3 and 4 once more.
#if defined(QL_QUANTIZE_SCALED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QL_QUANTIZE_SCALED_INL_H
#undef QL_QUANTIZE_SCALED_INL_H
#else
#define QL_QUANTIZE_SCALED_INL_H
#endif

#include "core/quant/quantize_lanes-inl.h"

#include <array>

HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

/// Config: Size, Subs, MinScale and MaxScale (of the stored multiples), LastMultiple (the smallest
/// magnitude tried for the largest scale), Trials (largest weight over scale), ScaleSteps, Mirrored
/// and Again (what else step 3 tries), Polish, Rounds, value(Vec) (the code value nearest to a weight over the scale).
template <class Config>
class ScaledSearch
{
public:
    static constexpr std::size_t Size = Config::Size;
    static constexpr std::size_t Subs = Config::Subs;
    static constexpr std::size_t Supers = LaneCount / Subs;
    /// Code values as floats, one sub-block after another.
    using Values = float[LaneCount * Size];

    void run(const float *weights, std::size_t nSupers)
    {
        m_batch.take(weights, nSupers);
        forLanes([this](std::size_t lane) { fit(lane); });
        if constexpr (Subs == 1)
            storeScales();
        else
            chooseScales();
        for (int round = 0; round < Config::Rounds; ++round) {
            forLanes([&](std::size_t lane) { refine(lane, Config::Again && round == 0); });
            for (std::size_t s = 0; s < Supers; ++s)
                refit(s);
        }
        forLanes([this](std::size_t lane) { refine(lane, false); });
    }

    StoredScale scaleOf(std::size_t super) const { return m_d[super]; }
    int scaleCode(std::size_t lane) const { return static_cast<int>(m_scaleCode[lane]); }

    void values(Values &out) const
    {
        for (std::size_t lane = 0; lane < LaneCount; lane += hn::Lanes(LaneTag())) {
            const Vec inverse = inverseOrZero(hn::Mul(load(m_dLanes, lane), load(m_scaleCode, lane)));
            for (std::size_t i = 0; i < Size; ++i) {
                Lanes16 q;
                store(Config::value(hn::Mul(x(i, lane), inverse)), q, 0);
                for (std::size_t k = 0; k < hn::Lanes(LaneTag()); ++k)
                    out[(lane + k) * Size + i] = q[k];
            }
        }
    }

private:
    struct Sums {
        Vec q2;
        Vec xq;
    };

    struct Best {
        Vec gain;
        Vec scale;
        Vec q2;
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

    HWY_INLINE Sums sumsOf(Vec inverse, std::size_t lane) const
    {
        Sums sums{all(0.0f), all(0.0f)};
        for (std::size_t i = 0; i < Size; ++i) {
            const Vec q = Config::value(hn::Mul(x(i, lane), inverse));
            sums.q2 = hn::Add(sums.q2, hn::Mul(q, q));
            sums.xq = hn::Add(sums.xq, hn::Mul(q, x(i, lane)));
        }
        return sums;
    }

    HWY_INLINE void tryInverse(Vec inverse, std::size_t lane, Best &best) const
    {
        const Sums sums = sumsOf(inverse, lane);
        const Vec scale = quotientOrZero(sums.xq, sums.q2);
        const Vec gain = hn::Mul(scale, sums.xq);
        const LaneMask better = hn::Gt(gain, best.gain);
        best.gain = hn::IfThenElse(better, gain, best.gain);
        best.scale = hn::IfThenElse(better, scale, best.scale);
        best.q2 = hn::IfThenElse(better, sums.q2, best.q2);
    }

    /// The weight of the largest magnitude (of two, the later one).
    Vec extreme(std::size_t lane) const
    {
        Vec result = all(0.0f);
        for (std::size_t i = 0; i < Size; ++i) {
            const LaneMask larger = hn::Ge(hn::Abs(x(i, lane)), hn::Abs(result));
            result = hn::IfThenElse(larger, x(i, lane), result);
        }
        return result;
    }

    /// Step 1 for one vector of lanes.
    void fit(std::size_t lane)
    {
        const Vec largest = extreme(lane);
        const LaneMask usable = hn::Gt(hn::Abs(largest), all(0x1p-60f));
        const Vec unit = hn::IfThenElseZero(usable, inverseOrZero(hn::IfThenElseZero(usable, largest)));
        Best best{all(0.0f), all(0.0f), all(0.0f)};
        for (const float trial : Config::Trials)
            tryInverse(hn::Mul(unit, all(trial)), lane, best);
        for (int i = 0; i < Config::Polish; ++i)
            tryInverse(inverseOrZero(best.scale), lane, best);
        store(best.scale, m_scale, lane);
        store(best.q2, m_curvature, lane);
    }

    HWY_INLINE Vec errorOf(Vec step, std::size_t lane) const
    {
        const Vec inverse = inverseOrZero(step);
        Vec error = all(0.0f);
        for (std::size_t i = 0; i < Size; ++i) {
            const Vec q = Config::value(hn::Mul(x(i, lane), inverse));
            const Vec miss = hn::Sub(hn::Mul(step, q), x(i, lane));
            error = hn::Add(error, hn::Mul(miss, miss));
        }
        return error;
    }

    using Multiples = BestMultiples<Subs, Config::MinScale, Config::MaxScale>;

    /// Step 2: of each super-block's most promising d, the one that is best with its own codes.
    void chooseScales()
    {
        Wanted<Subs> wanted[Supers];
        for (std::size_t s = 0; s < Supers; ++s) {
            std::copy_n(&m_scale.v[s * Subs], Subs, wanted[s].value);
            std::copy_n(&m_curvature.v[s * Subs], Subs, wanted[s].weight);
        }
        if constexpr (Supers == 1)
            compare({bestMultiples(wanted[0], m_batch.units[0])});
        else
            compare({bestMultiples(wanted[0], m_batch.units[0]), bestMultiples(wanted[1], m_batch.units[1])});
    }

    static Multiples bestMultiples(const Wanted<Subs> &wanted, Unit unit)
    {
        const auto smaller = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
        const float largest = *std::max_element(wanted.value, wanted.value + Subs, smaller);
        Multiples best(wanted, unit);
        const int last = isCoarse(largest / Config::MaxScale, unit) ? 1 : Config::LastMultiple;
        best.offer(0.0f);
        for (int multiple = Config::MaxScale; multiple >= last; --multiple)
            best.offer(largest / static_cast<float>(multiple));
        for (int multiple = -Config::MinScale; multiple >= last; --multiple)
            best.offer(largest / static_cast<float>(-multiple));
        best.finish();
        return best;
    }

    void compare(const std::array<Multiples, Supers> &best)
    {
        float least[Supers];
        std::fill_n(least, Supers, 3e38f);
        for (std::size_t rank = 0; rank < Multiples::Kept; ++rank) {
            Lanes16 d, code, error;
            for (std::size_t s = 0; s < Supers; ++s) {
                std::fill_n(&d.v[s * Subs], Subs, best[s].scale(rank).value);
                best[s].multiples(rank, &code.v[s * Subs]);
            }
            forLanes([&](std::size_t lane) {
                store(errorOf(hn::Mul(load(d, lane), load(code, lane)), lane), error, lane);
            });
            for (std::size_t s = 0; s < Supers; ++s) {
                const float sum = total(error, s);
                if (!(sum < least[s]))
                    continue;
                least[s] = sum;
                m_d[s] = best[s].scale(rank);
                std::copy_n(&d.v[s * Subs], Subs, &m_dLanes.v[s * Subs]);
                std::copy_n(&code.v[s * Subs], Subs, &m_scaleCode.v[s * Subs]);
            }
        }
    }

    /// Step 2 where there are no sub-blocks: the scale itself is stored.
    void storeScales()
    {
        for (std::size_t s = 0; s < Supers; ++s) {
            m_d[s] = storedScale(m_scale[s], m_batch.units[s]);
            m_dLanes[s] = m_d[s].value;
            m_scaleCode[s] = 1.0f;
        }
    }

    /// Step 3 for one vector of lanes; wide: all the trial scales once more, as multiples of d.
    void refine(std::size_t lane, bool wide)
    {
        const Vec d = load(m_dLanes, lane);
        const Vec code = load(m_scaleCode, lane);
        Vec bestCode = code;
        Vec bestError = errorOf(hn::Mul(d, code), lane);
        const auto consider = [&](Vec wanted) {
            const Vec trial = clampTo(wanted, Config::MinScale, Config::MaxScale);
            const Vec error = errorOf(hn::Mul(d, trial), lane);
            const LaneMask better = hn::Lt(error, bestError);
            bestError = hn::IfThenElse(better, error, bestError);
            bestCode = hn::IfThenElse(better, trial, bestCode);
        };
        for (const float step : Config::ScaleSteps)
            consider(hn::Add(code, all(step)));
        if (wide) {
            const Vec unit = hn::Mul(extreme(lane), inverseOrZero(d));
            for (const float trial : Config::Trials)
                consider(nearest(clampTo(hn::Mul(unit, all(1/trial)), Config::MinScale, Config::MaxScale)));
        }
        if (Config::Mirrored)
            consider(hn::Neg(code));
        const Sums sums = sumsOf(inverseOrZero(hn::Mul(d, bestCode)), lane);
        store(bestCode, m_scaleCode, lane);
        store(bestError, m_error, lane);
        store(sums.q2, m_sumQ2, lane);
        store(sums.xq, m_sumXq, lane);
    }

    /// Step 4 for one super-block.
    void refit(std::size_t s)
    {
        double dd = 0, dx = 0;
        for (std::size_t lane = s * Subs; lane < (s + 1) * Subs; ++lane) {
            const double scale = m_scaleCode[lane];
            dd += scale * scale * m_sumQ2[lane];
            dx += scale * m_sumXq[lane];
        }
        if (dd > 0)
            adopt(s, storedScale(static_cast<float>(dx / dd), m_batch.units[s]));
    }

    /// Takes a new stored scale where the whole super-block is better off with it.
    void adopt(std::size_t s, StoredScale d)
    {
        const Lanes16 oldD = m_dLanes;
        std::fill_n(&m_dLanes.v[s * Subs], Subs, d.value);
        Lanes16 after;
        forLanes([&](std::size_t lane) {
            store(errorOf(hn::Mul(load(m_dLanes, lane), load(m_scaleCode, lane)), lane), after, lane);
        });
        if (total(after, s) < total(m_error, s))
            m_d[s] = d;
        else
            m_dLanes = oldD;
    }

    static float total(const Lanes16 &lanes, std::size_t s)
    {
        Lanes16 sums = lanes;
        sumSubs<Subs>(sums);
        return sums[s * Subs];
    }

    Batch<Size, Subs> m_batch;
    Lanes16 m_scale, m_curvature; ///< step 1
    Lanes16 m_scaleCode, m_dLanes, m_error, m_sumQ2, m_sumXq;
    StoredScale m_d[Supers];
};

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
