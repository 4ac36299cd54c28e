// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/literals.h"

#include "tests/support/summarybuilder.h"
#include "tests/widgets/cpuclock.h"
#include "widgets/models/tensorfilterproxy.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace ql;
using namespace ql::test;

namespace {

/// "  expert 0" two blanks a level, all rows of a model.
QStringList printTree(const QAbstractItemModel &model, const QModelIndex &parent = {},
                      int depth = 0)
{
    QStringList lines;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        lines << QString(depth * 2, QLatin1Char(' ')) + index.data().toString();
        lines << printTree(model, index, depth + 1);
    }
    return lines;
}

QString cell(const QModelIndex &row, TensorColumn column, int role = Qt::DisplayRole)
{
    return row.siblingAtColumn(static_cast<int>(column)).data(role).toString();
}

SummaryBuilder mixedModel()
{
    SummaryBuilder model;
    model.tensor("token_embd.weight", GgmlType::Q6_K, {256, 1000})
        .tensor("blk.10.attn_q.weight", GgmlType::Q4_K, {256, 256})
        .tensor("blk.9.attn_q.weight", GgmlType::Q8_0, {256, 256})
        .tensor("blk.9.attn_q.bias", GgmlType::F32, {256})
        .tensor("blk.9.ffn_up_exps.weight", GgmlType::Q4_K, {256, 128, 3})
        .tensor("blk.10.ffn_gate.1.weight", GgmlType::Q4_K, {256, 128})
        .tensor("blk.10.ffn_gate.0.weight", GgmlType::Q5_K, {256, 128})
        .tensor("output.weight", GgmlType::Q6_K, {256, 1000});
    return model;
}

} // namespace

class TensorTreeModelTest : public QObject
{
    Q_OBJECT

private slots:
    void numbersSortLargestFirst()
    {
        const TensorTreeModel model;
        const auto order = [&model](TensorColumn column) {
            return model.headerData(static_cast<int>(column), Qt::Horizontal, Qt::InitialSortOrderRole).toInt();
        };
        QCOMPARE(order(TensorColumn::Error), int(Qt::DescendingOrder));
        QCOMPARE(order(TensorColumn::Bytes), int(Qt::DescendingOrder));
        QCOMPARE(order(TensorColumn::Name), int(Qt::AscendingOrder));
    }

    void treeFollowsLayersRolesAndExperts()
    {
        TensorTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setModel(mixedModel().build());
        QCOMPARE(printTree(model),
                 (QStringList{"token_embd", "layer 9", "  attn_q", "  attn_q.bias",
                              "  ffn_up_exps", "    expert 0", "    expert 1", "    expert 2",
                              "layer 10", "  attn_q", "  ffn_gate_exps", "    expert 0",
                              "    expert 1", "output"}));
    }

    void flatShowsWholeNamesInFileOrder()
    {
        TensorTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setModel(mixedModel().build());
        model.setShape(TensorTree::Shape::Flat);
        QCOMPARE(model.rowCount(), 8);
        QCOMPARE(printTree(model).mid(0, 3),
                 (QStringList{"token_embd.weight", "blk.10.attn_q.weight", "blk.9.attn_q.weight"}));
    }

    void cellsSayWhatTheFileSays()
    {
        TensorTreeModel model;
        model.setModel(mixedModel().build());
        const QModelIndex tensor = model.indexOf(TensorIndex{4});
        QCOMPARE(cell(tensor, TensorColumn::Type), "Q4_K");
        QCOMPARE(cell(tensor, TensorColumn::Type, TypeIdRole), "12");
        QCOMPARE(cell(tensor, TensorColumn::Shape), "[256, 128, 3]");
        QCOMPARE(cell(tensor, TensorColumn::Weights, PlainRole), "98304");
        QCOMPARE(cell(tensor, TensorColumn::Bytes, PlainRole), "55296");
        QCOMPARE(cell(tensor, TensorColumn::Bytes), "54.0 KiB");
        QCOMPARE(cell(tensor, TensorColumn::BitsPerWeight, PlainRole), "4.5");
        QCOMPARE(cell(tensor, TensorColumn::Name, PlainRole), "blk.9.ffn_up_exps.weight");
    }

    void expertsAreSlicesOfTheirTensor()
    {
        TensorTreeModel model;
        model.setModel(mixedModel().build());
        const QModelIndex expert = model.indexOf(TensorIndex{4}, 2);
        QCOMPARE(expert.data().toString(), "expert 2");
        QCOMPARE(cell(expert, TensorColumn::Shape), "[256, 128]");
        QCOMPARE(cell(expert, TensorColumn::Bytes, PlainRole), "18432");
        const quint64 first = cell(model.indexOf(TensorIndex{4}), TensorColumn::Offset, PlainRole)
                                  .toULongLong();
        QCOMPARE(cell(expert, TensorColumn::Offset, PlainRole).toULongLong(), first + 2 * 18432);
        const Selection selection = model.selectionOf(expert);
        QCOMPARE(selection.tensor->value, 4U);
        QCOMPARE(*selection.expert, 2U);
        QVERIFY(!model.selectionOf(model.index(1, 0)).tensor); // a layer
    }

    void groupsAddUp()
    {
        TensorTreeModel model;
        model.setModel(mixedModel().build());
        const QModelIndex layer9 = model.index(1, 0);
        QCOMPARE(cell(layer9, TensorColumn::Weights, PlainRole),
                 QString::number(256 * 256 + 256 + 98304));
        QCOMPARE(cell(layer9, TensorColumn::Type), "");
    }

    void sumsBeyond64BitsAreUnknown()
    {
        SummaryBuilder builder;
        const std::uint64_t huge = std::uint64_t{1} << 61;
        builder.tensor("blk.0.a.weight", GgmlType::I8, {huge, 6})
            .tensor("blk.0.b.weight", GgmlType::I8, {huge, 6});
        TensorTreeModel model;
        model.setModel(builder.build());
        QCOMPARE(cell(model.index(0, 0), TensorColumn::Weights), "unknown");
    }

    void problemsShowWithoutColour()
    {
        SummaryBuilder builder;
        builder.unknownTensor("blk.0.a.weight", 99, {256, 2});
        TensorTreeModel model;
        model.setModel(builder.build());
        const QModelIndex row = model.indexOf(TensorIndex{0});
        QVERIFY(row.data(ProblemRole).toBool());
        QVERIFY(row.parent().data(ProblemRole).toBool());
        QVERIFY(row.data(Qt::ToolTipRole).toString().contains("type 99 is not known"));
        QCOMPARE(cell(row, TensorColumn::Problem), "type 99 is not known");
        QCOMPARE(cell(row, TensorColumn::Type), "unknown(99)");
        QCOMPARE(cell(row, TensorColumn::Bytes), "unknown");
        QVERIFY(model.isUseful(tensorColumns()[static_cast<std::size_t>(TensorColumn::Problem)]));
    }

    void aClaimOfManyExpertsCostsNothing()
    {
        SummaryBuilder builder;
        builder.tensor("blk.0.ffn_up_exps.weight", GgmlType::I8, {1, 1, std::uint64_t{1} << 60});
        TensorTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setModel(builder.build());
        QCOMPARE(model.rowCount(model.indexOf(TensorIndex{0})), int(TensorTree::MaxSlabs));
        QVERIFY(!model.selectionOf(model.indexOf(TensorIndex{0}, 5000)).expert);
    }

    void columnsOfAScanAppearWithIt()
    {
        TensorTreeModel model;
        model.setModel(mixedModel().build());
        const auto &rms = tensorColumns()[static_cast<std::size_t>(TensorColumn::Rms)];
        QVERIFY(!model.isUseful(rms));
        Moments moments;
        moments.count = 4;
        moments.zeros = 1;
        moments.nan = 2;
        model.setMoments(TensorIndex{4}, moments, {moments, moments});
        QVERIFY(model.isUseful(rms));
        const QModelIndex row = model.indexOf(TensorIndex{4});
        QCOMPARE(cell(row, TensorColumn::ZeroShare, PlainRole), "0.25");
        QCOMPARE(cell(row, TensorColumn::NonFinite, PlainRole), "2");
        QCOMPARE(cell(model.indexOf(TensorIndex{4}, 1), TensorColumn::NonFinite), "2");
        QCOMPARE(cell(model.indexOf(TensorIndex{4}, 2), TensorColumn::NonFinite), "");
    }

    void comparisonsShowTypesBarsAndSame()
    {
        TensorTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setModel(mixedModel().build());
        model.beginComparison();
        model.setComparison(TensorIndex{1}, {10U, false, 0.25, {}});
        model.setComparison(TensorIndex{4}, {11U, false, 0.125, {0.1, 0.2, std::nullopt}});
        model.setComparison(TensorIndex{0}, {14U, true, std::nullopt, {}});
        QCOMPARE(cell(model.indexOf(TensorIndex{0}), TensorColumn::Error), "same");
        QCOMPARE(cell(model.indexOf(TensorIndex{1}), TensorColumn::TypeB), "Q2_K");
        QCOMPARE(cell(model.indexOf(TensorIndex{1}), TensorColumn::Error, BarRole), "1");
        QCOMPARE(cell(model.indexOf(TensorIndex{4}), TensorColumn::Error, BarRole), "0.5");
        QCOMPARE(cell(model.indexOf(TensorIndex{4}, 1), TensorColumn::Error, PlainRole), "0.2");
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), "A");
        model.clearComparison();
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), "type");
    }

    void sortsNaturallyAndByNumbers()
    {
        TensorTreeModel model;
        TensorFilterProxy proxy;
        QAbstractItemModelTester tester(&proxy, QAbstractItemModelTester::FailureReportingMode::QtTest);
        proxy.setTensorModel(&model);
        model.setShape(TensorTree::Shape::Flat);
        model.setModel(mixedModel().build());
        proxy.sort(static_cast<int>(TensorColumn::Name));
        QCOMPARE(printTree(proxy).mid(0, 4),
                 (QStringList{"blk.9.attn_q.bias", "blk.9.attn_q.weight",
                              "blk.9.ffn_up_exps.weight", "blk.10.attn_q.weight"}));
        proxy.sort(static_cast<int>(TensorColumn::Weights), Qt::DescendingOrder);
        QCOMPARE(printTree(proxy).last(), "blk.9.attn_q.bias");
        proxy.sort(-1);
        QCOMPARE(printTree(proxy).first(), "token_embd.weight");
    }

    void unknownSortsLastBothWays()
    {
        SummaryBuilder builder;
        builder.unknownTensor("odd", 99, {4}).tensor("small", GgmlType::F32, {4})
            .tensor("large", GgmlType::F32, {8});
        TensorTreeModel model;
        TensorFilterProxy proxy;
        proxy.setTensorModel(&model);
        model.setModel(builder.build());
        proxy.sort(static_cast<int>(TensorColumn::Bytes), Qt::AscendingOrder);
        QCOMPARE(printTree(proxy), (QStringList{"small", "large", "odd"}));
        proxy.sort(static_cast<int>(TensorColumn::Bytes), Qt::DescendingOrder);
        QCOMPARE(printTree(proxy), (QStringList{"large", "small", "odd"}));
    }

    void filtersByTextTypeAndLayer()
    {
        TensorTreeModel model;
        TensorFilterProxy proxy;
        QAbstractItemModelTester tester(&proxy, QAbstractItemModelTester::FailureReportingMode::QtTest);
        proxy.setTensorModel(&model);
        model.setModel(mixedModel().build());
        proxy.setText(TextMatcher(QStringLiteral("attn_q\\.w"), true));
        QCOMPARE(printTree(proxy), (QStringList{"layer 9", "  attn_q", "layer 10", "  attn_q"}));
        proxy.setTypes({static_cast<std::uint32_t>(GgmlType::Q8_0)});
        QCOMPARE(printTree(proxy), (QStringList{"layer 9", "  attn_q"}));
        proxy.setText({});
        proxy.setTypes({});
        proxy.setLayers({10});
        QCOMPARE(printTree(proxy).size(), 5);
        proxy.setLayers({TensorFilterProxy::NoLayer});
        QCOMPARE(printTree(proxy), (QStringList{"token_embd", "output"}));
        QCOMPARE(proxy.shownTensors().size(), std::size_t{2});
        proxy.setLayers({});
        QCOMPARE(proxy.shownTensors().size(), std::size_t{8});
    }

    void brokenRegexIsSaid()
    {
        const TextMatcher matcher(QStringLiteral("ab(c"), true);
        QVERIFY(!matcher.isValid());
        QVERIFY2(matcher.error().contains("at character 5"), qPrintable(matcher.error()));
        QVERIFY(TextMatcher(QStringLiteral("ab(c"), false).isValid());
    }

    void runawayRegexEnds()
    {
        const TextMatcher matcher(QStringLiteral("(a+)+$"), true);
        CpuClock clock;
        QVERIFY(!matcher.matches(QString(400, QLatin1Char('a')) + QLatin1Char('b')));
        QVERIFY2(clock.elapsed() < 5000, qPrintable(QString::number(clock.elapsed())));
    }

    void sixThousandTensorsFilterAndSortAtOnce()
    {
        SummaryBuilder builder;
        for (int i = 0; i < 6000; ++i)
            builder.tensor("blk." + std::to_string(i / 10) + ".t" + std::to_string(i % 10) + ".weight",
                           GgmlType::Q4_K, {256, std::uint64_t(i % 7 + 1)});
        TensorTreeModel model;
        TensorFilterProxy proxy;
        proxy.setTensorModel(&model);
        model.setModel(builder.build());
        CpuClock clock;
        proxy.sort(static_cast<int>(TensorColumn::Weights));
        proxy.setText(TextMatcher(QStringLiteral("t[37]\\."), true));
        QCOMPARE(printTree(proxy).size(), 600 + 1200);
        qInfo("filtered, sorted and printed in %.1f ms", clock.elapsed());
        QVERIFY(clock.elapsed() < 2000);
    }
};

QTEST_MAIN(TensorTreeModelTest)
#include "tst_tensortreemodel.moc"
