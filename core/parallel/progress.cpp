// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/progress.h"

#include <utility>

namespace ql {

ProgressFn progressOver(std::uint64_t whole, ProgressFn progress)
{
    if (!progress)
        return progress;
    return [whole, progress = std::move(progress)](const Progress &part) {
        const double share = part.total ? static_cast<double>(part.done) / static_cast<double>(part.total) : 0.0;
        const bool isDone = part.total && part.done >= part.total;
        progress({isDone ? whole : static_cast<std::uint64_t>(share * static_cast<double>(whole)), whole});
    };
}

} // namespace ql
