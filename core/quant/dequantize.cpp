// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/dequantize.h"

#include "core/quant/dequantize_reference.h"
#include "core/quant/half.h"
#include "core/quant/scales.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

namespace ql {

namespace {

/// What of a block has a byte order: `count` values of `width` bytes each.
struct SwappedFields {
    std::size_t width = 0;
    std::size_t count = 0;
    std::size_t offsets[2] = {};
};

/// Everything the decoder knows of a type.
struct Decoder {
    GgmlType type;
    DequantizeFn decode;
    DequantizeDoubleFn decodeDouble;
    BlockScaleFn scale;
    BlockScalesFn scales;
    SwappedFields swapped;
};

template <class Block>
Block copyOf(const std::byte *bytes)
{
    Block block;
    std::memcpy(&block, bytes, sizeof(Block));
    return block;
}

/// |half| without a branch, and without a subnormal float on the way: arithmetic with one takes processors more
/// than a hundred cycles, and the scales of K types often are subnormal halves.
float magnitudeOf(Half half)
{
    constexpr std::uint32_t OtherBias = 112u << 23;
    const auto bits = static_cast<std::uint32_t>(half & 0x7fffu) << 13;
    const float subnormal = std::bit_cast<float>(bits + (113u << 23)) - 0x1p-14f;
    const std::uint32_t exponent = half & 0x7c00u;
    const float finite = exponent == 0 ? subnormal : std::bit_cast<float>(bits + OtherBias);
    return exponent == 0x7c00u ? std::bit_cast<float>(bits | 0x7f800000u) : finite;
}

template <class Block>
float scaleOfHalf(const std::byte *bytes)
{
    Half d;
    std::memcpy(&d, bytes + offsetof(Block, d), sizeof d);
    return magnitudeOf(d);
}

float scaleOfQ8K(const std::byte *bytes) { return std::fabs(copyOf<BlockQ8K>(bytes).d); }

float scaleOfIQ1M(const std::byte *bytes)
{
    return std::fabs(halfToFloat(halfOfIQ1M(copyOf<BlockIQ1M>(bytes).scales)));
}

float scaleOfMXFP4(const std::byte *bytes) { return 2 * scaleE8M0Half(copyOf<BlockMXFP4>(bytes).e); }

float scaleOfNVFP4(const std::byte *bytes)
{
    float largest = 0;
    for (const std::uint8_t d : copyOf<BlockNVFP4>(bytes).d)
        largest = std::max(largest, 2 * scaleUE4M3Half(d));
    return largest;
}

template <class Block, BlockScaleFn scaleOf>
void scalesOf(const std::byte *blocks, std::size_t nBlocks, float *scales)
{
    for (std::size_t i = 0; i < nBlocks; ++i)
        scales[i] = scaleOf(blocks + i * sizeof(Block));
}

constexpr SwappedFields NothingSwapped{};

template <class Value>
constexpr Decoder plain(GgmlType type, DequantizeFn decode, DequantizeDoubleFn decodeDouble = nullptr)
{
    return {type, decode, decodeDouble, nullptr, nullptr, {sizeof(Value), 1, {0, 0}}};
}

template <class Block, std::size_t BlockSize, BlockScaleFn scale = scaleOfHalf<Block>>
constexpr Decoder blocked(GgmlType type, SwappedFields swapped = NothingSwapped)
{
    return {type, reference::decodeBlocks<Block, BlockSize>, nullptr, scale, scalesOf<Block, scale>, swapped};
}

constexpr SwappedFields halfAt(std::size_t offset) { return {sizeof(Half), 1, {offset, 0}}; }

constexpr SwappedFields halvesAt(std::size_t first, std::size_t second)
{
    return {sizeof(Half), 2, {first, second}};
}

// Types whose codes sit in wider words have no agreed big-endian form and swap nothing.
constexpr Decoder Decoders[] = {
    plain<float>(GgmlType::F32, reference::decodeF32),
    plain<Half>(GgmlType::F16, reference::decodeF16),
    blocked<BlockQ4_0, 32>(GgmlType::Q4_0, halfAt(offsetof(BlockQ4_0, d))),
    blocked<BlockQ4_1, 32>(GgmlType::Q4_1, halvesAt(offsetof(BlockQ4_1, d), offsetof(BlockQ4_1, m))),
    blocked<BlockQ5_0, 32>(GgmlType::Q5_0),
    blocked<BlockQ5_1, 32>(GgmlType::Q5_1),
    blocked<BlockQ8_0, 32>(GgmlType::Q8_0, halfAt(offsetof(BlockQ8_0, d))),
    blocked<BlockQ8_1, 32>(GgmlType::Q8_1, halvesAt(offsetof(BlockQ8_1, d), offsetof(BlockQ8_1, s))),
    blocked<BlockQ2K, 256>(GgmlType::Q2_K, halvesAt(offsetof(BlockQ2K, d), offsetof(BlockQ2K, dmin))),
    blocked<BlockQ3K, 256>(GgmlType::Q3_K, halfAt(offsetof(BlockQ3K, d))),
    blocked<BlockQ4K, 256>(GgmlType::Q4_K, halvesAt(offsetof(BlockQ4K, d), offsetof(BlockQ4K, dmin))),
    blocked<BlockQ5K, 256>(GgmlType::Q5_K, halvesAt(offsetof(BlockQ5K, d), offsetof(BlockQ5K, dmin))),
    blocked<BlockQ6K, 256>(GgmlType::Q6_K, halfAt(offsetof(BlockQ6K, d))),
    blocked<BlockQ8K, 256, scaleOfQ8K>(GgmlType::Q8_K),
    blocked<BlockIQ2XXS, 256>(GgmlType::IQ2_XXS),
    blocked<BlockIQ2XS, 256>(GgmlType::IQ2_XS),
    blocked<BlockIQ3XXS, 256>(GgmlType::IQ3_XXS),
    blocked<BlockIQ1S, 256>(GgmlType::IQ1_S),
    blocked<BlockIQ4NL, 32>(GgmlType::IQ4_NL, halfAt(offsetof(BlockIQ4NL, d))),
    blocked<BlockIQ3S, 256>(GgmlType::IQ3_S),
    blocked<BlockIQ2S, 256>(GgmlType::IQ2_S),
    blocked<BlockIQ4XS, 256>(GgmlType::IQ4_XS),
    plain<std::int8_t>(GgmlType::I8, reference::decodeI8),
    plain<std::int16_t>(GgmlType::I16, reference::decodeI16),
    plain<std::int32_t>(GgmlType::I32, reference::decodeI32),
    plain<std::int64_t>(GgmlType::I64, reference::decodeI64, reference::decodeI64),
    plain<double>(GgmlType::F64, reference::decodeF64, reference::decodeF64),
    blocked<BlockIQ1M, 256, scaleOfIQ1M>(GgmlType::IQ1_M),
    plain<std::uint16_t>(GgmlType::BF16, reference::decodeBF16),
    blocked<BlockTQ1_0, 256>(GgmlType::TQ1_0, halfAt(offsetof(BlockTQ1_0, d))),
    blocked<BlockTQ2_0, 256>(GgmlType::TQ2_0, halfAt(offsetof(BlockTQ2_0, d))),
    blocked<BlockMXFP4, 32, scaleOfMXFP4>(GgmlType::MXFP4),
    blocked<BlockNVFP4, 64, scaleOfNVFP4>(GgmlType::NVFP4),
    blocked<BlockQ1_0, 128>(GgmlType::Q1_0, halfAt(offsetof(BlockQ1_0, d))),
    blocked<BlockQ2_0, 64>(GgmlType::Q2_0, halfAt(offsetof(BlockQ2_0, d))),
};

const Decoder *findDecoder(GgmlType type)
{
    const auto row = std::ranges::find(Decoders, type, &Decoder::type);
    return row != std::end(Decoders) ? row : nullptr;
}

} // namespace

DequantizeFn referenceDequantizer(GgmlType type)
{
    const Decoder *decoder = findDecoder(type);
    return decoder ? decoder->decode : nullptr;
}

DequantizeDoubleFn doubleDequantizer(GgmlType type)
{
    const Decoder *decoder = findDecoder(type);
    return decoder ? decoder->decodeDouble : nullptr;
}

BlockScaleFn blockScale(GgmlType type)
{
    const Decoder *decoder = findDecoder(type);
    return decoder ? decoder->scale : nullptr;
}

BlockScalesFn blockScales(GgmlType type)
{
    const Decoder *decoder = findDecoder(type);
    return decoder ? decoder->scales : nullptr;
}

void swapBlocks(GgmlType type, const std::byte *bigEndian, std::byte *littleEndian, std::size_t nBlocks)
{
    assert(traits(type).bigEndianDecodable);
    const std::size_t blockBytes = traits(type).blockBytes;
    const SwappedFields &swapped = findDecoder(type)->swapped;
    if (nBlocks != 0)
        std::memcpy(littleEndian, bigEndian, nBlocks * blockBytes);
    for (std::size_t i = 0; i < nBlocks; ++i, littleEndian += blockBytes)
        for (std::size_t k = 0; k < swapped.count; ++k)
            std::reverse(littleEndian + swapped.offsets[k],
                         littleEndian + swapped.offsets[k] + swapped.width);
}

} // namespace ql
