// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/requantize.h"

#include "core/model/checkedmath.h"
#include "core/stats/lanes.h"
#include "core/stats/pairscan.h"

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

/// Where rows are no multiple of the wanted type's block: as many bits, or the next above.
struct Fallback {
    double mostBits; ///< of the type wanted
    GgmlType type;
};
constexpr Fallback Fallbacks[] = {
    {4.5, GgmlType::IQ4_NL},
    {5.5, GgmlType::Q5_0},
    {8.5, GgmlType::Q8_0},
};

bool fits(const TensorInfo &tensor, GgmlType type) { return tensor.ne[0] % traits(type).blockSize == 0; }

} // namespace

Result<GgmlType> fittingType(const TensorInfo &tensor, GgmlType wanted)
{
    if (!quantizer(wanted))
        return failure(NeedsMatrixCode,
                       typeLabel(static_cast<std::uint32_t>(wanted))
                           + (traits(wanted).isIq() ? " needs an importance matrix, which there is none of here; "
                                                      "IQ4_XS, IQ4_NL and Q2_K to Q6_K need none"
                                                    : " can't be encoded"),
                       tensor.name);
    if (fits(tensor, wanted))
        return wanted;
    const double bits = traits(wanted).bitsPerWeight();
    for (const Fallback &row : Fallbacks)
        if (bits <= row.mostBits && fits(tensor, row.type))
            return row.type;
    return GgmlType::F16;
}

std::optional<std::uint64_t> encodedBytes(const TensorInfo &tensor, GgmlType type)
{
    const TypeTraits &t = traits(type);
    if (!tensor.elements || !fits(tensor, type))
        return std::nullopt;
    return checkedMul(*tensor.elements / t.blockSize, t.blockBytes);
}

RequantizePass::RequantizePass(const TensorView &view, std::span<const GgmlType> types)
    : m_view(&view), m_reader(view), m_decoded(TileWeights)
{
    for (const GgmlType type : types)
        m_codecs.push_back({&traits(type), quantizer(type), dequantizer(type)});
}

RequantizedGroup RequantizePass::run(const Piece &group, std::string *encoded)
{
    return needsDouble(m_view->type()) ? runAs<double>(group, encoded) : runAs<float>(group, encoded);
}

template <class T>
RequantizedGroup RequantizePass::runAs(const Piece &group, std::string *encoded)
{
    RequantizedGroup result;
    result.types.resize(m_codecs.size());
    std::uint64_t position = 0;
    forEachTile(*m_view, group, [&](const Piece &tile) {
        if (result.nonFiniteAt)
            return;
        const auto weights = m_reader.read<T>(tile);
        const auto bad = std::ranges::find_if(weights, [](T w) { return !std::isfinite(static_cast<float>(w)); });
        if (bad != weights.end()) {
            result.nonFiniteAt = position + static_cast<std::uint64_t>(bad - weights.begin());
            result.nonFinite = static_cast<double>(static_cast<float>(*bad));
            return;
        }
        runTile(weights, position, result, encoded);
        position += tile.weights();
    });
    return result;
}

template <class T>
void RequantizePass::runTile(std::span<const T> weights, std::uint64_t position, RequantizedGroup &result,
                             std::string *encoded)
{
    const auto floats = asFloats(weights);
    for (std::size_t i = 0; i < m_codecs.size(); ++i) {
        const Codec &codec = m_codecs[i];
        EncodedGroup &out = result.types[i];
        const std::size_t nBlocks = weights.size() / codec.type->blockSize;
        m_blocks.resize(nBlocks * codec.type->blockBytes);
        codec.encode(floats.data(), m_blocks.data(), nBlocks);
        if (!out.overflowAt && scaleOverflows(codec.type->type, m_blocks))
            out.overflowAt = position;
        if (i == 0 && encoded)
            encoded->append(reinterpret_cast<const char *>(m_blocks.data()), m_blocks.size());

        codec.decode(m_blocks.data(), m_decoded.data(), nBlocks);
        const auto decoded = std::span<const float>(m_decoded).first(weights.size());
        PairSums sums;
        if constexpr (std::is_same_v<T, double>) {
            m_decodedDoubles.assign(decoded.begin(), decoded.end());
            addPairs(sums, weights, std::span<const double>(m_decodedDoubles), position);
        } else {
            addPairs(sums, weights, decoded, position);
        }
        out.errors.merge(sums.errors);
    }
}

std::span<const float> RequantizePass::asFloats(std::span<const double> weights)
{
    m_floats.resize(weights.size());
    std::ranges::transform(weights, m_floats.begin(), [](double w) { return static_cast<float>(w); });
    return m_floats;
}

Cutting requantizeGroups(const TensorView &view)
{
    TensorPair itself;
    itself.a = itself.b = view.tensor();
    const auto shape = PairShape::of(view.modelPtr(), view.modelPtr(), itself);
    return shape ? shape->groups() : Cutting();
}

Error notFiniteError(const TensorInfo &tensor, std::uint64_t element, double value)
{
    const std::string what = std::isnan(value) ? "a NaN" : "an infinity";
    return failure(NotFiniteCode,
                   "tensor '" + tensor.name + "' has " + what + " at element " + std::to_string(element)
                       + ": it can't be encoded in another type",
                   tensor.name)
        .value();
}

Error scaleOverflowError(const TensorInfo &tensor, GgmlType type, std::uint64_t element)
{
    return failure(ScaleOverflowCode,
                   "tensor '" + tensor.name + "' has weights from element " + std::to_string(element)
                       + " on that are too large for " + std::string(traits(type).name)
                       + ": a scale would be infinite",
                   tensor.name)
        .value();
}

} // namespace ql
