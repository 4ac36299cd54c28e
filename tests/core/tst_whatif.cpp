// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/whatif.h"

#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>
#include <random>
#include <regex>

using namespace ql;
using namespace ql::test;

namespace {

using enum GgmlType;

std::vector<float> noise(std::size_t n, unsigned seed = 3)
{
    std::mt19937 random(seed);
    std::vector<float> weights(n);
    for (float &w : weights)
        w = (static_cast<float>(random() >> 8) - 8388608.0f) * 0x1p-26f;
    return weights;
}

BudgetItem item(std::vector<BudgetItem::Choice> choices) { return {std::move(choices)}; }

/// The least cost within the budget, by trying everything.
double bestCost(const std::vector<BudgetItem> &items, std::size_t i, std::uint64_t budget)
{
    if (i == items.size())
        return 0;
    double best = std::numeric_limits<double>::infinity();
    for (const auto &choice : items[i].choices)
        if (choice.bytes <= budget)
            best = std::min(best, choice.cost + bestCost(items, i + 1, budget - choice.bytes));
    return best;
}

} // namespace

class WhatIfTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;

    GgufModelPtr open(const GgufBuilder &builder)
    {
        const QString path = m_dir.filePath(QStringLiteral("model.gguf"));
        builder.writeTo(path);
        return openOrFail(path);
    }
    GgufModelPtr oneTensor(const std::vector<std::uint64_t> &ne, const std::vector<float> &weights)
    {
        return open(GgufBuilder().floats("blk.0.ffn_up.weight", ne, weights));
    }

private slots:
    void sizesAndErrors()
    {
        const auto model = oneTensor({512, 6}, noise(3072));
        const auto values = measureTypes(model, {0}, std::vector{F32, F16, Q8_0, Q4_K, Q2_K});
        QVERIFY(values);
        QCOMPARE(values->size(), std::size_t{5});
        QVERIFY((*values)[0].identical);
        QCOMPARE((*values)[0].errors.count, std::uint64_t{3072});
        QCOMPARE((*values)[0].errors.sumSqError, 0.0);
        QCOMPARE((*values)[3].bytes, std::uint64_t{12 * 144});
        QCOMPARE((*values)[3].bitsPerWeight, 4.5);
        QVERIFY(!(*values)[3].isFallback() && !(*values)[3].estimated);
        for (std::size_t i = 1; i < 5; ++i) {
            QCOMPARE((*values)[i].errors.compared(), std::uint64_t{3072});
            QVERIFY(*(*values)[i].errors.rmse() > *(*values)[i - 1].errors.rmse() || i == 1);
        }
        QVERIFY(*(*values)[3].errors.relativeRmse() < 0.08);
        QVERIFY(*(*values)[2].errors.sqnrDb() > 40);
    }

    void rowsThatDontFitGetTheNearestTypeByName()
    {
        const auto model = oneTensor({288, 2}, noise(576));
        const auto values = measureTypes(model, {0}, std::vector{Q6_K, Q5_K, Q4_K, Q2_K, TQ1_0, Q1_0, NVFP4, Q4_0});
        QVERIFY(values);
        const std::vector expected{Q8_0, Q5_0, IQ4_NL, IQ4_NL, IQ4_NL, IQ4_NL, IQ4_NL, Q4_0};
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE((*values)[i].type, expected[i]);
            QCOMPARE((*values)[i].isFallback(), i != 7);
        }
        QCOMPARE((*values)[2].bytes, std::uint64_t{18 * 18});
        QCOMPARE((*values)[2].errors.sumSqError, (*values)[3].errors.sumSqError);
        const auto odd = oneTensor({10, 2}, noise(20));
        QCOMPARE(measureTypes(odd, {0}, std::vector{Q8_0})->front().type, F16);
    }

    void nonFiniteWeightsAreNamed()
    {
        const std::size_t rows = 5000; // several groups
        std::vector<float> weights = noise(rows * 512);
        weights[2400000] = -std::numeric_limits<float>::infinity();
        weights[1700007] = std::numeric_limits<float>::quiet_NaN();
        const auto model = oneTensor({512, rows}, weights);
        for (const unsigned threads : {1u, 4u}) {
            const auto values = measureTypes(model, {0}, std::vector{Q4_0, Q8_0}, {threads, false, {}});
            QVERIFY(!values);
            QCOMPARE(values.error().code, std::string(NotFiniteCode));
            QCOMPARE(values.error().field, std::string("blk.0.ffn_up.weight"));
            QVERIFY(values.error().message.find("a NaN at element 1700007") != std::string::npos);
        }
    }

    void typesThatNeedAMatrixAreRefused()
    {
        const auto model = oneTensor({256, 2}, noise(512));
        const auto values = measureTypes(model, {0}, std::vector{IQ2_XXS});
        QVERIFY(!values);
        QCOMPARE(values.error().code, std::string(NeedsMatrixCode));
    }

    void overflowingScalesAreSaid()
    {
        std::vector<float> weights = noise(64 * 256);
        weights[9000] = 1e7f;
        const auto values = measureTypes(oneTensor({256, 64}, weights), {0}, std::vector{Q8_0, BF16, MXFP4});
        QVERIFY(values);
        QCOMPARE(*(*values)[0].overflowAt, std::uint64_t{8192}); // the tile it lies in
        QVERIFY(!(*values)[1].overflowAt);
        QVERIFY(!(*values)[2].overflowAt);
        QCOMPARE(budgetItem(*values).choices.size(), std::size_t{2});
    }

    void threadsChangeNothing()
    {
        const auto model = oneTensor({512, 5000}, noise(512 * 5000));
        const auto one = measureTypes(model, {0}, std::vector{Q4_0, Q3_K}, {1, false, {}});
        const auto four = measureTypes(model, {0}, std::vector{Q4_0, Q3_K}, {4, false, {}});
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE((*one)[i].errors.sumSqError, (*four)[i].errors.sumSqError);
            QCOMPARE((*one)[i].errors.sumAB, (*four)[i].errors.sumAB);
            QCOMPARE((*one)[i].errors.maxAt, (*four)[i].errors.maxAt);
        }
    }

    void samplesAreMarkedAndClose()
    {
        const auto model = oneTensor({512, 12000}, noise(512 * 12000));
        const auto whole = measureTypes(model, {0}, std::vector{Q4_0});
        const auto part = measureTypes(model, {0}, std::vector{Q4_0}, {0, false, 0.34});
        QVERIFY(part->front().estimated);
        QVERIFY(part->front().errors.count < whole->front().errors.count);
        QVERIFY(std::abs(*part->front().errors.relativeRmse() / *whole->front().errors.relativeRmse() - 1) < 0.02);
    }

    void stopIsNoResult()
    {
        const auto model = oneTensor({512, 12000}, noise(512 * 12000));
        std::stop_source stop;
        std::uint64_t last = 0;
        const auto values = measureTypes(model, {0}, std::vector{Q4_0}, {1, false, {}}, stop.get_token(),
                                         [&](const Progress &p) {
                                             last = p.done;
                                             stop.request_stop();
                                         });
        QVERIFY(!values);
        QCOMPARE(values.error().code, std::string(StoppedCode));
        QVERIFY(last > 0 && last < 512 * 12000);
    }

    void doublesAreMeasuredInDouble()
    {
        std::vector<double> values(512, 0.5 + 1e-12);
        const QByteArray data(reinterpret_cast<const char *>(values.data()), 4096);
        const auto model = open(GgufBuilder().tensor("w.weight", F64, {256, 2}, data));
        const auto measured = measureTypes(model, {0}, std::vector{F32});
        QVERIFY(measured);
        QVERIFY(std::abs(*measured->front().errors.rmse() - 1e-12) < 1e-15);
    }

    void budgetTakesTheBestStepFirst()
    {
        const std::vector items{item({{Q2_K, 100, 1.0}, {Q4_K, 200, 0.2}, {Q8_0, 400, 0.0}}),
                                item({{Q2_K, 10, 0.5}, {Q4_K, 20, 0.1}, {Q8_0, 40, 0.0}})};
        const auto at = [&](std::uint64_t budget) { return planBudget(items, budget); };
        QVERIFY(!at(109).fits);
        QCOMPARE(at(110).chosen, (std::vector<std::size_t>{0, 0}));
        QCOMPARE(at(125).chosen, (std::vector<std::size_t>{0, 1}));
        QCOMPARE(at(220).chosen, (std::vector<std::size_t>{1, 1}));
        QCOMPARE(at(240).chosen, (std::vector<std::size_t>{1, 2}));
        QCOMPARE(at(440).chosen, (std::vector<std::size_t>{2, 2}));
        QCOMPARE(at(440).cost, 0.0);
        QCOMPARE(at(240).bytes, std::uint64_t{240});
    }

    void budgetLeavesOutChoicesAboveTheHull()
    {
        // Q4_0 is as large as Q4_K and worse, Q5_0 costs more bytes than it saves on the way to Q8_0.
        const std::vector items{
            item({{Q4_0, 200, 0.4}, {Q4_K, 200, 0.2}, {Q5_0, 300, 0.19}, {Q8_0, 310, 0.01}, {Q2_K, 100, 1.0}})};
        QCOMPARE(planBudget(items, 305).chosen.front(), std::size_t{1});
        QCOMPARE(planBudget(items, 310).chosen.front(), std::size_t{3});
        QCOMPARE(planBudget(items, 50).chosen.front(), std::size_t{4});
        QVERIFY(!planBudget(items, 50).fits);
    }

    /// Greedy on hulls may miss the optimum by the one step that did not fit any more.
    void budgetIsNearTheOptimum()
    {
        std::mt19937 random(5);
        for (int round = 0; round < 200; ++round) {
            std::vector<BudgetItem> items;
            double largestStep = 0;
            for (int i = 0; i < 5; ++i) {
                const std::uint64_t size = 20 + random() % 200;
                const double scale = 1.0 + static_cast<double>(random() % 100) / 100;
                items.push_back(item({{Q2_K, size, scale}, {Q4_K, 2 * size, scale * 0.2}, {Q8_0, 4 * size, scale * 0.01}}));
                largestStep = std::max(largestStep, scale * 0.8);
            }
            const std::uint64_t budget = 400 + random() % 2000;
            const BudgetPlan plan = planBudget(items, budget);
            const double best = bestCost(items, 0, budget);
            QCOMPARE(plan.fits, std::isfinite(best));
            if (!plan.fits)
                continue;
            QVERIFY(plan.bytes <= budget);
            QVERIFY(plan.cost >= best - 1e-12);
            QVERIFY(plan.cost <= best + largestStep);
        }
    }

    void argumentsNameEveryTensorOnce()
    {
        const auto model = open(GgufBuilder()
                                    .tensor("token_embd.weight", F16, {256, 2})
                                    .tensor("blk.0.attn_q.weight", F16, {256, 2})
                                    .tensor("blk.1.attn_q.weight", F16, {256, 2})
                                    .tensor("blk.10.attn_q.weight", F16, {256, 2})
                                    .tensor("blk.0.attn_q.bias", F16, {256}));
        const std::vector<TensorTypeChoice> choices{{{0}, Q6_K}, {{1}, Q4_K}, {{2}, Q4_K}, {{3}, Q8_0}};
        const auto arguments = tensorTypeArguments(model->tensors(), choices);
        QCOMPARE(arguments, (std::vector<std::string>{
                                "--tensor-type", R"(^token_embd\.weight$=q6_k)",
                                "--tensor-type", R"(^blk\.(0|1)\.attn_q\.weight$=q4_k)",
                                "--tensor-type", R"(^blk\.10\.attn_q\.weight$=q8_0)"}));
        for (const TensorTypeChoice &choice : choices) {
            int matches = 0;
            for (std::size_t i = 1; i < arguments.size(); i += 2) {
                const std::string pattern = arguments[i].substr(0, arguments[i].rfind('='));
                matches += std::regex_search(model->tensor(choice.tensor).rawName, std::regex(pattern)) ? 1 : 0;
            }
            QCOMPARE(matches, 1);
        }
        QCOMPARE(tensorTypeCommandLine(model->tensors(), std::span(choices).first(1)),
                 std::string(R"(--tensor-type '^token_embd\.weight$=q6_k')"));
    }
};

QTEST_APPLESS_MAIN(WhatIfTest)
#include "tst_whatif.moc"
