// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The scalar truth: one short function a type, in the arithmetic of the format's description. Only
// dequantize.cpp's table uses it.

#include "core/model/blocks.h"

#include <cstddef>
#include <cstring>

namespace ql::reference {

void decodeBlock(const BlockQ4_0 &block, float *out);
void decodeBlock(const BlockQ4_1 &block, float *out);
void decodeBlock(const BlockQ5_0 &block, float *out);
void decodeBlock(const BlockQ5_1 &block, float *out);
void decodeBlock(const BlockQ8_0 &block, float *out);
void decodeBlock(const BlockQ8_1 &block, float *out);
void decodeBlock(const BlockIQ4NL &block, float *out);
void decodeBlock(const BlockMXFP4 &block, float *out);
void decodeBlock(const BlockNVFP4 &block, float *out);
void decodeBlock(const BlockQ1_0 &block, float *out);
void decodeBlock(const BlockQ2_0 &block, float *out);
void decodeBlock(const BlockTQ1_0 &block, float *out);
void decodeBlock(const BlockTQ2_0 &block, float *out);

void decodeBlock(const BlockQ2K &block, float *out);
void decodeBlock(const BlockQ3K &block, float *out);
void decodeBlock(const BlockQ4K &block, float *out);
void decodeBlock(const BlockQ5K &block, float *out);
void decodeBlock(const BlockQ6K &block, float *out);
void decodeBlock(const BlockQ8K &block, float *out);
void decodeBlock(const BlockIQ4XS &block, float *out);

void decodeBlock(const BlockIQ2XXS &block, float *out);
void decodeBlock(const BlockIQ2XS &block, float *out);
void decodeBlock(const BlockIQ2S &block, float *out);
void decodeBlock(const BlockIQ3XXS &block, float *out);
void decodeBlock(const BlockIQ3S &block, float *out);
void decodeBlock(const BlockIQ1S &block, float *out);
void decodeBlock(const BlockIQ1M &block, float *out);

/// Blocks copied out one by one, since the map may hold them at any address.
template <class Block, std::size_t BlockSize>
void decodeBlocks(const std::byte *blocks, float *out, std::size_t nBlocks)
{
    for (std::size_t i = 0; i < nBlocks; ++i) {
        Block block;
        std::memcpy(&block, blocks + i * sizeof(Block), sizeof(Block));
        decodeBlock(block, out + i * BlockSize);
    }
}

void decodeF32(const std::byte *values, float *out, std::size_t n);
void decodeF16(const std::byte *values, float *out, std::size_t n);
void decodeBF16(const std::byte *values, float *out, std::size_t n);
void decodeF64(const std::byte *values, float *out, std::size_t n);
void decodeI8(const std::byte *values, float *out, std::size_t n);
void decodeI16(const std::byte *values, float *out, std::size_t n);
void decodeI32(const std::byte *values, float *out, std::size_t n);
void decodeI64(const std::byte *values, float *out, std::size_t n);
void decodeF64(const std::byte *values, double *out, std::size_t n);
void decodeI64(const std::byte *values, double *out, std::size_t n);

} // namespace ql::reference
