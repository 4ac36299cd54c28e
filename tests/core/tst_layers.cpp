// SPDX-License-Identifier: GPL-3.0-or-later
// The house's walls: which room may include which. The linker keeps most of them; this keeps the rest.

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

namespace {

struct Rule {
    const char *folders;   ///< regular expression over the including file's path
    const char *forbidden; ///< regular expression over what it includes
    const char *why;
};

constexpr Rule Rules[] = {
    {"^core/(format|model)/", "^(Q[A-Z]|Qt|tbb/|oneapi/|hwy/|core/(quant|stats|parallel|output|jobs)/|widgets/|app/)",
     "reading files needs no Qt, no TBB and no room above"},
    {"^core/quant/", "^(Q[A-Z]|Qt|tbb/|oneapi/|core/(stats|parallel|output|jobs)/|widgets/|app/)",
     "decoding needs no Qt and no room above"},
    {"^core/(stats|parallel|output)/", "^(Q[A-Z]|Qt|core/jobs/|widgets/|app/)", "results need no Qt and no room above"},
    {"^core/.*(?<!-inl)\\.h$", "^(tbb/|oneapi/|hwy/|openssl/|xxhash)", "libraries of an implementation stay in it"},
    {"^core/jobs/", "^(QtWidgets|QtGui|QWidget|QImage|QColor|widgets/|app/)", "jobs know no pictures"},
    {"^widgets/", "^(app/|core/format/|core/jobs/|core/model/blocks\\.h|core/output/|tbb/|oneapi/)",
     "views see results and values only"},
    {"^widgets/(?!plot/)", "qcustomplot", "QCustomPlot is widgets/plot's own affair"},
    {"^widgets/[a-z]*panel\\.(h|cpp)$", "^widgets/[a-z]*panel\\.h$", "no panel knows another"},
    {"^app/", "^(tbb/|oneapi/|hwy/|core/quant/dequantize)", "app computes nothing"},
};

QStringList sources()
{
    QStringList files;
    const QDir top(QStringLiteral(QL_SOURCE_DIR));
    for (const auto *folder : {"core", "widgets", "app"}) {
        QDirIterator it(top.filePath(QLatin1String(folder)), {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
                        QDirIterator::Subdirectories);
        while (it.hasNext())
            files.append(top.relativeFilePath(it.next()));
    }
    return files;
}

QStringList includesOf(const QString &file)
{
    static const QRegularExpression include(QStringLiteral("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]"),
                                            QRegularExpression::MultilineOption);
    QFile source(QStringLiteral(QL_SOURCE_DIR "/") + file);
    if (!source.open(QIODevice::ReadOnly))
        return {};
    QStringList result;
    auto it = include.globalMatch(QString::fromUtf8(source.readAll()));
    while (it.hasNext())
        result.append(it.next().captured(1));
    return result;
}

bool includesItself(const QString &file, const QString &included)
{
    return file.left(file.lastIndexOf(QLatin1Char('.'))) == included.left(included.lastIndexOf(QLatin1Char('.')));
}

QStringList breaches(const Rule &rule)
{
    const QRegularExpression folders(QString::fromLatin1(rule.folders));
    const QRegularExpression forbidden(QString::fromLatin1(rule.forbidden));
    QStringList result;
    for (const QString &file : sources()) {
        if (!folders.match(file).hasMatch())
            continue;
        for (const QString &included : includesOf(file))
            if (forbidden.match(included).hasMatch() && !includesItself(file, included))
                result.append(file + QStringLiteral(" includes ") + included);
    }
    return result;
}

} // namespace

class LayersTest : public QObject
{
    Q_OBJECT

private slots:
    void sourcesAreFound() { QVERIFY(sources().size() > 50); }

    void roomsIncludeOnlyWhatTheyMay_data()
    {
        QTest::addColumn<int>("rule");
        for (int i = 0; i < int(std::size(Rules)); ++i)
            QTest::newRow(Rules[i].why) << i;
    }

    void roomsIncludeOnlyWhatTheyMay()
    {
        QFETCH(int, rule);
        QCOMPARE(breaches(Rules[rule]), QStringList());
    }

    void everySourceNamesItsLicence()
    {
        for (const QString &name : sources()) {
            QFile source(QStringLiteral(QL_SOURCE_DIR "/") + name);
            QVERIFY(source.open(QIODevice::ReadOnly));
            QVERIFY2(source.readLine().contains("SPDX-License-Identifier: GPL-3.0-or-later"), qPrintable(name));
        }
    }
};

QTEST_APPLESS_MAIN(LayersTest)
#include "tst_layers.moc"
