// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/// For a function that reads nothing but what it captured, before it can acquire anything.
#define QL_TSAN_UNSEEN __attribute__((no_sanitize_thread))

namespace ql::detail {

/// An order of events that oneTBB promises, told to ThreadSanitizer, which does not see into the
/// library: what came before release() happens before what comes after an acquire() that follows.
/// Only for what the library's documentation promises: an edge too many hides a race. In builds
/// without ThreadSanitizer it is nothing.
class TsanEdge
{
public:
#ifdef __SANITIZE_THREAD__
    TsanEdge() = default;
    ~TsanEdge() { delete m_point; }
    TsanEdge(const TsanEdge &) = delete;
    TsanEdge &operator=(const TsanEdge &) = delete;
    QL_TSAN_UNSEEN void release() { __tsan_release(m_point); }
    QL_TSAN_UNSEEN void acquire() { __tsan_acquire(m_point); }

private:
    /// On the heap: an address on a stack would keep the history of the runs before this one.
    char *m_point = new char;
#else
    void release() {}
    void acquire() {}
#endif
};

/// What parallel_pipeline promises of its beginning and its end: it begins before any filter is
/// called, and returns, or throws on, when no filter is being called any more.
class TsanPipeline
{
public:
    /// Lives while parallel_pipeline is called.
    class Call
    {
    public:
        explicit Call(TsanPipeline &pipeline) : m_pipeline(pipeline) { m_pipeline.m_begin.release(); }
        ~Call() { m_pipeline.m_end.acquire(); }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;

    private:
        TsanPipeline &m_pipeline;
    };

    /// Lives while a filter is called. The calls of a serial filter follow one another.
    class Filter
    {
    public:
        explicit Filter(TsanPipeline &pipeline, TsanEdge *serial = nullptr)
            : m_pipeline(pipeline), m_serial(serial)
        {
            m_pipeline.m_begin.acquire();
            if (m_serial)
                m_serial->acquire();
        }
        ~Filter()
        {
            if (m_serial)
                m_serial->release();
            m_pipeline.m_end.release();
        }
        Filter(const Filter &) = delete;
        Filter &operator=(const Filter &) = delete;

    private:
        TsanPipeline &m_pipeline;
        TsanEdge *m_serial;
    };

private:
    TsanEdge m_begin;
    TsanEdge m_end;
};

} // namespace ql::detail
