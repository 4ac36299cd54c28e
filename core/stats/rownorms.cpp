// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/guarded.h"
#include "core/stats/cutting.h"
#include "core/stats/expertstats.h"
#include "core/stats/lanes.h"
#include "core/stats/tilereader.h"

#include <cmath>

namespace ql {

namespace {

template <class T>
double normOfRow(TileReader &reader, std::uint64_t row)
{
    const Cutting tiles({row, 1, 0, reader.view().columns()}, TileWeights);
    double sum = 0;
    for (std::uint64_t i = 0; i < tiles.size(); ++i)
        for (const T w : reader.read<T>(tiles[i]))
            sum += std::isfinite(w) ? static_cast<double>(w) * static_cast<double>(w) : 0.0;
    return std::sqrt(sum);
}

} // namespace

Result<std::vector<double>> rowNorms(const TensorView &view, std::stop_token stop)
{
    const std::string &name = view.model().tensor(view.tensor()).name;
    if (view.rows() > MaxSlabs)
        return failure("too-many-slabs",
                       "norms of " + std::to_string(view.rows()) + " rows: at most "
                           + std::to_string(MaxSlabs) + " are possible",
                       name);
    return guarded([&]() -> Result<std::vector<double>> {
        TileReader reader(view);
        std::vector<double> norms;
        for (std::uint64_t row = 0; row < view.rows(); ++row) {
            if (stop.stop_requested())
                return failure(StoppedCode, "stopped");
            norms.push_back(needsDouble(view.type()) ? normOfRow<double>(reader, row)
                                                     : normOfRow<float>(reader, row));
        }
        if (view.model().changedOnDisk())
            return tl::unexpected(view.model().changedError());
        return norms;
    });
}

} // namespace ql
