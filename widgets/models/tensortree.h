// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ql {

/// One node of the tensor tree. Experts of a merged tensor are no nodes of their own: a tensor
/// says how many slabs it has, so that 48 layers × 3 × 128 experts cost nothing until someone looks.
struct TensorNode {
    enum class Kind : std::uint8_t {
        Root,
        Layer,
        ExpertGroup, ///< one role of a layer in an old file: a tensor an expert
        Tensor,
    };

    Kind kind = Kind::Root;
    std::uint32_t parent = 0;
    std::uint32_t row = 0;         ///< among its siblings
    TensorIndex tensor;            ///< Kind::Tensor
    std::uint32_t slabs = 0;       ///< Kind::Tensor: experts (or slices) to show below it
    std::vector<std::uint32_t> children;

    // Groups: what is below them, where it is known.
    std::string label;  ///< what to show: "layer 3", "ffn_gate_exps"
    std::string prefix; ///< layers: what stands before "blk.N."
    std::optional<std::uint32_t> layer;
    std::optional<std::uint64_t> weights = 0; ///< nothing beyond 64 bits
    std::optional<std::uint64_t> bytes = 0;
    std::uint32_t tensors = 0;
    std::optional<std::uint32_t> typeId; ///< if all tensors below share it
    bool hasProblem = false;
};

/// Layers, roles and experts of a model's tensors. Node 0 is the root.
class TensorTree
{
public:
    enum class Shape { Tree, Flat };

    /// More experts of one tensor than this are not listed: no real model has as many, and a
    /// damaged file may claim any number.
    static constexpr std::uint32_t MaxSlabs = 4096;

    TensorTree() : m_nodes(1) {}
    TensorTree(const ModelSummary &model, Shape shape);

    const TensorNode &node(std::uint32_t id) const { return m_nodes[id]; }
    std::size_t size() const { return m_nodes.size(); }
    /// The node of a tensor.
    std::uint32_t nodeOf(TensorIndex index) const { return m_nodeOfTensor[index.value]; }

private:
    friend class TensorTreeBuilder;
    std::vector<TensorNode> m_nodes;
    std::vector<std::uint32_t> m_nodeOfTensor;
};

/// Experts a tensor's row expands to; 0 for none, at most TensorTree::MaxSlabs.
std::uint32_t slabsShown(const TensorInfo &tensor);
/// A tensor's name inside its layer: without "blk.N." and a final ".weight".
std::string shortName(const TensorInfo &tensor);
/// What stands before "blk.N." ("v." in a vision tower); empty for most.
std::string layerPrefix(const TensorInfo &tensor);

} // namespace ql
