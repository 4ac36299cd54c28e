// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/humantext.h"
#include "app/cli/openfile.h"
#include "core/output/statsjson.h"
#include "core/stats/tensorstats.h"

#include <algorithm>

namespace ql::cli {

namespace {

constexpr OptionSpec Options[] = {
    {"--tensor", "NAME|GLOB", "only these tensors; * ? [a-z] as in a shell", {}, true},
    {"--expert", "K", "only slab K of merged expert tensors"},
    {"--experts", "", "figures of every expert too"},
    {"--bins", "N", "histogram bins (default 256)"},
    {"--json", "", "machine-readable, on standard output"},
};

constexpr std::uint64_t MaxBins = 1u << 20;

struct Request {
    std::vector<TensorIndex> tensors;
    std::optional<std::uint64_t> expert;
    bool experts = false;
    std::size_t bins = 256;
    std::size_t bars = 32; ///< of the picture in text: the bins asked for, or so many
};

/// A tensor's result, or why there is none.
using Outcome = Result<TensorStatsPtr>;

bool endsTheRun(const Error &error, const GgufModel &model)
{
    return error.code == StoppedCode || error.code == model.changedError().code;
}

/// Named tensors must have the slab; where a glob or nothing at all chose, those without slabs
/// step aside.
Result<void> chooseExperts(const GgufModel &model, const std::vector<std::string> &patterns, Request &request)
{
    if (!request.expert)
        return {};
    const auto isNamed = [&](TensorIndex index) {
        return std::ranges::find(patterns, model.tensor(index).name) != patterns.end();
    };
    std::erase_if(request.tensors, [&](TensorIndex index) {
        const TensorInfo &tensor = model.tensor(index);
        const bool sliced = patterns.empty() ? tensor.experts.has_value() : tensor.ne.size() >= 3;
        return !sliced && !isNamed(index);
    });
    if (request.tensors.empty())
        return failure(NoSuchExpertCode, "there is no tensor with experts among those asked for");
    for (const TensorIndex index : request.tensors) {
        if (auto checked = checkExpert(model.tensor(index), *request.expert); !checked)
            return checked;
    }
    return {};
}

Result<Request> readRequest(const GgufModel &model, const Arguments &arguments)
{
    Request request;
    const auto bins = arguments.number("--bins", 1, MaxBins);
    const auto expert = arguments.number("--expert", 0, ~std::uint64_t(0));
    for (const auto *number : {&bins, &expert}) {
        if (!*number)
            return tl::unexpected(number->error());
    }
    request.bins = static_cast<std::size_t>(bins->value_or(request.bins));
    request.bars = static_cast<std::size_t>(bins->value_or(request.bars));
    request.expert = *expert;
    request.experts = arguments.has("--experts");
    if (request.expert && request.experts)
        return usageError("--expert and --experts exclude each other");
    const auto &patterns = arguments.values("--tensor");
    auto selected = selectTensors(model, patterns);
    if (!selected)
        return tl::unexpected(selected.error());
    request.tensors = std::move(*selected);
    if (auto chosen = chooseExperts(model, patterns, request); !chosen)
        return tl::unexpected(chosen.error());
    return request;
}

Outcome scanOne(const Context &context, const GgufModelPtr &model, TensorIndex index, const Request &request)
{
    const auto view = request.expert ? TensorView::ofExpert(model, index, *request.expert)
                                     : TensorView::ofTensor(model, index);
    if (!view)
        return tl::unexpected(view.error());
    ScanOptions options;
    options.bins = request.bins;
    options.heatMap = false;
    options.perExpert = request.experts && model->tensor(index).ne.size() >= 3;
    options.threads = context.threads;
    return scanTensor(*view, options, context.stop,
                      context.console.progress(model->tensor(index).name, "weights"));
}

/// Digits that tell a part of the range from the next.
int digitsFor(const Moments &moments, std::size_t parts)
{
    const double range = moments.maxValue().value_or(0) - moments.minValue().value_or(0);
    return digitsToTell(moments.absMax().value_or(0), range / static_cast<double>(parts));
}

std::vector<TableCell> figuresRow(std::string name, std::string type, const Figures &figures)
{
    constexpr std::size_t Parts = 100;
    const Moments &m = figures.moments;
    const int digits = digitsFor(m, Parts);
    const auto cell = [digits](std::optional<double> value) { return TableCell::number(significant(value, digits)); };
    return {textCell(std::move(name)), textCell(std::move(type)), numberCell(m.count), cell(m.minValue()),
            cell(m.maxValue()), cell(m.meanValue()), numberCell(m.std()),
            numberCell(m.rms()), numberCell(m.kurtosis()), numberCell(m.zeros),
            numberCell(m.nan), numberCell(m.inf)};
}

/// A picture of a histogram in so many rows of text, for one tensor alone.
std::string histogramText(const TensorStats &stats, std::size_t bars)
{
    constexpr std::size_t Width = 60;
    Histogram histogram = binned(stats, stats.figures, bars);
    if (!histogram.lo || histogram.counts.empty())
        return {};
    if (histogram.binWidth() == 0)
        histogram.counts.resize(1); // all weights are the same
    const int digits = digitsFor(stats.figures.moments, bars);
    const auto most = static_cast<double>(std::max<std::uint64_t>(1, *std::ranges::max_element(histogram.counts)));
    Table table{{"from", "weights", ""}, {}};
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        const auto count = histogram.counts[i];
        const double share = static_cast<double>(count) / most;
        auto bar = static_cast<std::size_t>(share * static_cast<double>(Width));
        bar = std::max<std::size_t>(bar, count ? 1 : 0);
        const double from = *histogram.lo + static_cast<double>(i) * histogram.binWidth();
        table.rows.push_back({TableCell::number(significant(from, digits)), numberCell(count), textCell(std::string(bar, '#'))});
    }
    return tableToText(table);
}

std::string percentilesText(const Figures &figures)
{
    constexpr std::size_t Parts = 100;
    const int digits = digitsFor(figures.moments, Parts);
    Table table{{}, {{}}};
    for (std::size_t i = 0; i < PercentilePoints.size(); ++i) {
        table.columns.push_back("p" + significant(PercentilePoints[i]));
        table.rows[0].push_back(TableCell::number(significant(figures.percentiles[i], digits)));
    }
    return tableToText(table);
}

/// Gathers what is printed at the end: nothing is, when the run is stopped.
class Report
{
public:
    Report(const GgufModel &model, const Request &request) : m_model(model), m_request(request) {}

    void add(TensorIndex index, const Outcome &outcome)
    {
        const TensorInfo &tensor = m_model.tensor(index);
        m_problems += !outcome;
        addToTable(tensor, outcome);
        if (outcome)
            m_last = *outcome;
        Json json = outcome ? statsJson(tensor, m_request.expert, **outcome, m_request.bins)
                            : statsErrorJson(tensor, m_request.expert, outcome.error());
        m_json.push_back(std::move(json));
    }

    std::size_t problems() const { return m_problems; }
    Json json() { return {{"tensors", std::move(m_json)}}; }

    std::string text() const
    {
        std::string text = tableToText(m_table);
        if (m_model.tensors().size() > 0 && m_request.tensors.size() == 1 && m_last)
            text += "\n" + percentilesText(m_last->figures) + "\n" + histogramText(*m_last, m_request.bars);
        return text + m_problemText;
    }

private:
    void addToTable(const TensorInfo &tensor, const Outcome &outcome)
    {
        const std::string name = tensor.name
            + (m_request.expert ? " expert " + std::to_string(*m_request.expert) : "");
        if (!outcome) {
            m_problemText += "\n" + problemText(name, tensor.name, outcome.error()) + "\n";
            return;
        }
        m_table.rows.push_back(figuresRow(name, tensor.typeName(), (*outcome)->figures));
        for (std::size_t k = 0; k < (*outcome)->experts.size(); ++k)
            m_table.rows.push_back(figuresRow("  expert " + std::to_string(k), "", (*outcome)->experts[k]));
    }

    const GgufModel &m_model;
    const Request &m_request;
    std::size_t m_problems = 0;
    Json m_json = Json::array();
    Table m_table{{"tensor", "type", "weights", "min", "max", "mean", "std", "rms", "kurtosis", "zeros",
                   "nan", "inf"}, {}};
    std::string m_problemText;
    TensorStatsPtr m_last;
};

Result<int> runStats(const Context &context, const Arguments &arguments)
{
    const auto model = openSaying(context.console, arguments.positional(0));
    if (!model)
        return tl::unexpected(model.error());
    const auto request = readRequest(**model, arguments);
    if (!request)
        return tl::unexpected(request.error());
    Report report(**model, *request);
    for (const TensorIndex index : request->tensors) {
        const Outcome outcome = scanOne(context, *model, index, *request);
        if (!outcome && endsTheRun(outcome.error(), **model))
            return tl::unexpected(outcome.error());
        report.add(index, outcome);
    }
    if (context.json)
        context.console.printJson(report.json());
    else
        context.console.print(report.text());
    return report.problems() ? Findings : Done;
}

} // namespace

constinit const Command statsCommand{
    "stats", "the distribution of weights: range, moments, percentiles, histogram", "FILE", 1, 1, Options,
    "NaN and Inf are counted and left out of all other figures. Exit code 1 when a tensor can't be decoded.\n"
    "Percentiles of --experts come from bins over the tensor's range, those of --expert from finer ones over its own.\n",
    runStats};

} // namespace ql::cli
