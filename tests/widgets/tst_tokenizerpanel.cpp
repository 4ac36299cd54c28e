// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/literals.h"

#include "core/format/shardset.h"
#include "core/model/readlisting.h"
#include "tests/support/summarybuilder.h"
#include "tests/support/testdata.h"
#include "tests/widgets/cpuclock.h"
#include "tests/widgets/picture.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/rowsearch.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/tokentablemodel.h"
#include "widgets/stateplaceholder.h"
#include "widgets/tokenizerpanel.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

using namespace ql;
using namespace ql::test;

namespace {

ArrayListingPtr listing(const std::vector<std::string> &texts)
{
    auto result = std::make_shared<ArrayListing>(texts.size());
    for (const std::string &text : texts)
        result->append(text);
    return result;
}

TokenTable smallTable()
{
    TokenTable table;
    table.model = "llama";
    table.pre = "default";
    table.tokens = listing({"<unk>", "<s>", "</s>", "<0x0A>", "▁the", "<|user|>", "▁a"});
    table.types = {2, 3, 3, 6, 1, 4, 1};
    table.scores = {0, 0, 0, 0, -1.5F, 0, -0.1F};
    table.merges = listing({"▁ t", "h e", "▁t he"});
    table.specials = {{"bos", 1}, {"eos", 2}, {"pad", 4000000000}};
    return table;
}

TokenTablePtr largeTable(std::size_t count)
{
    auto tokens = std::make_shared<ArrayListing>(count);
    TokenTable table;
    for (std::size_t i = 0; i < count; ++i) {
        tokens->append("token " + std::to_string(i));
        table.types.push_back(i % 1000 ? 1 : 3);
        table.scores.push_back(-float(i % 977));
    }
    table.tokens = tokens;
    return std::make_shared<const TokenTable>(table);
}

ModelSummaryPtr withTokenizer(bool has = true)
{
    auto model = std::make_shared<ModelSummary>(*SummaryBuilder().build());
    model->hasTokenizer = has;
    return model;
}

struct Shown {
    TokenizerPanel panel;
    QSignalSpy requests{&panel, &TokenizerPanel::tokensRequested};

    explicit Shown(TokenTablePtr table)
    {
        panel.resize(420, 700);
        panel.setModel(withTokenizer());
        panel.show();
        (void)QTest::qWaitForWindowExposed(&panel);
        if (table)
            panel.setTokens(std::move(table));
    }
    explicit Shown(const TokenTable &table) : Shown(std::make_shared<const TokenTable>(table)) {}

    QTableView *table(const char *name = "tokenTable") { return panel.findChild<QTableView *>(name); }
    QString count() { return panel.findChild<QLabel *>("tokenCount")->text(); }
    QString state() { return panel.findChild<StatePlaceholder *>("tokenizerState")->title(); }
    QLineEdit *edit() { return panel.findChild<QLineEdit *>("tokenFilterEdit"); }
    QStringList tokens()
    {
        QStringList texts;
        for (int row = 0; row < table()->model()->rowCount(); ++row)
            texts << table()->model()->index(row, TokenTableModel::TokenColumn).data().toString();
        return texts;
    }
};

} // namespace

class TokenizerPanelTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void modelsKeepTheRules()
    {
        TokenTableModel tokens;
        SpecialTokensModel specials;
        ArrayTableModel merges;
        const auto mode = QAbstractItemModelTester::FailureReportingMode::QtTest;
        QAbstractItemModelTester first(&tokens, mode), second(&specials, mode), third(&merges, mode);
        const auto table = std::make_shared<const TokenTable>(smallTable());
        tokens.setTable(table);
        specials.setTable(table);
        merges.setListing(table->merges);
        tokens.setRows(std::make_shared<const std::vector<std::uint32_t>>(
            std::vector<std::uint32_t>{1, 4, 6}));
        tokens.sort(TokenTableModel::ScoreColumn, Qt::DescendingOrder);
        QCOMPARE(tokens.idAt(0), 1U);
        QCOMPARE(tokens.idAt(2), 4U);
        QCOMPARE(tokens.rowOf(6), 1);
        QCOMPARE(tokens.rowOf(5), -1);
    }

    void asksOnceAndOnlyWhenShown()
    {
        TokenizerPanel panel;
        QSignalSpy requests(&panel, &TokenizerPanel::tokensRequested);
        panel.setModel(withTokenizer());
        QCOMPARE(requests.size(), 0);
        panel.show();
        QCOMPARE(requests.size(), 1);
        panel.hide();
        panel.show();
        QCOMPARE(requests.size(), 1);
        panel.setModel(withTokenizer());
        QCOMPARE(requests.size(), 2);
    }

    void states()
    {
        Shown shown(TokenTablePtr{});
        QCOMPARE(shown.state(), "Reading the tokenizer…");
        shown.panel.setTokens(nullptr);
        QCOMPARE(shown.state(), "The tokenizer could not be read");
        shown.panel.setModel(withTokenizer(false));
        QCOMPARE(shown.state(), "No tokenizer");
        shown.panel.setModel(nullptr);
        QCOMPARE(shown.state(), "No model open");
    }

    void rowsSayWhatTheFileSays()
    {
        Shown shown(smallTable());
        const auto *model = shown.table()->model();
        QCOMPARE(model->index(4, TokenTableModel::TokenColumn).data().toString(), "▁the");
        QCOMPARE(model->index(4, TokenTableModel::TypeColumn).data().toString(), "normal");
        QCOMPARE(model->index(4, TokenTableModel::ScoreColumn).data().toString(), "-1.500");
        QCOMPARE(model->index(6, TokenTableModel::ScoreColumn).data(PlainRole).toString(), "-0.100000001");
        QCOMPARE(shown.count(), "7 tokens · llama · default");
    }

    void filtersByTextAndType()
    {
        Shown shown(smallTable());
        QTest::keyClicks(shown.edit(), "s>");
        QCOMPARE(shown.tokens(), (QStringList{"<s>", "</s>"}));
        QCOMPARE(shown.count(), "2 of 7 tokens · llama · default");
        shown.edit()->clear();
        auto *types = shown.panel.findChild<CheckMenuButton *>("tokenTypeFilter");
        for (QAction *action : types->checkMenu()->actions()) {
            if (action->text() == "control" || action->text() == "byte")
                action->trigger();
        }
        QCOMPARE(shown.tokens(), (QStringList{"<s>", "</s>", "<0x0A>"}));
        shown.edit()->setText("nothing");
        QCOMPARE(shown.state(), "No token matches");
        QVERIFY(!shown.table()->isVisible());
    }

    void specialsLeadToTheirToken()
    {
        Shown shown(smallTable());
        auto *specials = shown.table("specialTokens");
        QCOMPARE(specials->model()->index(1, 2).data().toString(), "</s>");
        QCOMPARE(specials->model()->index(2, 2).data().toString(), "outside the vocabulary");
        shown.edit()->setText("the");
        QTest::mouseClick(specials->viewport(), Qt::LeftButton, {},
                          specials->visualRect(specials->model()->index(1, 0)).center());
        QCOMPARE(shown.table()->currentIndex().row(), 2);
        QCOMPARE(shown.edit()->text(), "");
    }

    void mergesAreASecondPage()
    {
        Shown shown(smallTable());
        QTest::mouseClick(shown.panel.findChild<QToolButton *>("showMerges"), Qt::LeftButton);
        QVERIFY(shown.table("mergeTable")->isVisible());
        QCOMPARE(shown.count(), "3 merges · llama · default");
        QTest::keyClicks(shown.edit(), "he");
        QCOMPARE(shown.table("mergeTable")->model()->rowCount(), 1);
        QTest::mouseClick(shown.panel.findChild<QToolButton *>("showTokens"), Qt::LeftButton);
        QCOMPARE(shown.tokens(), (QStringList{"▁the"}));
    }

    void incompleteTablesSaySo()
    {
        TokenTable table = smallTable();
        table.types.resize(3);
        table.scores.clear();
        table.merges = nullptr;
        Shown shown(table);
        QCOMPARE(shown.count(), "7 tokens · llama · default · only 3 types");
        QVERIFY(!shown.panel.findChild<QToolButton *>("showMerges")->isVisible());
        QVERIFY(shown.table()->isColumnHidden(TokenTableModel::ScoreColumn));
        QCOMPARE(shown.table()->model()->index(5, TokenTableModel::TypeColumn).data().toString(), "");
    }

    void hugeVocabulariesStayAwake()
    {
        Shown shown(TokenTablePtr{});
        const auto table = largeTable(300000);
        CpuClock clock;
        shown.panel.setTokens(table);
        shown.table()->viewport()->repaint();
        qInfo("300,000 tokens shown in %.1f ms", clock.restart());
        shown.edit()->setText("9999");
        const auto slice = clock.elapsed();
        qInfo("first slice of the filter took %.1f ms", slice);
        QVERIFY(shown.count().startsWith("filtering"));
        QTRY_VERIFY(shown.count().startsWith("57 of 300,000"));
        qInfo("filtered in %.1f ms", clock.restart());
        shown.edit()->clear();
        shown.table()->sortByColumn(TokenTableModel::ScoreColumn, Qt::AscendingOrder);
        qInfo("sorted in %.1f ms", clock.elapsed());
        QCOMPARE(shown.table()->model()->index(0, 0).data(PlainRole).toString(), "976");
    }

    void aNewSearchEndsTheOldOne()
    {
        RowSearch search;
        QSignalSpy found(&search, &RowSearch::found);
        search.search(50'000'000, [](std::uint32_t) { return false; });
        QVERIFY(search.isRunning());
        search.search(3, [](std::uint32_t i) { return i != 1; });
        QTest::qWait(20);
        QCOMPARE(found.size(), 1);
        QCOMPARE(*found.at(0).at(0).value<RowSet>(), (std::vector<std::uint32_t>{0, 2}));
    }

    void aRealVocabularyShows()
    {
        const auto model = openModel(dataPath("models/ggml-vocab-bert-bge.gguf").toStdString());
        QVERIFY(model.has_value());
        const auto tokens = readTokenTable(**model);
        QVERIFY(tokens.has_value());
        Shown shown(TokenTablePtr{});
        shown.panel.setModel(summarize(**model));
        shown.panel.setTokens(*tokens);
        QCOMPARE(shown.table()->model()->rowCount(), 30522);
        shown.edit()->setText("[CLS]");
        QTRY_VERIFY(shown.count().startsWith("1 of 30,522 tokens"));
        QCOMPARE(shown.table()->model()->index(0, TokenTableModel::IdColumn).data().toString(), "101");
        shown.edit()->clear();
        savePictures(shown.panel, "tokenizer-bert");
    }

    void copiesRows()
    {
        Shown shown(smallTable());
        shown.table()->selectRow(4);
        QCOMPARE(selectedRowsAsTsv(*shown.table()), "id\ttoken\ttype\tscore\n4\t▁the\tnormal\t-1.5\n");
    }

    void pictures()
    {
        Shown shown(smallTable());
        savePictures(shown.panel, "tokenizer");
        Shown none(TokenTablePtr{});
        none.panel.setModel(withTokenizer(false));
        savePictures(none.panel, "tokenizer-none");
    }
};

QTEST_MAIN(TokenizerPanelTest)
#include "tst_tokenizerpanel.moc"
