// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ql {

/// The first 24 bytes of a GGUF file (16 in version 1).
struct GgufHeader {
    std::uint32_t version = 0;
    bool bigEndian = false;
    std::uint64_t tensorCount = 0;
    std::uint64_t metadataCount = 0;
    std::uint64_t byteSize = 0;

    bool isV1() const { return version == 1; }
};

/// Refuses what is no GGUF file (saying what it looks like instead), unknown versions, and counts
/// that the file is too small for.
Result<GgufHeader> readHeader(std::span<const std::byte> file);

/// What a file that does not start with the magic looks like: "a web page (HTML)", or "".
std::string describeForeignFile(std::span<const std::byte> file);

} // namespace ql
