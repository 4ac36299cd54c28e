// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/report.h"
#include "core/output/reportdata.h"
#include "core/output/reportpictures.h"
#include "core/output/reporttext.h"
#include "core/output/svg.h"
#include "core/stats/modelscan.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

using namespace ql;
using namespace ql::test;

namespace {

ModelDiff diffOf(const GgufModelPtr &a, const GgufModelPtr &b)
{
    const Pairing pairing = pairTensors(*a, *b);
    ModelDiff diff;
    diff.metadata = diffMetadata(*a, *b);
    for (const TensorPair &pair : pairing.pairs) {
        CompareOptions options;
        options.perExpert = true;
        diff.pairs.push_back({pair, comparePair(a, b, pair, options)});
    }
    diff.onlyA = pairing.onlyA;
    diff.onlyB = pairing.onlyB;
    diff.mismatched = pairing.mismatched;
    return diff;
}

struct Page {
    QString text;           ///< everything between the tags
    QStringList elements;   ///< names, in order
    QString error;
};

/// Reads a page as XML: what a file holds must not have become markup.
Page readPage(const std::string &html)
{
    Page page;
    QXmlStreamReader reader(QByteArray::fromStdString(html));
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement())
            page.elements << reader.name().toString();
        if (reader.isCharacters())
            page.text += reader.text();
    }
    page.error = reader.errorString();
    return page;
}

} // namespace

class ReportTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    int m_files = 0;

    GgufModelPtr model(const GgufBuilder &builder, const QString &name = {})
    {
        const QString path = m_dir.filePath(name.isEmpty() ? QStringLiteral("%1.gguf").arg(m_files++) : name);
        builder.writeTo(path);
        return openOrFail(path);
    }

    static std::string report(const GgufModelPtr &a, const GgufModelPtr &b, ReportFormat format)
    {
        const ReportRequest request{format, true, diffCommandLine(a->path(), b->path(), {}), "Quantloupe 9.9"};
        return comparisonReport(*a, *b, diffOf(a, b), request);
    }

    /// Two layers with known errors: 0.5 of RMS 1 in layer 0, 0.25 in layer 1; a norm that is the same.
    std::pair<GgufModelPtr, GgufModelPtr> smallPair()
    {
        const std::vector<float> ones(32, 1.0f), halves(32, 0.5f), most(32, 0.75f);
        const auto file = [&](const std::vector<float> &first, const std::vector<float> &second) {
            return GgufBuilder().meta("general.architecture", "llama")
                .floats("blk.0.attn_q.weight", {32}, first).floats("blk.1.attn_q.weight", {32}, second)
                .floats("output_norm.weight", {32}, ones);
        };
        return {model(file(ones, ones)), model(file(halves, most).floats("extra.bias", {4}, {1, 2, 3, 4}))};
    }

private slots:
    void figuresAndOrder()
    {
        const auto [a, b] = smallPair();
        const ReportData data = reportData(*a, *b, diffOf(a, b));
        QCOMPARE(data.rows.size(), 3u);
        QCOMPARE(data.rows[0].name, std::string("blk.0.attn_q.weight"));
        QCOMPARE(data.rows[0].figures.error(), std::optional(0.5));
        QCOMPARE(data.rows[1].figures.error(), std::optional(0.25));
        QVERIFY(data.rows[2].identical);
        QCOMPARE(data.layers.size(), 2u);
        QCOMPARE(data.layers[1].name, std::string("1"));
        QCOMPARE(data.roles[0].name, std::string("attn_q"));
        QCOMPARE(data.roles[0].pairs, 2u);
        QCOMPARE(data.roles[0].bitsA(), std::optional(32.0));
        QCOMPARE(data.grid.size(), 2u);
        QCOMPARE(data.grid[1][0], std::optional(0.25));
        QVERIFY(!data.grid[1][1]); // a norm outside of all layers
        QCOMPARE(data.unpaired[1][0].name, std::string("extra.bias"));
        QCOMPARE(data.total.identical, 1u);
    }

    void theSamplesTotalsAreInBothFormats()
    {
        const auto a = openOrFail(QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"));
        const auto b = openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
        for (const ReportFormat format : {ReportFormat::Html, ReportFormat::Markdown}) {
            const std::string text = report(a, b, format);
            for (const char *part : {"tiny-moe-Q4_K_M.gguf", "29 tensors compared", "0.351", "blk.0.attn_q.weight", "Q4_K", "Q2_K",
                                     "general.file_type", "quantloupe diff", "--json", "Quantloupe 9.9"})
                QVERIFY2(text.find(part) != std::string::npos, part);
            QCOMPARE(text, report(a, b, format)); // the same bytes again
        }
    }

    void thePageIsWellFormedAndDrawsItsPictures()
    {
        const auto a = openOrFail(QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"));
        const auto b = openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
        const std::string html = report(a, b, ReportFormat::Html);
        const Page page = readPage(html);
        QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
        QCOMPARE(page.elements.count(QStringLiteral("svg")), 4);
        QVERIFY(page.elements.count(QStringLiteral("circle")) > 10);
        QVERIFY(!page.elements.contains(QStringLiteral("script")));
        QVERIFY(!page.elements.contains(QStringLiteral("link")));
        // Nothing is fetched from anywhere.
        for (const char *part : {"src=", "href=", "@import", "url("})
            QVERIFY2(html.find(part) == std::string::npos, part);
        if (const QString folder = qEnvironmentVariable("QL_PICTURES"); !folder.isEmpty()) {
            QFile file(folder + QStringLiteral("/report.html"));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray::fromStdString(html));
        }
    }

    void whatFilesHoldIsTextAndNothingElse()
    {
        const std::string evil = "<script>alert('x')</script>&\"|`*_[a](b)\\";
        const auto file = [&](float value) {
            return GgufBuilder().meta("general.name", std::string_view(evil)).meta(evil, value).meta("bytes", std::string("a\xff\x1b[31m\nb").c_str())
                .floats("blk.0.<img src=x onerror=y>|`.weight", {4}, {1, 2, 3, value}).floats("bad\xfe\x80name", {2}, {value, 1});
        };
        const auto a = model(file(4), QStringLiteral("a<b>&'.gguf")), b = model(file(5), QStringLiteral("ü | `b`.gguf"));
        const Page page = readPage(report(a, b, ReportFormat::Html));
        QVERIFY2(page.error.isEmpty(), qPrintable(page.error));
        QVERIFY(!page.elements.contains(QStringLiteral("script")) && !page.elements.contains(QStringLiteral("img")));
        QVERIFY(page.text.contains(QStringLiteral("<script>alert('x')</script>&\"|`*_[a](b)")));
        QVERIFY(page.text.contains(QStringLiteral("blk.0.<img src=x onerror=y>|`.weight")));
        QVERIFY(page.text.contains(QStringLiteral("bad\\xfe\\x80name")));
        QVERIFY(!page.text.contains(QChar(0x1b)));

        const std::string markdown = report(a, b, ReportFormat::Markdown);
        QVERIFY(markdown.find("<script") == std::string::npos && markdown.find("<img") == std::string::npos);
        QVERIFY(markdown.find('\x1b') == std::string::npos && isValidUtf8Text(markdown));
        // Every row of a table has as many cells as its head.
        std::size_t columns = 0;
        for (const QString &line : QString::fromStdString(markdown).split(QLatin1Char('\n'))) {
            const auto pipes = std::size_t(QString(line).remove(QStringLiteral("\\|")).count(QLatin1Char('|')));
            if (!line.startsWith(QLatin1Char('|')))
                columns = 0;
            else if (columns == 0)
                columns = pipes;
            else
                QVERIFY2(pipes == columns, qPrintable(line));
        }
    }

    void markdownTexts()
    {
        QCOMPARE(markdownText("blk.0.attn_q.weight"), std::string("`blk.0.attn_q.weight`"));
        QCOMPARE(markdownText("[256, 4] <b> @you"), std::string("`[256, 4] <b> @you`"));
        QCOMPARE(markdownText("a|b"), std::string("a&#124;b"));
        QCOMPARE(markdownText("`x`"), std::string("&#96;x&#96;"));
        QCOMPARE(markdownText("a\nb\xff"), std::string("a\xef\xbf\xbd" "b\xef\xbf\xbd"));
        QCOMPARE(markdownText(" x"), std::string(" x"));
        QCOMPARE(htmlText("<a & \"b\" 'c'>"), std::string("&#60;a &#38; &#34;b&#34; &#39;c&#39;&#62;"));
        QCOMPARE(textBar(1, 4), std::string("████"));
        QCOMPARE(textBar(0.5, 3), std::string("█▌"));
        QCOMPARE(textBar(0, 3), std::string());
    }

    void theCommandLineSurvivesAShell()
    {
        QCOMPARE(shellWord("/models/a-Q4_K_M.gguf"), std::string("/models/a-Q4_K_M.gguf"));
        QCOMPARE(shellWord("my model.gguf"), std::string("'my model.gguf'"));
        QCOMPARE(diffCommandLine("a.gguf", "-b.gguf", {"--tensor", "*attn*"}),
                 std::string("quantloupe diff a.gguf ./-b.gguf --tensor '*attn*' --json"));
        for (const char *word : {"it's; rm -rf $HOME `x`", "a\xff\xfe 1\n2", "$(x) \\ \"", "", "ü'1"}) {
            QProcess shell;
            shell.start(QStringLiteral("bash"), {QStringLiteral("-c"), QString::fromStdString("printf %s " + shellWord(word))});
            if (!shell.waitForFinished())
                QSKIP("not run: no bash");
            QCOMPARE(shell.readAllStandardOutput(), QByteArray(word));
        }
    }

    void identicalModelsSaySo()
    {
        const auto [a, b] = smallPair();
        const std::string html = report(a, a, ReportFormat::Html);
        QVERIFY(html.find("All tensors that both files have are identical") != std::string::npos);
        QVERIFY(html.find("No key differs") != std::string::npos);
        QVERIFY(html.find("<svg") == std::string::npos); // there is nothing to draw
    }

    void longModelsStayShortInMarkdown()
    {
        GgufBuilder fileA, fileB;
        for (int i = 0; i < 100; ++i) {
            fileA.floats("blk." + std::to_string(i) + ".w.weight", {2}, {1, 1});
            fileB.floats("blk." + std::to_string(i) + ".w.weight", {2}, {1, float(i + 2)});
        }
        const auto a = model(fileA), b = model(fileB);
        const std::string markdown = report(a, b, ReportFormat::Markdown);
        QVERIFY(markdown.find("70 more that differ less are left out.") != std::string::npos);
        QVERIFY(markdown.find("`blk.99.w.weight`") != std::string::npos); // the worst
        QVERIFY(markdown.find("`blk.3.w.weight`") == std::string::npos);
        const std::string html = report(a, b, ReportFormat::Html);
        QVERIFY(html.find("blk.3.w.weight") != std::string::npos);
        QVERIFY(html.find("40 more") != std::string::npos);
    }

    void axesHaveRoundNumbers()
    {
        const AxisScale linear = AxisScale::linear(0.37);
        QCOMPARE(linear.high, 0.4);
        QCOMPARE(linear.ticks().size(), 5u);
        const AxisScale wide = AxisScale::fitting(0.0004, 0.3);
        QVERIFY(wide.logarithmic);
        QCOMPARE(wide.ticks().size(), 5u); // 0.0001 … 1
        QVERIFY(std::abs(wide.position(0.01) - 0.5) < 1e-12);
        QVERIFY(!AxisScale::fitting(0, 0.3).logarithmic);
    }

    void formatsBySuffix()
    {
        QCOMPARE(reportFormatOf("x/REPORT.HTML"), std::optional(ReportFormat::Html));
        QCOMPARE(reportFormatOf("a.md"), std::optional(ReportFormat::Markdown));
        QVERIFY(!reportFormatOf("a.txt"));
    }

private:
    static bool isValidUtf8Text(const std::string &text)
    {
        return QString::fromUtf8(QByteArray::fromStdString(text)).toUtf8().toStdString() == text;
    }
};

QTEST_GUILESS_MAIN(ReportTest)
#include "tst_report.moc"
