// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/guarded.h"
#include "core/parallel/reduce.h"

#include <QTest>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/resource.h>

using namespace ql;

namespace {

ParallelOptions withThreads(unsigned threads, bool lowPriority = false)
{
    return {threads, lowPriority};
}

void busyFor(std::chrono::microseconds time)
{
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

} // namespace

class TestReduce : public QObject
{
    Q_OBJECT

private slots:
    void mergesInOrder_data();
    void mergesInOrder();
    void sumsHaveTheSameBits();
    void tinyGroupsAreHandedOver();
    void nothingToDoIsDone();
    void stopEndsIt();
    void stopBeforehandMakesNothing();
    void fewPartialsAreAlive();
    void exceptionsArriveOnTheCallingThread();
    void guardedTurnsThemIntoErrors();
    void lowPriorityLeavesTheCallerAlone();
    void itemsAllRunAndNest();
    void itemsStop();
};

void TestReduce::mergesInOrder_data()
{
    QTest::addColumn<unsigned>("threads");
    QTest::addColumn<bool>("lowPriority");
    for (const unsigned threads : {0u, 1u, 2u, 3u, 8u}) {
        QTest::addRow("%u threads", threads) << threads << false;
        QTest::addRow("%u threads, low priority", threads) << threads << true;
    }
}

void TestReduce::mergesInOrder()
{
    QFETCH(unsigned, threads);
    QFETCH(bool, lowPriority);
    std::vector<std::size_t> order;
    const bool complete = reduce<std::size_t>(
        300, withThreads(threads, lowPriority), {},
        [](std::size_t i) {
            busyFor(std::chrono::microseconds((i * 37) % 90));
            return i * i;
        },
        [&](std::size_t i, std::size_t &&square) {
            QCOMPARE(square, i * i);
            order.push_back(i);
        });
    QVERIFY(complete);
    std::vector<std::size_t> expected(300);
    std::iota(expected.begin(), expected.end(), 0u);
    QCOMPARE(order, expected);
}

void TestReduce::sumsHaveTheSameBits()
{
    const auto sumWith = [](unsigned threads) {
        double sum = 0;
        reduce<double>(
            1000, withThreads(threads), {},
            [](std::size_t i) { return 1.0 / static_cast<double>(3 * i + 1); },
            [&](std::size_t, double &&part) { sum += part; });
        return sum;
    };
    const double one = sumWith(1);
    QVERIFY(one > 3);
    for (const unsigned threads : {2u, 3u, 8u})
        QVERIFY(sumWith(threads) == one);
}

/// More groups than places for them, and no work in any: what one group leaves is taken by a later
/// one on another thread as often as can be. ThreadSanitizer checks how that is ordered.
void TestReduce::tinyGroupsAreHandedOver()
{
    constexpr std::size_t Groups = 50000;
    for (const unsigned threads : {2u, 3u, 8u}) {
        std::size_t sum = 0;
        QVERIFY(reduce<std::size_t>(
            Groups, withThreads(threads), {}, [](std::size_t i) { return i; },
            [&](std::size_t, std::size_t &&i) { sum += i; }));
        QCOMPARE(sum, Groups * (Groups - 1) / 2);
    }
}

void TestReduce::nothingToDoIsDone()
{
    QVERIFY(reduce<int>(0, {}, {}, [](std::size_t) { return 1; }, [](std::size_t, int &&) {}));
    QVERIFY(forEachItem(0, {}, {}, [](std::size_t) {}));
}

void TestReduce::stopEndsIt()
{
    const auto source = std::make_unique<std::stop_source>();
    std::atomic<std::size_t> made = 0;
    std::size_t merged = 0;
    const bool complete = reduce<int>(
        100000, withThreads(2), source->get_token(),
        [&](std::size_t) {
            if (++made >= 50)
                source->request_stop();
            return 1;
        },
        [&](std::size_t i, int &&) {
            QCOMPARE(i, merged);
            ++merged;
        });
    QVERIFY(!complete);
    QVERIFY2(made < 60, "groups began long after the stop");
    QVERIFY(merged <= made);
}

void TestReduce::stopBeforehandMakesNothing()
{
    const auto source = std::make_unique<std::stop_source>();
    source->request_stop();
    std::atomic<int> made = 0;
    QVERIFY(!reduce<int>(
        10, {}, source->get_token(), [&](std::size_t) { return ++made; }, [](std::size_t, int &&) {}));
    QCOMPARE(made.load(), 0);
}

void TestReduce::fewPartialsAreAlive()
{
    struct Counted {
        explicit Counted(std::atomic<int> *alive) : counter(alive) { ++*counter; }
        Counted(Counted &&other) noexcept : counter(other.counter) { ++*counter; }
        ~Counted() { --*counter; }
        std::atomic<int> *counter;
    };
    std::atomic<int> alive = 0;
    std::atomic<int> most = 0;
    reduce<Counted>(
        500, withThreads(2), {},
        [&](std::size_t i) {
            if (i == 0)
                busyFor(std::chrono::milliseconds(20)); // all others have to wait for its merge
            Counted partial(&alive);
            int seen = most;
            while (alive > seen && !most.compare_exchange_weak(seen, alive)) {
            }
            return partial;
        },
        [](std::size_t, Counted &&) {});
    QCOMPARE(alive.load(), 0);
    QVERIFY(most <= 12);
}

void TestReduce::exceptionsArriveOnTheCallingThread()
{
    for (const bool lowPriority : {false, true}) {
        const auto failing = [&] {
            reduce<int>(
                100, withThreads(2, lowPriority), {},
                [](std::size_t i) -> int {
                    if (i == 20)
                        throw std::runtime_error("no more");
                    return 0;
                },
                [](std::size_t, int &&) {});
        };
        QVERIFY_EXCEPTION_THROWN(failing(), std::runtime_error);
    }
}

void TestReduce::guardedTurnsThemIntoErrors()
{
    const auto memory = guarded([]() -> Result<int> { throw std::bad_alloc(); });
    QVERIFY(!memory);
    QCOMPARE(memory.error().code, std::string("out-of-memory"));
    const auto other = guarded([]() -> Result<int> { throw std::runtime_error("why"); });
    QCOMPARE(other.error().message, std::string("why"));
    QCOMPARE(guarded([]() -> Result<int> { return 7; }).value(), 7);
}

void TestReduce::lowPriorityLeavesTheCallerAlone()
{
    const int before = getpriority(PRIO_PROCESS, 0);
    std::mutex mutex;
    std::set<int> seen;
    reduce<int>(
        200, withThreads(2, true), {},
        [&](std::size_t) {
            busyFor(std::chrono::microseconds(50));
            const std::lock_guard lock(mutex);
            seen.insert(getpriority(PRIO_PROCESS, 0));
            return 0;
        },
        [](std::size_t, int &&) {});
    QCOMPARE(getpriority(PRIO_PROCESS, 0), before);
    QVERIFY(!seen.contains(before));
}

void TestReduce::itemsAllRunAndNest()
{
    for (const unsigned threads : {1u, 2u, 8u}) {
        std::vector<double> sums(40);
        const bool complete = forEachItem(sums.size(), withThreads(threads), {}, [&](std::size_t item) {
            reduce<double>(
                item + 1, {}, {}, [](std::size_t i) { return static_cast<double>(i); },
                [&](std::size_t, double &&part) { sums[item] += part; });
        });
        QVERIFY(complete);
        for (std::size_t i = 0; i < sums.size(); ++i)
            QCOMPARE(sums[i], static_cast<double>(i * (i + 1) / 2));
    }
}

void TestReduce::itemsStop()
{
    const auto source = std::make_unique<std::stop_source>();
    std::atomic<int> begun = 0;
    QVERIFY(!forEachItem(10000, withThreads(2), source->get_token(), [&](std::size_t) {
        if (++begun >= 10)
            source->request_stop();
    }));
    QVERIFY(begun < 20);
}

QTEST_APPLESS_MAIN(TestReduce)
#include "tst_reduce.moc"
