// SPDX-License-Identifier: GPL-3.0-or-later
// The sample model in F16 converted to every type: comparing with the source gives what was promised.
#include "core/output/convert.h"

#include "core/output/atomicfile.h"
#include "core/quant/quantize.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstdio>

using namespace ql;
using namespace ql::test;

class SharedConvertTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!hasShared())
            QSKIP("not run: the shared reference data does not stand beside the checkout");
        m_model = openOrFail(sharedPath(QStringLiteral("models/tiny-moe-F16.gguf")));
    }

    void everyType_data()
    {
        QTest::addColumn<int>("type");
        for (const GgmlType type : quantizableTypes())
            QTest::newRow(std::string(traits(type).name).c_str()) << static_cast<int>(type);
    }
    void everyType()
    {
        QFETCH(int, type);
        ConvertRequest request;
        request.type = static_cast<GgmlType>(type);
        const auto plan = planConversion(m_model, request);
        QVERIFY(plan);
        const auto promised = measurePlan(*plan, {});
        QVERIFY(promised);
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("made.gguf"));
        auto file = AtomicFile::create(path.toStdString(), false, filesOf(*m_model));
        QVERIFY(file && writePlan(*plan, **file, {}) && (*file)->commit());
        const auto made = openOrFail(path);
        QVERIFY(made->warnings().empty());

        ErrorSums all;
        for (std::uint32_t i = 0; i < m_model->tensors().size(); ++i) {
            TensorPair pair;
            pair.a = pair.b = {i};
            const auto comparison = comparePair(m_model, made, pair, {});
            QVERIFY(comparison);
            QCOMPARE((*comparison)->identical, !promised->errors[i].has_value());
            if ((*comparison)->identical)
                continue;
            QCOMPARE((*comparison)->sums.sumSqError, promised->errors[i]->sumSqError);
            QCOMPARE((*comparison)->sums.maxAt, promised->errors[i]->maxAt);
            all.merge((*comparison)->sums);
        }
        std::printf("%-7s %8llu bytes  relative rmse %.6f\n", std::string(traits(*request.type).name).c_str(),
                    static_cast<unsigned long long>(plan->file->fileSize()), all.relativeRmse().value_or(0));
    }

private:
    GgufModelPtr m_model;
};

QTEST_APPLESS_MAIN(SharedConvertTest)
#include "tst_shared_convert.moc"
