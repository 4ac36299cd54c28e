// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/jobrunner.h"

#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include <atomic>
#include <latch>

using namespace ql;

namespace {

const QString Slot = QStringLiteral("slot");

std::function<Result<int>(const JobContext &)> immediately(int value)
{
    return [value](const JobContext &) -> Result<int> { return value; };
}

/// Runs until it is asked to stop.
Result<int> untilStopped(const JobContext &context)
{
    while (!context.stop.stop_requested())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return failure(StoppedCode, "stopped");
}

} // namespace

class JobRunnerTest : public QObject
{
    Q_OBJECT

private slots:
    void deliversOnTheGuiThread()
    {
        JobRunner runner;
        QSignalSpy finished(&runner, &JobRunner::finished);
        int got = 0;
        QThread *thread = nullptr;
        runner.start<int>(Lane::View, Slot, {}, immediately(42), [&](Result<int> r) {
            got = *r;
            thread = QThread::currentThread();
        });
        QVERIFY(finished.wait());
        QCOMPARE(got, 42);
        QCOMPARE(thread, QThread::currentThread());
        QVERIFY(runner.active().empty());
    }

    /// What a delivery holds ends on the GUI thread as well, however late the lane is done with it.
    void whatWasDeliveredIsLetGoOnTheGuiThread()
    {
        JobRunner runner;
        QThread *const gui = QThread::currentThread();
        std::atomic<int> here = 0;
        std::atomic<int> elsewhere = 0;
        const auto held = [&] {
            return std::shared_ptr<void>(
                nullptr, [&](void *) { ++(QThread::currentThread() == gui ? here : elsewhere); });
        };
        constexpr int Jobs = 1000;
        for (int i = 0; i < Jobs; ++i) {
            runner.start<int>(
                Lane::View, QString::number(i), {},
                [&held](const JobContext &context) -> Result<int> {
                    context.post([estimate = held()] {});
                    return 1;
                },
                [result = held()](Result<int>) {});
            if (i % 8 == 0)
                QCoreApplication::processEvents();
        }
        QTRY_COMPARE(here + elsewhere, 2 * Jobs);
        QCOMPARE(elsewhere.load(), 0);
    }

    void errorsAreDelivered()
    {
        JobRunner runner;
        QSignalSpy finished(&runner, &JobRunner::finished);
        QString code;
        runner.start<int>(
            Lane::View, Slot, {},
            [](const JobContext &) -> Result<int> { return failure("broken", "it broke"); },
            [&](Result<int> r) { code = QString::fromStdString(r.error().code); });
        QVERIFY(finished.wait());
        QCOMPARE(code, QStringLiteral("broken"));
    }

    void newestOfASlotWins()
    {
        JobRunner runner;
        QSignalSpy finished(&runner, &JobRunner::finished);
        std::vector<int> delivered;
        const auto deliver = [&](Result<int> r) { delivered.push_back(*r); };
        for (int i = 0; i < 50; ++i)
            runner.start<int>(Lane::View, Slot, {}, immediately(i), deliver);
        QTRY_VERIFY(!delivered.empty() && delivered.back() == 49);
        QCOMPARE(delivered, std::vector<int>{49});
        QCOMPARE(finished.count(), 1);
    }

    void otherSlotsAreLeftAlone()
    {
        JobRunner runner;
        QSignalSpy finished(&runner, &JobRunner::finished);
        const JobId scan = runner.start<int>(Lane::View, QStringLiteral("scan"), {}, untilStopped, [](Result<int>) {});
        int got = 0;
        runner.start<int>(Lane::View, Slot, {}, immediately(7), [&](Result<int> r) { got = *r; });
        QVERIFY(finished.wait());
        QCOMPARE(got, 7);
        QVERIFY(runner.isActive(scan));
    }

    void cancelIsNotFailure()
    {
        JobRunner runner;
        QSignalSpy stopped(&runner, &JobRunner::stopped);
        bool delivered = false;
        const JobId id = runner.start<int>(Lane::View, Slot, {}, untilStopped, [&](Result<int>) { delivered = true; });
        runner.cancel(id);
        QVERIFY(stopped.wait());
        QVERIFY(!delivered);
    }

    void postedEstimatesOfSupersededJobsAreDropped()
    {
        JobRunner runner;
        QSignalSpy finished(&runner, &JobRunner::finished);
        std::latch posted(1);
        bool stale = false;
        runner.start<int>(
            Lane::View, Slot, {},
            [&](const JobContext &context) {
                context.post([&] { stale = true; });
                posted.count_down();
                return untilStopped(context);
            },
            [](Result<int>) {});
        posted.wait();
        runner.start<int>(Lane::View, Slot, {}, immediately(1), [](Result<int>) {});
        QVERIFY(finished.wait());
        QVERIFY(!stale);
    }

    void modelLanePausesWhileViewWorks()
    {
        JobRunner runner;
        std::atomic<int> groups = 0;
        std::latch viewRuns(1);
        const JobId view = runner.start<int>(
            Lane::View, Slot, {},
            [&](const JobContext &context) {
                viewRuns.count_down();
                return untilStopped(context);
            },
            [](Result<int>) {});
        viewRuns.wait();
        QSignalSpy finished(&runner, &JobRunner::finished);
        runner.start<int>(
            Lane::Model, Slot, {},
            [&](const JobContext &context) -> Result<int> {
                for (int i = 0; i < 3; ++i) {
                    ++groups;
                    context.progress({1, 3});
                }
                return 0;
            },
            [](Result<int>) {});
        QTRY_COMPARE(groups.load(), 1);
        QTest::qWait(50); // it must stand still, so there is nothing to wait for
        QCOMPARE(groups.load(), 1);
        runner.cancel(view);
        QVERIFY(finished.wait());
        QCOMPARE(groups.load(), 3);
    }

    void tasksQueueUp()
    {
        JobRunner runner;
        QSignalSpy idle(&runner, &JobRunner::idle);
        std::vector<int> delivered;
        for (int i = 0; i < 3; ++i)
            runner.start<int>(Lane::Task, Slot, {}, immediately(i), [&](Result<int> r) { delivered.push_back(*r); });
        QVERIFY(idle.wait());
        QCOMPARE(delivered, (std::vector<int>{0, 1, 2}));
    }

    void destructionStopsAndWaits()
    {
        bool ended = false;
        {
            JobRunner runner;
            std::latch runs(1);
            runner.start<int>(
                Lane::View, Slot, {},
                [&](const JobContext &context) {
                    runs.count_down();
                    auto result = untilStopped(context);
                    ended = true;
                    return result;
                },
                [](Result<int>) {});
            runs.wait();
        }
        QVERIFY(ended);
    }

    void statusTellsRateAndTimeLeft()
    {
        const JobStatus status{1, Lane::View, {}, {}, 250, 1000, 500};
        QCOMPARE(status.perSecond(), 500.0);
        QCOMPARE(status.remainingMs(), 1500);
        QCOMPARE(JobStatus{}.remainingMs(), -1);
    }
};

QTEST_GUILESS_MAIN(JobRunnerTest)
#include "tst_jobrunner.moc"
