// SPDX-License-Identifier: GPL-3.0-or-later
// Scans of F16 and BF16, whose figures come from counts of bit patterns, against plain sums in long
// double over the weights one by one.
#include "core/quant/half.h"
#include "core/quant/kernels.h"
#include "core/stats/tensorstats.h"
#include "tests/support/figurecheck.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/plainfigures.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cmath>
#include <functional>
#include <random>

using namespace ql;
using namespace ql::test;

namespace {

using Shape = std::vector<std::uint64_t>;
using Bits = std::vector<std::uint16_t>;

enum class Kind { Gaussian, AnyPattern, Offset, Outliers, Constant, Zeros, NotFinite, Subnormal, Ternary };

constexpr std::array Kinds{Kind::Gaussian, Kind::AnyPattern, Kind::Offset,    Kind::Outliers, Kind::Constant,
                           Kind::Zeros,    Kind::NotFinite,  Kind::Subnormal, Kind::Ternary};
constexpr std::array KindNames{"gaussian", "any pattern", "offset",    "outliers", "constant",
                               "zeros",    "not finite",  "subnormal", "ternary"};

std::uint16_t bitsOf(GgmlType type, float x) { return type == GgmlType::BF16 ? floatToBf16(x) : floatToHalf(x); }

double valueOf(GgmlType type, std::uint16_t bits)
{
    return static_cast<double>(type == GgmlType::BF16 ? bf16ToFloat(bits) : halfToFloat(bits));
}

Bits someBits(GgmlType type, Kind kind, std::size_t n)
{
    std::mt19937 random(static_cast<unsigned>(n) + static_cast<unsigned>(kind));
    std::normal_distribution<float> normal;
    const std::uint16_t infinity = bitsOf(type, INFINITY);
    const auto one = [&]() -> std::uint16_t {
        switch (kind) {
        case Kind::Gaussian: return bitsOf(type, 0.02f * normal(random));
        case Kind::AnyPattern: return static_cast<std::uint16_t>(random());
        case Kind::Offset: return bitsOf(type, 100 + 0.01f * normal(random) + (random() % 64 == 0 ? 1.0f : 0.0f));
        case Kind::Outliers: return bitsOf(type, random() % 20000 ? 0.02f * normal(random) : 1000 * normal(random));
        case Kind::Constant: return bitsOf(type, 0.1f);
        case Kind::Zeros: return random() % 2 ? 0 : 0x8000;
        case Kind::NotFinite: return static_cast<std::uint16_t>((infinity + random() % 2) | (random() % 2 << 15));
        case Kind::Subnormal: return static_cast<std::uint16_t>(random() % 128 | (random() % 2 << 15));
        case Kind::Ternary: return bitsOf(type, static_cast<float>(random() % 3) - 1);
        }
        return 0;
    };
    Bits bits(n);
    std::ranges::generate(bits, one);
    return bits;
}

/// The figures by their definitions.
struct Plain : PlainFigures {
    Plain(GgmlType type, std::span<const std::uint16_t> bits) : PlainFigures(weightsOf(type, bits)) {}

private:
    static std::vector<float> weightsOf(GgmlType type, std::span<const std::uint16_t> bits)
    {
        std::vector<float> weights;
        for (const std::uint16_t b : bits)
            weights.push_back(static_cast<float>(valueOf(type, b)));
        return weights;
    }
};

std::vector<Shape> shapes()
{
    return {{1}, {70000}, {512, 512}, {4096, 70}, {33, 9000}, {1200001}};
}

} // namespace

class TestCountedScan : public QObject
{
    Q_OBJECT

private slots:
    void figuresAreThePlainOnes_data();
    void figuresAreThePlainOnes();
    void everyPatternAsOften_data() { types(); }
    void everyPatternAsOften();
    void expertsAreTheirOwn_data() { types(); }
    void expertsAreTheirOwn();
    void sameBitsHoweverItRuns_data() { types(); }
    void sameBitsHoweverItRuns();
    void askedBinsAreThePlainOnes_data() { types(); }
    void askedBinsAreThePlainOnes();
    void coreHoldsTheBulk_data() { types(); }
    void coreHoldsTheBulk();
    void heatMapIsThatOfAWindow_data() { types(); }
    void heatMapIsThatOfAWindow();
    void bigEndianIsTheSame_data() { types(); }
    void bigEndianIsTheSame();
    void estimatesAreFiguresOfTheirGroups_data() { types(); }
    void estimatesAreFiguresOfTheirGroups();
    void progressIsCountedOnce_data() { types(); }
    void progressIsCountedOnce();
    void stopIsAnError_data() { types(); }
    void stopIsAnError();

private:
    void types()
    {
        QTest::addColumn<GgmlType>("type");
        QTest::newRow("BF16") << GgmlType::BF16;
        QTest::newRow("F16") << GgmlType::F16;
    }
    TensorView viewOf(GgmlType type, const Shape &ne, const Bits &bits, bool bigEndian = false);
    static TensorStatsPtr scanned(const TensorView &view, const ScanOptions &options = {})
    {
        const auto stats = scanTensor(view, options);
        return stats ? *stats : nullptr;
    }

    QTemporaryDir m_dir;
    int m_files = 0;
};

TensorView TestCountedScan::viewOf(GgmlType type, const Shape &ne, const Bits &bits, bool bigEndian)
{
    GgufBuilder builder;
    if (bigEndian)
        builder.bigEndian();
    QByteArray bytes;
    for (const std::uint16_t b : bits) {
        bytes.append(static_cast<char>(bigEndian ? b >> 8 : b & 0xff));
        bytes.append(static_cast<char>(bigEndian ? b & 0xff : b >> 8));
    }
    const QString path = m_dir.filePath(QStringLiteral("%1.gguf").arg(m_files++ % 4));
    builder.tensor("blk.0.ffn_up_exps.weight", type, ne, bytes).writeTo(path);
    return TensorView::ofTensor(openOrFail(path), TensorIndex{0}).value();
}

namespace {

std::size_t elementsOf(const Shape &ne)
{
    std::size_t n = 1;
    for (const auto dim : ne)
        n *= dim;
    return n;
}

} // namespace

void TestCountedScan::figuresAreThePlainOnes_data()
{
    QTest::addColumn<GgmlType>("type");
    QTest::addColumn<Kind>("kind");
    for (std::size_t i = 0; i < Kinds.size(); ++i) {
        QTest::addRow("BF16 %s", KindNames[i]) << GgmlType::BF16 << Kinds[i];
        QTest::addRow("F16 %s", KindNames[i]) << GgmlType::F16 << Kinds[i];
    }
}

void TestCountedScan::figuresAreThePlainOnes()
{
    QFETCH(GgmlType, type);
    QFETCH(Kind, kind);
    for (const Shape &ne : shapes()) {
        const Bits bits = someBits(type, kind, elementsOf(ne));
        const Plain plain(type, bits);
        const auto stats = scanned(viewOf(type, ne, bits));
        QVERIFY(stats);
        QCOMPARE(difference(stats->figures, plain), QString());
        QCOMPARE(stats->figures.fine.counts, plain.bins(FineBins, plain.min, plain.max));
        if (!plain.finite.empty()) {
            QCOMPARE(stats->figures.fine.lo, std::optional(plain.min));
            QCOMPARE(stats->figures.fine.hi, std::optional(plain.max));
        }
    }
}

void TestCountedScan::everyPatternAsOften()
{
    QFETCH(GgmlType, type);
    Bits bits(4 * 65536);
    for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] = static_cast<std::uint16_t>(i * 40503u);
    const auto stats = scanned(viewOf(type, {512, 512}, bits));
    QCOMPARE(difference(stats->figures, Plain(type, bits)), QString());
    const Moments &m = stats->figures.moments;
    QCOMPARE(m.zeros, std::uint64_t{4 * 2});
    QCOMPARE(m.inf, std::uint64_t{4 * 2});
    QCOMPARE(m.nan, std::uint64_t{4 * (type == GgmlType::BF16 ? 254u : 2046u)});
    QCOMPARE(m.max, type == GgmlType::BF16 ? 0x1.fep127 : 65504.0);
    QCOMPARE(m.min, -m.max);
}

void TestCountedScan::expertsAreTheirOwn()
{
    QFETCH(GgmlType, type);
    // Too small for groups of their own, or to be counted; a group each; several groups each.
    for (const Shape &ne : {Shape{64, 20, 100}, Shape{512, 200, 5}, Shape{512, 600, 4}, Shape{1024, 1500, 3}}) {
        const std::size_t slab = ne[0] * ne[1];
        Bits bits;
        for (std::size_t k = 0; k < ne[2]; ++k) {
            const Bits own = someBits(type, Kinds[k % Kinds.size()], slab);
            bits.insert(bits.end(), own.begin(), own.end());
        }
        const Plain plain(type, bits);
        const TensorView view = viewOf(type, ne, bits);
        const auto stats = scanned(view, {.bins = 100, .perExpert = true});
        QVERIFY(stats);
        QCOMPARE(difference(stats->figures, plain), QString());
        QCOMPARE(stats->experts.size(), std::size_t{ne[2]});
        for (std::size_t k = 0; k < ne[2]; ++k) {
            const Figures &expert = stats->experts[k];
            const Plain own(type, std::span(bits).subspan(k * slab, slab));
            if (!own.finite.empty())
                QCOMPARE(difference(expert, own), QString());
            QCOMPARE(expert.moments.count, std::uint64_t{slab});
            QCOMPARE(expert.fine.lo, std::optional(plain.min));
            QCOMPARE(expert.fine.counts, own.bins(FineBins, plain.min, plain.max));
            QCOMPARE(expert.asked->counts, own.bins(100, plain.min, plain.max));
            const auto alone = scanned(TensorView::ofExpert(view.modelPtr(), view.tensor(), k).value());
            QCOMPARE(alone->figures.moments, expert.moments);
        }
        auto without = std::make_shared<TensorStats>(*scanned(view, {.bins = 100}));
        without->experts = stats->experts;
        QVERIFY(areSameBits(*stats, *without));
    }
}

void TestCountedScan::sameBitsHoweverItRuns()
{
    QFETCH(GgmlType, type);
    for (const Kind kind : {Kind::Gaussian, Kind::AnyPattern, Kind::Zeros}) {
        for (const Shape &ne : {Shape{1000, 2100}, Shape{1500001}, Shape{640, 420, 4}, Shape{32, 40000}, Shape{64, 20, 100}}) {
            const TensorView view = viewOf(type, ne, someBits(type, kind, elementsOf(ne)));
            QCOMPARE(runWithOtherBits(view, {.bins = 100, .perExpert = true}), QString());
        }
    }
}

void TestCountedScan::askedBinsAreThePlainOnes()
{
    QFETCH(GgmlType, type);
    const Bits bits = someBits(type, Kind::Gaussian, 600 * 500);
    const Plain plain(type, bits);
    const TensorView view = viewOf(type, {600, 500}, bits);
    for (const std::size_t bins : {1u, 3u, 100u, 256u, 1000u, 4096u, 8192u, 1048576u}) {
        const auto stats = scanned(view, {.bins = bins, .heatMap = false});
        QVERIFY(!stats->heatMap);
        QCOMPARE(binned(*stats, stats->figures, bins).counts, plain.bins(bins, plain.min, plain.max));
    }
}

void TestCountedScan::coreHoldsTheBulk()
{
    QFETCH(GgmlType, type);
    const Bits bits = someBits(type, Kind::Outliers, 1 << 20);
    const auto stats = scanned(viewOf(type, {1 << 10, 1 << 10}, bits));
    QVERIFY(stats->figures.core);
    const Histogram &core = *stats->figures.core;
    QCOMPARE(core.counts.size(), CoreBins);
    Plain plain(type, bits);
    const double sigma = std::sqrt(static_cast<double>(plain.variance));
    QVERIFY(std::abs((*core.hi - *core.lo) / (16 * sigma) - 1) < 1e-6);
    std::vector<double> inside;
    std::ranges::copy_if(plain.finite, std::back_inserter(inside),
                         [&](double x) { return x >= *core.lo && x <= *core.hi; });
    QVERIFY(inside.size() < plain.finite.size());
    std::swap(plain.finite, inside);
    QCOMPARE(core.counts, plain.bins(CoreBins, *core.lo, *core.hi));
    std::ranges::nth_element(inside, inside.begin() + (1 << 19));
    QVERIFY(std::abs(*stats->figures.percentiles[3] - inside[1 << 19]) < core.binWidth() * 1.01);
    QVERIFY(!scanned(viewOf(type, {1 << 10, 1 << 10}, someBits(type, Kind::Gaussian, 1 << 20)))->figures.core);
}

void TestCountedScan::heatMapIsThatOfAWindow()
{
    QFETCH(GgmlType, type);
    for (const Kind kind : Kinds) {
        for (const Shape &ne : {Shape{320, 900}, Shape{1001, 300}, Shape{40 * 1024, 30}}) {
            const TensorView view = viewOf(type, ne, someBits(type, kind, elementsOf(ne)));
            auto stats = std::make_shared<TensorStats>(*scanned(view));
            TensorStats zoomed = *stats;
            zoomed.heatMap = *scanHeatMap(view, {0, ne[1], 0, ne[0]}).value();
            QCOMPARE(zoomed.heatMap->rows, stats->heatMap->rows);
            QVERIFY(areSameBits(*stats, zoomed));
        }
    }
}

void TestCountedScan::bigEndianIsTheSame()
{
    QFETCH(GgmlType, type);
    const Bits bits = someBits(type, Kind::Outliers, 320 * 2000);
    const auto little = scanned(viewOf(type, {320, 1000, 2}, bits), {.perExpert = true});
    const auto big = scanned(viewOf(type, {320, 1000, 2}, bits, true), {.perExpert = true});
    QVERIFY(areSameBits(*little, *big));
}

void TestCountedScan::estimatesAreFiguresOfTheirGroups()
{
    QFETCH(GgmlType, type);
    const TensorView view = viewOf(type, {1024, 8192}, someBits(type, Kind::Gaussian, 1024 * 8192));
    ScanOptions options{.sampleShare = 0.05, .threads = 1};
    const auto estimate = scanned(view, options);
    QVERIFY(estimate->sampledShare > 0.04 && estimate->sampledShare < 0.06);
    QCOMPARE(estimate->figures.moments.count,
             static_cast<std::uint64_t>(std::llround(estimate->sampledShare * 1024 * 8192)));
    QCOMPARE(estimate->figures.fine.total(), estimate->figures.moments.count);
    QVERIFY(std::abs(*estimate->figures.moments.std() / 0.02 - 1) < 0.01);
    options.threads = 3;
    QVERIFY(areSameBits(*estimate, *scanned(view, options)));
    options.perExpert = true;
    QCOMPARE(scanned(view, options)->experts.at(0).moments, estimate->figures.moments);
}

void TestCountedScan::progressIsCountedOnce()
{
    QFETCH(GgmlType, type);
    const TensorView view = viewOf(type, {1024, 2048, 2}, someBits(type, Kind::Gaussian, 1024 * 4096));
    for (const bool perExpert : {false, true}) {
        std::atomic<std::uint64_t> most = 0;
        std::atomic<int> calls = 0;
        const auto stats = scanTensor(view, {.perExpert = perExpert, .threads = 1}, {}, [&](const Progress &progress) {
            QCOMPARE(progress.total, std::uint64_t{1024 * 4096});
            QVERIFY(progress.done > most);
            most = progress.done;
            ++calls;
        });
        QVERIFY(stats);
        QCOMPARE(most.load(), std::uint64_t{1024 * 4096});
        QCOMPARE(calls.load(), perExpert ? 8 : 4);
    }
}

void TestCountedScan::stopIsAnError()
{
    QFETCH(GgmlType, type);
    const TensorView view = viewOf(type, {1024, 8192}, someBits(type, Kind::Gaussian, 1024 * 8192));
    const auto source = std::make_unique<std::stop_source>();
    std::atomic<int> groups = 0;
    const auto stopped = scanTensor(view, {.threads = 2}, source->get_token(), [&](const Progress &) {
        ++groups;
        source->request_stop();
    });
    QVERIFY(!stopped);
    QCOMPARE(stopped.error().code, std::string(StoppedCode));
    QVERIFY(groups <= 4);
}

QTEST_APPLESS_MAIN(TestCountedScan)
#include "tst_countedscan.moc"
