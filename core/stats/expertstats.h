// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/expertgroups.h"
#include "core/stats/tensorstats.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

/// What experts are sorted, coloured and judged by.
enum class ExpertFigure {
    Rms, AbsMax, Std, Mean, Kurtosis, ZeroShare, MeanScale, RouterNorm, NonFinite
};

inline constexpr std::array<ExpertFigure, 9> AllExpertFigures{
    ExpertFigure::Rms,       ExpertFigure::AbsMax,     ExpertFigure::Std,
    ExpertFigure::Mean,      ExpertFigure::Kurtosis,   ExpertFigure::ZeroShare,
    ExpertFigure::MeanScale, ExpertFigure::RouterNorm, ExpertFigure::NonFinite};

/// "RMS", "absmax", "σ", …
std::string_view expertFigureName(ExpertFigure figure);

/// One expert, small enough to keep for every expert of a large model: about 1 KB.
struct ExpertSummary {
    static constexpr std::size_t Bins = 64;

    ExpertRef ref;
    Moments moments;
    std::optional<double> meanScale;       ///< of the stored |d|; nothing for plain types
    std::optional<double> routerNorm;      ///< of its row in the layer's router, where there is one
    std::vector<std::uint64_t> counts;     ///< Bins bars over the table's [lo, hi]
    std::uint64_t below = 0;               ///< weights left of lo
    std::uint64_t above = 0;               ///< weights right of hi

    /// Nothing where undefined.
    std::optional<double> figure(ExpertFigure figure) const;
    /// Every weight is zero.
    bool isDead() const { return moments.count > 0 && moments.zeros == moments.count; }
};

/// All experts of one group, on one axis.
struct ExpertTable {
    std::optional<std::uint32_t> layer;
    std::string role;
    double lo =
        0; ///< the shared axis of the histograms: holds all but a ten-thousandth of each side
    double hi = 0;
    std::vector<ExpertSummary> experts; ///< by number
    double sampledShare = 1;

    std::vector<std::optional<double>> column(ExpertFigure figure) const;
};
using ExpertTablePtr = std::shared_ptr<const ExpertTable>;

/// The scan of one tensor, with perExpert for merged ones; null = not scanned.
using StatsOf = std::function<TensorStatsPtr(TensorIndex)>;

/// The mean stored scale of an expert, where it is known.
using ScalesOf = std::function<std::optional<double>(const ExpertRef &)>;

/// The table of a group from its tensors' scans; null where one is missing. Norms are by the
/// experts' numbers. Old files' experts have
/// ranges of their own: their bins are put onto the shared axis by their middles.
ExpertTablePtr makeExpertTable(const ExpertGroup &group, const StatsOf &stats,
                               const ScalesOf &scales = {},
                               std::span<const double> routerNorms = {});

/// The mean stored |d| of each slab of a view (one for 2-D), for ScalesOf; nothing where a type
/// stores none, or none of them is finite. Reads a few bytes a block, decodes nothing. The same bits
/// for any number of threads. Errors: "too-many-slabs", "stopped", "file-changed".
Result<std::vector<std::optional<double>>>
meanScales(const TensorView &view, std::stop_token stop = {}, unsigned threads = 0);

/// How far values are from their median, in units of the spread: 1.4826 times the median absolute
/// deviation, which is the standard deviation of a Gaussian. Where more than half of the values are
/// equal, 1.2533 times the mean absolute deviation stands in; where all are, every score is 0.
struct RobustScores {
    double median = 0;
    double spread = 0;
    std::vector<std::optional<double>> scores; ///< signed; nothing where there is no value
};
RobustScores robustScores(std::span<const std::optional<double>> values);

/// Scores beyond this are called odd (the usual bound for scores by the median, Iglewicz and
/// Hoaglin 1993), if the value is also off the median by a tenth of it or more.
inline constexpr double OddScore = 3.5;

/// An expert that a person should look at, and why.
struct OddExpert {
    enum class Why { Dead, NonFinite, Outlier };
    std::size_t index = 0; ///< into ExpertTable::experts
    Why why = Why::Outlier;
    ExpertFigure figure = ExpertFigure::Rms;
    double score = 0; ///< outliers
};

/// The odd ones of a table by one figure; dead ones and those with NaN or Inf always. Dead experts
/// are left out of the median.
std::vector<OddExpert> findOddExperts(const ExpertTable &table, ExpertFigure figure);
/// "expert 5: RMS is 31.4 spreads above the layer's median"
std::string describe(const OddExpert &odd, const ExpertTable &table);

/// A figure of one role over all layers: row-major, a row a layer; NaN where there is none yet.
struct ExpertMap {
    std::string role;
    std::vector<std::uint32_t> layers;
    std::size_t experts = 0; ///< columns: expert numbers 0 … experts - 1
    std::vector<double> values;

    double value(std::size_t row, std::size_t column) const
    {
        return values[row * experts + column];
    }
};

/// The map of a role over the layers of `groups`; tables may be missing (null) or in any order.
ExpertMap makeExpertMap(std::span<const ExpertGroup> groups, std::span<const ExpertTablePtr> tables,
                        const std::string &role, ExpertFigure figure);

/// The Euclidean norm of each row, e.g. of a router: one a expert. Errors: "too-many-slabs" beyond
/// MaxSlabs rows, "stopped", "file-changed".
Result<std::vector<double>> rowNorms(const TensorView &view, std::stop_token stop = {});

/// A line an expert, all figures, RFC 4180, without locale.
std::string expertTableCsv(const ExpertTable &table);
/// A line a bar, a column an expert; the first and the last line hold what lies beyond the axis.
std::string expertHistogramsCsv(const ExpertTable &table);
/// A line a layer, a column an expert; empty cells where there is no figure.
std::string expertMapCsv(const ExpertMap &map);

} // namespace ql
