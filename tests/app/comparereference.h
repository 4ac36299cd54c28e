// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/app/statsreference.h"

namespace ql::test {

/// Every figure that the reference has for a pair or an expert; types ignoring case. The reference's
/// cosines and dB have 12 to 15 digits.
inline bool errorsAgree(const QJsonObject &actual, const QJsonObject &expected, QString &problem)
{
    for (const QString &key : expected.keys()) {
        const QJsonValue wanted = expected[key];
        bool same = true;
        if (key == QLatin1String("identical"))
            same = actual[key] == wanted;
        else if (key.startsWith(QLatin1String("type")))
            same = actual[key].toString().toLower() == wanted.toString().toLower();
        else if (key != QLatin1String("experts"))
            same = agrees(actual[key], wanted);
        if (!same) {
            problem += QStringLiteral("%1: %2, expected %3").arg(key, actual[key].toVariant().toString(), wanted.toVariant().toString());
            return false;
        }
    }
    return true;
}

/// `diff --json --experts` of two models against an independent computation.
inline void compareDiff(const QString &a, const QString &b, const QString &reference)
{
    QFile file(reference);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject expected = QJsonDocument::fromJson(file.readAll()).object();
    const CliRun run = runCli("diff --json --experts %1 %2", a, b);
    QCOMPARE(run.code, 1);
    const QJsonArray tensors = run.json()[QStringLiteral("tensors")].toArray();
    QCOMPARE(tensors.size(), expected.size());
    for (const auto &entry : tensors) {
        const QString name = entry[QStringLiteral("name")].toString();
        const QJsonObject wanted = expected[name].toObject();
        QString problem = name + QStringLiteral(": ");
        QVERIFY(!wanted.isEmpty());
        QVERIFY2(errorsAgree(entry.toObject(), wanted, problem), qPrintable(problem));
        const QJsonArray experts = wanted[QStringLiteral("experts")].toArray();
        QCOMPARE(entry[QStringLiteral("experts")].toArray().size(), experts.size());
        for (int k = 0; k < experts.size(); ++k)
            QVERIFY2(errorsAgree(entry[QStringLiteral("experts")][k].toObject(), experts[k].toObject(), problem), qPrintable(problem));
    }
}

} // namespace ql::test
