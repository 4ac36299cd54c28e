// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/humantext.h"
#include "app/cli/openfile.h"
#include "app/cli/outputfile.h"
#include "core/format/shardset.h"
#include "core/model/asciicase.h"
#include "core/output/storedbytes.h"
#include "core/output/tensorexport.h"

#include <algorithm>

namespace ql::cli {

namespace {

constexpr OptionSpec Options[] = {
    {"--output", "OUT", "where to write; - is standard output", "-o"},
    {"--format", "csv|npy|raw", "default: by OUT's suffix, else csv"},
    {"--layout", "matrix|long", "csv: a line a row (default), or a line a value"},
    {"--expert", "K", "only slab K of a merged expert tensor"},
    {"--rows", "A:B", "only these rows, as a Python slice: 2:5, :10, -3:"},
    {"--force", "", "replace OUT if it exists"},
};

Result<ExportFormat> readFormat(const Arguments &arguments, const std::string &out)
{
    const auto name = arguments.value("--format");
    const std::string path = lowered(out);
    for (const ExportTraits &row : ExportTable) {
        if (name ? *name == row.name : path.ends_with("." + std::string(row.name)) || path.ends_with(row.suffix))
            return row.format;
    }
    if (name)
        return usageError("'--format' is csv, npy or raw, not '" + *name + "'");
    return ExportFormat::Csv;
}

Result<CsvLayout> readLayout(const Arguments &arguments, ExportFormat format)
{
    const auto name = arguments.value("--layout");
    if (name && format != ExportFormat::Csv)
        return usageError("'--layout' is for csv alone");
    if (!name || *name == "matrix")
        return CsvLayout::Matrix;
    if (*name == "long")
        return CsvLayout::Long;
    return usageError("'--layout' is matrix or long, not '" + *name + "'");
}

/// Rows there are to slice: of the expert where one is chosen.
std::uint64_t sliceableRows(const TensorInfo &tensor, const ExportOptions &options)
{
    return options.expert ? tensor.ne[1] : tensor.ne.rows().value_or(0);
}

Result<ExportOptions> readOptions(const Context &context, const Arguments &arguments, const TensorInfo &tensor,
                                  const std::string &out)
{
    ExportOptions options;
    options.parallel.threads = context.threads;
    const auto format = readFormat(arguments, out);
    if (!format)
        return tl::unexpected(format.error());
    options.format = *format;
    const auto layout = readLayout(arguments, *format);
    if (!layout)
        return tl::unexpected(layout.error());
    options.layout = *layout;
    const auto expert = arguments.number("--expert", 0, ~std::uint64_t(0));
    if (!expert)
        return tl::unexpected(expert.error());
    options.expert = *expert;
    if (options.expert) {
        if (auto checked = checkExpert(tensor, *options.expert); !checked)
            return tl::unexpected(checked.error());
    }
    if (const auto rows = arguments.value("--rows")) {
        options.rows = parseRowRange(*rows, sliceableRows(tensor, options));
        if (!options.rows)
            return usageError("'--rows' takes A:B, not '" + *rows + "'");
    }
    return options;
}

/// Raw bytes of a whole tensor need no decoder.
Result<void> writeTensor(const Context &context, const GgufModelPtr &model, TensorIndex tensor,
                         const ExportOptions &options, OutputFile &output)
{
    const std::string &name = model->tensor(tensor).name;
    if (options.format == ExportFormat::Raw && !options.expert && !options.rows)
        return writeStored(*model, tensor, output.sink(), context.stop, context.console.progress(name, "B"));
    const auto source = exportSource(model, tensor, options);
    if (!source)
        return tl::unexpected(source.error());
    context.console.note("about " + byteText(estimateExportSize(*source, options)) + " to write");
    return exportTensor(*source, options, output.sink(), context.stop, context.console.progress(name, "weights"));
}

Result<int> runExport(const Context &context, const Arguments &arguments)
{
    const auto out = arguments.value("--output");
    if (!out)
        return usageError("'-o OUT' is missing");
    const auto model = openModel(arguments.positional(0));
    if (!model)
        return tl::unexpected(model.error());
    const auto tensor = findTensor(**model, arguments.positional(1));
    if (!tensor)
        return tl::unexpected(tensor.error());
    const auto options = readOptions(context, arguments, (*model)->tensor(*tensor), *out);
    if (!options)
        return tl::unexpected(options.error());
    auto output = OutputFile::open(context.console, *out, arguments.has("--force"), filesOf(**model));
    if (!output)
        return tl::unexpected(output.error());
    if (auto written = writeTensor(context, *model, *tensor, *options, *output); !written)
        return tl::unexpected(written.error());
    if (auto done = output->commit(); !done)
        return tl::unexpected(done.error());
    return Done;
}

} // namespace

constinit const Command exportCommand{
    "export", "a tensor's weights as CSV, NPY or raw bytes", "FILE TENSOR", 2, 2, Options,
    "Numbers read back to the same bits. OUT appears whole or not at all.\n", runExport};

} // namespace ql::cli
