// SPDX-License-Identifier: GPL-3.0-or-later
// Scans of the types whose values are counted run by run, or with their scales, against plain sums in long
// double over the weights one by one.
#include "core/quant/dequantize.h"
#include "core/quant/kernels.h"
#include "core/quant/levelplanes.h"
#include "core/quant/quantize.h"
#include "core/stats/scaledcounter.h"
#include "core/stats/tensorstats.h"
#include "tests/support/figurecheck.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/plainfigures.h"

#include <QTemporaryDir>
#include <QTest>

#include <random>
#include <string>

using namespace ql;
using namespace ql::test;

namespace {

using Shape = std::vector<std::uint64_t>;

enum class Kind { Gaussian, Offset, Outliers, Zeros, AnyBytes };

constexpr std::array Kinds{Kind::Gaussian, Kind::Offset, Kind::Outliers, Kind::Zeros, Kind::AnyBytes};
constexpr std::array KindNames{"gaussian", "offset", "outliers", "zeros", "any bytes"};

/// Blocks of a few rows, repeated: encoding takes its time.
QByteArray blocksOf(const TypeTraits &type, Kind kind, std::size_t weights)
{
    std::mt19937 random(static_cast<unsigned>(weights) + static_cast<unsigned>(kind));
    std::normal_distribution<float> normal;
    const std::size_t n = std::min<std::size_t>(weights / type.blockSize, 20001);
    const QuantizeFn encode = quantizer(type.type);
    std::vector<float> values(type.blockSize);
    QByteArray own(static_cast<qsizetype>(n * type.blockBytes), Qt::Uninitialized);
    for (std::size_t i = 0; i < n; ++i) {
        auto *const at = reinterpret_cast<std::byte *>(own.data()) + i * type.blockBytes;
        if (!encode || kind == Kind::AnyBytes) {
            std::generate_n(at, type.blockBytes, [&] { return static_cast<std::byte>(random()); });
            continue;
        }
        for (float &w : values) {
            w = 0.02f * normal(random);
            if (kind == Kind::Offset)
                w += 1;
            if (kind == Kind::Outliers && random() % 20000 == 0)
                w *= 500;
            if (kind == Kind::Zeros)
                w = 0;
        }
        encode(values.data(), at, 1);
    }
    QByteArray all;
    const auto size = static_cast<qsizetype>(weights / type.blockSize * type.blockBytes);
    while (all.size() < size)
        all += own;
    return all.left(size);
}

std::vector<float> weightsOf(const TypeTraits &type, const QByteArray &blocks)
{
    const std::size_t n = static_cast<std::size_t>(blocks.size()) / type.blockBytes;
    std::vector<float> weights(n * type.blockSize);
    referenceDequantizer(type.type)(reinterpret_cast<const std::byte *>(blocks.data()), weights.data(), n);
    return weights;
}

std::size_t elementsOf(const Shape &ne)
{
    std::size_t n = 1;
    for (const auto dim : ne)
        n *= dim;
    return n;
}

} // namespace

class TestLevelScan : public QObject
{
    Q_OBJECT

private slots:
    void figuresAreThePlainOnes_data();
    void figuresAreThePlainOnes();
    void heatMapsAreThoseOfTheWeights_data() { types(); }
    void heatMapsAreThoseOfTheWeights();
    void expertsAreTheirOwn_data() { types(); }
    void expertsAreTheirOwn();
    void sameBitsHoweverItRuns_data() { types(); }
    void sameBitsHoweverItRuns();
    void bigEndianIsTheSame_data() { types(true); }
    void bigEndianIsTheSame();
    void manyRunsOfOneScaleDoNotOverflow();
    void totalsAreTheSameHoweverGathered();

private:
    /// All types with levels, or those of them that may be big-endian.
    void types(bool bigEndian = false)
    {
        QTest::addColumn<int>("type");
        for (const TypeTraits &type : typeTable()) {
            if (levelType(type.type) && (type.bigEndianDecodable || !bigEndian))
                QTest::addRow("%s", std::string(type.name).c_str()) << static_cast<int>(type.type);
        }
    }
    TensorView viewOf(GgmlType type, const Shape &ne, const QByteArray &blocks, bool bigEndian = false)
    {
        GgufBuilder builder;
        if (bigEndian)
            builder.bigEndian();
        const QString path = m_dir.filePath(QStringLiteral("%1.gguf").arg(m_files++ % 4));
        builder.tensor("blk.0.ffn_up_exps.weight", type, ne, blocks).writeTo(path);
        return TensorView::ofTensor(openOrFail(path), TensorIndex{0}).value();
    }
    static TensorStatsPtr scanned(const TensorView &view, const ScanOptions &options = {})
    {
        const auto stats = scanTensor(view, options);
        return stats ? *stats : nullptr;
    }

    QTemporaryDir m_dir;
    int m_files = 0;
};

void TestLevelScan::figuresAreThePlainOnes_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<Kind>("kind");
    for (const TypeTraits &type : typeTable()) {
        for (std::size_t i = 0; levelType(type.type) && i < Kinds.size(); ++i)
            QTest::addRow("%s %s", std::string(type.name).c_str(), KindNames[i]) << static_cast<int>(type.type) << Kinds[i];
    }
}

void TestLevelScan::figuresAreThePlainOnes()
{
    QFETCH(int, type);
    QFETCH(Kind, kind);
    const TypeTraits &traits = *findType(static_cast<std::uint32_t>(type));
    // Part of a tile; rows that tiles don't end at; few to count scales in, and enough.
    std::vector<Shape> shapes{{256}, {768, 91}, {4352, 30}};
    if (kind == Kind::Gaussian || kind == Kind::AnyBytes)
        shapes.push_back({1024, 520});
    for (const Shape &ne : shapes) {
        const QByteArray blocks = blocksOf(traits, kind, elementsOf(ne));
        const PlainFigures plain(weightsOf(traits, blocks));
        const auto stats = scanned(viewOf(traits.type, ne, blocks), {.bins = 100});
        QVERIFY(stats);
        QCOMPARE(difference(stats->figures, plain), QString());
        QCOMPARE(stats->figures.fine.counts, plain.bins(FineBins, plain.min, plain.max));
        QCOMPARE(stats->histogram->counts, plain.bins(100, plain.min, plain.max));
        if (const auto &core = stats->figures.core) {
            std::vector<float> inside;
            for (const double x : plain.finite) {
                if (x >= *core->lo && x <= *core->hi)
                    inside.push_back(static_cast<float>(x));
            }
            QCOMPARE(core->counts, PlainFigures(inside).bins(core->counts.size(), *core->lo, *core->hi));
        }
        QVERIFY(stats->figures.core || kind != Kind::Outliers || ne[0] < 1000 || traits.type != GgmlType::Q4_K);
    }
}

void TestLevelScan::heatMapsAreThoseOfTheWeights()
{
    QFETCH(int, type);
    const TypeTraits &traits = *findType(static_cast<std::uint32_t>(type));
    for (const Kind kind : {Kind::Gaussian, Kind::AnyBytes}) {
        const Shape ne{1280, 415};
        const QByteArray blocks = blocksOf(traits, kind, elementsOf(ne));
        const TensorView view = viewOf(traits.type, ne, blocks);
        const auto weights = weightsOf(traits, blocks);
        const auto stats = scanned(view);
        const HeatMap &map = *stats->heatMap;
        QCOMPARE(map.rows * map.rowsPerCell, std::size_t{ne[1]});
        for (std::size_t row = 0; row < map.rows; ++row) {
            for (std::size_t column = 0; column < map.columns; ++column) {
                std::vector<float> cell;
                for (std::size_t r = row * map.rowsPerCell; r < (row + 1) * map.rowsPerCell; ++r)
                    cell.insert(cell.end(), weights.data() + r * ne[0] + column * map.weightsPerCell,
                                weights.data() + r * ne[0] + (column + 1) * map.weightsPerCell);
                const PlainFigures plain(cell);
                const std::size_t at = map.index(row, column);
                QCOMPARE(map.nonFinite[at], static_cast<std::uint32_t>(plain.nan + plain.inf));
                if (plain.finite.empty())
                    continue;
                const auto near = [](float value, long double right, long double size) {
                    return std::abs(static_cast<long double>(value) - right) <= 1e-5L * size;
                };
                QVERIFY(near(map.rms[at], plain.rms, plain.rms));
                QVERIFY(near(map.mean[at], plain.mean, plain.rms));
                QVERIFY(near(std::abs(map.absMax[at]), std::max(std::abs(plain.min), std::abs(plain.max)), 0));
                const auto finite = static_cast<long double>(plain.finite.size());
                QVERIFY(near(map.zeroShare[at], static_cast<long double>(plain.zeros) / finite, 1));
            }
        }
    }
}

void TestLevelScan::expertsAreTheirOwn()
{
    QFETCH(int, type);
    const TypeTraits &traits = *findType(static_cast<std::uint32_t>(type));
    // Too small for groups of their own; a group each, too few to count scales in, and enough; two groups each.
    std::vector<Shape> shapes{{256, 5, 40}, {512, 300, 3}, {1024, 520, 2}};
    if (traits.type == GgmlType::Q4_0 || traits.type == GgmlType::NVFP4)
        shapes.push_back({1024, 1040, 2});
    for (const Shape &ne : shapes) {
        const std::size_t slab = ne[0] * ne[1];
        QByteArray blocks;
        for (std::size_t k = 0; k < ne[2]; ++k)
            blocks += blocksOf(traits, Kinds[k % 4], slab);
        const auto weights = weightsOf(traits, blocks);
        const PlainFigures plain(weights);
        const TensorView view = viewOf(traits.type, ne, blocks);
        const auto stats = scanned(view, {.bins = 100, .perExpert = true});
        QVERIFY(stats);
        QCOMPARE(difference(stats->figures, plain), QString());
        for (std::size_t k = 0; k < ne[2]; ++k) {
            const Figures &expert = stats->experts[k];
            const PlainFigures own(std::span<const float>(weights).subspan(k * slab, slab));
            QCOMPARE(difference(expert, own), QString());
            QCOMPARE(expert.fine.counts, own.bins(expert.fine.counts.size(), plain.min, plain.max));
            QCOMPARE(expert.asked->counts, own.bins(100, plain.min, plain.max));
            const auto alone = scanned(TensorView::ofExpert(view.modelPtr(), view.tensor(), k).value());
            QCOMPARE(alone->figures.moments, expert.moments);
        }
        auto without = std::make_shared<TensorStats>(*scanned(view, {.bins = 100}));
        without->experts = stats->experts;
        QVERIFY(areSameBits(*stats, *without));
    }
}

void TestLevelScan::sameBitsHoweverItRuns()
{
    QFETCH(int, type);
    const TypeTraits &traits = *findType(static_cast<std::uint32_t>(type));
    for (const Kind kind : {Kind::Outliers, Kind::AnyBytes}) {
        for (const Shape &ne : {Shape{1024, 1040}, Shape{768, 100, 4}}) { // two groups; small experts
            const TensorView view = viewOf(traits.type, ne, blocksOf(traits, kind, elementsOf(ne)));
            QCOMPARE(runWithOtherBits(view, {.bins = 100, .perExpert = true}), QString());
        }
    }
}

void TestLevelScan::bigEndianIsTheSame()
{
    QFETCH(int, type);
    const TypeTraits &traits = *findType(static_cast<std::uint32_t>(type));
    const Shape ne{1024, 600};
    const QByteArray blocks = blocksOf(traits, Kind::Gaussian, elementsOf(ne));
    QByteArray swapped(blocks.size(), Qt::Uninitialized); // swapping twice gives the same
    swapBlocks(traits.type, reinterpret_cast<const std::byte *>(blocks.data()), reinterpret_cast<std::byte *>(swapped.data()),
               static_cast<std::size_t>(blocks.size()) / traits.blockBytes);
    const auto little = scanned(viewOf(traits.type, ne, blocks));
    const auto big = scanned(viewOf(traits.type, ne, swapped, true));
    QVERIFY(areSameBits(*little, *big));
}

void TestLevelScan::manyRunsOfOneScaleDoNotOverflow()
{
    ScaledCounter counter(16);
    std::uint8_t counts[16] = {};
    counts[3] = 32;
    constexpr std::uint64_t Runs = 5000;
    const std::uint16_t bits = 0x3c00; // 1
    for (std::uint64_t i = 0; i < Runs; ++i)
        counter.add(counts, &bits, 1);
    const Moments moments = counter.tally(GgmlType::Q4_0).moments();
    QCOMPARE(moments.count, 32 * Runs);
    QCOMPARE(moments.min, -5.0);
    QCOMPARE(moments.max, -5.0);
}

void TestLevelScan::totalsAreTheSameHoweverGathered()
{
    std::mt19937 random(3);
    ScaledCounter all(32), some(32), others(32);
    for (int i = 0; i < 20000; ++i) {
        std::uint8_t counts[32];
        std::ranges::generate(counts, [&] { return static_cast<std::uint8_t>(random() % 2); });
        const auto bits = static_cast<std::uint16_t>(random() % 300);
        all.add(counts, &bits, 1);
        (random() % 3 ? some : others).add(counts, &bits, 1);
    }
    ScaledTotals first, second;
    QVERIFY(first.isEmpty());
    QCOMPARE(first.tally(GgmlType::Q5_0).moments().count, std::uint64_t{0});
    first.add(others);
    second.add(some);
    first.add(second);
    QCOMPARE(first.tally(GgmlType::Q5_0).moments(), all.tally(GgmlType::Q5_0).moments());
    first.clear();
    QVERIFY(first.isEmpty());
    some.clear();
    QVERIFY(some.isEmpty());
}

QTEST_APPLESS_MAIN(TestLevelScan)
#include "tst_levelscan.moc"
