// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace ql {

/// Lends out scratch objects, one to each group in work, and so makes no more of them than there
/// are threads.
template <class Scratch>
class ScratchPool
{
public:
    using Make = std::function<std::unique_ptr<Scratch>()>;
    explicit ScratchPool(Make make) : m_make(std::move(make)) {}

    /// Calls handle(scratch) for all there are, once none is lent out any more.
    template <class Handle>
    void forAll(const Handle &handle)
    {
        for (const auto &scratch : m_free)
            handle(*scratch);
    }

    /// A scratch object for the life of the loan.
    class Loan
    {
    public:
        explicit Loan(ScratchPool &pool) : m_pool(pool), m_scratch(pool.take()) {}
        ~Loan() { m_pool.give(std::move(m_scratch)); }
        Loan(const Loan &) = delete;
        Loan &operator=(const Loan &) = delete;
        Scratch &operator*() { return *m_scratch; }
        Scratch *operator->() { return m_scratch.get(); }

    private:
        ScratchPool &m_pool;
        std::unique_ptr<Scratch> m_scratch;
    };

private:
    std::unique_ptr<Scratch> take()
    {
        {
            const std::lock_guard lock(m_mutex);
            if (!m_free.empty()) {
                auto scratch = std::move(m_free.back());
                m_free.pop_back();
                return scratch;
            }
        }
        return m_make();
    }

    void give(std::unique_ptr<Scratch> scratch)
    {
        const std::lock_guard lock(m_mutex);
        m_free.push_back(std::move(scratch));
    }

    Make m_make;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<Scratch>> m_free;
};

} // namespace ql
