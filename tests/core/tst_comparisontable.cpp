// SPDX-License-Identifier: GPL-3.0-or-later
// The rows behind the Compare view: states, totals as `diff` counts them, maps, pairs made by hand.

#include "core/output/diffjson.h"
#include "core/stats/comparisontable.h"
#include "core/stats/modelscan.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace ql;
using namespace ql::test;

namespace {

struct Compared {
    GgufModelPtr a;
    GgufModelPtr b;
    Pairing pairing;
    ModelDiff diff;
    ComparisonTable table;
};

Compared compareModels(const GgufModelPtr &a, const GgufModelPtr &b)
{
    Compared result{a, b, pairTensors(*a, *b), {}, {}};
    result.table = ComparisonTable(summarize(*a), summarize(*b), result.pairing);
    CompareOptions options;
    options.perExpert = true;
    for (std::size_t i = 0; i < result.pairing.pairs.size(); ++i) {
        auto outcome = comparePair(a, b, result.pairing.pairs[i], options);
        if (outcome)
            result.table.setResult(i, *outcome);
        else
            result.table.setFailure(i, outcome.error().message);
        result.diff.pairs.push_back({result.pairing.pairs[i], std::move(outcome)});
    }
    return result;
}

} // namespace

class ComparisonTableTest : public QObject
{
    Q_OBJECT

private slots:
    void totalsAreThoseOfDiff();
    void groupsAddUpToTheWhole();
    void everythingUnpairedIsListed();
    void byHandTakesTheRowsPlace();
    void anExpertByHandLeavesTheRest();
    void shapesAreCheckedByHand();
    void mapsHoldTheErrorsOfTheirRows();
    void ownExpertsHaveTheirPlaceInTheMap();

private:
    GgufModelPtr sample(const char *name) { return openOrFail(dataPath(QStringLiteral("models/") + QLatin1String(name))); }
    GgufModelPtr write(const char *name, const GgufBuilder &builder)
    {
        const QString path = m_dir.filePath(QLatin1String(name));
        builder.writeTo(path);
        return openOrFail(path);
    }
    QTemporaryDir m_dir;
};

void ComparisonTableTest::totalsAreThoseOfDiff()
{
    const auto compared = compareModels(sample("tiny-moe-Q4_K_M-split-00001-of-00003.gguf"), sample("tiny-moe-Q2_K.gguf"));
    const DiffTotals expected = totalsOf(*compared.a, *compared.b, compared.diff);
    const ComparisonTotals totals = compared.table.totals();
    QVERIFY(totals.differ > 10);
    QCOMPARE(totals.compared(), expected.compared);
    QCOMPARE(totals.same, expected.identical);
    QCOMPARE(totals.bytesA, expected.bytesA);
    QCOMPARE(totals.bytesB, expected.bytesB);
    QCOMPARE(totals.sums.relativeRmse(), expected.sums.relativeRmse());
    QCOMPARE(totals.sums.sqnrDb(), expected.sums.sqnrDb());
    QVERIFY(*totals.bitsA() > *totals.bitsB());
    QVERIFY(compared.table.largestRelativeRmse() >= *totals.sums.relativeRmse());
}

void ComparisonTableTest::groupsAddUpToTheWhole()
{
    const auto compared = compareModels(sample("tiny-moe-Q4_K_M-split-00001-of-00003.gguf"), sample("tiny-moe-Q2_K.gguf"));
    const ComparisonTotals whole = compared.table.totals();
    for (const auto grouping : {ComparisonTable::Grouping::Role, ComparisonTable::Grouping::Layer}) {
        ComparisonTotals sum;
        for (const ComparisonGroup &group : compared.table.groups(grouping)) {
            const ComparisonTotals part = compared.table.totals(group.rows);
            sum.differ += part.differ;
            sum.bytesA += part.bytesA;
            sum.weights += part.weights;
            sum.sums.merge(part.sums);
        }
        QCOMPARE(sum.differ, whole.differ);
        QCOMPARE(sum.bytesA, whole.bytesA);
        QCOMPARE(sum.weights, whole.weights);
        QVERIFY(std::abs(*sum.sums.rmse() / *whole.sums.rmse() - 1) < 1e-12);
    }
    const auto layers = compared.table.groups(ComparisonTable::Grouping::Layer);
    QCOMPARE(layers.front().label, std::string("outside layers"));
    QCOMPARE(layers[1].label, std::string("layer 0"));
}

void ComparisonTableTest::everythingUnpairedIsListed()
{
    const auto a = write("a.gguf", GgufBuilder().tensor("token_embd.weight", GgmlType::F32, {8, 4})
                                       .tensor("output.weight", GgmlType::F32, {8, 4}).tensor("x", GgmlType::F32, {4}));
    const auto b = write("b.gguf", GgufBuilder().tensor("token_embd.weight", GgmlType::F32, {8, 4})
                                       .tensor("x", GgmlType::F32, {5}).tensor("y", GgmlType::F32, {5}));
    const auto compared = compareModels(a, b);
    const ComparisonTotals totals = compared.table.totals();
    QCOMPARE(totals.same, 1u);
    QCOMPARE(totals.shapesDiffer, 1u);
    QCOMPARE(totals.unpaired, 2u);
    QCOMPARE(compared.table.rows().size(), std::size_t(4));
    QCOMPARE(compared.table.row(1).note, std::string("[4] / [5]"));
    QCOMPARE(compared.table.row(2).note, std::string("tied to token_embd.weight"));
    QCOMPARE(compared.table.tensor(compared.table.row(3)).name, std::string("y"));
}

void ComparisonTableTest::byHandTakesTheRowsPlace()
{
    const auto a = write("ha.gguf", GgufBuilder().floats("p", {4}, {1, 2, 3, 4}).floats("q", {4}, {1, 2, 3, 4}));
    const auto b = write("hb.gguf", GgufBuilder().floats("p", {4}, {1, 2, 3, 5}).floats("r", {4}, {1, 2, 3, 4}));
    auto compared = compareModels(a, b);
    ComparisonTable &table = compared.table;
    QCOMPARE(table.totals().differ, 1u);
    QCOMPARE(table.totals().unpaired, 2u); // q and r
    const TensorPair wanted{TensorIndex{0}, TensorIndex{1}, {}, {}, TensorPair::Half::Whole, TensorPair::Half::Whole};
    const auto pair = pairByHand(*summarize(*a), *summarize(*b), wanted);
    QVERIFY(pair);
    const std::size_t row = table.addByHand(*pair);
    QCOMPARE(table.rowByHand(*pair), std::optional(row));
    QCOMPARE(table.totals().waiting, 1u);
    QCOMPARE(table.totals().unpaired, 2u); // q, and p of B that lost its partner
    table.setResult(row, *comparePair(a, b, *pair, {}));
    QCOMPARE(table.row(row).state, PairState::Same);
}

void ComparisonTableTest::anExpertByHandLeavesTheRest()
{
    const auto compared = compareModels(sample("tiny-moe-Q4_K_M-split-00001-of-00003.gguf"), sample("tiny-moe-Q2_K.gguf"));
    ComparisonTable table = compared.table;
    const TensorIndex merged = *compared.a->findTensor("blk.0.ffn_up_exps.weight");
    const TensorIndex other = *compared.b->findTensor("blk.1.ffn_up_exps.weight");
    const std::uint64_t before = table.totals().differ;
    const TensorPair wanted{merged, other, 1, 2, TensorPair::Half::Whole, TensorPair::Half::Whole};
    QVERIFY(pairByHand(*summarize(*compared.a), *summarize(*compared.b), wanted));
    const std::size_t row = table.addByHand(wanted);
    QCOMPARE(table.totals().differ, before);
    QCOMPARE(table.row(row).weights, *compared.a->tensor(merged).elements / compared.a->tensor(merged).ne[2]);
    table.setResult(row, *comparePair(compared.a, compared.b, wanted, {}));
    QVERIFY(*errorFigure(table.row(row), {}, ErrorFigure::RelativeRmse) > 1); // two experts have little in common
}

void ComparisonTableTest::shapesAreCheckedByHand()
{
    const auto a = write("sa.gguf", GgufBuilder().floats("p", {2, 2}, {1, 2, 3, 4}));
    const auto b = write("sb.gguf", GgufBuilder().floats("q", {4}, {1, 2, 3, 5}));
    const auto pair = pairByHand(*summarize(*a), *summarize(*b), {});
    QVERIFY(!pair);
    QCOMPARE(pair.error().code, std::string("shapes-differ"));
    QVERIFY(pair.error().message.find("[2, 2]") != std::string::npos);
    QVERIFY(pair.error().message.find("[4]") != std::string::npos);
}

void ComparisonTableTest::mapsHoldTheErrorsOfTheirRows()
{
    const auto compared = compareModels(sample("tiny-moe-Q4_K_M-split-00001-of-00003.gguf"), sample("tiny-moe-Q2_K.gguf"));
    const ComparisonTable &table = compared.table;
    const ErrorMap roles = mapOfRoles(table, ErrorFigure::RelativeRmse);
    QCOMPARE(roles.columns.front(), std::string("–"));
    QCOMPARE(roles.values.size(), roles.rows.size() * roles.columns.size());
    std::size_t known = 0;
    for (std::size_t i = 0; i < roles.values.size(); ++i) {
        if (std::isnan(roles.values[i]))
            continue;
        ++known;
        QCOMPARE(roles.values[i], *errorFigure(table.row(roles.targets[i].row), {}, ErrorFigure::RelativeRmse));
    }
    QCOMPARE(known, table.totals().compared());

    const std::vector<std::string> names = expertRoles(table);
    QVERIFY(std::ranges::find(names, std::string("ffn_down_exps")) != names.end());
    const ErrorMap experts = mapOfExperts(table, "ffn_down_exps", ErrorFigure::RelativeRmse);
    QCOMPARE(experts.rows.front(), std::string("0"));
    const TensorIndex down = *compared.a->findTensor("blk.1.ffn_down_exps.weight");
    const std::size_t at = experts.at(1, 3);
    QCOMPARE(table.row(experts.targets[at].row).a, std::optional(down));
    QCOMPARE(experts.targets[at].expert, std::optional<std::uint64_t>(3));
    QCOMPARE(experts.values[at], *errorFigure(table.row(experts.targets[at].row), 3, ErrorFigure::RelativeRmse));
}

void ComparisonTableTest::ownExpertsHaveTheirPlaceInTheMap()
{
    const auto merged = write("m.gguf", GgufBuilder().floats("blk.0.ffn_up_exps.weight", {2, 1, 2}, {1, 2, 3, 4}));
    const auto own = write("o.gguf", GgufBuilder().floats("blk.0.ffn_up.0.weight", {2, 1}, {1, 2})
                                         .floats("blk.0.ffn_up.1.weight", {2, 1}, {3, 5}));
    for (const auto &[a, b] : {std::pair(merged, own), std::pair(own, merged)}) {
        const auto compared = compareModels(a, b);
        const ErrorMap map = mapOfExperts(compared.table, "ffn_up_exps", ErrorFigure::MaxAbsError);
        QCOMPARE(map.columns.size(), std::size_t(2));
        QCOMPARE(map.values, (std::vector<double>{0, 1}));
    }
}

QTEST_APPLESS_MAIN(ComparisonTableTest)
#include "tst_comparisontable.moc"
