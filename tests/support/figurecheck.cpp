// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/figurecheck.h"

#include "core/quant/kernels.h"

#include "core/format/shardset.h"

#include <QFile>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ql::test {

using nlohmann::json;

namespace {

class Checker
{
public:
    explicit Checker(const json &expected) : m_expected(expected) {}

    void count(const char *key, std::uint64_t value)
    {
        if (m_expected.at(key).get<std::uint64_t>() != value)
            add(key, QString::number(value));
    }
    void exact(const char *key, std::optional<double> value)
    {
        const json &expected = m_expected.at(key);
        if (expected.is_null() ? value.has_value() : value != expected.get<double>())
            add(key, value ? QString::number(*value, 'g', 17) : QStringLiteral("null"));
    }
    void near(const char *key, std::optional<double> value, std::optional<double> scale = {})
    {
        const json &expected = m_expected.at(key);
        if (expected.is_null() && !value)
            return;
        const double right = expected.is_null() ? std::nan("") : expected.get<double>();
        const double tolerance = 1e-9 * std::abs(scale.value_or(right));
        if (!value || !(std::abs(*value - right) <= tolerance))
            add(key, value ? QString::number(*value, 'g', 17) : QStringLiteral("null"));
    }
    const QStringList &differences() const { return m_differences; }

private:
    void add(const char *key, const QString &value)
    {
        m_differences += QStringLiteral("%1 is %2, not %3")
                             .arg(QLatin1String(key), value,
                                  QString::fromStdString(m_expected.at(key).dump()));
    }

    const json &m_expected;
    QStringList m_differences;
};

QStringList tensorDifferences(const TensorStats &stats, const json &expected, int *checked)
{
    QStringList found = differences(stats.figures, expected);
    ++*checked;
    if (!expected.contains("experts"))
        return found;
    const json &experts = expected.at("experts");
    if (experts.size() != stats.experts.size())
        return {QStringLiteral("%1 experts").arg(stats.experts.size())};
    for (std::size_t i = 0; i < experts.size(); ++i) {
        for (const QString &line : differences(stats.experts[i], experts[i]))
            found += QStringLiteral("expert %1: %2").arg(i).arg(line);
        ++*checked;
    }
    return found;
}

template <class T>
bool sameBits(const std::vector<T> &a, const std::vector<T> &b)
{
    return a.size() == b.size()
        && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool sameHistogram(const std::optional<Histogram> &a, const std::optional<Histogram> &b)
{
    if (!a || !b)
        return !a && !b;
    return a->lo == b->lo && a->hi == b->hi && a->counts == b->counts;
}

bool sameFigures(const Figures &a, const Figures &b)
{
    return a.moments == b.moments && sameHistogram(a.fine, b.fine) && sameHistogram(a.core, b.core)
        && sameHistogram(a.asked, b.asked) && a.percentiles == b.percentiles;
}

bool sameMap(const std::optional<HeatMap> &a, const std::optional<HeatMap> &b)
{
    if (!a || !b)
        return !a && !b;
    return a->window == b->window && sameBits(a->absMax, b->absMax) && sameBits(a->rms, b->rms)
        && sameBits(a->maxRms, b->maxRms) && sameBits(a->mean, b->mean)
        && sameBits(a->maxMean, b->maxMean) && sameBits(a->zeroShare, b->zeroShare)
        && sameBits(a->scale, b->scale) && sameBits(a->maxScale, b->maxScale)
        && a->nonFinite == b->nonFinite;
}

} // namespace

QStringList differences(const Figures &figures, const json &expected)
{
    const Moments &m = figures.moments;
    Checker checker(expected);
    checker.count("count", m.count);
    checker.count("zeros", m.zeros);
    checker.exact("min", m.minValue());
    checker.exact("max", m.maxValue());
    checker.exact("absmax", m.absMax());
    checker.near("mean", m.meanValue(), m.meanAbs());
    checker.near("std", m.std());
    checker.near("rms", m.rms());
    checker.near("mean_abs", m.meanAbs());
    checker.near("kurtosis", m.kurtosis());
    return checker.differences();
}

QStringList modelDifferences(const QString &modelPath, const QString &statsPath, int *checked)
{
    const auto model = openModel(modelPath.toStdString());
    if (!model)
        return {QString::fromStdString(model.error().message)};
    QFile file(statsPath);
    if (!file.open(QIODevice::ReadOnly))
        return {QStringLiteral("no %1").arg(statsPath)};
    const json expected = json::parse(file.readAll().toStdString());
    QStringList found;
    for (const auto &[name, figures] : expected.items()) {
        const auto index = (*model)->findTensor(name);
        const auto view = index ? TensorView::ofTensor(*model, *index)
                                : Result<TensorView>(failure("no", "no such tensor"));
        ScanOptions options;
        options.perExpert = true;
        const auto stats = view ? scanTensor(*view, options)
                                : Result<TensorStatsPtr>(tl::unexpected(view.error()));
        const QStringList lines = stats
            ? tensorDifferences(**stats, figures, checked)
            : QStringList{QString::fromStdString(stats.error().message)};
        for (const QString &line : lines)
            found += QStringLiteral("%1: %2").arg(QString::fromStdString(name), line);
    }
    return found;
}

bool areSameBits(const TensorStats &a, const TensorStats &b)
{
    return sameFigures(a.figures, b.figures)
        && std::ranges::equal(a.experts, b.experts, sameFigures)
        && sameHistogram(a.histogram, b.histogram) && sameMap(a.heatMap, b.heatMap)
        && a.sampledShare == b.sampledShare;
}

QString runWithOtherBits(const TensorView &view, ScanOptions options)
{
    options.threads = 1;
    const auto one = scanTensor(view, options);
    if (!one)
        return QStringLiteral("the first");
    for (const unsigned threads : {2u, 3u, 8u}) {
        options.threads = threads;
        const auto other = scanTensor(view, options);
        if (!other || !areSameBits(**one, **other))
            return QStringLiteral("%1 threads").arg(threads);
    }
    for (const auto implementation : availableImplementations()) {
        const auto name = QString::fromStdString(std::string(implementation));
        if (!forceImplementation(implementation))
            return name;
        const auto other = scanTensor(view, options);
        if (!forceImplementation("") || !other || !areSameBits(**one, **other))
            return name;
    }
    return {};
}

} // namespace ql::test
