// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/reduce.h"
#include "core/parallel/tsanedges.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

namespace ql {

namespace {

constexpr int LowPriorityNice = 10;

/// True on a thread that works for forEachItem(): a reduce() there joins its arena.
thread_local bool t_insideItem = false;

class InsideItem
{
public:
    InsideItem() : m_before(std::exchange(t_insideItem, true)) {}
    ~InsideItem() { t_insideItem = m_before; }
    InsideItem(const InsideItem &) = delete;
    InsideItem &operator=(const InsideItem &) = delete;

private:
    bool m_before;
};

id_t currentThreadId() { return static_cast<id_t>(::syscall(SYS_gettid)); }

void setNice(int nice) { ::setpriority(PRIO_PROCESS, currentThreadId(), nice); }

/// Lowers the scheduler's workers while they are in the arena. Without the right to raise a
/// priority they stay low afterwards, which only ever makes them more polite.
class LowPriorityWorkers final : public tbb::task_scheduler_observer
{
public:
    explicit LowPriorityWorkers(tbb::task_arena &arena) : task_scheduler_observer(arena)
    {
        observe(true);
    }
    ~LowPriorityWorkers() override { observe(false); }

    void on_scheduler_entry(bool isWorker) override
    {
        if (isWorker)
            setNice(LowPriorityNice);
    }
    void on_scheduler_exit(bool isWorker) override
    {
        if (isWorker)
            setNice(0);
    }
};

/// Calls the function on a thread of its own at low priority and waits for it, so that the calling
/// thread, which may not get its priority back, keeps it.
void callAtLowPriority(const std::function<void()> &function)
{
    std::exception_ptr thrown;
    std::thread thread([&] {
        setNice(LowPriorityNice);
        try {
            function();
        } catch (...) {
            thrown = std::current_exception();
        }
    });
    thread.join();
    if (thrown)
        std::rethrow_exception(thrown);
}

/// Calls the function in an arena of its own with as many threads as asked for.
void callInArena(const ParallelOptions &options, const std::function<void()> &function)
{
    const unsigned threads = threadCount(options);
    // Twice as many as ever run: a whole-model scan that pauses at a group's border keeps its
    // workers, and what is on the screen must not wait for them.
    const unsigned allowed = 2 * std::max(threads, std::thread::hardware_concurrency());
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, allowed);
    tbb::task_arena arena(static_cast<int>(threads));
    if (!options.lowPriority) {
        arena.execute(function);
        return;
    }
    callAtLowPriority([&] {
        const LowPriorityWorkers observer(arena);
        arena.execute(function);
    });
}

void callPipeline(detail::TsanPipeline &edges, std::size_t tokens,
                  const tbb::filter<void, void> &filters)
{
    const detail::TsanPipeline::Call call(edges);
    tbb::parallel_pipeline(tokens, filters);
}

/// A group on its way through the stages. Its partial lies in the run's slots, not in the token: a
/// pipeline that an exception ends lets go of its tokens without destroying them.
struct Token {
    std::size_t index; // no default: a pipeline keeps trivial tokens of a pointer's size in its words
};

/// A partial's place between the stages. The lock is for the group that uses the place next: the
/// pipeline begins it when this one is merged, but promises no order of memory for that.
class Slot
{
public:
    void put(std::shared_ptr<void> partial)
    {
        const std::scoped_lock lock(m_mutex);
        m_partial = std::move(partial);
    }

    /// Null when none was put.
    std::shared_ptr<void> take()
    {
        const std::scoped_lock lock(m_mutex);
        return std::exchange(m_partial, nullptr);
    }

private:
    std::mutex m_mutex;
    std::shared_ptr<void> m_partial;
};

/// Three stages: number, make, merge. Everything the stages share lives here.
class OrderedRun
{
public:
    OrderedRun(std::size_t groups, std::stop_token stop,
               const std::function<std::shared_ptr<void>(std::size_t)> &make,
               const std::function<void(std::size_t, std::shared_ptr<void>)> &merge)
        : m_groups(groups), m_stop(std::move(stop)), m_make(make), m_merge(merge)
    {
    }

    bool run(unsigned threads)
    {
        const auto source = tbb::make_filter<void, std::size_t>(
            tbb::filter_mode::serial_in_order,
            [this](tbb::flow_control &control) QL_TSAN_UNSEEN { return next(control); });
        const auto make = tbb::make_filter<std::size_t, Token>(
            tbb::filter_mode::parallel,
            [this](std::size_t i) QL_TSAN_UNSEEN { return makeOne(i); });
        const auto merge = tbb::make_filter<Token, void>(
            tbb::filter_mode::serial_in_order,
            [this](Token token) QL_TSAN_UNSEEN { mergeOne(token); });
        m_slots = std::vector<Slot>(2 * std::size_t{threads});
        callPipeline(m_edges, m_slots.size(), source & make & merge);
        return m_merged == m_groups;
    }

private:
    std::size_t next(tbb::flow_control &control)
    {
        const detail::TsanPipeline::Filter edges(m_edges, &m_numbered);
        if (m_next == m_groups || m_stop.stop_requested()) {
            control.stop();
            return 0;
        }
        return m_next++;
    }

    Token makeOne(std::size_t i)
    {
        const detail::TsanPipeline::Filter edges(m_edges);
        if (!m_stop.stop_requested())
            slotOf(i).put(m_make(i));
        return {i};
    }

    void mergeOne(Token token)
    {
        const detail::TsanPipeline::Filter edges(m_edges, &m_mergedInOrder);
        std::shared_ptr<void> partial = slotOf(token.index).take();
        // After one gap nothing may follow: a merge that skips a group would be a wrong result.
        if (!partial || token.index != m_merged)
            return;
        m_merge(token.index, std::move(partial));
        ++m_merged;
    }

    /// Tokens are numbered in order and merged in order, so as many in flight as there are slots
    /// never share one.
    Slot &slotOf(std::size_t index) { return m_slots[index % m_slots.size()]; }

    std::size_t m_groups;
    std::size_t m_next = 0;
    std::size_t m_merged = 0;
    std::vector<Slot> m_slots; ///< partials made and not merged yet
    std::stop_token m_stop;
    detail::TsanPipeline m_edges;
    detail::TsanEdge m_numbered;      ///< from next() to next()
    detail::TsanEdge m_mergedInOrder; ///< from mergeOne() to mergeOne()
    const std::function<std::shared_ptr<void>(std::size_t)> &m_make;
    const std::function<void(std::size_t, std::shared_ptr<void>)> &m_merge;
};

/// forEachItem's inner loop: as many takers as threads, each taking the next item.
class ItemRun
{
public:
    ItemRun(std::size_t count, std::stop_token stop, const std::function<void(std::size_t)> &item)
        : m_count(count), m_stop(std::move(stop)), m_item(item)
    {
    }

    bool run(unsigned threads)
    {
        const auto source = tbb::make_filter<void, std::size_t>(
            tbb::filter_mode::serial_in_order,
            [this](tbb::flow_control &control) QL_TSAN_UNSEEN { return next(control); });
        const auto work = tbb::make_filter<std::size_t, void>(
            tbb::filter_mode::parallel, [this](std::size_t i) QL_TSAN_UNSEEN { workOff(i); });
        callPipeline(m_edges, threads, source & work);
        return m_done == m_count;
    }

private:
    std::size_t next(tbb::flow_control &control)
    {
        const detail::TsanPipeline::Filter edges(m_edges, &m_numbered);
        if (m_next == m_count || m_stop.stop_requested()) {
            control.stop();
            return 0;
        }
        return m_next++;
    }

    void workOff(std::size_t i)
    {
        const detail::TsanPipeline::Filter edges(m_edges);
        if (m_stop.stop_requested())
            return;
        const InsideItem inside;
        m_item(i);
        ++m_done;
    }

    std::size_t m_count;
    std::size_t m_next = 0;
    std::atomic<std::size_t> m_done = 0;
    std::stop_token m_stop;
    detail::TsanPipeline m_edges;
    detail::TsanEdge m_numbered; ///< from next() to next()
    const std::function<void(std::size_t)> &m_item;
};

} // namespace

unsigned threadCount(const ParallelOptions &options)
{
    // More than a few for every core only take memory and time to be made.
    const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
    const unsigned wanted = options.threads ? options.threads : cores;
    return std::clamp(wanted, 1u, std::max(8 * cores, 16u));
}

bool detail::runOrdered(std::size_t groups, const ParallelOptions &options, std::stop_token stop,
                        const std::function<std::shared_ptr<void>(std::size_t)> &make,
                        const std::function<void(std::size_t, std::shared_ptr<void>)> &merge)
{
    OrderedRun run(groups, std::move(stop), make, merge);
    bool complete = false;
    if (t_insideItem) {
        // Isolated: while it waits this thread must not begin another item on top of this one.
        const auto threads = static_cast<unsigned>(tbb::this_task_arena::max_concurrency());
        tbb::this_task_arena::isolate([&] { complete = run.run(threads); });
    } else {
        callInArena(options, [&] { complete = run.run(threadCount(options)); });
    }
    return complete;
}

bool forEachItem(std::size_t count, const ParallelOptions &options, std::stop_token stop,
                 const std::function<void(std::size_t)> &item)
{
    ItemRun run(count, std::move(stop), item);
    bool complete = false;
    callInArena(options, [&] { complete = run.run(threadCount(options)); });
    return complete;
}

} // namespace ql
