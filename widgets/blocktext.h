// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/quant/blockview.h"
#include "widgets/blocklinks.h"

#include <QString>

namespace ql {

/// Where the block is: "row 12 · block 3 of 8 · weights 768–1,023 · 144 bytes at 0x1a2b40".
QString blockPlaceText(const BlockViewData &block);
/// What is pointed at, in full, for the line below the block and for screen readers.
QString blockTargetText(const BlockViewData &block, const BlockLinks &links,
                        const BlockTarget &target);
/// "bits 4–7 of byte 13, bits 6–7 of byte 5"
QString bitRangesText(const std::vector<BitRange> &bits);

} // namespace ql
