// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/mappedfile.h"
#include "core/format/shardset.h"
#include "core/model/tensorview.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QCoreApplication>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <numeric>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ql;
using namespace Qt::StringLiterals;

class TestMappedFile : public QObject
{
    Q_OBJECT
private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }
    void readsBytes();
    void refusesWhatIsNoFile();
    void seesTheFileChange();
    void survivesTruncation();
    void survivesTruncationWhileThreadsRead();
    void modelTruncatedWhileOpen();
    void otherFaultsStillKill();
    void manyMapsAtOnce();
    void hintsAreHarmless();

private:
    QString path(const QString &name) const { return m_dir->filePath(name); }
    std::string write(const QString &name, const QByteArray &bytes) const
    {
        test::writeFile(path(name), bytes);
        return path(name).toStdString();
    }
    std::unique_ptr<QTemporaryDir> m_dir;
};

namespace {

constexpr std::size_t Size = 512 * 1024;

std::uint64_t sumOf(std::span<const std::byte> bytes)
{
    std::uint64_t sum = 0;
    for (const auto b : bytes)
        sum += std::to_integer<std::uint64_t>(b);
    return sum;
}

} // namespace

void TestMappedFile::readsBytes()
{
    const auto file = MappedFile::open(write(u"a"_s, "hello"));
    QVERIFY(file.has_value());
    QCOMPARE((*file)->bytes().size(), std::size_t(5));
    QCOMPARE(std::memcmp((*file)->bytes().data(), "hello", 5), 0);
    QCOMPARE((*file)->identity().size, std::uint64_t(5));
    QVERIFY((*file)->identity().inode != 0);
    QVERIFY(!(*file)->faulted());
    QVERIFY(!(*file)->changedOnDisk());
}

void TestMappedFile::refusesWhatIsNoFile()
{
    const auto code = [](const std::string &name) {
        const auto file = MappedFile::open(name);
        return file ? std::string("opened") : file.error().code;
    };
    QCOMPARE(code(path(u"absent"_s).toStdString()), std::string("file-not-found"));
    QCOMPARE(code(m_dir->path().toStdString()), std::string("not-a-file"));
    QCOMPARE(code("/dev/null"), std::string("not-a-file"));
    QCOMPARE(code(write(u"empty"_s, "")), std::string("empty-file"));
    const auto pipe = path(u"pipe"_s).toStdString();
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    QCOMPARE(code(pipe), std::string("not-a-file")); // and does not wait for a writer
    if (::geteuid() != 0) {
        const auto secret = write(u"secret"_s, "x");
        QCOMPARE(::chmod(secret.c_str(), 0), 0);
        QCOMPARE(code(secret), std::string("file-unreadable"));
    }
}

void TestMappedFile::seesTheFileChange()
{
    const auto name = write(u"a"_s, "hello");
    const auto file = *MappedFile::open(name);
    QVERIFY(!file->changedOnDisk());
    write(u"b"_s, "world");
    QCOMPARE(::rename(path(u"b"_s).toStdString().c_str(), name.c_str()), 0);
    QVERIFY(file->changedOnDisk());
    QCOMPARE(std::memcmp(file->bytes().data(), "hello", 5), 0); // the map keeps the old file
    QVERIFY(!file->faulted());

    const auto second = *MappedFile::open(name);
    QFile grow(path(u"a"_s));
    QVERIFY(grow.open(QIODevice::Append));
    grow.write("!");
    grow.close();
    QVERIFY(second->changedOnDisk());

    const auto third = *MappedFile::open(name);
    QVERIFY(QFile::remove(path(u"a"_s)));
    QVERIFY(third->changedOnDisk());
}

void TestMappedFile::survivesTruncation()
{
    const auto name = write(u"a"_s, QByteArray(Size, '\1'));
    const auto file = *MappedFile::open(name);
    QCOMPARE(::truncate(name.c_str(), Size / 2), 0);
    QCOMPARE(sumOf(file->bytes().first(Size / 2)), std::uint64_t(Size / 2));
    QVERIFY(!file->faulted());
    QCOMPARE(sumOf(file->bytes()), std::uint64_t(Size / 2)); // zeros behind the new end
    QVERIFY(file->faulted());
    QVERIFY(file->changedOnDisk());

    // The mark belongs to that map, not to the slot's next user.
    const auto other = *MappedFile::open(write(u"b"_s, "x"));
    QVERIFY(!other->faulted());
}

void TestMappedFile::survivesTruncationWhileThreadsRead()
{
    const auto name = write(u"a"_s, QByteArray(Size, '\1'));
    const auto file = *MappedFile::open(name);
    std::atomic<bool> done = false;
    std::atomic<int> rounds = 0;
    std::atomic<std::uint64_t> sum = 0;
    std::vector<std::thread> readers;
    for (int t = 0; t < 4; ++t)
        readers.emplace_back([&] {
            while (!done) {
                sum += sumOf(file->bytes()); // used, or an optimiser would leave the reading out
                ++rounds;
            }
        });
    while (rounds < 8)
        std::this_thread::yield();
    QCOMPARE(::truncate(name.c_str(), 4096), 0);
    QTRY_VERIFY(file->faulted());
    done = true;
    for (auto &reader : readers)
        reader.join();
    QCOMPARE(sumOf(file->bytes()), std::uint64_t(4096));
}

void TestMappedFile::modelTruncatedWhileOpen()
{
    const auto copy = path(u"copy.gguf"_s);
    QVERIFY(QFile::copy(test::dataPath(u"cases/truncate_while_open.gguf"_s), copy));
    QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
    const auto model = test::openOrFail(copy);
    QVERIFY(model);
    const auto last = model->findTensor("blk.63.w");
    QVERIFY(last.has_value());
    const auto view = TensorView::ofTensor(model, *last);
    QVERIFY(view.has_value());
    QVERIFY(!model->changedOnDisk());
    QCOMPARE(::truncate(copy.toStdString().c_str(), 526912 / 2), 0);
    QCOMPARE(sumOf(view->bytes()), std::uint64_t(0));
    QVERIFY(model->shards()[0].file->faulted());
    QVERIFY(model->changedOnDisk());
    QCOMPARE(model->changedError().code, std::string("file-changed"));
}

void TestMappedFile::otherFaultsStillKill()
{
    const auto name = write(u"a"_s, QByteArray(8192, '\1'));
    const auto guarded = *MappedFile::open(write(u"b"_s, "x")); // the handler is in place
    const auto child = ::fork();
    if (child == 0) {
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_CORE, &none);
        ::signal(SIGABRT, SIG_DFL);
        const int fd = ::open(name.c_str(), O_RDWR);
        const auto *map = static_cast<volatile char *>(
            ::mmap(nullptr, 8192, PROT_READ, MAP_SHARED, fd, 0));
        if (::ftruncate(fd, 0) != 0 || map == MAP_FAILED)
            ::_exit(99);
        ::close(2); // what a sanitizer has to say about it is no news
        ::_exit(map[4096]);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    const bool killed = WIFSIGNALED(status);
    const bool reported = WIFEXITED(status) && WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 99;
    QVERIFY2(killed || reported, qPrintable(QString::number(status)));
}

void TestMappedFile::manyMapsAtOnce()
{
    const auto name = write(u"a"_s, "x");
    std::vector<std::shared_ptr<const MappedFile>> files;
    while (files.size() < 5000) {
        auto file = MappedFile::open(name);
        if (!file) {
            QCOMPARE(file.error().code, std::string("too-many-files"));
            break;
        }
        files.push_back(*file);
    }
    QVERIFY(files.size() >= 1000 && files.size() < 5000);
    files.clear();
    QVERIFY(MappedFile::open(name).has_value());
}

void TestMappedFile::hintsAreHarmless()
{
    const auto file = *MappedFile::open(write(u"a"_s, QByteArray(Size, '\1')));
    const auto all = file->bytes();
    file->willNeed(all);
    file->willNeed(all.subspan(5, 1));
    QCOMPARE(sumOf(all), std::uint64_t(Size));
    file->dontNeed(all.subspan(1, Size - 2));
    file->dontNeed(all.subspan(1, 1));
    file->dontNeed({});
    QCOMPARE(sumOf(all), std::uint64_t(Size));
    QVERIFY(!file->faulted());
}

// Without QtTest's own crash handler, which would start a debugger on the child that is to be killed.
int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    TestMappedFile test;
    return QTest::qExec(&test, app.arguments() << u"-nocrashhandler"_s);
}
#include "tst_mappedfile.moc"
