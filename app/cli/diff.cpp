// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/humantext.h"
#include "app/cli/openfile.h"
#include "core/model/valuetext.h"
#include "core/output/displaytext.h"
#include "core/output/atomicfile.h"
#include "core/output/diffjson.h"
#include "core/output/infojson.h"
#include "core/output/report.h"

#include <algorithm>
#include <iterator>

namespace ql::cli {

namespace {

constexpr OptionSpec Options[] = {
    {"--tensor", "NAME|GLOB", "only these tensors; * ? [a-z] as in a shell", {}, true},
    {"--experts", "", "errors of every expert too"},
    {"--metadata-only", "", "metadata alone"},
    {"--report", "FILE", "write a report to FILE, a .html or .md, besides what is printed"},
    {"--force", "", "replace FILE if it exists"},
    {"--json", "", "machine-readable, on standard output"},
};

struct Models {
    GgufModelPtr a;
    GgufModelPtr b;
};

Result<Models> openBoth(Console &console, const Arguments &arguments)
{
    Models models;
    for (auto [path, model] : {std::pair(arguments.positional(0), &models.a), std::pair(arguments.positional(1), &models.b)}) {
        auto opened = openSaying(console, path);
        if (!opened)
            return tl::unexpected(opened.error());
        *model = std::move(*opened);
    }
    return models;
}

/// Leaves of a pairing what the patterns name on either side.
Result<Pairing> choosePairs(const Models &models, const std::vector<std::string> &patterns)
{
    std::vector<bool> matched;
    const std::vector<bool> inA = matchTensors(*models.a, patterns, matched);
    const std::vector<bool> inB = matchTensors(*models.b, patterns, matched);
    if (const auto missing = std::ranges::find(matched, false); missing != matched.end())
        return noSuchTensor(*models.a, patterns[static_cast<std::size_t>(missing - matched.begin())]);
    Pairing pairing = pairTensors(*models.a, *models.b);
    const auto pairOut = [&](const TensorPair &pair) { return !inA[pair.a.value] && !inB[pair.b.value]; };
    std::erase_if(pairing.pairs, pairOut);
    std::erase_if(pairing.mismatched, pairOut);
    std::erase_if(pairing.onlyA, [&](const Unpaired &one) { return !inA[one.tensor.value]; });
    std::erase_if(pairing.onlyB, [&](const Unpaired &one) { return !inB[one.tensor.value]; });
    return pairing;
}

bool endsTheRun(const Error &error, const Models &models)
{
    return error.code == StoppedCode || error.code == models.a->changedError().code;
}

Result<ComparisonPtr> compareOne(const Context &context, const Models &models, const TensorPair &pair, bool experts)
{
    CompareOptions options;
    options.perExpert = experts && pairShape(*models.a, *models.b, pair).size() >= 3;
    options.threads = context.threads;
    return comparePair(models.a, models.b, pair, options, context.stop,
                       context.console.progress(models.a->tensor(pair.a).name, "weights"));
}

Result<void> compareTensors(const Context &context, const Models &models, const Arguments &arguments, ModelDiff &diff)
{
    auto pairing = choosePairs(models, arguments.values("--tensor"));
    if (!pairing)
        return tl::unexpected(pairing.error());
    for (const TensorPair &pair : pairing->pairs) {
        auto outcome = compareOne(context, models, pair, arguments.has("--experts"));
        if (!outcome && endsTheRun(outcome.error(), models))
            return tl::unexpected(outcome.error());
        diff.pairs.push_back({pair, std::move(outcome)});
    }
    diff.onlyA = std::move(pairing->onlyA);
    diff.onlyB = std::move(pairing->onlyB);
    diff.mismatched = std::move(pairing->mismatched);
    return {};
}

std::vector<TableCell> errorsRow(std::string name, std::string types, const ErrorSums &sums)
{
    std::vector<TableCell> row{textCell(std::move(name)), textCell(std::move(types))};
    const auto max = sums.compared() ? std::optional(sums.maxAbsError) : std::nullopt;
    for (const auto &value : {sums.rmse(), sums.relativeRmse(), max, sums.cosine(), sums.sqnrDb()})
        row.push_back(numberCell(value));
    row.push_back(numberCell(sums.nonfinite));
    return row;
}

std::string pairName(const Models &models, const TensorPair &pair)
{
    const std::string &a = models.a->tensor(pair.a).name, &b = models.b->tensor(pair.b).name;
    return a + (a == b ? "" : " / " + b);
}

std::string pairsText(const Models &models, const ModelDiff &diff)
{
    Table table{{"tensor", "types", "rmse", "relative", "max error", "cosine", "SQNR dB", "non-finite"}, {}};
    std::string problems;
    for (const ComparedPair &compared : diff.pairs) {
        const TensorPair &pair = compared.pair;
        if (!compared.outcome) {
            problems += problemText(pairName(models, pair), models.a->tensor(pair.a).name, compared.outcome.error()) + "\n";
            continue;
        }
        const Comparison &c = **compared.outcome;
        if (c.identical)
            continue; // the totals count them
        const std::string a = models.a->tensor(pair.a).typeName(), b = models.b->tensor(pair.b).typeName();
        table.rows.push_back(errorsRow(pairName(models, pair), a == b ? a : a + " / " + b, c.sums));
        for (std::size_t k = 0; k < c.experts.size(); ++k)
            table.rows.push_back(errorsRow("  expert " + std::to_string(k), "", c.experts[k]));
    }
    return (table.rows.empty() ? "" : tableToText(table)) + problems;
}

std::string unpairedText(const Models &models, const ModelDiff &diff)
{
    std::string text;
    const auto add = [&](const char *where, const GgufModel &model, const std::vector<Unpaired> &list) {
        for (const Unpaired &one : list) {
            text += std::string("only in ") + where + ": " + model.tensor(one.tensor).name
                + (one.hint.empty() ? "" : " (" + one.hint + ")") + "\n";
        }
    };
    add("A", *models.a, diff.onlyA);
    add("B", *models.b, diff.onlyB);
    for (const TensorPair &pair : diff.mismatched) {
        text += "other shape: " + pairName(models, pair) + " " + shapeText(models.a->tensor(pair.a).ne) + " / "
            + shapeText(models.b->tensor(pair.b).ne) + "\n";
    }
    return text;
}

/// A value cut to a line: strings in quotes, numbers as info shows them.
std::string valueText(const MetadataValue &value)
{
    constexpr std::size_t Longest = 60;
    if (!std::holds_alternative<std::string>(value))
        return valuePreview(value, Longest);
    std::string text = dumpJson(Json::array({metadataValueJson(value, ShownElements)}));
    text = text.substr(2, text.size() - 4); // without the brackets around it
    std::ranges::replace(text, '\n', ' ');
    const auto start = text.find_first_not_of(' ');
    text = text.substr(start == std::string::npos ? 0 : start);
    if (displayWidth(text) <= Longest)
        return text;
    std::size_t end = Longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return text.substr(0, end) + "…";
}

std::string metadataText(const Models &models, const MetadataDiff &diff)
{
    Table table{{"metadata", "A", "B"}, {}};
    for (const std::size_t i : diff.onlyA) {
        const MetadataEntry &entry = models.a->metadata()[i];
        table.rows.push_back({textCell(entry.key), textCell(valueText(entry.value)), textCell("-")});
    }
    for (const std::size_t i : diff.onlyB) {
        const MetadataEntry &entry = models.b->metadata()[i];
        table.rows.push_back({textCell(entry.key), textCell("-"), textCell(valueText(entry.value))});
    }
    for (const MetadataChange &change : diff.changed) {
        const MetadataEntry &a = models.a->metadata()[change.a], &b = models.b->metadata()[change.b];
        const std::string place = change.firstDifference ? " from [" + std::to_string(*change.firstDifference) + "]" : "";
        table.rows.push_back({textCell(a.key + place), textCell(valueText(a.value)), textCell(valueText(b.value))});
    }
    return table.rows.empty() ? "" : tableToText(table);
}

std::string totalsText(const DiffTotals &totals)
{
    std::string text = grouped(totals.compared) + " compared, " + grouped(totals.identical) + " identical";
    if (totals.failed)
        text += ", " + grouped(totals.failed) + " can't be decoded";
    text += "; " + byteText(totals.bytesA) + " / " + byteText(totals.bytesB);
    if (const auto rmse = totals.sums.rmse())
        text += "; over those that differ: rmse " + significant(*rmse) + ", relative " + significant(totals.sums.relativeRmse())
            + ", cosine " + significant(totals.sums.cosine(), 6) + ", SQNR " + significant(totals.sums.sqnrDb()) + " dB";
    return text + "\n";
}

std::string diffText(const Models &models, const ModelDiff &diff, bool tensors)
{
    std::string text;
    for (const std::string &part : {tensors ? pairsText(models, diff) : "", unpairedText(models, diff),
                                    metadataText(models, diff.metadata),
                                    tensors ? totalsText(totalsOf(*models.a, *models.b, diff)) : ""}) {
        if (!part.empty())
            text += (text.empty() ? "" : "\n") + part;
    }
    return text.empty() ? "no differences\n" : text;
}

bool tensorsDiffer(const ModelDiff &diff)
{
    const auto differs = [](const ComparedPair &pair) { return !pair.outcome || !(*pair.outcome)->identical; };
    return !diff.onlyA.empty() || !diff.onlyB.empty() || !diff.mismatched.empty()
        || std::ranges::any_of(diff.pairs, differs);
}

/// The options that choose what is compared, for the report's command line.
std::vector<std::string> choosingOptions(const Arguments &arguments)
{
    std::vector<std::string> options;
    for (const std::string &pattern : arguments.values("--tensor"))
        options.insert(options.end(), {"--tensor", pattern});
    for (const char *flag : {"--experts", "--metadata-only"})
        if (arguments.has(flag))
            options.emplace_back(flag);
    return options;
}

std::vector<std::string> inputsOf(const Models &models)
{
    std::vector<std::string> inputs = filesOf(*models.a);
    std::ranges::copy(filesOf(*models.b), std::back_inserter(inputs));
    return inputs;
}

/// Before the work that a report is about.
Result<void> checkReport(const Models &models, const Arguments &arguments)
{
    const auto path = arguments.value("--report");
    if (!path)
        return {};
    if (!reportFormatOf(*path))
        return usageError("'--report' takes a name that ends in .html or .md, not '" + *path + "'");
    return checkOutput(*path, arguments.has("--force"), inputsOf(models));
}

Result<void> writeReport(const Context &context, const Models &models, const Arguments &arguments, const ModelDiff &diff)
{
    const auto path = arguments.value("--report");
    if (!path)
        return {};
    ReportRequest request;
    request.format = *reportFormatOf(*path);
    request.tensors = !arguments.has("--metadata-only");
    request.command = diffCommandLine(arguments.positional(0), arguments.positional(1), choosingOptions(arguments));
    request.program = "Quantloupe " QL_VERSION;
    auto file = AtomicFile::create(*path, arguments.has("--force"), inputsOf(models));
    if (!file)
        return tl::unexpected(file.error());
    if (auto written = (*file)->write(comparisonReport(*models.a, *models.b, diff, request)); !written)
        return written;
    if (auto done = (*file)->commit(); !done)
        return done;
    context.console.note("wrote " + *path);
    return {};
}

/// Both files as they were when they were opened.
Result<void> checkUnchanged(const Models &models)
{
    for (const GgufModelPtr &model : {models.a, models.b})
        if (model->changedOnDisk())
            return tl::unexpected(model->changedError());
    return {};
}

Result<int> runDiff(const Context &context, const Arguments &arguments)
{
    const auto models = openBoth(context.console, arguments);
    if (!models)
        return tl::unexpected(models.error());
    const bool metadataOnly = arguments.has("--metadata-only"), chosen = arguments.has("--tensor");
    if (metadataOnly && chosen)
        return usageError("--metadata-only and --tensor exclude each other");
    if (auto checked = checkReport(*models, arguments); !checked)
        return tl::unexpected(checked.error());
    ModelDiff diff;
    diff.metadata = diffMetadata(*models->a, *models->b);
    if (!metadataOnly) {
        if (auto compared = compareTensors(context, *models, arguments, diff); !compared)
            return tl::unexpected(compared.error());
    }
    if (auto same = checkUnchanged(*models); !same)
        return tl::unexpected(same.error());
    if (auto written = writeReport(context, *models, arguments, diff); !written)
        return tl::unexpected(written.error());
    if (context.json)
        context.console.printJson(diffJson(*models->a, *models->b, diff));
    else
        context.console.print(diffText(*models, diff, !metadataOnly));
    const bool metadataDiffers = diff.metadata.differs && !chosen;
    return metadataDiffers || tensorsDiffer(diff) ? Findings : Done;
}

} // namespace

constinit const Command diffCommand{
    "diff", "what differs between two models: metadata, tensors, errors of weights", "A B", 2, 2, Options,
    "A is the reference. Exit code 1 when anything differs, split.* keys aside; with --tensor, by the chosen\n"
    "tensors alone. The report appears whole or not at all.\n", runDiff};

} // namespace ql::cli
