// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/findings.h"

#include <cstdio>

namespace ql {

void Findings::add(Severity severity, std::string code, std::string message, std::string field,
                   std::optional<std::uint64_t> offset)
{
    if (++m_counts[code] <= MaxOfOneCode)
        m_warnings.push_back(
            {severity, std::move(code), std::move(message), std::move(field), offset});
}

std::vector<Warning> Findings::take()
{
    for (const auto &[code, count] : m_counts) {
        if (count > MaxOfOneCode)
            m_warnings.push_back({Severity::Info, "more-findings",
                                  std::to_string(count - MaxOfOneCode) + " more of the kind '" + code
                                      + "' are not listed",
                                  code, std::nullopt});
    }
    m_counts.clear();
    return std::exchange(m_warnings, {});
}

std::string bytesText(std::uint64_t bytes)
{
    constexpr const char *Units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    const auto exact = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    if (bytes < 10240)
        return exact;
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(Units); ++unit)
        value /= 1024;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %s", value, Units[unit]);
    return text + (" (" + exact + ")");
}

std::string offsetText(std::uint64_t offset) { return "offset " + std::to_string(offset); }

std::string kvField(std::uint64_t index, std::string_view part)
{
    return "kv[" + std::to_string(index) + "]." + std::string(part);
}

std::string tensorField(std::uint64_t index, std::string_view part)
{
    return "tensor[" + std::to_string(index) + "]." + std::string(part);
}

} // namespace ql
