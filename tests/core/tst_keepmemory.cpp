// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/keepmemory.h"

#include <QTest>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool HasOwnAllocator = true;
#else
constexpr bool HasOwnAllocator = false;
#endif

namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

/// Of this process, file pages left out.
std::size_t residentBytes()
{
    std::size_t total = 0, resident = 0, shared = 0;
    std::ifstream("/proc/self/statm") >> total >> resident >> shared;
    return (resident - shared) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// What a scan does: some buffers of a few megabytes, used and given back.
void useBuffers()
{
    std::vector<std::unique_ptr<std::vector<char>>> buffers;
    for (int i = 0; i < 12; ++i)
        buffers.push_back(std::make_unique<std::vector<char>>(2 * MiB, static_cast<char>(i)));
}

} // namespace

class TestKeepMemory : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (HasOwnAllocator || !std::ifstream("/proc/self/statm"))
            QSKIP("not run: the C library's allocator is not in use, or memory is not told");
        ql::keepFreedMemory();
    }

    void keepsWhatOneThreadFreed()
    {
        useBuffers();
        QVERIFY(residentBytes() > 20 * MiB);
    }

    void keepsNoMoreForManyThreads()
    {
        // At the same time, so that each would like memory of its own. What lies below something still in use
        // can't be given back, hence the best of some.
        std::size_t kept = residentBytes() + 1024 * MiB;
        for (int round = 0; round < 8; ++round) {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 16; ++i)
                threads.emplace_back(useBuffers);
            threads.clear();
            kept = std::min(kept, residentBytes());
        }
        QVERIFY2(kept < 128 * MiB, std::to_string(kept / MiB).c_str());
    }
};

QTEST_APPLESS_MAIN(TestKeepMemory)
#include "tst_keepmemory.moc"
