// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/atomicfile.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

using namespace ql;

class AtomicFileTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;

    std::string path(const char *name) const
    {
        return m_dir.filePath(QString::fromUtf8(name)).toStdString();
    }
    static QByteArray contents(const std::string &file)
    {
        QFile f(QString::fromStdString(file));
        return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray("(missing)");
    }
    static void put(const std::string &file, const char *text)
    {
        QFile f(QString::fromStdString(file));
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(text);
    }
    QStringList everything() const
    {
        return QDir(m_dir.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }

private slots:
    void cleanup()
    {
        for (const QString &name : everything())
            QFile::remove(m_dir.filePath(name));
    }

    void appearsWhole()
    {
        auto file = AtomicFile::create(path("out"), false, {});
        QVERIFY(file);
        QVERIFY((*file)->write("hello "));
        QVERIFY((*file)->write("world"));
        QVERIFY(!QFile::exists(m_dir.filePath(QStringLiteral("out"))));
        QVERIFY((*file)->commit());
        QCOMPARE(contents(path("out")), "hello world");
        QCOMPARE((*file)->bytesWritten(), 11u);
        file->reset();
        QCOMPARE(everything(), QStringList{QStringLiteral("out")});
    }

    void headersMayBeWrittenLast()
    {
        auto file = AtomicFile::create(path("out"), false, {});
        QVERIFY((*file)->write("????data"));
        QVERIFY((*file)->writeAt(0, std::as_bytes(std::span(std::string_view("head")))));
        QVERIFY((*file)->commit());
        QCOMPARE(contents(path("out")), "headdata");
    }

    void leavesNothingWithoutACommit()
    {
        auto file = AtomicFile::create(path("out"), false, {});
        QVERIFY((*file)->write("half"));
        file->reset();
        QCOMPARE(everything(), QStringList());
    }

    void refusesWhatExists()
    {
        put(path("out"), "old");
        QCOMPARE(AtomicFile::create(path("out"), false, {}).error().code, OutputExistsCode);
        QCOMPARE(contents(path("out")), "old");
    }

    void refusesADanglingLink()
    {
        QVERIFY(::symlink("nowhere", path("out").c_str()) == 0);
        QCOMPARE(AtomicFile::create(path("out"), false, {}).error().code, OutputExistsCode);
    }

    void refusesWhatAppearsMeanwhile()
    {
        auto file = AtomicFile::create(path("out"), false, {});
        put(path("out"), "theirs");
        QCOMPARE((*file)->commit().error().code, OutputExistsCode);
        file->reset();
        QCOMPARE(contents(path("out")), "theirs");
        QCOMPARE(everything().size(), 1);
    }

    void forceReplacesAtOnce()
    {
        put(path("out"), "old");
        auto file = AtomicFile::create(path("out"), true, {});
        QVERIFY((*file)->write("new"));
        QCOMPARE(contents(path("out")), "old");
        QVERIFY((*file)->commit());
        file->reset();
        QCOMPARE(contents(path("out")), "new");
        QCOMPARE(everything().size(), 1);
    }

    void neverReplacesAnInput_data()
    {
        QTest::addColumn<QByteArray>("output");
        for (const char *name : {"in", "hard", "soft", "./in"})
            QTest::newRow(name) << QByteArray(name);
    }

    void neverReplacesAnInput()
    {
        QFETCH(QByteArray, output);
        put(path("in"), "precious");
        QVERIFY(::link(path("in").c_str(), path("hard").c_str()) == 0);
        QVERIFY(::symlink("in", path("soft").c_str()) == 0);
        const auto refused = AtomicFile::create(path(output.constData()), true, {path("other"), path("in")});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, OutputIsInputCode);
        QCOMPARE(contents(path("in")), "precious");
    }

    void aFolderOrAMissingFolderIsAnError()
    {
        QCOMPARE(AtomicFile::create(m_dir.path().toStdString(), true, {}).error().code, WriteFailedCode);
        QCOMPARE(AtomicFile::create(path("no/such/out"), false, {}).error().code, WriteFailedCode);
    }

    void devicesAreWrittenInPlace()
    {
        auto file = AtomicFile::create("/dev/null", false, {});
        QVERIFY(file);
        QVERIFY((*file)->write("gone"));
        QVERIFY((*file)->commit());
        struct stat s {};
        QVERIFY(::stat("/dev/null", &s) == 0 && S_ISCHR(s.st_mode));
    }

    void aFullDiskLeavesNothing()
    {
        // A file-size limit stands in for the disk: the write fails half-way with an error code.
        rlimit old{};
        ::getrlimit(RLIMIT_FSIZE, &old);
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{4096, old.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
        auto file = AtomicFile::create(path("out"), false, {});
        const auto written = (*file)->write(std::string(100000, 'x'));
        file->reset();
        ::setrlimit(RLIMIT_FSIZE, &old);
        QVERIFY(!written);
        QCOMPARE(written.error().code, WriteFailedCode);
        QVERIFY(written.error().message.find("out") != std::string::npos);
        QCOMPARE(everything(), QStringList());
    }

    void replacingAgainAndAgainLeavesNothingElse()
    {
        put(path("out"), "old");
        for (int i = 0; i < 3; ++i) {
            auto file = AtomicFile::create(path("out"), true, {});
            QVERIFY((*file)->write(std::to_string(i)));
            QVERIFY((*file)->commit());
        }
        QCOMPARE(contents(path("out")), "2");
        QCOMPARE(everything().size(), 1);
    }

    void aClosedPipeIsToldFromAFailure()
    {
        int ends[2];
        QVERIFY(::pipe(ends) == 0);
        ::close(ends[0]);
        std::signal(SIGPIPE, SIG_IGN);
        const auto written = DescriptorSink(ends[1], "pipe").write(std::string_view("x"));
        ::close(ends[1]);
        QVERIFY(!written);
        QCOMPARE(written.error().code, PipeClosedCode);
    }
};

QTEST_APPLESS_MAIN(AtomicFileTest)
#include "tst_output_atomicfile.moc"
