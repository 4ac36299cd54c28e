// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <utility>

namespace ql {

/// Keeps the most recently used results up to a number of bytes. One thread.
template <class Key, class Value>
class ResultCache
{
public:
    using Ptr = std::shared_ptr<const Value>;

    explicit ResultCache(std::size_t maxBytes)
        : m_maxBytes(maxBytes)
    {}

    Ptr find(const Key &key)
    {
        const auto found = m_index.find(key);
        if (found == m_index.end())
            return nullptr;
        m_entries.splice(m_entries.begin(), m_entries, found->second);
        return found->second->value;
    }

    void insert(const Key &key, Ptr value, std::size_t bytes)
    {
        erase(key);
        m_entries.push_front({key, std::move(value), bytes});
        m_index[key] = m_entries.begin();
        m_bytes += bytes;
        // The newest stays even if it alone is over the limit: it is on the screen.
        while (m_bytes > m_maxBytes && m_entries.size() > 1)
            erase(m_entries.back().key);
    }

    void erase(const Key &keyToErase)
    {
        const Key key = keyToErase; // may live in the entry that goes
        const auto found = m_index.find(key);
        if (found == m_index.end())
            return;
        m_bytes -= found->second->bytes;
        m_entries.erase(found->second);
        m_index.erase(found);
    }

    void clear()
    {
        m_entries.clear();
        m_index.clear();
        m_bytes = 0;
    }

    std::size_t bytes() const { return m_bytes; }
    std::size_t size() const { return m_entries.size(); }

private:
    struct Entry {
        Key key;
        Ptr value;
        std::size_t bytes;
    };
    std::size_t m_maxBytes;
    std::size_t m_bytes = 0;
    std::list<Entry> m_entries; ///< most recent first
    std::map<Key, typename std::list<Entry>::iterator> m_index;
};

} // namespace ql
