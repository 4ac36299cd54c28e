// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace ql {

/// The codes writers return, besides "stopped".
inline constexpr const char *OutputExistsCode = "output-exists";
inline constexpr const char *OutputIsInputCode = "output-is-input";
inline constexpr const char *WriteFailedCode = "write-failed";
inline constexpr const char *PipeClosedCode = "pipe-closed"; ///< the reader has seen enough: no failure

/// Where bytes go. Not thread-safe: one writer at a time, in order.
class ByteSink
{
public:
    virtual ~ByteSink() = default;
    virtual Result<void> write(std::span<const std::byte> bytes) = 0;

    Result<void> write(std::string_view text) { return write(std::as_bytes(std::span(text))); }
};

/// An open descriptor, such as standard output; does not close it. SIGPIPE must be ignored for a
/// closed pipe to come back as PipeClosedCode.
class DescriptorSink final : public ByteSink
{
public:
    DescriptorSink(int descriptor, std::string name) : m_descriptor(descriptor), m_name(std::move(name)) {}
    using ByteSink::write;
    Result<void> write(std::span<const std::byte> bytes) override;

private:
    int m_descriptor;
    std::string m_name; ///< for messages
};

/// "Can't write 'NAME': No space left on device", with the code that fits errno.
Error writeError(const std::string &name, int errorNumber);

} // namespace ql
