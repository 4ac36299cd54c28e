// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ql {

/// Exact counts and central moments of a set of weights, mergeable. All floating sums are double,
/// over the finite weights; central moments are about the set's own mean, so that merging (Chan,
/// Golub and LeVeque; Pébay 2008 for orders 3 and 4) loses nothing for a tensor with mean 100 and
/// sigma 0.01.
struct Moments {
    std::uint64_t count = 0; ///< all weights
    std::uint64_t nan = 0;
    std::uint64_t inf = 0;   ///< both signs
    std::uint64_t zeros = 0; ///< both zeros
    double min = 0;          ///< meaningful if finite() > 0
    double max = 0;
    // Of weights · 2^-exponent. The exponent is 0 but for F64 tensors whose fourth powers would
    // leave the range of a double.
    int exponent = 0;
    double mean = 0;
    double m2 = 0;           ///< sum of (x-mean)^2
    double m3 = 0;
    double m4 = 0;
    double sumAbs = 0;

    std::uint64_t finite() const { return count - nan - inf; }
    /// Both sides have the same exponent, or one of them no finite weight.
    void merge(const Moments &other);

    // Derived figures; nothing where undefined. Population figures: divided by finite().
    std::optional<double> minValue() const;
    std::optional<double> maxValue() const;
    std::optional<double> absMax() const;
    std::optional<double> meanValue() const;
    std::optional<double> std() const;      ///< exactly 0 when min == max
    std::optional<double> rms() const;      ///< sqrt(mean^2 + variance)
    std::optional<double> meanAbs() const;
    std::optional<double> kurtosis() const; ///< m4·n/m2^2, 3 for a Gaussian; nothing where std is 0

    bool operator==(const Moments &) const = default;
};

} // namespace ql
