// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"

#include <QtGlobal>

#include <compare>
#include <optional>

namespace ql {

/// Every input of a scan of one tensor or expert.
struct StatsKey {
    quint64 generation = 0;
    TensorIndex tensor;
    std::optional<std::uint64_t> expert;
    auto operator<=>(const StatsKey &) const = default;
};

/// The weights a key is about.
inline Result<TensorView> viewOf(const GgufModelPtr &model, const StatsKey &key)
{
    return key.expert ? TensorView::ofExpert(model, key.tensor, *key.expert)
                      : TensorView::ofTensor(model, key.tensor);
}

} // namespace ql
