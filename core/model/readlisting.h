// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/arraylisting.h"
#include "core/model/error.h"
#include "core/model/ggufmodel.h"
#include "core/model/tokentable.h"

#include <cstdint>
#include <stop_token>

namespace ql {

/// What a listing holds at most; longer arrays are cut and say so.
struct ListingLimits {
    std::uint64_t elements = 4u << 20;
    std::size_t textBytes = std::size_t(256) << 20;
};

/// Reads an array out of the map, as texts for people. Not on the GUI thread. Nested arrays become
/// their preview. Error: "stopped".
Result<ArrayListingPtr> readListing(const MetadataArray &array, std::stop_token stop = {},
                                    const ListingLimits &limits = {});

/// Reads the tokenizer of a model. What is missing or of another type than it should be is left
/// empty; nothing is ever reinterpreted. Error: "stopped", "no-tokenizer".
Result<TokenTablePtr> readTokenTable(const GgufModel &model, std::stop_token stop = {});

} // namespace ql
