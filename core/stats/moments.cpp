// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

/// Pébay's formulas for the union of two sets; both have weights.
void mergeCentral(Moments &a, const Moments &b)
{
    const auto na = static_cast<double>(a.finite());
    const auto nb = static_cast<double>(b.finite());
    const double n = na + nb;
    const double delta = b.mean - a.mean;
    const double step = delta / n;
    const double between = delta * step * na * nb;
    const double m4 = a.m4 + b.m4 + between * step * step * (na * na - na * nb + nb * nb)
        + 6.0 * step * step * (na * na * b.m2 + nb * nb * a.m2)
        + 4.0 * step * (na * b.m3 - nb * a.m3);
    const double m3 = a.m3 + b.m3 + between * step * (na - nb)
        + 3.0 * step * (na * b.m2 - nb * a.m2);
    a.m4 = m4;
    a.m3 = m3;
    a.m2 += b.m2 + between;
    a.mean += step * nb;
    a.sumAbs += b.sumAbs;
    a.min = std::min(a.min, b.min);
    a.max = std::max(a.max, b.max);
}

void copyCentral(Moments &a, const Moments &b)
{
    a.exponent = b.exponent;
    a.mean = b.mean;
    a.m2 = b.m2;
    a.m3 = b.m3;
    a.m4 = b.m4;
    a.sumAbs = b.sumAbs;
    a.min = b.min;
    a.max = b.max;
}

} // namespace

void Moments::merge(const Moments &other)
{
    if (other.finite() > 0) {
        if (finite() > 0)
            mergeCentral(*this, other);
        else
            copyCentral(*this, other);
    }
    count += other.count;
    nan += other.nan;
    inf += other.inf;
    zeros += other.zeros;
}

std::optional<double> Moments::minValue() const
{
    return finite() ? std::optional(min) : std::nullopt;
}

std::optional<double> Moments::maxValue() const
{
    return finite() ? std::optional(max) : std::nullopt;
}

std::optional<double> Moments::absMax() const
{
    return finite() ? std::optional(std::max(std::abs(min), std::abs(max))) : std::nullopt;
}

std::optional<double> Moments::meanValue() const
{
    if (!finite())
        return std::nullopt;
    return std::ldexp(mean, exponent);
}

std::optional<double> Moments::std() const
{
    if (!finite())
        return std::nullopt;
    if (min == max)
        return 0.0;
    return std::ldexp(std::sqrt(m2 / static_cast<double>(finite())), exponent);
}

std::optional<double> Moments::rms() const
{
    if (!finite())
        return std::nullopt;
    if (min == max)
        return std::abs(min);
    return std::ldexp(std::sqrt(mean * mean + m2 / static_cast<double>(finite())), exponent);
}

std::optional<double> Moments::meanAbs() const
{
    if (!finite())
        return std::nullopt;
    return std::ldexp(sumAbs / static_cast<double>(finite()), exponent);
}

std::optional<double> Moments::kurtosis() const
{
    if (!finite() || min == max || m2 == 0)
        return std::nullopt;
    return m4 * static_cast<double>(finite()) / (m2 * m2);
}

} // namespace ql
