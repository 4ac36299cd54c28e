// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ql {

/// Collects warnings. A damaged file can have one for each of a million tensors: after MaxOfOneCode
/// of a kind the rest are only counted, and take() says how many.
class Findings
{
public:
    static constexpr std::uint64_t MaxOfOneCode = 1000;

    void add(Severity severity, std::string code, std::string message, std::string field,
             std::optional<std::uint64_t> offset = {});
    void info(std::string code, std::string message, std::string field,
              std::optional<std::uint64_t> offset = {})
    {
        add(Severity::Info, std::move(code), std::move(message), std::move(field), offset);
    }
    void warning(std::string code, std::string message, std::string field,
                 std::optional<std::uint64_t> offset = {})
    {
        add(Severity::Warning, std::move(code), std::move(message), std::move(field), offset);
    }
    void error(std::string code, std::string message, std::string field,
               std::optional<std::uint64_t> offset = {})
    {
        add(Severity::Error, std::move(code), std::move(message), std::move(field), offset);
    }

    std::vector<Warning> take();

private:
    std::vector<Warning> m_warnings;
    std::map<std::string, std::uint64_t> m_counts;
};

/// "1572 bytes", "4.0 MiB (4194304 bytes)".
std::string bytesText(std::uint64_t bytes);
/// "offset 1692".
std::string offsetText(std::uint64_t offset);
/// "kv[3]" and "tensor[5]": how a file's reader names places.
std::string kvField(std::uint64_t index, std::string_view part);
std::string tensorField(std::uint64_t index, std::string_view part);

} // namespace ql
