// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/literals.h"

#include "core/format/shardset.h"
#include "tests/support/summarybuilder.h"
#include "tests/support/testdata.h"
#include "tests/widgets/cpuclock.h"
#include "tests/widgets/picture.h"
#include "widgets/metadatapanel.h"
#include "widgets/models/metadatatreemodel.h"
#include "widgets/models/tableactions.h"
#include "widgets/stateplaceholder.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace ql;
using namespace ql::test;

namespace {

constexpr const char *Template = "{%- if messages[0]['role'] == 'system' %}\n"
                                 "\t<|im_start|>system\n\t{{ messages[0]['content'] }}<|im_end|>\n"
                                 "{%- endif %}\n<b>not markup</b>";

ModelSummaryPtr sample()
{
    return SummaryBuilder()
        .text("general.name", "Tiny")
        .scalar("general.alignment", ValueType::U32, "32")
        .scalar("llama.attention.layer_norm_rms_epsilon", ValueType::F32, "1e-05")
        .array("tokenizer.ggml.tokens", ValueType::String, 120000, "[\"<s>\", \"a\", …]")
        .array("tokenizer.ggml.scores", ValueType::F32, 3, "[0, 1, 2]")
        .text("tokenizer.chat_template", Template)
        .text("general.name", "Tiny again")
        .build();
}

ArrayListingPtr listing(std::size_t count, std::uint64_t total)
{
    auto result = std::make_shared<ArrayListing>(total);
    for (std::size_t i = 0; i < count; ++i)
        result->append("token " + std::to_string(i));
    return result;
}

QStringList printTree(const QAbstractItemModel &model, const QModelIndex &parent = {}, int depth = 0)
{
    QStringList lines;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        QStringList cells{QString(depth * 2, QLatin1Char(' ')) + index.data().toString()};
        if (!model.hasChildren(index))
            cells << index.siblingAtColumn(1).data().toString()
                  << index.siblingAtColumn(2).data().toString();
        lines << cells.join(" | ") << printTree(model, index, depth + 1);
    }
    return lines;
}

struct Shown {
    MetadataPanel panel;
    QSignalSpy arrays{&panel, &MetadataPanel::arrayRequested};
    QSignalSpy filters{&panel, &MetadataPanel::arrayFilterRequested};

    explicit Shown(ModelSummaryPtr model)
    {
        panel.resize(460, 780);
        panel.setModel(std::move(model));
        panel.show();
        (void)QTest::qWaitForWindowExposed(&panel);
    }

    QTreeView *tree() { return panel.findChild<QTreeView *>("metadataTree"); }
    QTableView *array() { return panel.findChild<QTableView *>("arrayTable"); }
    QLineEdit *edit(const char *name) { return panel.findChild<QLineEdit *>(name); }
    QString text(const char *name) { return panel.findChild<QLabel *>(name)->text(); }
    QPlainTextEdit *value() { return panel.findChild<QPlainTextEdit *>("valueText"); }

    void click(const QString &label)
    {
        const auto *model = tree()->model();
        const QModelIndexList found = model->match(model->index(0, 0), Qt::DisplayRole, label, 1,
                                                   Qt::MatchExactly | Qt::MatchRecursive);
        QVERIFY2(!found.isEmpty(), qPrintable(label));
        tree()->scrollTo(found.first());
        QTest::mouseClick(tree()->viewport(), Qt::LeftButton, {},
                          tree()->visualRect(found.first()).center());
    }
};

} // namespace

class MetadataPanelTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void treeFollowsTheSegments()
    {
        MetadataTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setModel(sample());
        QCOMPARE(printTree(model),
                 (QStringList{"general", "  name | string | Tiny", "  alignment | u32 | 32",
                              "  name | string | Tiny again", "llama", "  attention",
                              "    layer_norm_rms_epsilon | f32 | 1e-05", "tokenizer", "  ggml",
                              "    tokens | string × 120,000 | [\"<s>\", \"a\", …]",
                              "    scores | f32 × 3 | [0, 1, 2]",
                              "  chat_template | string | " + QString(Template).replace("\n", "\\x0a")
                                                                .replace("\t", "\\x09")}));
    }

    void strangeKeysKeepTheirShape()
    {
        MetadataTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setModel(SummaryBuilder()
                           .scalar("", ValueType::U8, "1")
                           .scalar(".", ValueType::U8, "2")
                           .scalar("a.", ValueType::U8, "3")
                           .scalar("a", ValueType::U8, "4")
                           .scalar("a.b", ValueType::U8, "5")
                           .scalar("1.2.3.4.5.6.7", ValueType::U8, "6")
                           .build());
        QCOMPARE(printTree(model),
                 (QStringList{" | u8 | 1", ". | u8 | 2", "a. | u8 | 3", "a | u8 | 4", "a",
                              "  b | u8 | 5", "1", "  2", "    3", "      4",
                              "        5.6.7 | u8 | 6"}));
    }

    void proxyFiltersKeysAndValues()
    {
        MetadataTreeModel model;
        MetadataFilterProxy proxy;
        QAbstractItemModelTester tester(&proxy, QAbstractItemModelTester::FailureReportingMode::QtTest);
        proxy.setMetadataModel(&model);
        model.setModel(sample());
        proxy.setText(TextMatcher("again", false));
        QCOMPARE(printTree(proxy), (QStringList{"general", "  name | string | Tiny again"}));
        proxy.setText(TextMatcher("^llama\\.", true));
        QCOMPARE(proxy.shownEntries(), 1);
        model.setModel(SummaryBuilder().scalar("llama.x", ValueType::U8, "1").build());
        QCOMPARE(printTree(proxy), (QStringList{"llama", "  x | u8 | 1"}));
    }

    void longTextsAreReadWholeAndPlain()
    {
        Shown shown(sample());
        shown.click("chat_template");
        QCOMPARE(shown.text("metadataKey"), "tokenizer.chat_template");
        QVERIFY(shown.value()->isVisible());
        QCOMPARE(shown.value()->toPlainText(), QString(Template));
        QVERIFY(shown.value()->isReadOnly());
        auto *wrap = shown.panel.findChild<QCheckBox *>("wrapToggle");
        QCOMPARE(shown.value()->lineWrapMode(), QPlainTextEdit::WidgetWidth);
        wrap->click();
        QCOMPARE(shown.value()->lineWrapMode(), QPlainTextEdit::NoWrap);
    }

    void oneLineOfAMegabyteDoesNotBlock()
    {
        Shown shown(SummaryBuilder().text("big", std::string(1 << 20, 'x')).build());
        CpuClock clock;
        shown.click("big");
        shown.value()->repaint();
        qInfo("shown in %.1f ms", clock.elapsed());
        QVERIFY(shown.text("textNote").contains("of 1.00 MiB"));
        QVERIFY(clock.elapsed() < 1000);
        shown.panel.findChild<QToolButton *>("copyValue")->click();
        QCOMPARE(QGuiApplication::clipboard()->text().size(), 1 << 20); // and not broken
    }

    void arraysAreAskedForAndShown()
    {
        Shown shown(sample());
        shown.click("tokens");
        QCOMPARE(shown.arrays.last().at(0).toInt(), 3);
        QCOMPARE(shown.panel.findChild<QWidget *>("arrayView")->isVisible(), true);
        shown.panel.setArray(4, listing(3, 3)); // an answer to something else
        QVERIFY(!shown.array()->isVisible());
        shown.panel.setArray(3, listing(120000, 120000));
        QVERIFY(shown.array()->isVisible());
        QCOMPARE(shown.array()->model()->rowCount(), 120000);
        QCOMPARE(shown.array()->model()->index(119999, 1).data().toString(), "token 119999");
        QCOMPARE(shown.text("arrayCount"), "120,000");
    }

    void cutListsSaySo()
    {
        Shown shown(sample());
        shown.click("scores");
        shown.panel.setArray(4, listing(1000, 5000000));
        QCOMPARE(shown.text("arrayCount"), "first 1,000 of 5,000,000");
    }

    void shortArraysAreFilteredHere()
    {
        Shown shown(sample());
        shown.click("scores");
        shown.panel.setArray(4, listing(500, 500));
        QTest::keyClicks(shown.edit("arrayFilterEdit"), "n 49");
        QCOMPARE(shown.text("arrayCount"), "11 of 500");
        QCOMPARE(shown.array()->model()->index(1, 0).data().toString(), "490");
        QCOMPARE(shown.filters.size(), 0);
        QTest::keyClicks(shown.edit("arrayFilterEdit"), "zz");
        QVERIFY(!shown.array()->isVisible());
    }

    void longArraysAreFilteredElsewhere()
    {
        Shown shown(sample());
        shown.click("tokens");
        shown.panel.setArray(3, listing(120000, 120000));
        shown.edit("arrayFilterEdit")->setText("77");
        QCOMPARE(shown.filters.size(), 1);
        QCOMPARE(shown.filters.last().at(0).toInt(), 3);
        QCOMPARE(shown.filters.last().at(1).toString(), "77");
        QVERIFY(shown.text("arrayCount").startsWith("filtering"));
        auto rows = std::make_shared<const std::vector<std::uint32_t>>(
            std::vector<std::uint32_t>{77, 770, 1077});
        shown.panel.setArrayFilter(rows);
        QCOMPARE(shown.array()->model()->rowCount(), 3);
        QCOMPARE(shown.array()->model()->index(2, 1).data().toString(), "token 1077");
        shown.edit("arrayFilterEdit")->clear();
        QCOMPARE(shown.array()->model()->rowCount(), 120000);
        shown.panel.setArrayFilter(rows); // too late
        QCOMPARE(shown.array()->model()->rowCount(), 120000);
    }

    void manyRowsAppearAtOnce()
    {
        Shown shown(sample());
        shown.click("tokens");
        const auto many = listing(300000, 300000);
        CpuClock clock;
        shown.panel.setArray(3, many);
        shown.array()->viewport()->repaint();
        shown.array()->scrollToBottom();
        shown.array()->viewport()->repaint();
        qInfo("300,000 rows shown and scrolled in %.1f ms", clock.elapsed());
        QVERIFY(clock.elapsed() < 1000);
    }

    void filteringKeepsWhatIsRead()
    {
        Shown shown(sample());
        shown.click("chat_template");
        QTest::keyClicks(shown.edit("metadataFilterEdit"), "general");
        QCOMPARE(shown.text("metadataKey"), "tokenizer.chat_template");
        QCOMPARE(shown.tree()->model()->rowCount(), 1);
        shown.panel.showEntry(5); // from elsewhere: the filter gives way
        QCOMPARE(shown.tree()->currentIndex().data().toString(), "chat_template");
        QTest::keyClicks(shown.edit("metadataFilterEdit"), "no such thing");
        QCOMPARE(shown.panel.findChild<StatePlaceholder *>("metadataState")->title(), "No key matches");
    }

    void copiesAndExportsWholeValues()
    {
        Shown shown(sample());
        shown.click("alignment");
        QCOMPARE(selectedRowsAsTsv(*shown.tree()), "key\ttype\tvalue\ngeneral.alignment\tu32\t32\n");
    }

    void realFilesShow()
    {
        for (const char *path : {"models/ggml-vocab-bert-bge.gguf", "cases/ok_all_value_types.gguf",
                                 "cases/hostile_template.gguf", "cases/dup_key.gguf",
                                 "cases/empty_arrays.gguf", "cases/control_chars.gguf"}) {
            const auto model = openModel(dataPath(path).toStdString());
            QVERIFY2(model.has_value(), path);
            const auto summary = summarize(**model);
            Shown shown(summary);
            for (int i = 0; i < int(summary->metadata.size()); ++i) {
                shown.panel.showEntry(i);
                QCOMPARE(shown.text("metadataKey"),
                         QString::fromStdString(summary->metadata[std::size_t(i)].key));
            }
        }
    }

    void stateComesBack()
    {
        QByteArray state;
        {
            Shown shown(sample());
            shown.tree()->setColumnWidth(0, 233);
            state = shown.panel.saveState();
        }
        Shown shown(sample());
        QVERIFY(!shown.panel.restoreState("{}"));
        QVERIFY(shown.panel.restoreState(state));
        QCOMPARE(shown.tree()->columnWidth(0), 233);
    }

    void pictures()
    {
        Shown shown(sample());
        shown.click("chat_template");
        savePictures(shown.panel, "metadata-template");
        shown.click("tokens");
        savePictures(shown.panel, "metadata-pending");
        shown.panel.setArray(3, listing(120000, 120000));
        savePictures(shown.panel, "metadata-array");
        const auto model = openModel(dataPath("models/tiny-moe-Q2_K.gguf").toStdString());
        shown.panel.setModel(summarize(**model));
        savePictures(shown.panel, "metadata-real");
    }
};

QTEST_MAIN(MetadataPanelTest)
#include "tst_metadatapanel.moc"
