// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/tensorexport.h"
#include "tests/support/ggufbuilder.h"

#include <QLocale>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <locale>

using namespace ql;
using namespace ql::test;

namespace {

/// What a German locale does to streams, without one being installed.
struct GermanNumbers : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

class TextSink final : public ByteSink
{
public:
    using ByteSink::write;
    Result<void> write(std::span<const std::byte> bytes) override
    {
        if (m_room < bytes.size())
            return tl::unexpected(writeError("disk", ENOSPC));
        m_room -= bytes.size();
        m_text.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        return {};
    }
    std::string m_text;
    std::size_t m_room = 1u << 30;
};

} // namespace

class ExportTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;

    GgufModelPtr modelOf(const GgufBuilder &builder)
    {
        const QString path = m_dir.filePath(QStringLiteral("m.gguf"));
        builder.writeTo(path);
        return openOrFail(path);
    }
    GgufModelPtr floats(const std::vector<std::uint64_t> &ne, const std::vector<float> &values)
    {
        return modelOf(GgufBuilder().meta("general.architecture", "llama").floats("w", ne, values));
    }
    static std::string exported(const GgufModelPtr &model, const ExportOptions &options)
    {
        TextSink sink;
        const auto source = exportSource(model, {0}, options);
        return source && exportTensor(*source, options, sink) ? sink.m_text : "(failed)";
    }

private slots:
    void noLocaleChangesAFile()
    {
        const auto model = floats({3, 2}, {0.1f, -0.0f, 1234567.5f, 1e-20f, std::numeric_limits<float>::infinity(),
                                           -std::numeric_limits<float>::quiet_NaN()});
        const std::locale before = std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
        QLocale::setDefault(QLocale(QLocale::German));
        const std::string matrix = exported(model, {});
        ExportOptions options;
        options.layout = CsvLayout::Long;
        const std::string list = exported(model, options);
        options.format = ExportFormat::Npy;
        const std::string npy = exported(model, options);
        std::locale::global(before);
        QLocale::setDefault(QLocale::c());
        QCOMPARE(matrix, "0.1,-0,1234567.5\n1e-20,inf,nan\n");
        QCOMPARE(list, "row,column,value\n0,0,0.1\n0,1,-0\n0,2,1234567.5\n1,0,1e-20\n1,1,inf\n1,2,nan\n");
        QVERIFY(npy.find("(2, 3)") != std::string::npos);
    }

    void aRowLongerThanAChunkIsOneLine()
    {
        const auto model = floats({100000, 2}, std::vector<float>(200000, 0.25f));
        const std::string text = exported(model, {});
        QCOMPARE(std::ranges::count(text, '\n'), 2);
        QCOMPARE(std::ranges::count(text, ','), 2 * 99999);
        QCOMPARE(text.size(), 200000u * 5);
    }

    void sizesAreKnownOrEstimatedBeforehand()
    {
        const auto model = floats({1000, 200}, std::vector<float>(200000, 0.25f));
        for (const ExportFormat format : {ExportFormat::Csv, ExportFormat::Npy, ExportFormat::Raw}) {
            ExportOptions options;
            options.format = format;
            const auto source = exportSource(model, {0}, options);
            const auto estimate = static_cast<double>(estimateExportSize(*source, options));
            const auto size = static_cast<double>(exported(model, options).size());
            QVERIFY2(std::abs(estimate / size - 1) < (format == ExportFormat::Csv ? 0.05 : 1e-12), "estimate");
        }
    }

    void aFullDiskIsAnErrorAndEndsTheWork()
    {
        const auto model = floats({1000, 2000}, std::vector<float>(2000000, 0.25f));
        TextSink sink;
        sink.m_room = 1000000;
        const auto source = exportSource(model, {0}, {});
        const auto written = exportTensor(*source, {}, sink);
        QVERIFY(!written);
        QCOMPARE(written.error().code, WriteFailedCode);
        QVERIFY(sink.m_text.size() <= 1000000);
    }

    void aStopIsNotAFailureOfTheSink()
    {
        const auto model = floats({1000, 2000}, std::vector<float>(2000000, 0.25f));
        std::stop_source stop;
        TextSink sink;
        const auto source = exportSource(model, {0}, {});
        const auto written = exportTensor(*source, {}, sink, stop.get_token(), [&](const Progress &) { stop.request_stop(); });
        QVERIFY(!written);
        QCOMPARE(written.error().code, StoppedCode);
    }

    void someColumnsAreThoseOfTheWhole()
    {
        std::vector<float> values(300 * 70);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i);
        const auto model = floats({300, 70}, values);
        ExportOptions options;
        options.columns = RowRange{298, 300};
        options.rows = RowRange{1, 3};
        QCOMPARE(exported(model, options), "598,599\n898,899\n");
        options.layout = CsvLayout::Long;
        QCOMPARE(exported(model, options), "row,column,value\n1,298,598\n1,299,599\n2,298,898\n2,299,899\n");
        options.format = ExportFormat::Npy;
        const std::string npy = exported(model, options);
        QVERIFY(npy.find("(2, 2)") != std::string::npos);
        float last[4];
        std::memcpy(last, npy.data() + npy.size() - sizeof last, sizeof last);
        QCOMPARE(last[0], 598.0f);
        QCOMPARE(last[3], 899.0f);
        // Over all rows, the estimate is exact for npy.
        options.rows.reset();
        QCOMPARE(estimateExportSize(*exportSource(model, {0}, options), options), std::uint64_t(exported(model, options).size()));
        options.format = ExportFormat::Raw;
        QCOMPARE(exportSource(model, {0}, options).error().code, std::string("usage"));
        options.format = ExportFormat::Csv;
        options.columns = RowRange{0, 301};
        QCOMPARE(exportSource(model, {0}, options).error().code, std::string("no-such-rows"));
    }

    void columnsOfARowLongerThanAChunk()
    {
        std::vector<float> values(200000, 0.25f);
        values[99999] = 3;
        const auto model = floats({100000, 2}, values);
        ExportOptions options;
        options.columns = RowRange{99998, 100000};
        QCOMPARE(exported(model, options), "0.25,3\n0.25,0.25\n");
        options.columns = RowRange{5, 6};
        QCOMPARE(exported(model, options), "0.25\n0.25\n");
    }

    void nothingToWriteIsAnEmptyFile()
    {
        ExportOptions options;
        options.rows = RowRange{1, 1};
        const auto model = floats({3, 2}, {1, 2, 3, 4, 5, 6});
        QCOMPARE(exported(model, options), "");
        options.format = ExportFormat::Npy;
        QVERIFY(exported(model, options).find("(0, 3)") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(ExportTest)
#include "tst_output_export.moc"
