// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/comparison.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace ql {

namespace {

constexpr std::string_view TiedOutput = "output.weight";
constexpr std::string_view TiedTo = "token_embd.weight";
constexpr std::string_view Fused = "gate_up";

/// Absent dimensions are 1.
bool sameShape(const Ne &a, const Ne &b)
{
    for (std::size_t i = 0; i < Ne::MaxDims; ++i) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

/// A half of a fused gate_up: half its rows in every slab.
bool isHalfOf(const Ne &half, const Ne &fused)
{
    for (std::size_t i = 0; i < Ne::MaxDims; ++i) {
        const std::uint64_t wanted = i == 1 ? fused[i] / 2 : fused[i];
        if (half[i] != wanted || (i == 1 && fused[i] % 2 != 0))
            return false;
    }
    return true;
}

/// One expert's own tensor has the shape of a slab of a merged one.
bool isSlabOf(const Ne &own, const Ne &merged)
{
    return own[0] == merged[0] && own[1] == merged[1] && own[2] == 1 && own[3] == 1 && merged[3] == 1;
}

/// The merged tensor that would hold one expert's own: same layer and role, all experts.
using MergedKey = std::tuple<std::optional<std::uint32_t>, std::string>;

/// One model's tensors, to be looked up from the other side.
class Side
{
public:
    explicit Side(const GgufModel &model) : m_model(model), m_paired(model.tensors().size())
    {
        for (std::uint32_t i = 0; i < model.tensors().size(); ++i) {
            const TensorInfo &info = model.tensors()[i];
            m_byName.emplace(info.name, TensorIndex{i});
            if (info.expert)
                m_ownExperts[{info.layer, info.role}].push_back(TensorIndex{i});
            else if (info.experts)
                m_merged.emplace(MergedKey{info.layer, info.role}, TensorIndex{i});
        }
    }

    const TensorInfo &info(TensorIndex i) const { return m_model.tensor(i); }
    void markPaired(TensorIndex i) { m_paired[i.value] = true; }
    bool isPaired(TensorIndex i) const { return m_paired[i.value]; }

    std::optional<TensorIndex> named(const std::string &name) const
    {
        const auto found = m_byName.find(name);
        return found == m_byName.end() ? std::nullopt : std::optional(found->second);
    }
    std::optional<TensorIndex> mergedOf(const TensorInfo &own) const
    {
        const auto found = m_merged.find({own.layer, own.role});
        return found == m_merged.end() ? std::nullopt : std::optional(found->second);
    }
    /// The tensors of single experts that a merged one corresponds to, by expert.
    std::vector<TensorIndex> ownExpertsOf(const TensorInfo &merged) const
    {
        const auto found = m_ownExperts.find({merged.layer, merged.role});
        auto result = found == m_ownExperts.end() ? std::vector<TensorIndex>() : found->second;
        std::ranges::stable_sort(result, {}, [&](TensorIndex i) { return *info(i).expert; });
        return result;
    }
    std::vector<Unpaired> unpaired(const Side &other) const
    {
        std::vector<Unpaired> result;
        for (std::uint32_t i = 0; i < m_paired.size(); ++i) {
            if (!m_paired[i])
                result.push_back({TensorIndex{i}, hintFor(info(TensorIndex{i}), other)});
        }
        return result;
    }

private:
    static std::string hintFor(const TensorInfo &info, const Side &other)
    {
        if (info.name != TiedOutput || !other.named(std::string(TiedTo)))
            return {};
        return "tied to " + std::string(TiedTo);
    }

    const GgufModel &m_model;
    std::vector<bool> m_paired;
    std::map<std::string, TensorIndex> m_byName;
    std::map<MergedKey, TensorIndex> m_merged;
    std::map<MergedKey, std::vector<TensorIndex>> m_ownExperts;
};

class Pairer
{
public:
    Pairer(const GgufModel &a, const GgufModel &b) : m_a(a), m_b(b), m_tensors(a.tensors().size()) {}

    Pairing run()
    {
        // By name first: an equal name on the other side is never taken for anything else.
        for (std::uint32_t i = 0; i < m_tensors; ++i)
            pairByName(TensorIndex{i});
        for (std::uint32_t i = 0; i < m_tensors; ++i)
            pairOtherwise(TensorIndex{i});
        std::ranges::stable_sort(m_result.pairs, {}, [](const TensorPair &pair) { return pair.a; });
        m_result.onlyA = m_a.unpaired(m_b);
        m_result.onlyB = m_b.unpaired(m_a);
        return std::move(m_result);
    }

private:
    void add(const TensorPair &pair)
    {
        m_a.markPaired(pair.a);
        m_b.markPaired(pair.b);
        m_result.pairs.push_back(pair);
    }

    void pairByName(TensorIndex a)
    {
        const auto b = m_b.named(m_a.info(a).name);
        if (!b)
            return;
        const TensorPair pair{a, *b, {}, {}, TensorPair::Half::Whole, TensorPair::Half::Whole};
        if (sameShape(m_a.info(a).ne, m_b.info(*b).ne)) {
            add(pair);
            return;
        }
        m_a.markPaired(a);
        m_b.markPaired(*b);
        m_result.mismatched.push_back(pair);
    }

    void pairOtherwise(TensorIndex a)
    {
        const TensorInfo &info = m_a.info(a);
        if (m_a.isPaired(a))
            return;
        if (info.name.find(Fused) != std::string::npos)
            pairFusedInA(a);
        else if (info.expert)
            pairOwnExpert(a);
        else if (info.experts)
            pairMerged(a);
        if (!m_a.isPaired(a))
            pairHalfInA(a);
    }

    void pairOwnExpert(TensorIndex a)
    {
        const auto b = m_b.mergedOf(m_a.info(a));
        const std::uint64_t expert = *m_a.info(a).expert;
        if (!b || expert >= m_b.info(*b).ne[2] || !isSlabOf(m_a.info(a).ne, m_b.info(*b).ne))
            return;
        if (!m_a.named(m_b.info(*b).name))
            add({a, *b, {}, expert, TensorPair::Half::Whole, TensorPair::Half::Whole});
    }

    void pairMerged(TensorIndex a)
    {
        for (const TensorIndex b : m_b.ownExpertsOf(m_a.info(a))) {
            const std::uint64_t expert = *m_b.info(b).expert;
            if (m_b.isPaired(b) || expert >= m_a.info(a).ne[2]
                || !isSlabOf(m_b.info(b).ne, m_a.info(a).ne))
                continue;
            add({a, b, expert, {}, TensorPair::Half::Whole, TensorPair::Half::Whole});
        }
    }

    static std::string halfName(const std::string &fused, std::string_view half)
    {
        std::string name = fused;
        return name.replace(name.find(Fused), Fused.size(), half);
    }

    void pairFusedInA(TensorIndex a)
    {
        const TensorInfo &info = m_a.info(a);
        const auto pairHalf = [&](std::string_view name, TensorPair::Half half) {
            const auto b = m_b.named(halfName(info.name, name));
            if (b && !m_b.isPaired(*b) && isHalfOf(m_b.info(*b).ne, info.ne))
                add({a, *b, {}, {}, half, TensorPair::Half::Whole});
        };
        pairHalf("gate", TensorPair::Half::Gate);
        pairHalf("up", TensorPair::Half::Up);
    }

    /// A tensor of A that is a half of a fused one in B.
    void pairHalfInA(TensorIndex a)
    {
        const TensorInfo &info = m_a.info(a);
        const auto pairHalf = [&](std::string_view name, TensorPair::Half half) {
            const auto at = info.name.find("ffn_" + std::string(name));
            if (at == std::string::npos || m_a.isPaired(a))
                return;
            std::string fused = info.name;
            fused.replace(at + 4, name.size(), Fused);
            const auto b = m_b.named(fused);
            if (b && !m_a.named(fused) && isHalfOf(info.ne, m_b.info(*b).ne))
                add({a, *b, {}, {}, TensorPair::Half::Whole, half});
        };
        pairHalf("gate", TensorPair::Half::Gate);
        pairHalf("up", TensorPair::Half::Up);
    }

    Side m_a;
    Side m_b;
    std::size_t m_tensors;
    Pairing m_result;
};

} // namespace

Pairing pairTensors(const GgufModel &a, const GgufModel &b) { return Pairer(a, b).run(); }

} // namespace ql
