// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/comparison.h"

#include <algorithm>
#include <cmath>

namespace ql {

void ErrorSums::merge(const ErrorSums &other)
{
    if (other.compared() > 0 && (compared() == 0 || other.maxAbsError > maxAbsError)) {
        maxAbsError = other.maxAbsError;
        maxAt = other.maxAt;
    }
    count += other.count;
    nonfinite += other.nonfinite;
    sumSqError += other.sumSqError;
    sumAbsError += other.sumAbsError;
    sumSqA += other.sumSqA;
    sumSqB += other.sumSqB;
    sumAB += other.sumAB;
}

std::optional<double> ErrorSums::rmse() const
{
    if (compared() == 0)
        return std::nullopt;
    return std::sqrt(sumSqError / static_cast<double>(compared()));
}

std::optional<double> ErrorSums::relativeRmse() const
{
    if (!(sumSqA > 0))
        return std::nullopt;
    return std::sqrt(sumSqError / sumSqA);
}

std::optional<double> ErrorSums::meanAbsError() const
{
    if (compared() == 0)
        return std::nullopt;
    return sumAbsError / static_cast<double>(compared());
}

std::optional<double> ErrorSums::cosine() const
{
    if (!(sumSqA > 0) || !(sumSqB > 0))
        return std::nullopt;
    // Rounding may carry equal directions a bit beyond.
    return std::clamp(sumAB / (std::sqrt(sumSqA) * std::sqrt(sumSqB)), -1.0, 1.0);
}

std::optional<double> ErrorSums::sqnrDb() const
{
    if (!(sumSqA > 0) || !(sumSqError > 0))
        return std::nullopt;
    return 10.0 * std::log10(sumSqA / sumSqError);
}

} // namespace ql
