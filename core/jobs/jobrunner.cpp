// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/jobrunner.h"

#include <QElapsedTimer>

#include <algorithm>
#include <atomic>

namespace ql {

namespace {

constexpr int ProgressIntervalMs = 100;
// Small things on the screen (a page of values, a list) must not wait behind a long scan.
constexpr int ViewThreads = 4;

} // namespace

double JobStatus::perSecond() const
{
    return elapsedMs > 0 ? 1000.0 * static_cast<double>(done) / static_cast<double>(elapsedMs) : 0.0;
}

qint64 JobStatus::remainingMs() const
{
    if (done == 0 || total < done)
        return -1;
    const double share = static_cast<double>(total - done) / static_cast<double>(done);
    return static_cast<qint64>(share * static_cast<double>(elapsedMs));
}

struct JobRunner::Job {
    JobId id = 0;
    Lane lane = Lane::View;
    QString slot;
    QString title;
    Work work;
    std::stop_source stop;
    QElapsedTimer clock;
    std::atomic<quint64> done = 0;
    std::atomic<quint64> total = 0;
    bool superseded = false; ///< GUI thread only: its results are no longer wanted

    JobStatus status() const
    {
        return {id, lane, slot, title, done.load(), total.load(), clock.elapsed()};
    }
};

struct JobRunner::LaneQueue {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::deque<JobPtr> waiting;
    std::vector<std::jthread> threads;
};

JobRunner::JobRunner(QObject *parent)
    : QObject(parent)
{
    m_progressTimer.setInterval(ProgressIntervalMs);
    connect(&m_progressTimer, &QTimer::timeout, this, &JobRunner::reportProgress);
    for (const Lane lane : {Lane::View, Lane::Model, Lane::Task}) {
        auto queue = std::make_unique<LaneQueue>();
        const int threads = lane == Lane::View ? ViewThreads : 1;
        for (int i = 0; i < threads; ++i)
            queue->threads.emplace_back([this, q = queue.get()](std::stop_token stop) { runLane(stop, *q); });
        m_queues.emplace(lane, std::move(queue));
    }
}

JobRunner::~JobRunner()
{
    for (const auto &job : m_jobs)
        job->stop.request_stop();
    for (auto &[lane, queue] : m_queues)
        for (auto &thread : queue->threads)
            thread.request_stop();
    m_queues.clear(); // joins
}

JobRunner::LaneQueue &JobRunner::queueOf(Lane lane) { return *m_queues.at(lane); }

JobId JobRunner::enqueue(Lane lane, const QString &slot, const QString &title, Work work)
{
    if (lane != Lane::Task)
        supersede(lane, slot);
    auto job = std::make_shared<Job>();
    job->id = ++m_lastId;
    job->lane = lane;
    job->slot = slot;
    job->title = title;
    job->work = std::move(work);
    job->clock.start();
    m_jobs.push_back(job);
    m_progressTimer.start();
    {
        LaneQueue &queue = queueOf(lane);
        const std::lock_guard lock(queue.mutex);
        queue.waiting.push_back(job);
        queue.wake.notify_one();
    }
    emit started(job->id);
    return job->id;
}

void JobRunner::supersede(Lane lane, const QString &slot)
{
    for (const auto &job : std::vector(m_jobs)) {
        if (job->lane == lane && job->slot == slot) {
            job->superseded = true;
            job->stop.request_stop();
            forget(job);
        }
    }
}

void JobRunner::runLane(std::stop_token stop, LaneQueue &queue)
{
    while (true) {
        JobPtr job;
        {
            std::unique_lock lock(queue.mutex);
            if (!queue.wake.wait(lock, stop, [&] { return !queue.waiting.empty(); }))
                return;
            if (stop.stop_requested())
                return;
            job = queue.waiting.front();
            queue.waiting.pop_front();
        }
        run(job);
    }
}

void JobRunner::run(const JobPtr &job)
{
    const bool isView = job->lane == Lane::View;
    if (isView) {
        const std::lock_guard lock(m_viewMutex);
        ++m_viewJobs;
    }
    Outcome outcome{true, {}};
    if (!job->stop.stop_requested())
        outcome = job->work(contextFor(job));
    if (isView) {
        const std::lock_guard lock(m_viewMutex);
        --m_viewJobs;
        m_viewIdle.notify_all();
    }
    job->work = {}; // lets go of the model on this thread
    m_mailbox.post([this, job, outcome = std::move(outcome)] { complete(job, outcome); });
}

JobContext JobRunner::contextFor(const JobPtr &job)
{
    JobContext context;
    context.stop = job->stop.get_token();
    context.progress = [this, job](const Progress &progress) {
        job->done.store(progress.done, std::memory_order_relaxed);
        job->total.store(progress.total, std::memory_order_relaxed);
        if (job->lane == Lane::Model)
            waitWhileViewWorks(job->stop.get_token());
    };
    context.post = [this, job](std::function<void()> action) {
        m_mailbox.post([job, action = std::move(action)] { if (!job->superseded) action(); });
    };
    return context;
}

void JobRunner::waitWhileViewWorks(std::stop_token stop)
{
    std::unique_lock lock(m_viewMutex);
    m_viewIdle.wait(lock, stop, [this] { return m_viewJobs == 0; });
}

void JobRunner::complete(const JobPtr &job, const Outcome &outcome)
{
    if (job->superseded)
        return;
    forget(job);
    if (outcome.stopped) {
        emit stopped(job->id);
    } else {
        outcome.deliver();
        emit finished(job->id);
    }
    if (m_jobs.empty())
        emit idle();
}

void JobRunner::forget(const JobPtr &job)
{
    std::erase(m_jobs, job);
    if (m_jobs.empty())
        m_progressTimer.stop();
}

void JobRunner::cancel(JobId id)
{
    for (const auto &job : m_jobs)
        if (job->id == id)
            job->stop.request_stop();
}

void JobRunner::cancelSlot(Lane lane, const QString &slot)
{
    for (const auto &job : m_jobs)
        if (job->lane == lane && job->slot == slot)
            job->stop.request_stop();
}

void JobRunner::cancelAll()
{
    for (const auto &job : m_jobs)
        job->stop.request_stop();
}

std::vector<JobStatus> JobRunner::active() const
{
    std::vector<JobStatus> result;
    result.reserve(m_jobs.size());
    for (const auto &job : m_jobs)
        result.push_back(job->status());
    return result;
}

bool JobRunner::isActive(JobId id) const
{
    return std::ranges::any_of(m_jobs, [id](const JobPtr &job) { return job->id == id; });
}

bool JobRunner::isSlotActive(Lane lane, const QString &slot) const
{
    return std::ranges::any_of(
        m_jobs, [&](const JobPtr &job) { return job->lane == lane && job->slot == slot; });
}

void JobRunner::reportProgress()
{
    for (const auto &status : active())
        emit progressed(status);
}

} // namespace ql
