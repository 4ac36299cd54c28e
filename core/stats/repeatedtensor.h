// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ql {

/// A tensor in memory made of other tensors' blocks, over and over: what small tensors are measured
/// by, where starting on each would take longer than the work itself. Little-endian.
class RepeatedTensor
{
public:
    /// At least one view, all of one type with weights. About so many weights; nothing where the system
    /// gives no memory for them.
    static std::optional<RepeatedTensor> of(const std::vector<TensorView> &views, std::uint64_t weights);

    RepeatedTensor(RepeatedTensor &&other) noexcept;
    RepeatedTensor &operator=(RepeatedTensor &&) = delete;
    ~RepeatedTensor();

    const TensorView &view() const { return *m_view; }

private:
    explicit RepeatedTensor(int descriptor) : m_descriptor(descriptor) {}

    int m_descriptor = -1; ///< a file without a name; open as long as its map
    std::optional<TensorView> m_view;
};

} // namespace ql
