// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/cosinematrix.h"
#include "core/stats/expertstats.h"

#include "tests/support/figurecheck.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using namespace ql;
using ql::test::GgufBuilder;

namespace {

GgufModelPtr sample()
{
    return test::openOrFail(QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"));
}

GgufModelPtr caseFile(const char *name)
{
    return test::openOrFail(test::dataPath(QStringLiteral("cases/") + QLatin1String(name)));
}

ExpertTablePtr tableOf(const GgufModelPtr &model, const ExpertGroup &group)
{
    return makeExpertTable(group, [&](TensorIndex tensor) {
        ScanOptions options;
        options.perExpert = true;
        options.heatMap = false;
        return scanTensor(TensorView::ofTensor(model, tensor).value(), options).value();
    });
}

const ExpertGroup &groupNamed(const std::vector<ExpertGroup> &groups, std::uint32_t layer,
                              const char *role)
{
    const auto group = std::ranges::find_if(
        groups, [&](const ExpertGroup &g) { return g.layer == layer && g.role == role; });
    if (group == groups.end())
        qFatal("no such group");
    return *group;
}

QStringList describeGroups(const std::vector<ExpertGroup> &groups)
{
    QStringList lines;
    for (const ExpertGroup &group : groups)
        lines << QStringLiteral("%1 %2 %3")
                     .arg(group.layer.value_or(9999))
                     .arg(QString::fromStdString(group.role))
                     .arg(group.experts.size());
    return lines;
}

QStringList oddOnes(const ExpertTable &table, ExpertFigure figure)
{
    QStringList lines;
    for (const OddExpert &odd : findOddExperts(table, figure))
        lines << QStringLiteral("%1 %2").arg(odd.index).arg(static_cast<int>(odd.why));
    return lines;
}

std::vector<float> gaussian(std::size_t n, float sigma, std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<float> values(n);
    for (float &v : values) {
        float sum = 0;
        for (int i = 0; i < 12; ++i)
            sum += static_cast<float>(random() >> 8) / 16777216.0f;
        v = (sum - 6) * sigma;
    }
    return values;
}

} // namespace

class ExpertStatsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_files = 0;

    GgufModelPtr modelOf(const GgufBuilder &builder)
    {
        const QString path = m_folder.filePath(QStringLiteral("m%1.gguf").arg(m_files++));
        builder.writeTo(path);
        return test::openOrFail(path);
    }

    /// Experts of 64 × 64 Gaussian weights in one merged tensor, each with its own sigma and seed.
    GgufModelPtr gaussianExperts(const std::vector<std::pair<float, std::uint32_t>> &experts)
    {
        std::vector<float> values;
        for (const auto &[sigma, seed] : experts) {
            const auto one = gaussian(64 * 64, sigma, seed);
            values.insert(values.end(), one.begin(), one.end());
        }
        return modelOf(
            GgufBuilder().floats("blk.0.ffn_up_exps.weight", {64, 64, experts.size()}, values));
    }

private slots:
    void mergedTensorsAreGroupsByLayerAndRole()
    {
        const auto groups = findExpertGroups(sample()->tensors());
        QCOMPARE(
            describeGroups(groups),
            QStringLiteral("0 ffn_gate_exps 8,0 ffn_up_exps 8,0 ffn_down_exps 8,1 ffn_gate_exps 8,"
                           "1 ffn_up_exps 8,1 ffn_down_exps 8")
                .split(QLatin1Char(',')));
        QCOMPARE(groups[0].experts[3].slab, std::optional<std::uint64_t>(3));
        QCOMPARE(groups[0].tensors().size(), 1u);
    }

    void threeDimensionalExpertsAreTheLastDimension()
    {
        const auto model = caseFile("moe_3d_experts.gguf");
        const auto groups = findExpertGroups(model->tensors());
        const auto &gate = groupNamed(groups, 0, "ffn_gate_exps");
        const auto view = expertView(model, gate.experts[1]).value();
        QCOMPARE(view.rows(), 4u);
        QCOMPARE(view.columns(), 8u);
        const auto table = tableOf(model, gate);
        QCOMPARE(*table->experts[1].moments.minValue(), 1000.0);
        const auto &down = groupNamed(groups, 0, "ffn_down_exps");
        QCOMPARE(*tableOf(model, down)->experts[2].moments.minValue(), 12000.0);
    }

    void oldExpertsGoByTheNumberInTheirName()
    {
        const auto model = caseFile("moe_old_2d_experts.gguf");
        const auto groups = findExpertGroups(model->tensors());
        QVERIFY(!groups.empty());
        for (const ExpertGroup &group : groups) {
            QVERIFY(group.experts.size() >= 2);
            for (std::size_t i = 0; i < group.experts.size(); ++i) {
                const ExpertRef &ref = group.experts[i];
                QCOMPARE(ref.number, i);
                QVERIFY(!ref.slab);
                const std::string middle = "." + std::to_string(ref.number) + ".weight";
                QVERIFY(model->tensor(ref.tensor).name.ends_with(middle));
            }
            const auto table = tableOf(model, group);
            QCOMPARE(table->experts.size(), group.experts.size());
            for (const ExpertSummary &expert : table->experts) {
                std::uint64_t bars = expert.below + expert.above;
                for (const std::uint64_t count : expert.counts)
                    bars += count;
                QCOMPARE(bars, expert.moments.finite());
            }
        }
        const auto first = groups[0].experts[0];
        QCOMPARE(expertGroupOf(model->tensors(), first.tensor), std::optional(groups[0]));
    }

    void aWrongCountInTheMetadataChangesNothing()
    {
        const auto model = caseFile("moe_count_disagrees.gguf");
        QCOMPARE(findExpertGroups(model->tensors())[0].experts.size(), 3u);
    }

    void otherThreeDimensionalTensorsAreCutToo()
    {
        const auto model =
            modelOf(GgufBuilder()
                        .tensor("conv.weight", GgmlType::F32, {4, 2, 5})
                        .tensor("flat.weight", GgmlType::F32, {4, 2})
                        .tensor("blk.0.ffn_up_exps.weight", GgmlType::F32, {4, 2, 40000}));
        QVERIFY(findExpertGroups(model->tensors()).empty()); // 40,000 slabs: more than scans take
        QCOMPARE(expertGroupOf(model->tensors(), TensorIndex{0})->experts.size(), 5u);
        QVERIFY(!expertGroupOf(model->tensors(), TensorIndex{1}));
        QVERIFY(!expertGroupOf(model->tensors(), TensorIndex{2}));
    }

    void figuresAreThoseOfTheReference()
    {
        const auto model = sample();
        QFile file(test::dataPath(QStringLiteral("models/tiny-moe-Q4_K_M.stats.json")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto expected = nlohmann::json::parse(file.readAll().toStdString());
        int checked = 0;
        for (const ExpertGroup &group : findExpertGroups(model->tensors())) {
            const auto table = tableOf(model, group);
            const auto &experts = expected[model->tensor(group.experts[0].tensor).name]["experts"];
            for (std::size_t i = 0; i < table->experts.size(); ++i, ++checked) {
                const ExpertSummary &expert = table->experts[i];
                const auto close = [&](ExpertFigure figure, const char *name) {
                    if (experts[i][name].is_null())
                        return !expert.figure(figure);
                    const double want = experts[i][name];
                    return std::abs(*expert.figure(figure) - want) <= 1e-9 * std::abs(want);
                };
                QVERIFY(close(ExpertFigure::Rms, "rms"));
                QVERIFY(close(ExpertFigure::AbsMax, "absmax"));
                QVERIFY(close(ExpertFigure::Std, "std"));
                QVERIFY(close(ExpertFigure::Kurtosis, "kurtosis"));
            }
        }
        QCOMPARE(checked, 48);
    }

    void theOddOnesOfTheSampleAreNamed()
    {
        const auto model = sample();
        for (const ExpertGroup &group : findExpertGroups(model->tensors())) {
            const auto table = tableOf(model, group);
            const QStringList odd = oddOnes(*table, ExpertFigure::Rms);
            const QStringList expected = *group.layer == 0
                                             ? QStringList{QStringLiteral("2 %1").arg(
                                                 static_cast<int>(OddExpert::Why::Dead))}
                                             : QStringList{QStringLiteral("5 %1").arg(
                                                 static_cast<int>(OddExpert::Why::Outlier))};
            QCOMPARE(odd, expected);
        }
        const auto groups = findExpertGroups(model->tensors());
        const auto table = tableOf(model, groupNamed(groups, 1, "ffn_up_exps"));
        const QString text =
            QString::fromStdString(describe(findOddExperts(*table, ExpertFigure::Rms)[0], *table));
        QVERIFY2(text.startsWith(QStringLiteral("expert 5: RMS is ")), qPrintable(text));
        QVERIFY(text.endsWith(QStringLiteral("above the layer's median")));
    }

    void nanAndInfAreNamedWithTheirExperts()
    {
        const auto model = caseFile("nan_scale_in_expert.gguf");
        const auto groups = findExpertGroups(model->tensors());
        const auto table = tableOf(model, groupNamed(groups, 0, "ffn_down_exps"));
        std::uint64_t nonFinite = 0;
        for (const ExpertSummary &expert : table->experts)
            nonFinite += expert.moments.nan + expert.moments.inf;
        QCOMPARE(nonFinite, 64u);
        QVERIFY(*table->experts[2].figure(ExpertFigure::NonFinite) > 0);
        QVERIFY(*table->experts[3].figure(ExpertFigure::NonFinite) > 0);
        const QStringList odd = oddOnes(*table, ExpertFigure::Rms);
        QVERIFY(
            odd.contains(QStringLiteral("2 %1").arg(static_cast<int>(OddExpert::Why::NonFinite))));
        QVERIFY(
            odd.contains(QStringLiteral("3 %1").arg(static_cast<int>(OddExpert::Why::NonFinite))));
    }

    void robustScoresStandOutliers()
    {
        const std::vector<std::optional<double>> values{1.0,  1.1,   0.9,         1.05,
                                                        0.95, 100.0, std::nullopt};
        const auto scores = robustScores(values);
        QCOMPARE(scores.median, 1.025);
        // Deviations: .025 .025 .075 .075 .125 98.975
        QVERIFY(std::abs(scores.spread - 1.4826 * 0.075) < 1e-12);
        QVERIFY(*scores.scores[5] > 500);
        QVERIFY(std::abs(*scores.scores[2]) < 2);
        QVERIFY(!scores.scores[6]);
    }

    void robustScoresWithoutSpread()
    {
        const std::vector<std::optional<double>> same(5, 3.0);
        for (const auto &score : robustScores(same).scores)
            QCOMPARE(*score, 0.0);
        std::vector<std::optional<double>> one(10, 3.0);
        one[4] = 4.0; // the median deviation is 0: the mean deviation stands in
        const auto scores = robustScores(one);
        QVERIFY(*scores.scores[4] > OddScore);
        QCOMPARE(*scores.scores[3], 0.0);
        QVERIFY(robustScores({}).scores.empty());
        const std::vector<std::optional<double>> none(3);
        QVERIFY(!robustScores(none).scores[0]);
    }

    void ordinaryExpertsAreNotOdd()
    {
        std::vector<std::pair<float, std::uint32_t>> experts;
        for (std::uint32_t i = 0; i < 32; ++i)
            experts.push_back({0.02f, i});
        const auto model = gaussianExperts(experts);
        const auto table = tableOf(model, findExpertGroups(model->tensors())[0]);
        for (const ExpertFigure figure :
             {ExpertFigure::Rms, ExpertFigure::Std, ExpertFigure::Kurtosis})
            QVERIFY(findOddExperts(*table, figure).empty());
    }

    void barsShareAnAxisThatOutliersDontStretch()
    {
        auto values = gaussian(4 * 4096, 0.02f, 1);
        values[100] = 50;
        const auto model =
            modelOf(GgufBuilder().floats("blk.0.ffn_up_exps.weight", {64, 64, 4}, values));
        const auto table = tableOf(model, findExpertGroups(model->tensors())[0]);
        QVERIFY(table->hi < 0.2);
        QCOMPARE(table->experts[0].above, 1u);
        for (const ExpertSummary &expert : table->experts) {
            std::uint64_t total = expert.below + expert.above;
            for (const std::uint64_t count : expert.counts)
                total += count;
            QCOMPARE(total, 4096u);
        }
    }

    void mapsFillInAsTablesCome()
    {
        const auto model = sample();
        const auto groups = findExpertGroups(model->tensors());
        std::vector<ExpertTablePtr> tables(groups.size());
        auto map = makeExpertMap(groups, tables, "ffn_up_exps", ExpertFigure::Rms);
        QCOMPARE(map.layers, (std::vector<std::uint32_t>{0, 1}));
        QCOMPARE(map.experts, 8u);
        QVERIFY(std::isnan(map.value(1, 5)));
        tables[4] = tableOf(model, groups[4]);
        map = makeExpertMap(groups, tables, "ffn_up_exps", ExpertFigure::Rms);
        QVERIFY(std::isnan(map.value(0, 5)));
        QCOMPARE(map.value(1, 5), *tables[4]->experts[5].figure(ExpertFigure::Rms));
    }

    void meanScalesAreThoseOfTheBlocks()
    {
        GgufBuilder b;
        QByteArray blocks; // d of 1, 3 for expert 0; -2, NaN for expert 1
        for (const int d : {0x3c00, 0x4200, 0xc000, 0x7e00})
            blocks += b.number(static_cast<std::uint16_t>(d)) + QByteArray(32, char(1));
        const auto model =
            modelOf(GgufBuilder()
                        .tensor("blk.0.ffn_up_exps.weight", GgmlType::Q8_0, {32, 2, 2}, blocks)
                        .tensor("p", GgmlType::F32, {4}));
        const auto scales = meanScales(TensorView::ofTensor(model, TensorIndex{0}).value()).value();
        QCOMPARE(scales, (std::vector<std::optional<double>>{2.0, 2.0}));
        QCOMPARE(meanScales(TensorView::ofTensor(model, TensorIndex{1}).value()).value(),
                 std::vector<std::optional<double>>{std::nullopt});
    }

    void rowNormsOfARouter()
    {
        const auto model =
            modelOf(GgufBuilder().floats("blk.3.ffn_gate_inp.weight", {3, 2}, {3, 4, 0, 1, 2, 2}));
        const auto router = findRouter(model->tensors(), 3);
        QCOMPARE(router, std::optional(TensorIndex{0}));
        QVERIFY(!findRouter(model->tensors(), 2));
        QCOMPARE(rowNorms(TensorView::ofTensor(model, *router).value()).value(),
                 (std::vector<double>{5, 3}));
    }

    void cosinesOfCopiesAndStrangers()
    {
        const auto model = gaussianExperts({{0.02f, 1}, {0.02f, 2}, {0.06f, 1}, {0.0f, 3}});
        const auto group = findExpertGroups(model->tensors())[0];
        const auto matrix = cosineMatrix(model, group).value();
        QCOMPARE(matrix->size(), 4u);
        QVERIFY(std::abs(matrix->at(0, 0) - 1) < 1e-12);
        QVERIFY(std::abs(matrix->at(0, 1)) < 0.1);
        QVERIFY(std::abs(matrix->at(0, 2) - 1) < 1e-6); // three times the same
        QCOMPARE(matrix->at(2, 0), matrix->at(0, 2));
        QVERIFY(std::isnan(matrix->at(3, 0)) && std::isnan(matrix->at(3, 3)));
        const auto pairs = findNearDuplicates(*matrix);
        QCOMPARE(pairs.size(), 1u);
        QCOMPARE(pairs[0].first, 0u);
        QCOMPARE(pairs[0].second, 2u);
    }

    void cosinesAreTheSameForAnyNumberOfThreads()
    {
        const auto model = sample();
        const auto group = findExpertGroups(model->tensors())[1];
        const auto one = cosineMatrix(model, group, {}, {}, 1).value();
        for (const unsigned threads : {2u, 5u}) {
            const auto other = cosineMatrix(model, group, {}, {}, threads).value();
            for (std::size_t i = 0; i < one->cosines.size(); ++i)
                QVERIFY(std::bit_cast<std::uint64_t>(one->cosines[i])
                        == std::bit_cast<std::uint64_t>(other->cosines[i]));
        }
        QVERIFY(std::isnan(one->at(2, 0))); // the dead one
        QVERIFY(findNearDuplicates(*one).empty());
    }

    void cosinesStopAndHaveLimits()
    {
        const auto model = sample();
        const auto group = findExpertGroups(model->tensors())[1];
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = cosineMatrix(model, group, stop.get_token());
        QVERIFY(!stopped && stopped.error().code == StoppedCode);
        ExpertGroup many = group;
        many.experts.resize(2000);
        QCOMPARE(cosineMatrix(model, many).error().code, "too-many-experts");
        const auto uneven = modelOf(GgufBuilder()
                                        .tensor("blk.0.ffn_up.0.weight", GgmlType::F32, {4, 2})
                                        .tensor("blk.0.ffn_up.1.weight", GgmlType::F32, {4, 3}));
        QCOMPARE(cosineMatrix(uneven, findExpertGroups(uneven->tensors())[0]).error().code,
                 "shape-mismatch");
    }

    void tablesAndMatricesAsCsv()
    {
        const auto model =
            modelOf(GgufBuilder().floats("blk.0.ffn_up_exps.weight", {2, 1, 2}, {3, 4, 0, 0}));
        const auto group = findExpertGroups(model->tensors())[0];
        const QStringList lines =
            QString::fromStdString(expertTableCsv(*tableOf(model, group))).split(QLatin1Char('\n'));
        QCOMPARE(lines[0],
                 QStringLiteral(
                     "expert,count,rms,absmax,std,mean,kurtosis,zero_share,mean_scale,router_norm,nonfinite"));
        QCOMPARE(lines[1], QStringLiteral("0,2,3.5355339059327378,4,0.5,3.5,1,0,,,0"));
        QCOMPARE(lines[2], QStringLiteral("1,2,0,0,0,0,,1,,,0"));
        const QStringList bars =
            QString::fromStdString(expertHistogramsCsv(*tableOf(model, group))).split(QLatin1Char('\n'));
        QCOMPARE(bars.size(), 1 + 1 + 64 + 1 + 1); // header, below, bars, above, the end
        QCOMPARE(bars[0], QStringLiteral("lo,hi,0,1"));
        QCOMPARE(bars[1], QStringLiteral(",0,0,0"));
        QCOMPARE(bars[2], QStringLiteral("0,0.0625,0,2")); // the two zeros of expert 1
        QCOMPARE(bars[2 + 48], QStringLiteral("3,3.0625,1,0"));
        QCOMPARE(bars[2 + 63], QStringLiteral("3.9375,4,1,0"));
        QCOMPARE(QString::fromStdString(cosineMatrixCsv(*cosineMatrix(model, group).value())),
                 QStringLiteral("expert,0,1\n0,1,\n1,,\n"));
    }
};

QTEST_APPLESS_MAIN(ExpertStatsTest)
#include "tst_expertstats.moc"
