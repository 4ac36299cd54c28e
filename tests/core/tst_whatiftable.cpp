// SPDX-License-Identifier: GPL-3.0-or-later
// The What-if table: what the rows say, what the choice comes to, and the budget over it.

#include "core/stats/whatiftable.h"

#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace ql;
using namespace ql::test;
using enum GgmlType;

class WhatIfTableTest : public QObject
{
    Q_OBJECT

    GgufModelPtr m_model;
    ModelSummaryPtr m_summary;

    WhatIfTable measured(WhatIfOrder order)
    {
        WhatIfTable table(m_summary, order);
        for (const TensorIndex tensor : table.order().tensors) {
            const auto row = measureRow(m_model, tensor, table.order());
            if (!row)
                QTest::qFail(row.error().message.c_str(), __FILE__, __LINE__);
            else
                table.setRow(*row);
        }
        return table;
    }
    TensorIndex find(const char *name) { return *m_model->findTensor(name); }
    WhatIfOrder attention() { return {{find("blk.0.attn_q.weight"), find("blk.1.attn_q.weight")}, {Q8_0, Q4_K}, {}}; }

private slots:
    void init()
    {
        m_model = openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q4_K_M-split-00001-of-00003.gguf")));
        m_summary = summarize(*m_model);
    }

    void rowsHoldThePresentTypeAndTheCandidates()
    {
        const WhatIfTable table = measured(attention());
        QCOMPARE(table.measuredCount(), std::size_t{2});
        const WhatIfRow &row = *table.row(0);
        QCOMPARE(row.values.size(), std::size_t{3});
        QVERIFY(row.values[0].identical);
        QCOMPARE(row.values[0].bytes, *m_model->tensor(row.tensor).byteSize);
        QCOMPARE(row.values[1].type, Q8_0);
        QCOMPARE(row.values[1].bytes, *m_model->tensor(row.tensor).elements / 32 * 34);
        QCOMPARE(row.sampledShare, 1.0);
        // Nothing is chosen yet: the file stays what it is.
        QCOMPARE(table.totals().bytesThen, table.totals().bytesNow);
        QCOMPARE(table.totals().bytesNow, m_summary->size);
        QCOMPARE(table.totals().changed, std::size_t{0});
        QCOMPARE(*table.totals().relativeRmse, 0.0);
    }

    void totalsAddUpWhatIsChosen()
    {
        WhatIfTable table = measured(attention());
        QVERIFY(table.choose(0, 1));
        QVERIFY(!table.choose(0, 9));
        const WhatIfRow &row = *table.row(0);
        const WhatIfTotals totals = table.totals();
        QCOMPARE(totals.bytesThen, totals.bytesNow - row.values[0].bytes + row.values[1].bytes);
        QCOMPARE(totals.changed, std::size_t{1});
        QCOMPARE(totals.measured, std::size_t{2});
        // Over the energy of both tensors, the other one's error being 0.
        const double energy = row.values[1].errors.sumSqA + table.row(1)->values[1].errors.sumSqA;
        QCOMPARE(*totals.relativeRmse, std::sqrt(row.values[1].errors.sumSqError / energy));
        QVERIFY(*totals.bitsThen > *totals.bitsNow);
        QCOMPARE(table.choices(false).size(), std::size_t{1});
        QCOMPARE(table.choices(true).size(), std::size_t{2});
        QCOMPARE(table.choices(false).front().type, Q8_0);
    }

    void aBudgetIsKeptAndTheBestOfItIsTaken()
    {
        WhatIfTable table = measured(attention());
        QVERIFY(!table.chooseForBudget(table.smallestFile() - 1));
        QVERIFY(table.chooseForBudget(table.smallestFile()));
        QCOMPARE(table.totals().bytesThen, table.smallestFile());
        // The present types are among the choices and have no error: nothing better than them.
        QVERIFY(table.chooseForBudget(m_summary->size));
        QCOMPARE(table.totals().changed, std::size_t{0});
        const std::uint64_t between = (table.smallestFile() + m_summary->size) / 2;
        QVERIFY(table.chooseForBudget(between));
        QVERIFY(table.totals().bytesThen <= between);
    }

    void whatCantBeMeasuredSaysWhy()
    {
        const WhatIfTable table = measured({{find("output_norm.weight"), find("blk.0.attn_q.weight")}, {Q4_K}, {}});
        QCOMPARE(table.measuredCount(), std::size_t{1});
        for (std::size_t i = 0; i < 2; ++i)
            QCOMPARE(table.row(i)->problem.empty(), table.tensor(i).name == "blk.0.attn_q.weight");
        QCOMPARE(table.totals().measured, std::size_t{1});
    }

    void aSampleSaysHowMuchItSaw()
    {
        QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("m.gguf"));
        std::vector<float> weights(std::size_t{1} << 22);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = static_cast<float>(std::sin(double(i) * 0.37));
        GgufBuilder().floats("blk.0.ffn_up.weight", {1024, weights.size() / 1024}, weights).writeTo(path);
        const auto model = openOrFail(path);
        const auto exact = measureRow(model, {0}, {{{0}}, {Q4_0}, {}});
        const auto sample = measureRow(model, {0}, {{{0}}, {Q4_0}, std::uint64_t{1} << 20});
        QVERIFY(exact && sample);
        QCOMPARE((*exact)->sampledShare, 1.0);
        QCOMPARE((*sample)->sampledShare, 0.25);
        QVERIFY((*sample)->values[1].estimated && !(*exact)->values[1].estimated);
        const double a = *(*exact)->values[1].errors.relativeRmse(), b = *(*sample)->values[1].errors.relativeRmse();
        QVERIFY2(std::abs(a - b) < 0.01 * a, qPrintable(QStringLiteral("%1 %2").arg(a).arg(b)));
        // The totals count the sampled error as if all weights had been looked at.
        WhatIfTable table(summarize(*model), {{{0}}, {Q4_0}, std::uint64_t{1} << 20});
        table.setRow(*sample);
        QVERIFY(table.choose(0, 1));
        QCOMPARE(*table.totals().relativeRmse, b);
        QVERIFY(table.totals().estimated);
    }

    void choicesSurviveANewOrder()
    {
        WhatIfTable before = measured(attention());
        QVERIFY(before.choose(1, 2));
        WhatIfTable after(m_summary, {{find("blk.1.attn_q.weight")}, {Q2_K, Q4_K}, {}});
        after.chooseLike(before);
        after.setRow(*measureRow(m_model, after.order().tensors[0], after.order()));
        QCOMPARE(after.chosenValue(0)->wanted, Q4_K);
    }

    void aStopIsNoProblemOfTheRow()
    {
        const auto stop = std::make_unique<std::stop_source>(); // on the stack GCC 12 warns of nothing
        stop->request_stop();
        const auto row = measureRow(m_model, find("blk.0.attn_q.weight"), attention(), false, stop->get_token());
        QVERIFY(!row);
        QCOMPARE(row.error().code, std::string(StoppedCode));
    }
};

QTEST_APPLESS_MAIN(WhatIfTableTest)
#include "tst_whatiftable.moc"
