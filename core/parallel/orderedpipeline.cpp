// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/orderedpipeline.h"

#include <memory>
#include <mutex>
#include <vector>

namespace ql {

namespace {

using Buffer = std::shared_ptr<std::string>;

/// Buffers that have been written, for the next items.
class BufferPool
{
public:
    Buffer take()
    {
        const std::scoped_lock lock(m_mutex);
        if (m_free.empty())
            return std::make_shared<std::string>();
        Buffer buffer = std::move(m_free.back());
        m_free.pop_back();
        buffer->clear();
        return buffer;
    }

    void giveBack(Buffer buffer)
    {
        const std::scoped_lock lock(m_mutex);
        m_free.push_back(std::move(buffer));
    }

private:
    std::mutex m_mutex;
    std::vector<Buffer> m_free;
};

} // namespace

bool orderedPipeline(std::size_t items, const ParallelOptions &options, std::stop_token stop,
                     const std::function<void(std::size_t, std::string &)> &make,
                     const std::function<bool(std::size_t, const std::string &)> &write)
{
    BufferPool pool;
    const auto ended = std::make_shared<std::stop_source>(); // by the caller, or because writing failed
    const std::stop_callback passOn(stop, [ended] { ended->request_stop(); });
    bool failed = false;
    const bool complete = detail::runOrdered(
        items, options, ended->get_token(),
        [&](std::size_t i) -> std::shared_ptr<void> {
            Buffer buffer = pool.take();
            make(i, *buffer);
            return buffer;
        },
        [&](std::size_t i, std::shared_ptr<void> made) {
            Buffer buffer = std::static_pointer_cast<std::string>(std::move(made));
            failed = failed || !write(i, *buffer);
            if (failed)
                ended->request_stop();
            pool.giveBack(std::move(buffer));
        });
    return complete && !failed;
}

} // namespace ql
