// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tensortree.h"

#include "core/model/checkedmath.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace ql {

namespace {

/// Where "blk.N." of a tensor's layer begins and ends in its name; nothing if it isn't there.
std::optional<std::pair<std::size_t, std::size_t>> layerPart(const TensorInfo &tensor)
{
    if (!tensor.layer)
        return std::nullopt;
    const std::string part = "blk." + std::to_string(*tensor.layer) + ".";
    const std::size_t begin = tensor.name.find(part);
    if (begin == std::string::npos)
        return std::nullopt;
    return std::pair(begin, begin + part.size());
}

std::optional<std::uint64_t> add(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b)
{
    return a && b ? checkedAdd(*a, *b) : std::nullopt;
}

} // namespace

std::uint32_t slabsShown(const TensorInfo &tensor)
{
    const bool isStack = tensor.experts || (tensor.ne.size() == 3 && tensor.ne[2] > 1);
    if (!isStack || !tensor.isDecodable() || tensor.ne.size() < 3)
        return 0;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(tensor.ne[2], TensorTree::MaxSlabs));
}

std::string shortName(const TensorInfo &tensor)
{
    std::string_view name = tensor.name;
    if (const auto part = layerPart(tensor))
        name.remove_prefix(part->second);
    constexpr std::string_view suffix = ".weight";
    if (name.size() > suffix.size() && name.ends_with(suffix))
        name.remove_suffix(suffix.size());
    return std::string(name);
}

std::string layerPrefix(const TensorInfo &tensor)
{
    const auto part = layerPart(tensor);
    return part ? tensor.name.substr(0, part->first) : std::string();
}

/// Puts the tensors where they belong, in the file's order; layers stand together, by number, where
/// the first of them turns up.
class TensorTreeBuilder
{
public:
    TensorTreeBuilder(TensorTree &tree, const ModelSummary &model) : m_tree(tree), m_model(model) {}

    void buildFlat()
    {
        for (std::uint32_t i = 0; i < m_model.tensors.size(); ++i)
            addTensor(0, i, 0);
    }

    void buildTree()
    {
        for (std::uint32_t i = 0; i < m_model.tensors.size(); ++i)
            place(i);
        orderTop();
        for (auto &[key, group] : m_expertGroups)
            orderExperts(group);
        numberRows();
        sum(0);
    }

private:
    using LayerKey = std::pair<std::string, std::uint32_t>;

    std::uint32_t addNode(TensorNode::Kind kind, std::uint32_t parent)
    {
        const auto id = static_cast<std::uint32_t>(m_tree.m_nodes.size());
        TensorNode node;
        node.kind = kind;
        node.parent = parent;
        node.row = static_cast<std::uint32_t>(m_tree.m_nodes[parent].children.size());
        m_tree.m_nodes.push_back(std::move(node));
        m_tree.m_nodes[parent].children.push_back(id);
        return id;
    }

    void addTensor(std::uint32_t parent, std::uint32_t tensor, std::uint32_t slabs)
    {
        const std::uint32_t id = addNode(TensorNode::Kind::Tensor, parent);
        m_tree.m_nodes[id].tensor = TensorIndex{tensor};
        m_tree.m_nodes[id].slabs = slabs;
        m_tree.m_nodeOfTensor[tensor] = id;
    }

    void place(std::uint32_t tensor)
    {
        const TensorInfo &info = m_model.tensors[tensor];
        if (!info.layer)
            return addTensor(0, tensor, slabsShown(info));
        const std::uint32_t layer = layerNode({layerPrefix(info), *info.layer});
        if (info.expert)
            return addTensor(expertGroup(layer, info.role), tensor, 0);
        addTensor(layer, tensor, slabsShown(info));
    }

    std::uint32_t layerNode(const LayerKey &key)
    {
        const auto found = m_layers.find(key);
        if (found != m_layers.end())
            return found->second;
        const std::uint32_t id = addNode(TensorNode::Kind::Layer, 0);
        TensorNode &node = m_tree.m_nodes[id];
        node.layer = key.second;
        node.prefix = key.first;
        node.label = key.first + "layer " + std::to_string(key.second);
        m_layers.emplace(key, id);
        return id;
    }

    std::uint32_t expertGroup(std::uint32_t layer, const std::string &role)
    {
        const auto found = m_expertGroups.find({layer, role});
        if (found != m_expertGroups.end())
            return found->second;
        const std::uint32_t id = addNode(TensorNode::Kind::ExpertGroup, layer);
        m_tree.m_nodes[id].label = role;
        m_tree.m_nodes[id].layer = m_tree.m_nodes[layer].layer;
        m_expertGroups.emplace(std::pair(layer, role), id);
        return id;
    }

    /// All layers of one prefix where the first of them stood.
    void orderTop()
    {
        std::vector<std::uint32_t> ordered;
        std::map<std::string, bool> done;
        for (const std::uint32_t id : m_tree.m_nodes[0].children) {
            const TensorNode &node = m_tree.m_nodes[id];
            if (node.kind != TensorNode::Kind::Layer)
                ordered.push_back(id);
            else if (!std::exchange(done[node.prefix], true))
                appendLayers(node.prefix, ordered);
        }
        m_tree.m_nodes[0].children = std::move(ordered);
    }

    void appendLayers(const std::string &prefix, std::vector<std::uint32_t> &out) const
    {
        for (auto it = m_layers.lower_bound({prefix, 0});
             it != m_layers.end() && it->first.first == prefix; ++it)
            out.push_back(it->second);
    }

    void orderExperts(std::uint32_t group)
    {
        const auto number = [this](std::uint32_t id) {
            return m_model.tensors[m_tree.m_nodes[id].tensor.value].expert.value_or(0);
        };
        auto &children = m_tree.m_nodes[group].children;
        std::stable_sort(children.begin(), children.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return number(a) < number(b); });
    }

    void numberRows()
    {
        for (const TensorNode &node : std::as_const(m_tree.m_nodes)) {
            for (std::uint32_t row = 0; row < node.children.size(); ++row)
                m_tree.m_nodes[node.children[row]].row = row;
        }
    }

    /// Fills in what groups hold; the tree is at most three deep.
    void sum(std::uint32_t id)
    {
        TensorNode &node = m_tree.m_nodes[id];
        if (node.kind == TensorNode::Kind::Tensor)
            return sumTensor(node);
        bool first = true;
        for (const std::uint32_t childId : node.children) {
            sum(childId);
            const TensorNode &child = m_tree.m_nodes[childId];
            node.weights = add(node.weights, child.weights);
            node.bytes = add(node.bytes, child.bytes);
            node.tensors += child.tensors;
            node.hasProblem |= child.hasProblem;
            node.typeId = first || node.typeId == child.typeId ? child.typeId : std::nullopt;
            first = false;
        }
    }

    void sumTensor(TensorNode &node) const
    {
        const TensorInfo &info = m_model.tensors[node.tensor.value];
        const bool sized = info.elements && info.byteSize;
        node.weights = sized ? *info.elements : 0;
        node.bytes = sized ? *info.byteSize : 0;
        node.tensors = 1;
        node.typeId = info.typeId;
        node.hasProblem = !info.isDecodable();
    }

    TensorTree &m_tree;
    const ModelSummary &m_model;
    std::map<LayerKey, std::uint32_t> m_layers;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> m_expertGroups;
};

TensorTree::TensorTree(const ModelSummary &model, Shape shape)
    : m_nodes(1), m_nodeOfTensor(model.tensors.size(), 0)
{
    m_nodes.reserve(model.tensors.size() + 256);
    TensorTreeBuilder builder(*this, model);
    shape == Shape::Flat ? builder.buildFlat() : builder.buildTree();
}

} // namespace ql
