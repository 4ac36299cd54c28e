// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/valuespage.h"

#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>
#include <numeric>

using namespace ql;
using ql::test::GgufBuilder;
using What = FindQuery::What;

namespace {

constexpr float NaN = std::numeric_limits<float>::quiet_NaN();
constexpr float Inf = std::numeric_limits<float>::infinity();

TensorView viewOf(const GgufModelPtr &model, std::string_view name)
{
    return TensorView::ofTensor(model, *model->findTensor(name)).value();
}

QStringList texts(const ValuesPage &page)
{
    QStringList result;
    for (std::uint64_t r = 0; r < page.window.rows; ++r)
        for (std::uint64_t c = 0; c < page.window.columns; ++c)
            result << QString::fromStdString(
                page.text(page.window.firstRow + r, page.window.firstColumn + c));
    return result;
}

QString codeOf(const Result<ValuesPagePtr> &result)
{
    return result ? QString() : QString::fromStdString(result.error().code);
}

std::vector<float> ramp(std::size_t n)
{
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 1.0f);
    return values;
}

/// Where a search goes from one place to the next, as "row,column" with a star where it wrapped.
QStringList walk(const TensorView &view, const FindQuery &query, int steps)
{
    QStringList places;
    std::optional<ValuePosition> at;
    for (int i = 0; i < steps; ++i) {
        const auto found = findValue(view, query, at).value();
        if (!found)
            return places << QStringLiteral("none");
        places << QStringLiteral("%1,%2%3").arg(found->row).arg(found->column)
                      .arg(found->wrapped ? QStringLiteral("*") : QString());
        at = ValuePosition{found->row, found->column};
    }
    return places;
}

QStringList list(const char *text) { return QString::fromLatin1(text).split(QLatin1Char(' ')); }

} // namespace

class ValuesPageTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    GgufModelPtr modelOf(const GgufBuilder &builder)
    {
        const QString path = m_folder.filePath(QStringLiteral("m%1.gguf").arg(m_files++));
        builder.writeTo(path);
        return test::openOrFail(path);
    }
    int m_files = 0;

private slots:
    void pagesHoldTheirWindow()
    {
        const auto model = modelOf(GgufBuilder().floats("t", {7, 5}, ramp(35)));
        const auto page = readValues(viewOf(model, "t"), {1, 2, 3, 3}).value();
        QCOMPARE(page->values, (std::vector<double>{11, 12, 13, 18, 19, 20}));
        QCOMPARE(page->tensorRows, 5u);
        QCOMPARE(page->tensorColumns, 7u);
        QCOMPARE(page->value(2, 4), 19.0);
        QVERIFY(page->contains(2, 5) && !page->contains(3, 5) && !page->contains(0, 3)
                && !page->contains(1, 6));
        QCOMPARE(QString::fromStdString(valuesAsTsv(*page, page->window)),
                 QStringLiteral("11\t12\t13\n18\t19\t20\n"));
        QCOMPARE(QString::fromStdString(valuesAsTsv(*page, {2, 1, 4, 2})),
                 QStringLiteral("19\t20\n"));
    }

    void windowsThatCutBlocksGiveWhatTheWholeGives()
    {
        const auto model =
            test::openOrFail(test::dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
        const auto view = viewOf(model, "blk.0.ffn_gate_exps.weight");
        const std::uint64_t columns = view.columns();
        const auto whole = readValues(view, {0, 40, 0, columns}).value();
        for (const auto &[first, n] : {std::pair<std::uint64_t, std::uint64_t>{0, 1},
                                       {255, 1},
                                       {100, columns - 100},
                                       {1, 3}}) {
            const auto part = readValues(view, {17, 20, first, n}).value();
            for (std::uint64_t r = 17; r < 37; ++r)
                for (std::uint64_t c = first; c < first + n; ++c)
                    QCOMPARE(part->value(r, c), whole->value(r, c));
        }
    }

    void floatsReadBackFromTheirText()
    {
        const auto model = modelOf(
            GgufBuilder().floats("t", {8}, {0.1f, -0.0f, 1e-45f, 3.4e38f, NaN, Inf, -Inf, 1e10f}));
        const auto page = readValues(viewOf(model, "t"), {0, 1, 0, 8}).value();
        QCOMPARE(texts(*page), list("0.1 -0 1e-45 3.4e+38 NaN inf -inf 1e+10"));
    }

    void doublesAndWideIntegersKeepTheirPrecision()
    {
        GgufBuilder b;
        const auto model = modelOf(
            GgufBuilder()
                .tensor("d", GgmlType::F64, {2}, b.number(0.1) + b.number(1e300))
                .tensor("i", GgmlType::I64, {2},
                        b.number(std::int64_t{9007199254740993}) + b.number(std::int64_t{-3}))
                .tensor("j", GgmlType::I32, {1}, b.number(std::int32_t{-2147483648})));
        QCOMPARE(texts(*readValues(viewOf(model, "d"), {0, 1, 0, 2}).value()), list("0.1 1e+300"));
        QCOMPARE(texts(*readValues(viewOf(model, "i"), {0, 1, 0, 2}).value()),
                 list("9007199254740993 -3"));
        QCOMPARE(texts(*readValues(viewOf(model, "j"), {0, 1, 0, 1}).value()), list("-2147483648"));
    }

    void bigEndianFilesReadTheSame()
    {
        GgufBuilder b;
        b.bigEndian();
        const auto model = modelOf(
            GgufBuilder()
                .bigEndian()
                .tensor("f", GgmlType::F32, {3}, b.number(1.5f) + b.number(-2.0f) + b.number(NaN))
                .tensor("i", GgmlType::I64, {2},
                        b.number(std::int64_t{-7}) + b.number(std::int64_t{1} << 60))
                .tensor("q", GgmlType::Q8_0, {32},
                        b.number(std::uint16_t{0x3800}) + QByteArray(1, char(3))
                            + QByteArray(31, char(0))));
        QCOMPARE(texts(*readValues(viewOf(model, "f"), {0, 1, 0, 3}).value()), list("1.5 -2 NaN"));
        QCOMPARE(texts(*readValues(viewOf(model, "i"), {0, 1, 0, 2}).value()),
                 list("-7 1152921504606846976"));
        QCOMPARE(readValues(viewOf(model, "q"), {0, 1, 0, 1}).value()->value(0, 0), 1.5);
        QCOMPARE(walk(viewOf(model, "f"), {What::NaN, 0}, 2), list("0,2 0,2*"));
    }

    void windowsOutsideAreErrors()
    {
        const auto model = modelOf(GgufBuilder().floats("t", {7, 5}, ramp(35)));
        const auto view = viewOf(model, "t");
        QCOMPARE(codeOf(readValues(view, {0, 6, 0, 1})), QStringLiteral("out-of-range"));
        QCOMPARE(codeOf(readValues(view, {0, 1, 7, 1})), QStringLiteral("out-of-range"));
        QCOMPARE(codeOf(readValues(view, {~0ull, 2, 0, 1})), QStringLiteral("out-of-range"));
        QCOMPARE(codeOf(readValues(view, {0, 1, 1, ~0ull})), QStringLiteral("out-of-range"));
        QVERIFY(readValues(view, {5, 0, 0, 7}).value()->values.empty());
    }

    void pagesHaveALimitAndStop()
    {
        const auto model = modelOf(GgufBuilder().tensor("t", GgmlType::F16, {2048, 1024}));
        const auto view = viewOf(model, "t");
        QCOMPARE(codeOf(readValues(view, {0, 1024, 0, 2048})), QStringLiteral("too-many-cells"));
        QVERIFY(readValues(view, {0, 512, 0, 2048}).has_value());
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(codeOf(readValues(view, {0, 512, 0, 2048}, stop.get_token())),
                 QStringLiteral("stopped"));
        const auto found = findValue(view, {What::NaN, 0}, {}, stop.get_token());
        QVERIFY(!found && found.error().code == StoppedCode);
    }

    void findGoesFromOneToTheNextAndWraps()
    {
        auto values = ramp(35);
        values[3] = NaN;
        values[20] = NaN;
        values[21] = -Inf;
        const auto model = modelOf(GgufBuilder().floats("t", {7, 5}, values));
        const auto view = viewOf(model, "t");
        QCOMPARE(walk(view, {What::NaN, 0}, 4), list("0,3 2,6 0,3* 2,6"));
        QCOMPARE(walk(view, {What::Inf, 0}, 2), list("3,0 3,0*"));
        QCOMPARE(walk(view, {What::Above, 33.5}, 3), list("4,5 4,6 4,5*"));
        QCOMPARE(walk(view, {What::Below, 1.5}, 3), list("0,0 3,0 0,0*"));
        QCOMPARE(walk(view, {What::MagnitudeAbove, 34.5}, 2), list("3,0 4,6"));
        QCOMPARE(walk(view, {What::Above, 35}, 1), list("none"));
    }

    void findAfterTheLastWeightStartsAgain()
    {
        const auto model = modelOf(GgufBuilder().floats("t", {3}, {5, 6, 7}));
        const auto found =
            findValue(viewOf(model, "t"), {What::Above, 0}, ValuePosition{0, 2}).value();
        QCOMPARE(found->column, 0u);
        QCOMPARE(found->value, 5.0);
        QVERIFY(found->wrapped);
    }

    void zeroBlocksAreFoundAsBlocks()
    {
        QByteArray blocks;
        GgufBuilder b;
        for (const int first : {1, 0, 2, 0})
            blocks += b.number(std::uint16_t{0x3c00}) + QByteArray(1, char(first))
                      + QByteArray(31, char(0));
        const auto model = modelOf(GgufBuilder().tensor("t", GgmlType::Q8_0, {64, 2}, blocks));
        QCOMPARE(walk(viewOf(model, "t"), {What::ZeroBlock, 0}, 3), list("0,32 1,32 0,32*"));
    }

    void zeroRunsOfPlainTypesStayWithinTheirRow()
    {
        // Rows of 40: runs 0-31 and 32-39. The end of row 0 and the start of row 1 are zero.
        std::vector<float> values(120, 1.0f);
        std::fill(values.begin() + 30, values.begin() + 72, 0.0f);
        const auto model = modelOf(GgufBuilder().floats("t", {40, 3}, values));
        QCOMPARE(walk(viewOf(model, "t"), {What::ZeroBlock, 0}, 3), list("0,32 1,0 0,32*"));
    }

    void searchesCrossGroups()
    {
        constexpr std::uint64_t Columns = 3'000'000;
        std::vector<float> values(2 * Columns, 0.5f);
        values[1] = values[2'900'000] = values[Columns + 2'000'000] = 9;
        const auto model = modelOf(GgufBuilder().floats("t", {Columns, 2}, values));
        const auto view = viewOf(model, "t");
        QCOMPARE(walk(view, {What::Above, 1}, 4), list("0,1 0,2900000 1,2000000 0,1*"));
        for (const unsigned threads : {1u, 2u, 7u}) {
            const auto found =
                findValue(view, {What::Above, 1}, ValuePosition{0, 1}, {}, {}, threads).value();
            QCOMPARE(found->column, 2'900'000u);
        }
    }

    void progressEndsAtTheTotal()
    {
        const auto model = modelOf(GgufBuilder().tensor("t", GgmlType::F16, {1024, 3000}));
        std::uint64_t last = 0;
        const auto found =
            findValue(viewOf(model, "t"), {What::NaN, 0}, {}, {}, [&](const Progress &p) {
                last = p.done;
                QCOMPARE(p.total, 1024u * 3000u);
            });
        QVERIFY(found.has_value() && !*found);
        QCOMPARE(last, 1024u * 3000u);
    }

    void emptyTensorsHoldNothing()
    {
        const auto model = modelOf(GgufBuilder().tensor("t", GgmlType::F32, {8, 0}));
        const auto view = TensorView::ofTensor(model, TensorIndex{0});
        if (view)
            QVERIFY(!findValue(*view, {What::NaN, 0}, {}).value());
    }

    // 48 GB of holes: the page comes at once, from the far end too.
    void hugeSparseTensorsReadAtOnce()
    {
        constexpr std::uint64_t Columns = 12'000'000'000;
        const QString path = m_folder.filePath(QStringLiteral("huge.gguf"));
        GgufBuilder builder;
        builder.tensorRaw("t", static_cast<std::uint32_t>(GgmlType::F32), {Columns}, {});
        builder.writeTo(path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        if (!file.resize(file.size() + static_cast<qint64>(4 * Columns)))
            QFAIL("this file system has no sparse files");
        file.seek(file.size() - 4);
        const float last = 2.5f;
        file.write(reinterpret_cast<const char *>(&last), 4);
        file.close();
        const auto model = test::openOrFail(path);
        const auto view = viewOf(model, "t");
        const auto page = readValues(view, {0, 1, Columns - 3, 3}).value();
        QCOMPARE(page->values, (std::vector<double>{0, 0, 2.5}));
        const auto found =
            findValue(view, {What::Above, 1}, ValuePosition{0, Columns - 1'000'000}).value();
        QCOMPARE(found->column, Columns - 1);
    }
};

QTEST_APPLESS_MAIN(ValuesPageTest)
#include "tst_valuespage.moc"
