// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/plainfigures.h"

namespace ql::test {

PlainFigures::PlainFigures(std::span<const float> weights) : count(weights.size())
{
    for (const float w : weights) {
        nan += std::isnan(w);
        inf += std::isinf(w);
        zeros += w == 0;
        if (std::isfinite(w))
            finite.push_back(static_cast<double>(w));
    }
    if (finite.empty())
        return;
    const auto n = static_cast<long double>(finite.size());
    const auto [least, most] = std::ranges::minmax(finite);
    min = least;
    max = most;
    long double square = 0, fourth = 0;
    for (const long double x : finite) {
        mean += x / n;
        meanAbs += std::abs(x) / n;
        square += x * x / n;
    }
    for (const long double x : finite) {
        variance += (x - mean) * (x - mean) / n;
        fourth += (x - mean) * (x - mean) * (x - mean) * (x - mean) / n;
    }
    rms = std::sqrt(square);
    kurtosis = variance > 0 ? fourth / (variance * variance) : 0;
}

std::vector<std::uint64_t> PlainFigures::bins(std::size_t n, double lo, double hi) const
{
    std::vector<std::uint64_t> counts(n);
    for (const double x : finite) {
        const auto position = (x - lo) / (hi - lo) * static_cast<double>(n);
        ++counts[hi > lo ? std::min(n - 1, static_cast<std::size_t>(position)) : 0];
    }
    return counts;
}

namespace {

bool isNear(std::optional<double> value, long double right)
{
    return value && std::abs(static_cast<long double>(*value) - right) <= 1e-10L * std::abs(right);
}

} // namespace

QString difference(const Figures &figures, const PlainFigures &plain)
{
    const Moments &m = figures.moments;
    if (m.count != plain.count || m.nan != plain.nan || m.inf != plain.inf || m.zeros != plain.zeros)
        return QStringLiteral("counts");
    if (plain.finite.empty())
        return m.meanValue() || m.minValue() || m.std() || figures.fine.lo || figures.fine.total() ? QStringLiteral("figures") : QString();
    if (m.min != plain.min || m.max != plain.max)
        return QStringLiteral("range");
    if (std::signbit(m.min) && m.min == 0)
        return QStringLiteral("minus zero");
    if (!(std::abs(static_cast<long double>(*m.meanValue()) - plain.mean) <= 1e-11L * plain.meanAbs))
        return QStringLiteral("mean %1").arg(*m.meanValue(), 0, 'g', 17);
    if (!isNear(m.meanAbs(), plain.meanAbs))
        return QStringLiteral("mean of |x|");
    if (!isNear(m.rms(), plain.rms))
        return QStringLiteral("rms");
    if (plain.min == plain.max)
        return *m.std() != 0 || m.kurtosis() || m.m2 != 0 ? QStringLiteral("constant") : QString();
    if (!isNear(m.std(), std::sqrt(plain.variance)))
        return QStringLiteral("std %1").arg(*m.std(), 0, 'g', 17);
    if (!isNear(m.kurtosis(), plain.kurtosis))
        return QStringLiteral("kurtosis");
    return {};
}

} // namespace ql::test
