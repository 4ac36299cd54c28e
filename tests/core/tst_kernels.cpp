// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/kernels.h"

#include "tests/support/golden.h"
#include "tests/support/testdata.h"

#include <QProcess>
#include <QTest>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>

using namespace ql;

namespace {

constexpr float Canary = 12345.0f;
constexpr std::size_t CanaryFloats = 64;

std::string label(const Kernel &kernel)
{
    return std::string(traits(kernel.type).name) + " " + std::string(kernel.implementation);
}

/// Memory that ends where the next page can't be read: a decoder that looks past its blocks dies.
class GuardedBytes
{
public:
    explicit GuardedBytes(std::size_t size)
    {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t pages = (size + page - 1) / page * page;
        m_mapped = pages + page;
        m_map = static_cast<std::byte *>(
            mmap(nullptr, m_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(m_map + pages, page, PROT_NONE);
        m_bytes = m_map + pages - size;
    }
    ~GuardedBytes() { munmap(m_map, m_mapped); }
    GuardedBytes(const GuardedBytes &) = delete;
    GuardedBytes &operator=(const GuardedBytes &) = delete;

    std::byte *data() { return m_bytes; }

private:
    std::byte *m_map = nullptr;
    std::byte *m_bytes = nullptr;
    std::size_t m_mapped = 0;
};

void fillRandom(std::byte *bytes, std::size_t size, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::generate(bytes, bytes + size, [&] { return static_cast<std::byte>(random()); });
}

/// Decodes n random blocks with the kernel and the reference; where they part, or what was written
/// beyond the end, is told in words. `outOffset` misaligns the floats; the blocks end at a guard page,
/// which misaligns them as their size has it.
std::string difference(const Kernel &kernel, std::size_t n, std::size_t outOffset)
{
    const TypeTraits &type = traits(kernel.type);
    const std::size_t size = n * type.blockBytes;
    GuardedBytes blocks(size);
    fillRandom(blocks.data(), size, n * 31 + outOffset);

    const std::size_t weights = n * type.blockSize;
    std::vector<float> out(outOffset + weights + CanaryFloats, Canary);
    std::vector<float> expected(weights + 1);
    kernel.decode(blocks.data(), out.data() + outOffset, n);
    referenceDequantizer(kernel.type)(blocks.data(), expected.data(), n);

    for (std::size_t i = 0; i < weights; ++i)
        if (!test::isSameWeight(out[outOffset + i], expected[i]))
            return label(kernel) + ": weight " + std::to_string(i) + " of " + std::to_string(n) + " blocks";
    const auto end = out.begin() + static_cast<std::ptrdiff_t>(outOffset + weights);
    if (std::any_of(end, out.end(), [](float f) { return f != Canary; }))
        return label(kernel) + ": wrote past the end of " + std::to_string(n) + " blocks";
    return {};
}

} // namespace

class KernelsTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup() { QVERIFY(forceImplementation("")); }

    void implementationsAreListedBestFirst()
    {
        const auto names = availableImplementations();
        QCOMPARE(names.back(), std::string_view("reference"));
        QCOMPARE(std::set<std::string_view>(names.begin(), names.end()).size(), names.size());
#if defined(__x86_64__)
        QVERIFY(names.size() >= 2); // every x86-64 of the last fifteen years has SSE4
#endif
    }

    void everyImplementationHasEveryTypeOnce()
    {
        for (const std::string_view name : availableImplementations()) {
            std::set<GgmlType> types;
            for (const Kernel &kernel : availableKernels())
                if (kernel.implementation == name)
                    QVERIFY(types.insert(kernel.type).second);
            QCOMPARE(types.size(), std::size_t{35});
        }
    }

    void forcedIsTheOneThatRuns()
    {
        for (const std::string_view name : availableImplementations()) {
            QVERIFY(forceImplementation(name));
            for (const Kernel &kernel : availableKernels()) {
                QCOMPARE(activeImplementation(kernel.type), name);
                const bool isRunning = dequantizer(kernel.type) == kernel.decode;
                QVERIFY2(isRunning == (kernel.implementation == name), label(kernel).c_str());
            }
        }
    }

    void unknownNamesChangeNothing()
    {
        QVERIFY(forceImplementation("reference"));
        QVERIFY(!forceImplementation("mmx"));
        QCOMPARE(activeImplementation(GgmlType::Q4_K), std::string_view("reference"));
        QVERIFY(forceImplementation(""));
        QCOMPARE(activeImplementation(GgmlType::Q4_K), availableImplementations().front());
        QVERIFY(activeImplementation(static_cast<GgmlType>(4)).empty());
    }

    void environmentForcesAtStart_data()
    {
        QTest::addColumn<QString>("asked");
        QTest::addColumn<QString>("answer");
        for (const std::string_view name : availableImplementations()) {
            const QString text = QString::fromUtf8(name.data(), static_cast<int>(name.size()));
            QTest::newRow(qPrintable(text)) << text << text + QStringLiteral(" honoured");
        }
        const std::string_view best = availableImplementations().front();
        const QString text = QString::fromUtf8(best.data(), static_cast<int>(best.size()));
        QTest::newRow("nothing") << QString() << text + QStringLiteral(" honoured");
        QTest::newRow("unknown") << QStringLiteral("mmx") << text + QStringLiteral(" not honoured");
    }

    /// In a process of its own, since the variable is read once.
    void environmentForcesAtStart()
    {
        QFETCH(QString, asked);
        QFETCH(QString, answer);
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QUANTLOUPE_KERNELS"), asked);
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--print-active")});
        QVERIFY(process.waitForFinished());
        QCOMPARE(QString::fromUtf8(process.readAllStandardOutput()), answer);
    }

    void goldenBitForBit()
    {
        const auto pairs = test::goldenPairs(test::dataPath(QStringLiteral("golden/golden-small.gguf")));
        QCOMPARE(pairs.size(), std::size_t{70});
        for (const Kernel &kernel : availableKernels())
            for (const test::GoldenPair &pair : pairs)
                if (pair.encoded.type().type == kernel.type)
                    QVERIFY2(test::differingWeights(kernel.decode, pair) == 0, label(kernel).c_str());
    }

    void randomBlocksOfAllSizes()
    {
        for (const Kernel &kernel : availableKernels()) {
            for (const std::size_t n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 200}) {
                const std::string found = difference(kernel, n, 0);
                QVERIFY2(found.empty(), found.c_str());
            }
        }
    }

    void anyAlignment()
    {
        for (const Kernel &kernel : availableKernels()) {
            for (std::size_t offset = 0; offset < 16; ++offset) {
                const std::string found = difference(kernel, 2 * offset + 1, offset);
                QVERIFY2(found.empty(), found.c_str());
            }
        }
    }
};

int main(int argc, char **argv)
{
    if (argc == 2 && std::string_view(argv[1]) == "--print-active") {
        const std::string_view name = activeImplementation(GgmlType::Q4_K);
        std::printf("%.*s%s", static_cast<int>(name.size()), name.data(),
                    kernelRequest().honoured ? " honoured" : " not honoured");
        return 0;
    }
    QCoreApplication app(argc, argv);
    KernelsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_kernels.moc"
