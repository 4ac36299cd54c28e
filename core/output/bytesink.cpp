// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/bytesink.h"

#include "core/model/tensorname.h"

#include <cerrno>
#include <system_error>
#include <unistd.h>

namespace ql {

Error writeError(const std::string &path, int errorNumber)
{
    const std::string name = escapeBytes(path);
    if (errorNumber == EPIPE)
        return {PipeClosedCode, "The reader of '" + name + "' closed it", name, {}};
    return {WriteFailedCode,
            "Can't write '" + name + "': " + std::generic_category().message(errorNumber), name, {}};
}

Result<void> DescriptorSink::write(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return tl::unexpected(writeError(m_name, errno));
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

} // namespace ql
