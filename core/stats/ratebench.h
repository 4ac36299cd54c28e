// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"
#include "core/parallel/progress.h"
#include "core/parallel/reduce.h"

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

namespace ql {

/// How fast something went, over whole passes: the best of a few rounds.
struct Rate {
    double seconds = 0;
    std::uint64_t weights = 0;
    std::uint64_t bytes = 0; ///< of the file: encoded ones

    double weightsPerSecond() const { return seconds > 0 ? static_cast<double>(weights) / seconds : 0; }
    double gigabytesPerSecond() const { return seconds > 0 ? static_cast<double>(bytes) / seconds * 1e-9 : 0; }
};

/// Rates of one tensor type of a model.
struct TypeRates {
    std::uint32_t typeId = 0;
    std::uint64_t tensors = 0; ///< of this type that can be decoded
    std::string_view kernel;   ///< implementation that decoded
    Rate decode;               ///< into a tile in the cache, thrown away
    Rate scan;                 ///< all figures and the histogram, as `stats` does
};

struct BenchOptions {
    ParallelOptions parallel;
    double secondsEach = 0.5;  ///< at least so long a measurement, all its rounds together
    std::uint64_t weightsAPass = 64u << 20; ///< at most so many weights of a type, from its largest tensors
};

/// Measures each type that the model holds, after one pass that warms caches. Types whose tensors are all
/// small are measured by a larger one in memory made of their blocks. Errors: "stopped",
/// "file-changed". Progress in measurements.
Result<std::vector<TypeRates>> measureRates(const GgufModelPtr &model, const BenchOptions &options,
                                            std::stop_token stop = {}, const ProgressFn &progress = {});

} // namespace ql
