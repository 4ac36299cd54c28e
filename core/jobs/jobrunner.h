// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/mailbox.h"
#include "core/model/error.h"
#include "core/parallel/progress.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace ql {

enum class Lane {
    View,  ///< what is on the screen now: the newest job of a slot wins
    Model, ///< whole-model maps and tables: pauses while View works, newest of a slot wins
    Task,  ///< export, convert, hash: queued, ended only by its own cancel
};

using JobId = quint64;

/// What a person may see of a running job. A value; times in milliseconds.
struct JobStatus {
    JobId id = 0;
    Lane lane = Lane::View;
    QString slot;
    QString title;
    quint64 done = 0;
    quint64 total = 0;
    qint64 elapsedMs = 0;

    double perSecond() const;
    /// Milliseconds left at the present rate, or -1 where nothing can be said yet.
    qint64 remainingMs() const;
};

/// What a job's work gets to see. Lives as long as the work runs; any thread.
class JobContext
{
public:
    std::stop_token stop;
    ProgressFn progress;
    /// Hands an intermediate result (an estimate) to the GUI thread; dropped once the job is no
    /// longer the newest of its slot.
    std::function<void(std::function<void()>)> post;
};

/// Runs work off the GUI thread and delivers on it. Every job has a number; a result is delivered
/// only while its number is still the newest of its slot. Stopped is not failed: a stopped job
/// delivers nothing and `stopped` is emitted. Lives on the GUI thread; its destructor stops,
/// cancels and waits for at most one group a lane.
class JobRunner final : public QObject
{
    Q_OBJECT

public:
    explicit JobRunner(QObject *parent = nullptr);
    ~JobRunner() override;

    /// `work` runs on a lane's thread; `deliver` on the GUI thread with what it returned. A job in
    /// the same lane and slot is superseded (stopped and forgotten), except in the Task lane.
    template <class T>
    JobId start(Lane lane, const QString &slot, const QString &title,
                std::function<Result<T>(const JobContext &)> work,
                std::function<void(Result<T>)> deliver)
    {
        return enqueue(lane, slot, title, [work = std::move(work), deliver = std::move(deliver)](
                                              const JobContext &context) -> Outcome {
            auto result = std::make_shared<Result<T>>(work(context));
            const bool stopped = !*result && result->error().code == StoppedCode;
            if (stopped)
                return {true, {}};
            return {false, [result, deliver] { deliver(std::move(*result)); }};
        });
    }

    void cancel(JobId id);
    void cancelSlot(Lane lane, const QString &slot);
    void cancelAll();

    /// Jobs queued or running, oldest first.
    std::vector<JobStatus> active() const;
    bool isActive(JobId id) const;
    bool isSlotActive(Lane lane, const QString &slot) const;

signals:
    void started(ql::JobId id);
    /// While jobs run, about every 100 ms, for each of them.
    void progressed(const ql::JobStatus &status);
    void finished(ql::JobId id);
    void stopped(ql::JobId id);
    /// The last active job ended.
    void idle();

private:
    struct Outcome {
        bool stopped = false;
        std::function<void()> deliver;
    };
    using Work = std::function<Outcome(const JobContext &)>;
    struct Job;
    struct LaneQueue;
    using JobPtr = std::shared_ptr<Job>;

    JobId enqueue(Lane lane, const QString &slot, const QString &title, Work work);
    void supersede(Lane lane, const QString &slot);
    void runLane(std::stop_token stop, LaneQueue &queue);
    void run(const JobPtr &job);
    JobContext contextFor(const JobPtr &job);
    void waitWhileViewWorks(std::stop_token stop);
    void complete(const JobPtr &job, const Outcome &outcome);
    void forget(const JobPtr &job);
    void reportProgress();
    LaneQueue &queueOf(Lane lane);

    std::map<Lane, std::unique_ptr<LaneQueue>> m_queues;
    std::vector<JobPtr> m_jobs; ///< GUI thread only
    std::mutex m_viewMutex;
    std::condition_variable_any m_viewIdle;
    int m_viewJobs = 0; ///< running in the View lane; under m_viewMutex
    JobId m_lastId = 0;
    Mailbox m_mailbox; ///< from the lanes to the GUI thread
    QTimer m_progressTimer;
};

} // namespace ql
