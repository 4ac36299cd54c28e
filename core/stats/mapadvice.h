// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"
#include "core/stats/cutting.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

namespace ql {

/// Tells the kernel which pages of a view are read next and which are done with, so that a scan
/// streams from cold storage and keeps few pages resident whatever the file's size. Thread-safe.
class MapAdvice
{
public:
    explicit MapAdvice(const TensorView &view);
    ~MapAdvice();
    MapAdvice(const MapAdvice &) = delete;
    MapAdvice &operator=(const MapAdvice &) = delete;

    /// Asks for a group's pages, without waiting; call so far ahead that storage has the time.
    void willRead(const Piece &group) const;
    /// How many groups ahead that is.
    static constexpr std::size_t Ahead = 8;
    /// Call in file order, once all groups before this one are done as well. Pages go some megabytes at a
    /// time, as every time all cores that run this process have to be told.
    void haveRead(const Piece &group) const;
    /// True where the view is so large that its pages must go after every pass.
    bool isLarge() const { return m_bytes.size() > LargeBytes; }

private:
    static constexpr std::size_t LargeBytes = 32u << 20;
    static constexpr std::size_t HeldBytes = 4u << 20;

    /// Bytes that are done with and still mapped.
    struct Range {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    std::size_t offsetOf(const Piece &group) const;
    std::size_t byteSizeOf(const Piece &group) const;

    void release(Range range) const;

    const TensorView *m_view;
    std::shared_ptr<const MappedFile> m_file;
    std::span<const std::byte> m_bytes;
    mutable std::mutex m_mutex;
    mutable Range m_held;
};

} // namespace ql
