// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/picture.h"
#include "widgets/difflinesview.h"
#include "widgets/metadatadiffpanel.h"
#include "widgets/models/metadatadiffmodel.h"
#include "widgets/models/tabletexts.h"

#include <QAction>
#include <QClipboard>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTest>

using namespace ql;
using Kind = MetadataDifference::Kind;

namespace {

MetadataComparisonPtr sampleComparison()
{
    auto c = std::make_shared<MetadataComparison>();
    c->same = 31;
    c->rows.push_back({Kind::Changed, "general.file_type", "u32", "u32", "15", "10", {}, false, diffLines("15", "10")});
    const std::string start = "{%- for message in messages %}\n  {%- if message.role == 'system' %}\n";
    const std::string end = "  {%- endif %}\n{%- endfor %}\n{{- '<|assistant|>' }}";
    c->rows.push_back({Kind::Changed, "tokenizer.chat_template", "string", "string", "{%- for message in messages %}…",
                       "{%- for message in messages %}…", {}, false,
                       diffLines(start + "    {{- '<|system|>' }}\n" + end, start + "    {{- '<|sys|>' }}\n    {{- bos_token }}\n" + end)});
    c->rows.push_back({Kind::Changed, "tokenizer.ggml.tokens", "string × 32000", "string × 32000", "[\"<unk>\", \"<s>\", …]",
                       "[\"<unk>\", \"<s>\", …]", 31998, true,
                       {{DiffLine::Kind::Gap, "", 0, 0, 31996}, {DiffLine::Kind::Same, "the", 31996, 31996, 0},
                        {DiffLine::Kind::OnlyA, "foo|bar", 31998, 0, 0}, {DiffLine::Kind::OnlyB, "=baz", 0, 31998, 0}}});
    c->rows.push_back({Kind::OnlyA, "quantize.imatrix.file", "string", "", "a | b`.dat", "", {}, false, diffLines("a | b`.dat", "")});
    c->rows.push_back({Kind::OnlyB, "general.quantized_by", "", "string", "", "someone", {}, false, diffLines("", "someone")});
    return c;
}

} // namespace

class MetadataDiffPanelTest : public QObject
{
    Q_OBJECT

    MetadataDiffPanel m_panel;

    QTableView *table() { return m_panel.table(); }
    QString cell(int row, int column) { return table()->model()->index(row, column).data().toString(); }
    QString lines() { return m_panel.findChild<DiffLinesView *>()->toPlainText(); }
    void clickRow(int row)
    {
        const QRect rect = table()->visualRect(table()->model()->index(row, 0));
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, rect.center());
    }

private slots:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::light());
        m_panel.resize(1080, 760);
        m_panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&m_panel));
    }

    void init() { m_panel.setComparison(sampleComparison()); }

    void saysWhyThereIsNothing()
    {
        m_panel.setComparison(nullptr);
        QCOMPARE(m_panel.state(), QStringLiteral("One file is open"));
        QVERIFY(!table()->isVisible());
        m_panel.showPending();
        QCOMPARE(m_panel.state(), QStringLiteral("Comparing the metadata…"));
        m_panel.setComparison(std::make_shared<MetadataComparison>());
        QCOMPARE(m_panel.state(), QStringLiteral("No key differs"));
        m_panel.showError(QStringLiteral("file changed on disk"));
        QCOMPARE(m_panel.state(), QStringLiteral("The metadata can't be compared"));
        m_panel.setComparison(sampleComparison());
        QVERIFY(m_panel.state().isEmpty() && table()->isVisible());
    }

    void keysStandSideBySide()
    {
        QCOMPARE(table()->model()->rowCount(), 5);
        QCOMPARE(cell(0, MetadataDiffModel::KeyColumn), QStringLiteral("general.file_type"));
        QCOMPARE(cell(0, MetadataDiffModel::AColumn), QStringLiteral("15"));
        QCOMPARE(cell(0, MetadataDiffModel::BColumn), QStringLiteral("10"));
        QCOMPARE(cell(2, MetadataDiffModel::KindColumn), QStringLiteral("changed from [31,998]"));
        QCOMPARE(cell(3, MetadataDiffModel::KindColumn), QStringLiteral("only in A"));
        QCOMPARE(m_panel.findChild<QLabel *>(QStringLiteral("metadataDiffSummary"))->text(),
                 QStringLiteral("3 changed · 1 only in A · 1 only in B · 31 the same"));
    }

    void aClickShowsTheLines()
    {
        clickRow(1);
        QCOMPARE(m_panel.findChild<QLabel *>(QStringLiteral("metadataDiffKey"))->text(), QStringLiteral("tokenizer.chat_template"));
        QVERIFY2(lines().contains(QStringLiteral(" 3    −     {{- '<|system|>' }}")), qPrintable(lines()));
        QVERIFY2(lines().contains(QStringLiteral("    3 +     {{- '<|sys|>' }}")), qPrintable(lines()));
        clickRow(2);
        QVERIFY2(lines().contains(QStringLiteral("… 31,996 the same")), qPrintable(lines()));
        QVERIFY2(lines().contains(QStringLiteral("31998       − foo|bar")), qPrintable(lines()));
    }

    void theFilterLooksIntoKeysAndValues()
    {
        auto *edit = m_panel.findChild<QLineEdit *>(QStringLiteral("metadataDiffFilterEdit"));
        QTest::keyClicks(edit, QStringLiteral("someone"));
        QCOMPARE(table()->model()->rowCount(), 1);
        QCOMPARE(cell(0, 0), QStringLiteral("general.quantized_by"));
        edit->clear();
        QCOMPARE(table()->model()->rowCount(), 5);
    }

    void copyingGivesWholeRows()
    {
        clickRow(0);
        QTest::keyClick(table(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("key\twhat\ta\tb\ngeneral.file_type\tchanged\t15\t10\n"));
    }

    void jsonAndMarkdown()
    {
        m_panel.findChild<QAction *>(QStringLiteral("copyJson"))->trigger();
        const QJsonArray rows = QJsonDocument::fromJson(QGuiApplication::clipboard()->text().toUtf8()).array();
        QCOMPARE(rows.size(), 5);
        QCOMPARE(rows[0][QStringLiteral("b")].toString(), QStringLiteral("10"));
        QVERIFY(rows[4][QStringLiteral("a")].isNull());
        m_panel.findChild<QAction *>(QStringLiteral("copyMarkdown"))->trigger();
        const QString text = QGuiApplication::clipboard()->text();
        QVERIFY2(text.startsWith(QStringLiteral("| key | what | a | b |\n| --- | --- | --- | --- |\n| `general.file_type` | `changed` | `15` | `10` |\n")),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("| a &#124; b&#96;&#46;dat |")), qPrintable(text));
    }

    void longTextsStayQuick()
    {
        std::string a, b;
        for (int i = 0; i < 20'000; ++i) {
            a += "line " + std::to_string(i) + "\n";
            b += "Line " + std::to_string(i) + "\n";
        }
        auto c = std::make_shared<MetadataComparison>();
        c->rows.push_back({Kind::Changed, "k", "string", "string", "", "", {}, false, diffLines(a, b)});
        m_panel.setComparison(c);
        QVERIFY(lines().endsWith(QStringLiteral("more lines are not shown")));
        QCOMPARE(std::size_t(lines().count(QLatin1Char('\n'))), DiffLinesView::MostLines);
        // Long lines: fewer of them, and each is cut.
        std::string wide;
        for (int i = 0; i < 500; ++i)
            wide += std::string(5000, 'x') + "\n";
        auto w = std::make_shared<MetadataComparison>();
        w->rows.push_back({Kind::OnlyA, "k", "string", "", "", "", {}, false, diffLines(wide, "")});
        m_panel.setComparison(w);
        QCOMPARE(std::size_t(lines().count(QLatin1Char('\n'))), DiffLinesView::MostCharacters / std::size_t(DiffLinesView::MostInLine));
    }

    void pictures()
    {
        clickRow(1);
        test::savePictures(m_panel, QStringLiteral("metadata-diff"));
        clickRow(2);
        test::savePictures(m_panel, QStringLiteral("metadata-diff-array"));
    }
};

QTEST_MAIN(MetadataDiffPanelTest)
#include "tst_metadatadiffpanel.moc"
