// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/humantext.h"
#include "app/cli/openfile.h"
#include "core/output/statsjson.h"
#include "core/stats/modelscan.h"
#include "core/stats/tensorstats.h"

#include <algorithm>
#include <map>

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

ScanOptions scanOptions(const Context &context, const Request &request)
{
    ScanOptions options;
    options.bins = request.bins;
    options.heatMap = false;
    options.threads = context.threads;
    return options;
}

Outcome scanOne(const Context &context, const GgufModelPtr &model, TensorIndex index, const Request &request)
{
    const auto view = request.expert ? TensorView::ofExpert(model, index, *request.expert)
                                     : TensorView::ofTensor(model, index);
    if (!view)
        return tl::unexpected(view.error());
    ScanOptions options = scanOptions(context, request);
    options.perExpert = request.experts && model->tensor(index).ne.size() >= 3;
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

/// Gathers what is printed at the end, in the order of the request whatever the order it comes in:
/// nothing is printed when the run is stopped.
class Report
{
public:
    Report(const GgufModel &model, const Request &request)
        : m_model(model), m_request(request), m_entries(request.tensors.size())
    {
    }

    /// Of the tensor at `place` of the request.
    void add(std::size_t place, const Outcome &outcome)
    {
        const TensorInfo &tensor = m_model.tensor(m_request.tensors[place]);
        Entry &entry = m_entries[place];
        m_problems += !outcome;
        addToTable(tensor, outcome, entry);
        if (outcome && m_entries.size() == 1)
            m_only = *outcome;
        entry.json = outcome ? statsJson(tensor, m_request.expert, **outcome, m_request.bins)
                             : statsErrorJson(tensor, m_request.expert, outcome.error());
    }

    std::size_t problems() const { return m_problems; }

    Json json()
    {
        Json tensors = Json::array();
        for (Entry &entry : m_entries)
            tensors.push_back(std::move(entry.json));
        return {{"tensors", std::move(tensors)}};
    }

    std::string text() const
    {
        Table table{{"tensor", "type", "weights", "min", "max", "mean", "std", "rms", "kurtosis", "zeros", "nan",
                     "inf"}, {}};
        std::string problems;
        for (const Entry &entry : m_entries) {
            table.rows.insert(table.rows.end(), entry.rows.begin(), entry.rows.end());
            problems += entry.problem;
        }
        std::string text = tableToText(table);
        if (m_only)
            text += "\n" + percentilesText(m_only->figures) + "\n" + histogramText(*m_only, m_request.bars);
        return text + problems;
    }

private:
    struct Entry {
        Json json;
        std::vector<std::vector<TableCell>> rows;
        std::string problem;
    };

    void addToTable(const TensorInfo &tensor, const Outcome &outcome, Entry &entry) const
    {
        const std::string name = tensor.name
            + (m_request.expert ? " expert " + std::to_string(*m_request.expert) : "");
        if (!outcome) {
            entry.problem = "\n" + problemText(name, tensor.name, outcome.error()) + "\n";
            return;
        }
        entry.rows.push_back(figuresRow(name, tensor.typeName(), (*outcome)->figures));
        for (std::size_t k = 0; k < (*outcome)->experts.size(); ++k)
            entry.rows.push_back(figuresRow("  expert " + std::to_string(k), "", (*outcome)->experts[k]));
    }

    const GgufModel &m_model;
    const Request &m_request;
    std::size_t m_problems = 0;
    std::vector<Entry> m_entries;
    TensorStatsPtr m_only; ///< where one tensor is asked for
};

Result<void> scanOneByOne(const Context &context, const GgufModelPtr &model, const Request &request, Report &report)
{
    for (std::size_t place = 0; place < request.tensors.size(); ++place) {
        const Outcome outcome = scanOne(context, model, request.tensors[place], request);
        if (!outcome && endsTheRun(outcome.error(), *model))
            return tl::unexpected(outcome.error());
        report.add(place, outcome);
    }
    return {};
}

/// As one parallel job, in which no core waits for the end of a tensor.
Result<void> scanTogether(const Context &context, const GgufModelPtr &model, const Request &request, Report &report)
{
    std::map<std::uint32_t, std::size_t> places;
    for (std::size_t place = 0; place < request.tensors.size(); ++place)
        places[request.tensors[place].value] = place;
    Result<void> run;
    const auto scanned = [&](TensorIndex index, const Outcome &outcome) {
        if (!outcome && endsTheRun(outcome.error(), *model))
            run = tl::unexpected(outcome.error());
        else
            report.add(places[index.value], outcome);
    };
    const auto done = scanTensors(model, request.tensors, scanOptions(context, request), scanned, context.stop,
                                  context.console.progress(std::to_string(places.size()) + " tensors", "weights"));
    return done ? run : done;
}

Result<int> runStats(const Context &context, const Arguments &arguments)
{
    const auto model = openSaying(context.console, arguments.positional(0));
    if (!model)
        return tl::unexpected(model.error());
    const auto request = readRequest(**model, arguments);
    if (!request)
        return tl::unexpected(request.error());
    Report report(**model, *request);
    const bool together = !request->expert && !request->experts && request->tensors.size() > 1;
    const auto done = together ? scanTogether(context, *model, *request, report)
                               : scanOneByOne(context, *model, *request, report);
    if (!done)
        return tl::unexpected(done.error());
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
