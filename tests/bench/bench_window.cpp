// SPDX-License-Identifier: GPL-3.0-or-later
// Drives the real window on a large file and prints what a person feels: time to open, to the first
// estimate and to the exact result, the gaps between events meanwhile, memory, and a cancel.
//
//   bench_window [FILE]            a file of your own; its largest tensor is scanned
//   bench_window --sparse 1d|2d    a sparse file of 4 G weights (F16, 8 GiB of holes), made here
//   bench_window --model FILE      all tensors of a file scanned, while a person clicks on others
//   bench_window --pair A B        two files compared, every pair, while the window is watched
//   --runs N                       scans, of which the medians are printed (5)
//   --json                         the same as JSON on standard output
//
// QT_QPA_PLATFORM=offscreen for no display. Use a release build.

#include "core/parallel/keepmemory.h"
#include "app/mainwindow.h"
#include "app/settings.h"
#include "app/tensorpage.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace ql;

namespace {

constexpr quint64 SparseWeights = quint64(1) << 32;
constexpr quint32 F16Id = 1;
constexpr quint64 F16Bytes = 2;

/// "VmRSS", "RssAnon" … in MiB.
double memoryMiB(const char *field)
{
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray &line : status.readAll().split('\n'))
        if (line.startsWith(field))
            return line.mid(line.indexOf(':') + 1).trimmed().split(' ').first().toDouble() / 1024.0;
    return 0;
}

void putString(QByteArray &bytes, const QByteArray &text)
{
    const quint64 length = static_cast<quint64>(text.size());
    bytes.append(reinterpret_cast<const char *>(&length), 8);
    bytes.append(text);
}

template <class T>
void put(QByteArray &bytes, T value)
{
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
}

QByteArray sparseHeader(bool oneDimension)
{
    QByteArray bytes("GGUF");
    put<quint32>(bytes, 3);
    put<quint64>(bytes, 1);
    put<quint64>(bytes, 1);
    putString(bytes, "general.architecture");
    put<quint32>(bytes, 8);
    putString(bytes, "llama");
    putString(bytes, "blk.0.ffn_up.weight");
    put<quint32>(bytes, oneDimension ? 1 : 2);
    put<quint64>(bytes, oneDimension ? SparseWeights : 16384);
    if (!oneDimension)
        put<quint64>(bytes, SparseWeights / 16384);
    put<quint32>(bytes, F16Id);
    put<quint64>(bytes, 0);
    bytes.append(QByteArray((32 - bytes.size() % 32) % 32, '\0'));
    return bytes;
}

QString makeSparse(const QTemporaryDir &folder, bool oneDimension)
{
    QFile file(folder.filePath(QStringLiteral("sparse.gguf")));
    const QByteArray header = sparseHeader(oneDimension);
    const quint64 data = SparseWeights * F16Bytes;
    const bool made = file.open(QIODevice::WriteOnly) && file.write(header) == header.size()
                      && file.resize(header.size() + static_cast<qint64>(data));
    return made ? file.fileName() : QString();
}

/// Measures how late the event loop comes round: a timer that fires as often as it can.
class GapMeter : public QObject
{
public:
    GapMeter()
    {
        connect(&m_timer, &QTimer::timeout, this, &GapMeter::tick);
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setInterval(1);
    }
    void start()
    {
        m_gaps.clear();
        m_clock.start();
        m_timer.start();
    }
    void stop() { m_timer.stop(); }
    double percentile(double share) const
    {
        if (m_gaps.empty())
            return 0;
        std::vector<double> sorted = m_gaps;
        std::ranges::sort(sorted);
        return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    }
    double peakAnonMiB() const { return m_peakAnon; }
    double peakFileMiB() const { return m_peakFile; }

private:
    void tick()
    {
        m_gaps.push_back(static_cast<double>(m_clock.nsecsElapsed()) / 1e6);
        m_clock.restart();
        if (m_gaps.size() % 64 == 0) {
            m_peakAnon = std::max(m_peakAnon, memoryMiB("RssAnon"));
            m_peakFile = std::max(m_peakFile, memoryMiB("RssFile"));
        }
    }
    QTimer m_timer;
    QElapsedTimer m_clock;
    std::vector<double> m_gaps;
    double m_peakAnon = 0;
    double m_peakFile = 0;
};

template <class Condition>
bool waitFor(Condition condition, int maxMs)
{
    QElapsedTimer clock;
    clock.start();
    QTimer wakeUp; // the loop sleeps in between: with a limit to its time it would spin and keep a core busy
    wakeUp.start(5);
    while (!condition() && clock.elapsed() < maxMs)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    return condition();
}

std::optional<TensorIndex> largestTensor(const ModelSummary &model)
{
    std::optional<TensorIndex> best;
    for (std::uint32_t i = 0; i < model.tensors.size(); ++i) {
        const auto &tensor = model.tensors[i];
        if (tensor.isDecodable() && (!best || tensor.elements > model.tensors[best->value].elements))
            best = TensorIndex{i};
    }
    return best;
}

struct Report {
    QJsonObject values;
    void add(const char *name, double value)
    {
        values.insert(QLatin1String(name), value);
        std::fprintf(stderr, "%-34s %12.2f\n", name, value);
    }
};

/// How late events came round in all, and the memory that was seen.
void addGaps(const GapMeter &gaps, Report &out)
{
    out.add("event gap median (ms)", gaps.percentile(0.5));
    out.add("event gap 99 % (ms)", gaps.percentile(0.99));
    out.add("event gap 99.9 % (ms)", gaps.percentile(0.999));
    out.add("event gap worst (ms)", gaps.percentile(1.0));
    out.add("peak RssAnon (MiB)", gaps.peakAnonMiB());
    out.add("peak RssFile (MiB)", gaps.peakFileMiB());
}

/// A window as a person has it, with settings of its own.
struct OwnWindow {
    OwnWindow() : settings(folder.filePath(QStringLiteral("settings.ini"))), window(settings)
    {
        window.resize(1440, 900);
        window.show();
    }
    Session &session() { return window.session(); }

    QTemporaryDir folder;
    Settings settings;
    MainWindow window;
};

void print(const Report &report, bool json)
{
    if (json)
        std::puts(QJsonDocument(report.values).toJson().constData());
}

/// What one scan felt like.
struct ScanRun {
    double estimateMs = 0;
    double exactMs = 0;
    double gapMedian = 0;
    double gap99 = 0;
    double gap999 = 0;
    double gapWorst = 0;
    double peakAnon = 0;
    double peakFile = 0;
};

ScanRun runScan(MainWindow &window, TensorIndex tensor)
{
    Session &session = window.session();
    session.analysis().dropCache();
    session.clearSelection();
    waitFor([] { return false; }, 200);
    QElapsedTimer clock;
    ScanRun run;
    const auto connection = QObject::connect(&session.analysis(), &AnalysisService::statsReady, &window,
                                             [&](Side, const StatsKey &, const TensorStatsPtr &stats) {
                                                 const double now = static_cast<double>(clock.nsecsElapsed()) / 1e6;
                                                 (stats->sampledShare < 1.0 ? run.estimateMs : run.exactMs) = now;
                                             });
    GapMeter gaps;
    gaps.start();
    clock.start();
    session.selectTensor(tensor);
    waitFor([&] { return run.exactMs > 0; }, 600000);
    gaps.stop();
    QObject::disconnect(connection);
    run.gapMedian = gaps.percentile(0.5);
    run.gap99 = gaps.percentile(0.99);
    run.gap999 = gaps.percentile(0.999);
    run.gapWorst = gaps.percentile(1.0);
    run.peakAnon = gaps.peakAnonMiB();
    run.peakFile = gaps.peakFileMiB();
    return run;
}

double medianOf(const std::vector<ScanRun> &runs, double ScanRun::*field)
{
    std::vector<double> values;
    for (const ScanRun &run : runs)
        values.push_back(run.*field);
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// Scans on all cores, one after the other, and the medians of what they felt like.
void measureScans(MainWindow &window, int count, Report &out)
{
    const auto &summary = window.session().document(Side::A).summary;
    const TensorIndex tensor = largestTensor(*summary).value();
    const double weights = static_cast<double>(*summary->tensors[tensor.value].elements);
    std::vector<ScanRun> runs;
    for (int i = 0; i < count; ++i) {
        runs.push_back(runScan(window, tensor));
        const ScanRun &run = runs.back();
        std::fprintf(stderr, "run %d: estimate %.0f ms, exact %.0f ms, gaps 50/99/99.9/100 %%: %.2f %.2f %.2f %.2f ms, %.1f MiB anonymous\n",
                     i + 1, run.estimateMs, run.exactMs, run.gapMedian, run.gap99, run.gap999, run.gapWorst, run.peakAnon);
    }
    const auto median = [&runs](double ScanRun::*field) { return medianOf(runs, field); };
    out.add("weights (G)", weights / 1e9);
    out.add("runs", count);
    out.add("first estimate (ms)", median(&ScanRun::estimateMs));
    out.add("exact result (ms)", median(&ScanRun::exactMs));
    out.add("scan rate (G weights/s)", weights / median(&ScanRun::exactMs) / 1e6);
    out.add("event gap median (ms)", median(&ScanRun::gapMedian));
    out.add("event gap 99 % (ms)", median(&ScanRun::gap99));
    out.add("event gap 99.9 % (ms)", median(&ScanRun::gap999));
    out.add("event gap worst (ms)", median(&ScanRun::gapWorst));
    out.add("peak RssAnon (MiB)", median(&ScanRun::peakAnon));
    out.add("peak RssFile (MiB)", median(&ScanRun::peakFile));
}

void measureCancel(MainWindow &window, Report &out)
{
    Session &session = window.session();
    session.analysis().dropCache();
    session.clearSelection();
    session.selectTensor(largestTensor(*session.document(Side::A).summary).value());
    waitFor([] { return false; }, 300);
    QElapsedTimer clock;
    clock.start();
    session.analysis().cancel(Side::A);
    const bool stopped = waitFor([&] { return !session.analysis().isBusy(Side::A); }, 60000);
    out.add("cancel took (ms)", stopped ? static_cast<double>(clock.nsecsElapsed()) / 1e6 : -1);
}

int measure(const QString &path, int runs, bool json)
{
    QElapsedTimer clock;
    clock.start();
    OwnWindow own;
    MainWindow &window = own.window;
    window.openFile(path);
    Report out;
    if (!waitFor([&] { return bool(window.session().document(Side::A)); }, 60000)) {
        std::fprintf(stderr, "can't open %s\n", qPrintable(path));
        return 3;
    }
    window.repaint();
    out.add("window painted with file (ms)", static_cast<double>(clock.nsecsElapsed()) / 1e6);
    out.add("VmRSS after opening (MiB)", memoryMiB("VmRSS"));
    measureScans(window, runs, out);
    measureCancel(window, out);
    print(out, json);
    return 0;
}

/// A click while something else goes on: how long until there is a picture, and the exact one.
struct Click {
    double estimateMs = 0; ///< 0: none was needed
    double exactMs = 0;
};

Click clickOn(MainWindow &window, TensorIndex tensor)
{
    Session &session = window.session();
    Click click;
    QElapsedTimer clock;
    const auto connection = QObject::connect(&session.analysis(), &AnalysisService::statsReady, &window,
                                             [&](Side, const StatsKey &key, const TensorStatsPtr &stats) {
                                                 if (key.tensor != tensor)
                                                     return;
                                                 const double now = static_cast<double>(clock.nsecsElapsed()) / 1e6;
                                                 (stats->sampledShare < 1.0 ? click.estimateMs : click.exactMs) = now;
                                             });
    clock.start();
    session.selectTensor(tensor);
    waitFor([&] { return click.exactMs > 0; }, 60000);
    QObject::disconnect(connection);
    return click;
}

/// A click on another tensor every half second, from the end: those a scan of all comes to last.
std::vector<Click> clickUntil(MainWindow &window, const bool &isOver)
{
    std::vector<Click> clicks;
    auto left = static_cast<std::uint32_t>(window.session().document(Side::A).summary->tensors.size());
    while (left > 0 && !waitFor([&isOver] { return isOver; }, 500))
        clicks.push_back(clickOn(window, TensorIndex{--left}));
    return clicks;
}

void addClicks(const std::vector<Click> &clicks, Report &out)
{
    out.add("clicks meanwhile", static_cast<double>(clicks.size()));
    if (clicks.empty())
        return;
    std::vector<double> first, exact;
    for (const Click &click : clicks) {
        first.push_back(click.estimateMs > 0 ? click.estimateMs : click.exactMs);
        exact.push_back(click.exactMs);
    }
    std::ranges::sort(first);
    std::ranges::sort(exact);
    out.add("first picture median (ms)", first[first.size() / 2]);
    out.add("first picture worst (ms)", first.back());
    out.add("exact picture median (ms)", exact[exact.size() / 2]);
    out.add("exact picture worst (ms)", exact.back());
}

/// All tensors scanned on all cores, and a click on another one every half second meanwhile.
int measureModel(const QString &path, bool json)
{
    OwnWindow own;
    MainWindow &window = own.window;
    window.openFile(path);
    Session &session = window.session();
    if (!waitFor([&] { return bool(session.document(Side::A)); }, 60000)) {
        std::fprintf(stderr, "can't open %s\n", qPrintable(path));
        return 3;
    }
    bool isFinished = false;
    QObject::connect(&session.modelScan(), &ModelScanService::finished, &window, [&] { isFinished = true; });
    GapMeter gaps;
    QElapsedTimer clock;
    gaps.start();
    clock.start();
    session.modelScan().start(session.document(Side::A));
    const std::vector<Click> clicks = clickUntil(window, isFinished);
    waitFor([&] { return isFinished; }, 600000);
    gaps.stop();
    const double ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    const double weights = static_cast<double>(session.document(Side::A).summary->totals.parameters);
    Report out;
    out.add("weights (G)", weights / 1e9);
    out.add("all tensors (ms)", isFinished ? ms : -1);
    addClicks(clicks, out);
    addGaps(gaps, out);
    print(out, json);
    return 0;
}

/// The table of all pairs filled in on all cores, and what the window felt like meanwhile.
int measurePair(const QString &a, const QString &b, bool json)
{
    OwnWindow own;
    MainWindow &window = own.window;
    Session &session = window.session();
    bool isFinished = false;
    QObject::connect(&session.comparison(), &ComparisonService::finished, &window, [&] { isFinished = true; });
    GapMeter gaps;
    QElapsedTimer clock;
    window.openPair(a, b);
    if (!waitFor([&] { return session.document(Side::A) && session.document(Side::B); }, 60000)) {
        std::fprintf(stderr, "can't open both files\n");
        return 3;
    }
    gaps.start();
    clock.start();
    waitFor([&] { return isFinished; }, 600000);
    const double ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    gaps.stop();
    const auto &totals = session.document(Side::A).summary->totals;
    Report out;
    out.add("weights (G)", static_cast<double>(totals.parameters) / 1e9);
    out.add("all pairs (ms)", isFinished ? ms : -1);
    out.add("rate (G pairs/s)", static_cast<double>(totals.parameters) / ms / 1e6);
    addGaps(gaps, out);
    print(out, json);
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    ql::keepFreedMemory();
    QApplication app(argc, argv);
    const QStringList arguments = QApplication::arguments().mid(1);
    const bool json = arguments.contains(QStringLiteral("--json"));
    const qsizetype pair = arguments.indexOf(QStringLiteral("--pair"));
    if (pair >= 0)
        return measurePair(arguments.value(pair + 1), arguments.value(pair + 2), json);
    const qsizetype model = arguments.indexOf(QStringLiteral("--model"));
    if (model >= 0)
        return measureModel(arguments.value(model + 1), json);
    const qsizetype sparse = arguments.indexOf(QStringLiteral("--sparse"));
    const QTemporaryDir folder;
    QString path = arguments.value(0);
    if (sparse >= 0)
        path = makeSparse(folder, arguments.value(sparse + 1) == QStringLiteral("1d"));
    if (path.isEmpty()) {
        std::fprintf(stderr, "usage: bench_window FILE | --sparse 1d|2d | --model FILE | --pair A B [--runs N] [--json]\n");
        return 2;
    }
    const qsizetype runs = arguments.indexOf(QStringLiteral("--runs"));
    return measure(path, runs >= 0 ? std::max(1, arguments.value(runs + 1).toInt()) : 5, json);
}
