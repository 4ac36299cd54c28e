// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/bytereader.h"

namespace ql {

std::optional<std::string_view> ByteReader::readString()
{
    const auto start = m_position;
    const auto length = readLength();
    const auto text = length ? readBytes(*length) : std::nullopt;
    if (!text)
        m_position = start;
    return text;
}

} // namespace ql
