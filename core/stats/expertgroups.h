// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"
#include "core/model/tensorinfo.h"
#include "core/model/tensorview.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ql {

/// Where one expert's weights lie: in a slab of a merged tensor, or in a tensor of its own.
struct ExpertRef {
    std::uint64_t number = 0; ///< as the model counts its experts
    TensorIndex tensor;
    std::optional<std::uint64_t> slab;
    bool operator==(const ExpertRef &) const = default;
};

/// The experts of one layer and role, however the file keeps them.
struct ExpertGroup {
    std::optional<std::uint32_t> layer;
    std::string role; ///< "ffn_gate_exps", also for old files; any 3-D tensor: its own role
    std::vector<ExpertRef> experts; ///< by number
    std::uint32_t typeId = 0;       ///< of its first tensor
    bool storesScale = true;        ///< its type keeps a scale a block (plain types don't)
    bool operator==(const ExpertGroup &) const = default;

    /// The tensors it is made of, each once, in the order of the experts.
    std::vector<TensorIndex> tensors() const;
};

/// All expert groups of a model that can be decoded, by layer and then role (gate, up, down as in
/// the file). Merged tensors of more than MaxSlabs slabs are left out, as scans refuse them.
std::vector<ExpertGroup> findExpertGroups(const std::vector<TensorInfo> &tensors);

/// The group that a tensor belongs to: its experts, or the slabs of any other 3-D tensor. Nothing
/// for tensors that have none.
std::optional<ExpertGroup> expertGroupOf(const std::vector<TensorInfo> &tensors,
                                         TensorIndex tensor);

/// A layer's router, which chooses the experts: row e of it belongs to expert e.
std::optional<TensorIndex> findRouter(const std::vector<TensorInfo> &tensors,
                                      std::optional<std::uint32_t> layer);

/// One expert's weights.
Result<TensorView> expertView(GgufModelPtr model, const ExpertRef &expert);

} // namespace ql
