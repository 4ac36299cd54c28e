// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"
#include "core/quant/dequantize.h"

#include <QString>

#include <cstddef>
#include <string>
#include <vector>

namespace ql::test {

/// A tensor of reference bytes and what decoding it must give.
struct GoldenPair {
    std::string name; ///< "q4_K.bits"
    TensorView encoded;
    TensorView expected; ///< F32, same shape
};

/// All pairs NAME, NAME.f32 of a file; empty where it can't be opened.
std::vector<GoldenPair> goldenPairs(const QString &path);

/// The same bits, or both NaN whatever their payload.
bool isSameWeight(float a, float b);

/// How many weights come out other than they must.
std::size_t differingWeights(DequantizeFn decode, const GoldenPair &pair);

} // namespace ql::test
