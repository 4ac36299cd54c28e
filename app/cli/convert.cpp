// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/convert.h"

#include "app/cli/command.h"
#include "app/cli/humantext.h"
#include "app/cli/outputfile.h"
#include "core/format/shardset.h"
#include "core/output/convertjson.h"

namespace ql::cli {

namespace {

constexpr OptionSpec Options[] = {
    {"--type", "T", "for 2-D and 3-D .weight tensors but norms and routers"},
    {"--tensor-type", "PATTERN=T", "for tensors a regular expression is found in; the last match wins", {}, true},
    {"--set", "KEY[:type]=VALUE", "a metadata value; u8 … f64, bool, string; without a type, the key's own", {}, true},
    {"--unset", "KEY", "leave a metadata key out", {}, true},
    {"--dry-run", "", "print sizes and measured errors, write nothing"},
    {"--force", "", "replace OUT if it exists"},
    {"--json", "", "machine-readable, on standard output"},
};

template <class T>
Result<void> gather(const Result<T> &value, std::vector<T> &values)
{
    if (!value)
        return tl::unexpected(value.error());
    values.push_back(*value);
    return {};
}

Result<ConvertRequest> readRequest(const GgufModel &model, const Arguments &arguments)
{
    ConvertRequest request;
    if (const auto name = arguments.value("--type")) {
        const auto type = parseEncodableType(*name);
        if (!type)
            return tl::unexpected(type.error());
        request.type = *type;
    }
    for (const std::string &text : arguments.values("--tensor-type"))
        if (auto done = gather(parseTypePattern(text), request.patterns); !done)
            return tl::unexpected(done.error());
    for (const std::string &text : arguments.values("--set"))
        if (auto done = gather(parseMetadataSet(model, text), request.changes); !done)
            return tl::unexpected(done.error());
    for (const std::string &text : arguments.values("--unset"))
        if (auto done = gather(parseMetadataUnset(model, text), request.changes); !done)
            return tl::unexpected(done.error());
    return request;
}

std::string tableText(const ConvertPlan &plan, const ConvertReport &report)
{
    Table table{{"tensor", "from", "to", "bytes", "rmse", "relative", "sqnr dB"}, {}};
    for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
        const auto &errors = report.errors[i];
        if (!errors)
            continue;
        const TensorInfo &tensor = plan.model->tensor(plan.tensors[i].tensor);
        table.rows.push_back({textCell(tensor.name), textCell(tensor.typeName()),
                              textCell(std::string(traits(plan.tensors[i].type).name)),
                              numberCell(plan.tensors[i].bytes), numberCell(errors->rmse()),
                              numberCell(errors->relativeRmse()), numberCell(errors->sqnrDb())});
    }
    const ConvertSizes sizes = sizesOf(plan);
    const std::string total = byteText(sizes.before) + " become " + byteText(sizes.after) + " ("
                              + grouped(sizes.after) + " bytes)\n";
    return (table.rows.empty() ? "no tensor changes its type\n" : tableToText(table)) + total;
}

/// The results go where the new file does not.
void report(const Context &context, const ConvertPlan &plan, const ConvertReport &errors, bool toOutput)
{
    context.console.clearProgress();
    for (const std::string &note : plan.notes)
        context.console.message(note);
    if (!toOutput)
        return;
    if (context.json)
        context.console.printJson(convertJson(plan, errors));
    else
        context.console.print(tableText(plan, errors));
}

Result<int> dryRun(const Context &context, const ConvertPlan &plan)
{
    const auto errors = measurePlan(plan, {context.threads, false}, context.stop,
                                    context.console.progress("measuring", "weights"));
    if (!errors)
        return tl::unexpected(errors.error());
    report(context, plan, *errors, true);
    return Done;
}

Result<int> write(const Context &context, const ConvertPlan &plan, const std::string &out, bool force)
{
    auto output = OutputFile::open(context.console, out, force, filesOf(*plan.model));
    if (!output)
        return tl::unexpected(output.error());
    context.console.note(byteText(plan.file->fileSize()) + " to write");
    const auto errors = writePlan(plan, output->sink(), {context.threads, false}, context.stop,
                                  context.console.progress(out, "B"));
    if (!errors)
        return tl::unexpected(errors.error());
    if (auto done = output->commit(); !done)
        return tl::unexpected(done.error());
    report(context, plan, *errors, !isStandardOutput(out));
    return Done;
}

Result<int> runConvert(const Context &context, const Arguments &arguments)
{
    const bool isDry = arguments.has("--dry-run");
    if (arguments.positionals().size() < 2 && !isDry)
        return usageError("OUT is missing");
    const auto model = openModel(arguments.positional(0));
    if (!model)
        return tl::unexpected(model.error());
    const auto request = readRequest(**model, arguments);
    if (!request)
        return tl::unexpected(request.error());
    const auto plan = planConversion(*model, *request);
    if (!plan)
        return tl::unexpected(plan.error());
    if (isDry)
        return dryRun(context, *plan);
    return write(context, *plan, arguments.positional(1), arguments.has("--force"));
}

} // namespace

constinit const Command convertCommand{
    "convert", "a new GGUF: other tensor types, joined shards, changed metadata", "IN OUT", 1, 2, Options,
    "Tensors that no option names are copied byte for byte; OUT appears whole or not at all. Rows that\n"
    "don't fit a type get the nearest one that does, and that is said. Types: F32 F16 BF16 Q8_0 Q6_K Q5_1\n"
    "Q5_K Q5_0 Q4_1 Q4_K Q4_0 IQ4_NL NVFP4 IQ4_XS MXFP4 Q3_K Q2_K Q2_0 TQ2_0 TQ1_0 Q1_0.\n",
    runConvert};

} // namespace ql::cli
