// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/humantext.h"
#include "app/cli/openfile.h"
#include "core/format/shardset.h"
#include "core/stats/deepcheck.h"

#include <algorithm>

namespace ql::cli {

namespace {

constexpr OptionSpec Options[] = {
    {"--json", "", "machine-readable, on standard output"},
    {"--deep", "", "also decode all weights and report NaN, Inf and all-zero blocks and rows"},
};

Result<void> addDeepFindings(const Context &context, const GgufModelPtr &model,
                             std::vector<Warning> &warnings)
{
    for (std::uint32_t i = 0; i < model->tensors().size(); ++i) {
        const auto view = TensorView::ofTensor(model, {i});
        if (!view)
            continue; // its row says why; the warnings have it already
        const auto report = deepCheck(*view, {context.threads, false}, context.stop,
                                      context.console.progress(model->tensors()[i].name, "weights"));
        if (!report)
            return tl::unexpected(report.error());
        const auto found = deepFindings(*view, *report);
        warnings.insert(warnings.end(), found.begin(), found.end());
    }
    return {};
}

Result<int> runCheck(const Context &context, const Arguments &arguments)
{
    const auto model = openModel(arguments.positional(0));
    if (!model)
        return tl::unexpected(model.error());
    std::vector<Warning> warnings = (*model)->warnings();
    if (arguments.has("--deep")) {
        if (auto added = addDeepFindings(context, *model, warnings); !added)
            return tl::unexpected(added.error());
    }
    if ((*model)->changedOnDisk())
        return tl::unexpected((*model)->changedError());
    if (context.json)
        context.console.printJson(Json{{"warnings", warningsJson(warnings)}});
    else
        context.console.print(warnings.empty() ? "nothing found\n" : warningsText(warnings));
    const bool clean = std::ranges::all_of(
        warnings, [](const Warning &w) { return w.severity == Severity::Info; });
    return clean ? Done : Findings;
}

} // namespace

constinit const Command checkCommand{
    "check", "what is wrong with a file", "FILE", 1, 1, Options,
    "exit code 1 when something is more than info, 3 when the file does not open at all\n", runCheck};

} // namespace ql::cli
