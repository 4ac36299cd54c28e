// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The encoders behind quantizer(): private to core/quant.

#include <cstddef>

namespace ql::encode {

using Blocks = std::byte *;

void f32(const float *weights, Blocks blocks, std::size_t nBlocks);
void f16(const float *weights, Blocks blocks, std::size_t nBlocks);
void bf16(const float *weights, Blocks blocks, std::size_t nBlocks);
void q4_0(const float *weights, Blocks blocks, std::size_t nBlocks);
void q4_1(const float *weights, Blocks blocks, std::size_t nBlocks);
void q5_0(const float *weights, Blocks blocks, std::size_t nBlocks);
void q5_1(const float *weights, Blocks blocks, std::size_t nBlocks);
void q8_0(const float *weights, Blocks blocks, std::size_t nBlocks);
void tq1_0(const float *weights, Blocks blocks, std::size_t nBlocks);
void tq2_0(const float *weights, Blocks blocks, std::size_t nBlocks);
void q1_0(const float *weights, Blocks blocks, std::size_t nBlocks);
void q2_0(const float *weights, Blocks blocks, std::size_t nBlocks);
void mxfp4(const float *weights, Blocks blocks, std::size_t nBlocks);
void nvfp4(const float *weights, Blocks blocks, std::size_t nBlocks);
void q2K(const float *weights, Blocks blocks, std::size_t nBlocks);
void q3K(const float *weights, Blocks blocks, std::size_t nBlocks);
void q4K(const float *weights, Blocks blocks, std::size_t nBlocks);
void q5K(const float *weights, Blocks blocks, std::size_t nBlocks);
void q6K(const float *weights, Blocks blocks, std::size_t nBlocks);
void iq4NL(const float *weights, Blocks blocks, std::size_t nBlocks);
void iq4XS(const float *weights, Blocks blocks, std::size_t nBlocks);

} // namespace ql::encode
