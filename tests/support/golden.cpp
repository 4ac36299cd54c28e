// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/golden.h"

#include "core/format/shardset.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace ql::test {

std::vector<GoldenPair> goldenPairs(const QString &path)
{
    std::vector<GoldenPair> pairs;
    const auto model = openModel(path.toStdString());
    if (!model)
        return pairs;
    for (std::uint32_t i = 0; i < (*model)->tensors().size(); ++i) {
        const std::string &name = (*model)->tensor({i}).name;
        const auto expectedIndex = (*model)->findTensor(name + ".f32");
        if (!expectedIndex)
            continue;
        auto encoded = TensorView::ofTensor(*model, {i});
        auto expected = TensorView::ofTensor(*model, *expectedIndex);
        if (encoded && expected)
            pairs.push_back({name, *encoded, *expected});
    }
    return pairs;
}

bool isSameWeight(float a, float b)
{
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

std::size_t differingWeights(DequantizeFn decode, const GoldenPair &pair)
{
    std::vector<float> weights(pair.encoded.elements());
    decode(pair.encoded.bytes().data(), weights.data(), pair.encoded.blocks());
    std::size_t differing = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        float expected;
        std::memcpy(&expected, pair.expected.bytes().data() + i * sizeof expected, sizeof expected);
        differing += isSameWeight(weights[i], expected) ? 0 : 1;
    }
    return differing;
}

} // namespace ql::test
