// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

/// The elements of one metadata array as texts for people, read out of the map once: what a view
/// scrolls and filters. Strings are escaped (escapeBytes). One block of memory whatever the number
/// of elements. Filled by one thread, immutable once shared.
class ArrayListing
{
public:
    /// `total`: elements the array has in the file; fewer may be listed.
    explicit ArrayListing(std::uint64_t total = 0) : m_total(total) {}

    void append(std::string_view text)
    {
        m_texts.append(text);
        m_ends.push_back(m_texts.size());
    }
    void reserve(std::size_t elements) { m_ends.reserve(elements); }

    /// Elements listed.
    std::size_t size() const { return m_ends.size(); }
    std::uint64_t total() const { return m_total; }
    bool truncated() const { return m_ends.size() < m_total; }
    /// i < size(). Valid as long as the listing.
    std::string_view text(std::size_t i) const
    {
        const std::size_t begin = i == 0 ? 0 : m_ends[i - 1];
        return std::string_view(m_texts).substr(begin, m_ends[i] - begin);
    }
    /// Memory taken, for whoever sets a limit.
    std::size_t byteSize() const { return m_texts.capacity() + m_ends.capacity() * sizeof(std::size_t); }

private:
    std::uint64_t m_total;
    std::string m_texts;
    std::vector<std::size_t> m_ends;
};

using ArrayListingPtr = std::shared_ptr<const ArrayListing>;

} // namespace ql
