// SPDX-License-Identifier: GPL-3.0-or-later
// Files that change or go while they are open.
#include "app/tensorpage.h"
#include "tests/app/windowfixture.h"
#include "tests/support/testdata.h"
#include "widgets/figurespanel.h"
#include "widgets/messagebar.h"

#include <QFile>
#include <QPushButton>
#include <QStandardPaths>

using namespace ql;
using test::WindowFixture;

namespace {

/// A copy of a sample, to be changed.
QString copyOf(WindowFixture &fixture, const char *sample, const char *name)
{
    const QString path = fixture.path(name);
    if (!QFile::copy(test::dataPath(QStringLiteral("models/") + QLatin1String(sample)), path))
        qFatal("no copy of %s", sample);
    QFile(path).setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    return path;
}

void cut(const QString &path)
{
    QFile file(path);
    QVERIFY(file.resize(file.size() / 4));
}

} // namespace

class ChangedFileTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void nothingOfBStaysUnderANewName()
    {
        WindowFixture fixture;
        fixture.open(test::dataPath(QStringLiteral("models/tiny-moe-IQ2_XS.gguf")));
        const QString path = copyOf(fixture, "tiny-moe-Q2_K.gguf", "b.gguf");
        QSignalSpy changed(&fixture.session(), &Session::documentChanged);
        fixture.session().open(Side::B, path);
        QVERIFY(changed.wait(WindowFixture::LongMs));
        TensorPage *page = fixture.window().panels().page;
        fixture.session().selectTensor(fixture.tensor("blk.0.attn_q.weight"));
        QTRY_VERIFY_WITH_TIMEOUT(hasOther(page), WindowFixture::LongMs);

        cut(path);
        fixture.session().selectTensor(fixture.tensor("blk.1.attn_q.weight"));
        MessageBar *message = fixture.window().panels().message;
        QTRY_VERIFY_WITH_TIMEOUT(message->text().contains(QStringLiteral("changed")), WindowFixture::LongMs);
        QVERIFY(!hasOther(page));
        auto *reload = message->findChild<QPushButton *>(QStringLiteral("messageAction"));
        QVERIFY(reload && reload->isVisible());
        QCOMPARE(reload->text(), QStringLiteral("Reload"));

        const quint64 before = fixture.document(Side::B).generation;
        QTest::mouseClick(reload, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.document(Side::B).generation > before, WindowFixture::LongMs);
        QVERIFY(!fixture.document(Side::B).model->changedOnDisk());
    }

    void aScanOfAllTensorsSaysWhatItCouldNotRead()
    {
        WindowFixture fixture;
        const QString path = copyOf(fixture, "tiny-moe-Q2_K.gguf", "a.gguf");
        fixture.open(path);
        cut(path);
        QSignalSpy finished(&fixture.session().modelScan(), &ModelScanService::finished);
        fixture.session().modelScan().start(fixture.document());
        QVERIFY(finished.wait(WindowFixture::LongMs));
        const QString said = fixture.window().panels().message->text();
        QVERIFY2(said.contains(QStringLiteral("tensors could not be read")), qPrintable(said));
    }

    void closingAFileEndsTheScanOfAllItsTensors()
    {
        WindowFixture fixture;
        fixture.open(test::dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
        ModelScanService &scan = fixture.session().modelScan();
        QSignalSpy stopped(&scan, &ModelScanService::stopped);
        scan.start(fixture.document());
        QVERIFY(scan.isBusy());
        fixture.session().close(Side::A);
        QVERIFY(!scan.isBusy() || stopped.wait(WindowFixture::LongMs));
        QCOMPARE(stopped.count(), 1);
    }

private:
    /// Whether the page shows figures of B.
    static bool hasOther(const TensorPage *page)
    {
        return !page->figures()->shown(QStringLiteral("rms"), FiguresTable::B).isEmpty();
    }
};

QTEST_MAIN(ChangedFileTest)
#include "tst_changedfile.moc"
