// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggmltype.h"

#include <cstddef>
#include <span>

namespace ql {

/// Decodes nBlocks consecutive little-endian blocks into nBlocks × blockSize floats. `blocks` may
/// have any alignment. Values, signs of zero and subnormals are exactly the reference's.
using DequantizeFn = void (*)(const std::byte *blocks, float *out, std::size_t nBlocks);

/// As DequantizeFn for the types whose own values don't fit a float (F64, I64).
using DequantizeDoubleFn = void (*)(const std::byte *blocks, double *out, std::size_t nBlocks);

/// The function of a type, looked up once a tensor: the fastest kernel of this machine, or the one
/// that QUANTLOUPE_KERNELS forces. nullptr for types that can't be decoded.
DequantizeFn dequantizer(GgmlType type);
/// The scalar truth.
DequantizeFn referenceDequantizer(GgmlType type);
/// Non-null for F64 and I64 alone: everything else is exact in float or defined by it.
DequantizeDoubleFn doubleDequantizer(GgmlType type);

/// The stored scale of one block as the heat map shows it: |d| (MXFP4: 2^(e-127) as multiplied;
/// NVFP4: the largest of its four). nullptr for plain types, which store none.
using BlockScaleFn = float (*)(const std::byte *block);
BlockScaleFn blockScale(GgmlType type);
/// The same of nBlocks consecutive blocks.
using BlockScalesFn = void (*)(const std::byte *blocks, std::size_t nBlocks, float *scales);
BlockScalesFn blockScales(GgmlType type);

/// Copies nBlocks big-endian blocks as little-endian ones. Only for types whose table row says
/// bigEndianDecodable.
void swapBlocks(GgmlType type, const std::byte *bigEndian, std::byte *littleEndian, std::size_t nBlocks);

} // namespace ql
