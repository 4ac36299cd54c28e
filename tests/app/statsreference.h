// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/app/clirunner.h"

#include <QFile>

namespace ql::test {

/// 1e-9 of the expected value, or of `scale` where that is larger (the mean: of mean_abs).
inline bool agrees(const QJsonValue &actual, const QJsonValue &expected, double scale = 0)
{
    if (!expected.isDouble() || !actual.isDouble())
        return expected.isNull() && actual.isNull();
    const double wanted = expected.toDouble();
    return qAbs(actual.toDouble() - wanted) <= 1e-9 * qMax(qAbs(wanted), scale);
}

/// Every figure that the reference has must be there and agree; counts exactly.
inline bool figuresAgree(const QJsonObject &actual, const QJsonObject &expected, QString &problem)
{
    for (const QString &key : expected.keys()) {
        const QJsonValue wanted = expected[key];
        if (key == QLatin1String("experts") || key == QLatin1String("type"))
            continue;
        const bool exact = key == QLatin1String("count") || key == QLatin1String("zeros");
        const double scale = key == QLatin1String("mean") ? expected[QStringLiteral("mean_abs")].toDouble() : 0;
        const bool same = exact ? actual[key] == wanted : agrees(actual[key], wanted, scale);
        if (!same) {
            problem += QStringLiteral("%1: %2, expected %3\n")
                           .arg(key).arg(actual[key].toDouble(), 0, 'g', 17).arg(wanted.toDouble(), 0, 'g', 17);
            return false;
        }
    }
    return true;
}

/// `stats --json --experts` of a model against the figures of an independent computation.
inline void compareStats(const QString &model, const QString &reference)
{
    QFile file(reference);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject expected = QJsonDocument::fromJson(file.readAll()).object();
    const CliRun run = runCli("stats --json --experts %1", model);
    QCOMPARE(run.code, 0);
    const QJsonArray tensors = run.json()[QStringLiteral("tensors")].toArray();
    QCOMPARE(tensors.size(), expected.size());
    for (const auto &entry : tensors) {
        const QJsonObject tensor = entry.toObject();
        const QString name = tensor[QStringLiteral("name")].toString();
        const QJsonObject wanted = expected[name].toObject();
        QString problem = name + QStringLiteral(": ");
        QVERIFY2(figuresAgree(tensor, wanted, problem), qPrintable(problem));
        QCOMPARE(tensor[QStringLiteral("type")].toString().toLower(), wanted[QStringLiteral("type")].toString().toLower());
        const QJsonArray experts = wanted[QStringLiteral("experts")].toArray();
        QCOMPARE(tensor[QStringLiteral("experts")].toArray().size(), experts.size());
        for (int k = 0; k < experts.size(); ++k) {
            QVERIFY2(figuresAgree(tensor[QStringLiteral("experts")][k].toObject(), experts[k].toObject(), problem),
                     qPrintable(problem));
        }
    }
}

} // namespace ql::test
