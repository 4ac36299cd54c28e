// SPDX-License-Identifier: GPL-3.0-or-later
// The whole of the reference values, and the grids they were made with.
#include "core/quant/codebooks.h"
#include "core/quant/kernels.h"
#include "tests/support/golden.h"
#include "tests/support/testdata.h"

#include <QFile>
#include <QTest>

#include <span>

using namespace ql;

namespace {

/// The lines of a grid file, eight or four numbers each.
std::vector<std::vector<int>> readGrid(const QString &path)
{
    std::vector<std::vector<int>> lines;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return lines;
    while (!file.atEnd()) {
        std::vector<int> values;
        for (const QByteArray &word : file.readLine().simplified().split(' '))
            values.push_back(word.toInt());
        lines.push_back(values);
    }
    return lines;
}

template <class Entry>
std::string gridDifference(const char *name, std::span<const Entry> grid)
{
    const auto lines =
        readGrid(test::sharedPath(QStringLiteral("format/grids/%1_grid.txt").arg(QLatin1String(name))));
    if (lines.size() != grid.size())
        return std::string(name) + " has " + std::to_string(lines.size()) + " lines";
    for (std::size_t i = 0; i < grid.size(); ++i)
        for (std::size_t k = 0; k < sizeof(Entry); ++k)
            if (lines[i].size() != sizeof(Entry) || gridValue(grid[i], k) != lines[i][k])
                return std::string(name) + " entry " + std::to_string(i);
    return {};
}

} // namespace

class SharedGoldenTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!test::hasShared())
            QSKIP("not run: the shared reference data does not stand beside the checkout");
    }

    void everyKernelBitForBit()
    {
        const auto pairs = test::goldenPairs(test::sharedPath(QStringLiteral("golden/golden.gguf")));
        QCOMPARE(pairs.size(), std::size_t{70});
        std::size_t compared = 0;
        for (const Kernel &kernel : availableKernels()) {
            for (const test::GoldenPair &pair : pairs) {
                if (pair.encoded.type().type != kernel.type)
                    continue;
                const std::string what = pair.name + " " + std::string(kernel.implementation);
                QVERIFY2(test::differingWeights(kernel.decode, pair) == 0, what.c_str());
                ++compared;
            }
        }
        QCOMPARE(compared, 70 * availableImplementations().size());
    }

    void gridsAreTheOnesOfTheFormat()
    {
        QCOMPARE(gridDifference<std::uint64_t>("iq2xxs", GridIQ2XXS), std::string());
        QCOMPARE(gridDifference<std::uint64_t>("iq2xs", GridIQ2XS), std::string());
        QCOMPARE(gridDifference<std::uint64_t>("iq2s", GridIQ2S), std::string());
        QCOMPARE(gridDifference<std::uint64_t>("iq1s", GridIQ1S), std::string());
        QCOMPARE(gridDifference<std::uint32_t>("iq3xxs", GridIQ3XXS), std::string());
        QCOMPARE(gridDifference<std::uint32_t>("iq3s", GridIQ3S), std::string());
    }
};

QTEST_APPLESS_MAIN(SharedGoldenTest)
#include "tst_shared_golden.moc"
