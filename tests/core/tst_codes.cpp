// SPDX-License-Identifier: GPL-3.0-or-later
// Codes are a promise to scripts: every one the sources can give is listed in the README.

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

namespace {

QString textOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Kebab-case literals: in core and the command line they are codes and nothing else.
QSet<QString> codesIn(const QString &folder)
{
    static const QRegularExpression literal(QStringLiteral("\"([a-z]+(?:-[a-z0-9]+)+)\""));
    QSet<QString> codes;
    QDirIterator it(QStringLiteral(QL_SOURCE_DIR "/") + folder, {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files);
    while (it.hasNext()) {
        auto matches = literal.globalMatch(textOf(it.next()));
        while (matches.hasNext())
            codes.insert(matches.next().captured(1));
    }
    return codes;
}

const QSet<QString> OtherWords{QStringLiteral("little-endian")};

} // namespace

class CodesTest : public QObject
{
    Q_OBJECT

private slots:
    void everyCodeIsInTheReadme()
    {
        const QString readme = textOf(QStringLiteral(QL_SOURCE_DIR "/README.md"));
        QSet<QString> codes;
        for (const auto *folder : {"core/format", "core/model", "core/quant", "core/stats", "core/output", "core/jobs"})
            codes += codesIn(QLatin1String(folder));
        QVERIFY(codes.size() > 50);
        for (const QString &code : codes - OtherWords)
            QVERIFY2(readme.contains(QLatin1Char('`') + code + QLatin1Char('`')), qPrintable(code));
    }
};

QTEST_APPLESS_MAIN(CodesTest)
#include "tst_codes.moc"
