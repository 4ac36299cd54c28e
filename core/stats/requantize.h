// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"
#include "core/quant/dequantize.h"
#include "core/quant/quantize.h"
#include "core/stats/comparison.h"
#include "core/stats/cutting.h"
#include "core/stats/tilereader.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Weights decoded, encoded in another type and decoded again, a tile at a time: what the What-if
// figures and `convert` share, so that one promises what the other writes.

namespace ql {

inline constexpr const char *NotFiniteCode = "not-finite";
inline constexpr const char *ScaleOverflowCode = "scale-overflow";
inline constexpr const char *NeedsMatrixCode = "needs-importance-matrix";

/// The type itself where its blocks fit the tensor's rows, else the nearest that does: one with
/// blocks of 32, or F16. NeedsMatrixCode for types without an encoder.
Result<GgmlType> fittingType(const TensorInfo &tensor, GgmlType wanted);

/// The tensor's size in that type, which must fit its rows; nothing beyond 64 bits.
std::optional<std::uint64_t> encodedBytes(const TensorInfo &tensor, GgmlType type);

/// What one group has become in one type. Positions count from the group's first weight.
struct EncodedGroup {
    ErrorSums errors;
    std::optional<std::uint64_t> overflowAt; ///< first weight of the first tile with an infinite scale
};

/// One group in all types asked for.
struct RequantizedGroup {
    std::optional<std::uint64_t> nonFiniteAt; ///< the first NaN or Inf: nothing has been encoded then
    double nonFinite = 0;
    std::vector<EncodedGroup> types;
};

/// Works on groups of one tensor with scratch of its own. One a worker.
class RequantizePass
{
public:
    /// Both outlive this object. The types fit the view's rows.
    RequantizePass(const TensorView &view, std::span<const GgmlType> types);

    /// `encoded`, if not null, gets the blocks of the first type appended.
    RequantizedGroup run(const Piece &group, std::string *encoded = nullptr);

private:
    struct Codec {
        const TypeTraits *type;
        QuantizeFn encode;
        DequantizeFn decode;
    };

    template <class T>
    RequantizedGroup runAs(const Piece &group, std::string *encoded);
    template <class T>
    void runTile(std::span<const T> weights, std::uint64_t position, RequantizedGroup &result,
                 std::string *encoded);
    std::span<const float> asFloats(std::span<const float> weights) { return weights; }
    std::span<const float> asFloats(std::span<const double> weights);

    const TensorView *m_view;
    std::vector<Codec> m_codecs;
    TileReader m_reader;
    std::vector<float> m_floats;
    std::vector<float> m_decoded;
    std::vector<double> m_decodedDoubles;
    std::vector<std::byte> m_blocks;
};

/// The groups that comparing the tensor with its other form will use: the same sums, bit for bit.
Cutting requantizeGroups(const TensorView &view);

/// "tensor 'blk.0.ffn_up.weight' has a NaN at element 77 …"
Error notFiniteError(const TensorInfo &tensor, std::uint64_t element, double value);
Error scaleOverflowError(const TensorInfo &tensor, GgmlType type, std::uint64_t element);

} // namespace ql
