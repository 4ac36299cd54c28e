// SPDX-License-Identifier: GPL-3.0-or-later
// The case files with bytes changed, cut and pasted some ten thousand times, always the same way.
// Whatever comes out must open or be refused, quickly, without touching memory it doesn't own (the
// sanitizer builds look), and everything a model then promises must hold.
#include "core/format/mappedfile.h"
#include "core/format/shardset.h"
#include "core/model/modelsummary.h"
#include "core/model/tensorview.h"
#include "core/model/utf8.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace ql;
using namespace Qt::StringLiterals;

class TestGgufReaderFuzz : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void changedBytes() { run(1, &TestGgufReaderFuzz::changeBytes); }
    void cutFiles() { run(2, &TestGgufReaderFuzz::cut); }
    void telling64BitNumbers() { run(3, &TestGgufReaderFuzz::plantNumbers); }
    void pastedPieces() { run(4, &TestGgufReaderFuzz::paste); }

private:
    using Mutation = QByteArray (TestGgufReaderFuzz::*)(QByteArray);
    void run(std::uint32_t seed, Mutation mutate);
    QByteArray changeBytes(QByteArray bytes);
    QByteArray cut(QByteArray bytes);
    QByteArray plantNumbers(QByteArray bytes);
    QByteArray paste(QByteArray bytes);
    void tryFile(const QByteArray &bytes);
    qsizetype below(qsizetype n) { return n > 0 ? qsizetype(m_random() % std::uint64_t(n)) : 0; }

    static constexpr int Rounds = 8000;
    QList<QByteArray> m_seeds;
    std::mt19937_64 m_random;
    int m_opened = 0;
    int m_refused = 0;
};

namespace {

std::uint64_t checksum = 0;

/// A file in memory: forty thousand files on a disk would take minutes.
class MemoryFile
{
public:
    explicit MemoryFile(const QByteArray &bytes) : m_fd(::memfd_create("fuzz", MFD_CLOEXEC))
    {
        if (::write(m_fd, bytes.constData(), std::size_t(bytes.size())) != bytes.size())
            qFatal("no room for a file in memory");
    }
    ~MemoryFile() { ::close(m_fd); }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(m_fd); }

private:
    int m_fd;
};

bool holdsItsPromises(const GgufModelPtr &model, QByteArray &why)
{
    const auto summary = summarize(*model);
    for (const auto &entry : summary->metadata) {
        if (!isValidUtf8(entry.key) || !isValidUtf8(entry.preview) || entry.preview.size() > 2000)
            why = "a key or preview that can't be shown";
    }
    for (const auto &warning : model->warnings()) {
        if (!isValidUtf8(warning.message) || warning.code.empty() || warning.message.empty())
            why = "a warning that can't be shown";
    }
    for (std::uint32_t i = 0; i < model->tensors().size(); ++i) {
        const auto &info = model->tensor(TensorIndex{i});
        const auto view = TensorView::ofTensor(model, TensorIndex{i});
        if (view.has_value() != info.isDecodable())
            why = "a row that says it can be decoded and can't: "
                + QByteArray::fromStdString(info.name);
        if (!view)
            continue;
        std::byte all{};
        for (const auto b : view->bytes())
            all ^= b;
        checksum += std::to_integer<std::uint64_t>(all); // the bytes are really read
        if (view->bytes().size() != view->rows() * view->rowBytes())
            why = "rows that don't add up";
        if (model->findTensor(info.name) != std::optional(TensorIndex{i}))
            why = "a name that leads elsewhere";
    }
    return why.isEmpty();
}

void readArrays(const MetadataArray &array, int depth)
{
    if (depth > int(MetadataArray::MaxDepth))
        qFatal("deeper than the limit");
    for (const auto &value : array.slice(array.count() > 70 ? array.count() - 70 : 0, 70)) {
        if (const auto *inner = std::get_if<std::shared_ptr<const MetadataArray>>(&value))
            readArrays(**inner, depth + 1);
    }
}

} // namespace

void TestGgufReaderFuzz::initTestCase()
{
    QDirIterator files(test::dataPath(u"cases"_s), {u"*.gguf"_s}, QDir::Files,
                       QDirIterator::Subdirectories);
    QMap<QString, QByteArray> sorted; // the directory's order is not the same everywhere
    while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        if (file.size() < 8000 && file.size() > 0)
            sorted.insert(file.fileName(), file.readAll());
    }
    m_seeds = sorted.values();
    QVERIFY(m_seeds.size() > 80);
}

QByteArray TestGgufReaderFuzz::changeBytes(QByteArray bytes)
{
    for (auto left = 1 + below(6); left > 0; --left)
        bytes[below(bytes.size())] = char(m_random());
    return bytes;
}

QByteArray TestGgufReaderFuzz::cut(QByteArray bytes)
{
    bytes.truncate(1 + below(bytes.size()));
    return m_random() % 2 ? changeBytes(bytes) : bytes;
}

QByteArray TestGgufReaderFuzz::plantNumbers(QByteArray bytes)
{
    constexpr std::uint64_t Telling[] = {0, 1, 2, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000,
                                         0xffffffff, 0x100000000, std::uint64_t(1) << 48,
                                         std::uint64_t(1) << 60, ~std::uint64_t(0) >> 1,
                                         std::uint64_t(1) << 63, ~std::uint64_t(0)};
    for (auto left = 1 + below(3); left > 0; --left) {
        const auto number = Telling[m_random() % std::size(Telling)];
        const auto width = m_random() % 2 ? 4 : 8;
        if (bytes.size() > width)
            std::memcpy(bytes.data() + below(bytes.size() - width), &number, std::size_t(width));
    }
    return bytes;
}

QByteArray TestGgufReaderFuzz::paste(QByteArray bytes)
{
    const auto &other = m_seeds[below(m_seeds.size())];
    const auto piece = other.mid(below(other.size()), 1 + below(200));
    return m_random() % 2 ? bytes.insert(below(bytes.size()), piece)
                          : bytes.replace(below(bytes.size()), piece.size(), piece);
}

void TestGgufReaderFuzz::tryFile(const QByteArray &bytes)
{
    const MemoryFile file(bytes);
    const auto model = openModel(file.path());
    if (!model) {
        ++m_refused;
        QVERIFY(!model.error().code.empty() && !model.error().message.empty());
        return;
    }
    ++m_opened;
    QByteArray why;
    QVERIFY2(holdsItsPromises(*model, why), why.constData());
    for (const auto &entry : (*model)->metadata()) {
        if (const auto *array = std::get_if<std::shared_ptr<const MetadataArray>>(&entry.value))
            readArrays(**array, 1);
    }
}

void TestGgufReaderFuzz::run(std::uint32_t seed, Mutation mutate)
{
    m_random.seed(seed);
    m_opened = m_refused = 0;
    QElapsedTimer timer;
    qint64 slowest = 0;
    for (int i = 0; i < Rounds; ++i) {
        const auto bytes = (this->*mutate)(m_seeds[below(m_seeds.size())]);
        timer.start();
        tryFile(bytes);
        slowest = std::max(slowest, timer.elapsed());
        if (QTest::currentTestFailed()) {
            test::writeFile(QDir::temp().filePath(u"fuzz-failed.gguf"_s), bytes);
            QFAIL(qPrintable(u"round %1; the file is kept as fuzz-failed.gguf"_s.arg(i)));
        }
    }
    // Both outcomes must be common, or the mutations test nothing.
    QVERIFY2(m_opened > Rounds / 50 && m_refused > Rounds / 50,
             qPrintable(u"%1 opened, %2 refused"_s.arg(m_opened).arg(m_refused)));
    QVERIFY(checksum > 0);
    QVERIFY2(slowest < 3000, qPrintable(QString::number(slowest)));
}

QTEST_GUILESS_MAIN(TestGgufReaderFuzz)
#include "tst_ggufreader_fuzz.moc"
