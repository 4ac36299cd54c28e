// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/statsjson.h"

#include "core/output/infojson.h"
#include "core/output/numbertext.h"

namespace ql {

namespace {

/// "p0.1", "p1", "p25" …
std::string percentileName(double percent)
{
    std::string name = "p";
    appendShortest(name, percent);
    return name;
}

Json percentilesJson(const Figures &figures)
{
    Json json = Json::object();
    for (std::size_t i = 0; i < PercentilePoints.size(); ++i)
        json[percentileName(PercentilePoints[i])] = jsonNumber(figures.percentiles[i]);
    return json;
}

Json histogramJson(const Histogram &histogram)
{
    return {{"lo", jsonNumber(histogram.lo)}, {"hi", jsonNumber(histogram.hi)}, {"counts", histogram.counts}};
}

void addFigures(Json &json, const Figures &figures, const Histogram &histogram)
{
    const Moments &m = figures.moments;
    const Json counts = {{"count", m.count}, {"nan", m.nan}, {"inf", m.inf}, {"zeros", m.zeros}};
    json.update(counts);
    const std::pair<const char *, std::optional<double>> values[] = {
        {"min", m.minValue()}, {"max", m.maxValue()}, {"absmax", m.absMax()},    {"mean", m.meanValue()},
        {"std", m.std()},      {"rms", m.rms()},      {"mean_abs", m.meanAbs()}, {"kurtosis", m.kurtosis()}};
    for (const auto &[key, value] : values)
        json[key] = jsonNumber(value);
    json["percentiles"] = percentilesJson(figures);
    json["histogram"] = histogramJson(histogram);
}

Json headJson(const TensorInfo &tensor, std::optional<std::uint64_t> expert)
{
    const Ne shape = expert ? Ne{tensor.ne[0], tensor.ne[1]} : tensor.ne;
    Json json = {{"name", tensor.name}, {"type", tensor.typeName()}, {"shape", shapeJson(shape)}};
    if (expert)
        json["expert"] = *expert;
    return json;
}

} // namespace

Json statsJson(const TensorInfo &tensor, std::optional<std::uint64_t> expert, const TensorStats &stats,
               std::size_t bins)
{
    Json json = headJson(tensor, expert);
    addFigures(json, stats.figures, binned(stats, stats.figures, bins));
    if (!stats.experts.empty()) {
        Json list = Json::array();
        for (const Figures &figures : stats.experts) {
            Json entry = Json::object();
            addFigures(entry, figures, binned(stats, figures, bins));
            list.push_back(std::move(entry));
        }
        json["experts"] = std::move(list);
    }
    return json;
}

Json statsErrorJson(const TensorInfo &tensor, std::optional<std::uint64_t> expert, const Error &error)
{
    Json json = headJson(tensor, expert);
    json["error"] = error.message;
    return json;
}

} // namespace ql
