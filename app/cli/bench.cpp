// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/humantext.h"
#include "app/cli/openfile.h"
#include "core/stats/ratebench.h"

#include <algorithm>

namespace ql::cli {

namespace {

constexpr OptionSpec Options[] = {
    {"--json", "", "machine-readable, on standard output"},
};

Json rateJson(const Rate &rate)
{
    return {{"gb_per_s", rate.gigabytesPerSecond()}, {"weights_per_s", rate.weightsPerSecond()}};
}

Json ratesJson(const std::vector<TypeRates> &rates, unsigned threads)
{
    Json types = Json::array();
    for (const TypeRates &type : rates) {
        types.push_back({{"type", typeLabel(type.typeId)},
                         {"tensors", type.tensors},
                         {"kernel", type.kernel},
                         {"decode", rateJson(type.decode)},
                         {"scan", rateJson(type.scan)}});
    }
    return {{"threads", threads}, {"types", std::move(types)}};
}

std::string ratesText(const std::vector<TypeRates> &rates, unsigned threads)
{
    Table table{{"type", "tensors", "kernel", "decode GB/s", "weights/s", "scan GB/s", "weights/s"}, {}};
    for (const TypeRates &type : rates) {
        table.rows.push_back({textCell(typeLabel(type.typeId)), numberCell(type.tensors),
                              textCell(std::string(type.kernel)), numberCell(type.decode.gigabytesPerSecond()),
                              TableCell::number(scaled(type.decode.weightsPerSecond())),
                              numberCell(type.scan.gigabytesPerSecond()),
                              TableCell::number(scaled(type.scan.weightsPerSecond()))});
    }
    return std::to_string(threads) + (threads == 1 ? " thread" : " threads") + "; GB are of the file's bytes\n\n"
        + tableToText(table);
}

Result<int> runBench(const Context &context, const Arguments &arguments)
{
    const auto model = openSaying(context.console, arguments.positional(0));
    if (!model)
        return tl::unexpected(model.error());
    BenchOptions options;
    options.parallel.threads = context.threads;
    const auto rates = measureRates(*model, options, context.stop, context.console.progress("measuring", "types"));
    if (!rates)
        return tl::unexpected(rates.error());
    const unsigned threads = threadCount(options.parallel);
    if (context.json)
        context.console.printJson(ratesJson(*rates, threads));
    else
        context.console.print(ratesText(*rates, threads));
    const bool all = std::ranges::all_of((*model)->tensors(), &TensorInfo::isDecodable);
    return all ? Done : Findings;
}

} // namespace

constinit const Command benchCommand{
    "bench", "how fast this machine decodes and scans the types in a file", "FILE", 1, 1, Options,
    "QUANTLOUPE_KERNELS=reference (or another implementation) forces a kernel.\n", runBench};

} // namespace ql::cli
