// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/expertgroups.h"

#include "core/quant/dequantize.h"
#include "core/stats/tensorstats.h"

#include <algorithm>
#include <map>

namespace ql {

namespace {

bool isMergedExperts(const TensorInfo &tensor)
{
    return tensor.experts && tensor.ne.size() == 3;
}

bool isCuttable(const TensorInfo &tensor)
{
    const std::uint64_t slabs = tensor.ne[2];
    return tensor.isDecodable() && tensor.ne[3] <= 1 && slabs > 0 && slabs <= MaxSlabs;
}

std::vector<ExpertRef> slabsOf(const TensorInfo &tensor, TensorIndex index)
{
    std::vector<ExpertRef> experts;
    for (std::uint64_t k = 0; k < tensor.ne[2]; ++k)
        experts.push_back({k, index, k});
    return experts;
}

ExpertGroup groupOf(const TensorInfo &tensor, std::vector<ExpertRef> experts)
{
    const bool storesScale = blockScale(static_cast<GgmlType>(tensor.typeId)) != nullptr;
    return {tensor.layer, tensor.role, std::move(experts), tensor.typeId, storesScale};
}

using GroupKey = std::pair<std::optional<std::uint32_t>, std::string>;

} // namespace

std::vector<TensorIndex> ExpertGroup::tensors() const
{
    std::vector<TensorIndex> result;
    for (const ExpertRef &expert : experts)
        if (result.empty() || result.back() != expert.tensor)
            result.push_back(expert.tensor);
    return result;
}

std::vector<ExpertGroup> findExpertGroups(const std::vector<TensorInfo> &tensors)
{
    std::vector<ExpertGroup> groups;
    std::map<GroupKey, std::size_t> placeOfOld;
    for (std::uint32_t i = 0; i < tensors.size(); ++i) {
        const TensorInfo &tensor = tensors[i];
        if (!isCuttable(tensor))
            continue;
        if (isMergedExperts(tensor)) {
            groups.push_back(groupOf(tensor, slabsOf(tensor, TensorIndex{i})));
        } else if (tensor.expert) {
            const auto [place, isNew] =
                placeOfOld.try_emplace({tensor.layer, tensor.role}, groups.size());
            if (isNew)
                groups.push_back(groupOf(tensor, {}));
            groups[place->second].experts.push_back({*tensor.expert, TensorIndex{i}, std::nullopt});
        }
    }
    // By the number in the name: files may hold them in any order.
    for (ExpertGroup &group : groups)
        std::ranges::stable_sort(group.experts, {}, &ExpertRef::number);
    std::ranges::stable_sort(groups, {}, &ExpertGroup::layer);
    return groups;
}

std::optional<ExpertGroup> expertGroupOf(const std::vector<TensorInfo> &tensors, TensorIndex tensor)
{
    const TensorInfo &info = tensors[tensor.value];
    if (info.experts || info.expert) {
        const auto holds = [&](const ExpertGroup &group) {
            return std::ranges::find(group.experts, tensor, &ExpertRef::tensor)
                   != group.experts.end();
        };
        const auto groups = findExpertGroups(tensors);
        const auto group = std::ranges::find_if(groups, holds);
        return group != groups.end() ? std::optional(*group) : std::nullopt;
    }
    if (!isCuttable(info) || info.ne.size() != 3)
        return std::nullopt;
    return groupOf(info, slabsOf(info, tensor));
}

std::optional<TensorIndex> findRouter(const std::vector<TensorInfo> &tensors,
                                      std::optional<std::uint32_t> layer)
{
    for (std::uint32_t i = 0; i < tensors.size(); ++i)
        if (tensors[i].role == "ffn_gate_inp" && tensors[i].layer == layer
            && tensors[i].isDecodable())
            return TensorIndex{i};
    return std::nullopt;
}

Result<TensorView> expertView(GgufModelPtr model, const ExpertRef &expert)
{
    return expert.slab ? TensorView::ofExpert(std::move(model), expert.tensor, *expert.slab)
                       : TensorView::ofTensor(std::move(model), expert.tensor);
}

} // namespace ql
