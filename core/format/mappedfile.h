// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ql {

/// What tells one state of a file from another.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modifiedNs = 0;
    bool operator==(const FileIdentity &) const = default;
};

/// A file mapped read-only and registered with the SIGBUS guard: if the file shrinks, reading past
/// its new end gives zero pages and sets faulted(), instead of killing the program. Thread-safe.
class MappedFile
{
public:
    static Result<std::shared_ptr<const MappedFile>> open(const std::string &path);
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    const std::string &path() const { return m_path; }
    std::span<const std::byte> bytes() const { return m_bytes; }
    const FileIdentity &identity() const { return m_identity; }

    /// A page had to be replaced under the map.
    bool faulted() const { return m_faulted->load(std::memory_order_acquire); }
    /// faulted(), or the path now holds another file or another state of it. Costs a stat.
    bool changedOnDisk() const;

    /// Read-ahead and release hints for a range of bytes(); harmless where not supported.
    void willNeed(std::span<const std::byte> range) const;
    void dontNeed(std::span<const std::byte> range) const;

private:
    MappedFile() = default;
    std::string m_path;
    std::span<const std::byte> m_bytes;
    FileIdentity m_identity;
    std::atomic<bool> *m_faulted = nullptr; ///< lives in the guard's fixed table
    std::size_t m_guardSlot = 0;
};

} // namespace ql
