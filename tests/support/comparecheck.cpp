// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/comparecheck.h"

#include "core/format/shardset.h"
#include "core/stats/comparison.h"

#include <nlohmann/json.hpp>

#include <QFile>

#include <cmath>

namespace ql::test {

using nlohmann::json;

namespace {

void check(QStringList &found, const json &expected, const char *key, std::optional<double> value)
{
    const json right = expected.contains(key) ? expected.at(key) : json();
    if (right.is_null() && !value)
        return;
    const double wanted = right.is_null() ? std::nan("") : right.get<double>();
    if (!value || !(std::abs(*value - wanted) <= 1e-9 * std::abs(wanted)))
        found += QStringLiteral("%1 is %2, not %3")
                     .arg(QLatin1String(key), value ? QString::number(*value, 'g', 17) : QStringLiteral("null"),
                          QString::fromStdString(right.dump()));
}

QStringList sumsDifferences(const ErrorSums &sums, const json &expected)
{
    QStringList found;
    check(found, expected, "rmse", sums.rmse());
    check(found, expected, "max_abs_error", sums.compared() ? std::optional(sums.maxAbsError) : std::nullopt);
    check(found, expected, "mean_abs_error", sums.meanAbsError());
    check(found, expected, "cosine", sums.cosine());
    check(found, expected, "sqnr_db", sums.sqnrDb());
    return found;
}

QStringList pairDifferences(const Comparison &comparison, const json &expected)
{
    QStringList found;
    if (comparison.identical != expected.at("identical").get<bool>())
        found += QStringLiteral("identical is wrong");
    if (comparison.identical)
        return found;
    found += sumsDifferences(comparison.sums, expected);
    if (!expected.contains("experts"))
        return found;
    const json &experts = expected.at("experts");
    if (experts.size() != comparison.experts.size())
        return {QStringLiteral("%1 experts").arg(comparison.experts.size())};
    for (std::size_t i = 0; i < experts.size(); ++i) {
        for (const QString &line : sumsDifferences(comparison.experts[i], experts[i]))
            found += QStringLiteral("expert %1: %2").arg(i).arg(line);
    }
    return found;
}

} // namespace

QStringList comparisonDifferences(const QString &pathA, const QString &pathB, const QString &expectedPath,
                                  int *checked)
{
    const auto a = openModel(pathA.toStdString());
    const auto b = openModel(pathB.toStdString());
    QFile file(expectedPath);
    if (!a || !b || !file.open(QIODevice::ReadOnly))
        return {QStringLiteral("a file is missing")};
    const json expected = json::parse(file.readAll().toStdString());
    const Pairing pairing = pairTensors(**a, **b);
    QStringList found;
    CompareOptions options;
    options.perExpert = true;
    for (const TensorPair &pair : pairing.pairs) {
        const std::string &name = (*a)->tensor(pair.a).name;
        const auto comparison = comparePair(*a, *b, pair, options);
        if (!comparison)
            return {QString::fromStdString(comparison.error().message)};
        for (const QString &line : pairDifferences(**comparison, expected.at(name)))
            found += QStringLiteral("%1: %2").arg(QString::fromStdString(name), line);
        ++*checked;
    }
    if (pairing.pairs.size() != expected.size())
        found += QStringLiteral("%1 pairs, not %2").arg(pairing.pairs.size()).arg(expected.size());
    return found;
}

} // namespace ql::test
