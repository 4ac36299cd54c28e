// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

/// The shortest decimal text that reads back to the same float, the nearest of those to it, fixed or
/// scientific whichever is shorter: character for character what std::to_chars writes, only faster.
/// Magnitudes below 2^24 alone (zero included); `out` needs 32 bytes of room.
char *writeSmallFloat(char *out, float value);

} // namespace ql
