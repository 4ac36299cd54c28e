// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/openfile.h"
#include "core/format/incompleteset.h"
#include "core/format/mappedfile.h"
#include "core/format/shardset.h"
#include "core/model/tensorname.h"
#include "core/output/hashmanifest.h"
#include "core/output/modelhash.h"

#include <algorithm>

namespace ql::cli {

namespace {

constexpr OptionSpec Options[] = {
    {"--algorithm", "xxh64|sha1|sha256", "which digests (default: xxh64)", {}, true},
    {"--no-layer", "", "without the tensors' own lines"},
    {"--file", "", "the file's bytes instead of the tensors' data"},
    {"--check", "MANIFEST", "compare with digests made earlier, by this, gguf-hash, sha1sum or sha256sum"},
};

/// As asked for, each once, in the order of the table; nothing asked for is nothing here.
Result<std::vector<HashAlgorithm>> readAlgorithms(const Arguments &arguments)
{
    const auto &names = arguments.values("--algorithm");
    for (const std::string &name : names) {
        if (!findHash(name))
            return usageError("'--algorithm' is xxh64, sha1 or sha256, not '" + name + "'");
    }
    std::vector<HashAlgorithm> algorithms;
    for (const HashTraits &row : HashTable) {
        if (std::ranges::find(names, row.name) != names.end())
            algorithms.push_back(row.algorithm);
    }
    return algorithms;
}

std::string linesOf(const std::vector<HashAlgorithm> &algorithms, const Digests &digests, const std::string &name)
{
    std::string text;
    for (std::size_t i = 0; i < digests.size(); ++i)
        text += hashLine(algorithms[i], digests[i], name);
    return text;
}

Result<int> printModel(const Context &context, const std::string &path, const GgufModel &model,
                       const HashRequest &request)
{
    const auto hashes = hashModel(model, request, context.stop, context.console.progress("hashing", "B"));
    if (!hashes)
        return tl::unexpected(hashes.error());
    const std::string file = escapeBytes(path);
    std::string text;
    for (std::size_t i = 0; i < hashes->tensors.size(); ++i)
        text += linesOf(request.algorithms, hashes->tensors[i], file + ":" + model.tensors()[i].name);
    if (hashes->total)
        text += linesOf(request.algorithms, *hashes->total, file);
    context.console.print(text);
    for (const Error &problem : hashes->problems)
        context.console.message("left out: " + problem.message);
    return hashes->problems.empty() ? Done : Findings;
}

/// A file that is no model has bytes too; a split model has several files.
Result<int> printFiles(const Context &context, const std::string &path,
                       const std::vector<HashAlgorithm> &algorithms)
{
    std::vector<std::string> files{path};
    if (const auto model = openSaying(context.console, path); model && (*model)->shards().size() > 1) {
        files.clear();
        for (const ShardInfo &shard : (*model)->shards())
            files.push_back(shard.path);
    }
    std::string text;
    for (const std::string &file : files) {
        const auto digests = hashFile(file, algorithms, context.stop, context.console.progress(file, "B"));
        if (!digests)
            return tl::unexpected(digests.error());
        text += linesOf(algorithms, *digests, escapeBytes(file));
    }
    context.console.print(text);
    return Done;
}

std::string verdictLine(const Verdict &verdict)
{
    std::string line(traits(verdict.entry.algorithm).name);
    line.resize(10, ' ');
    line += escapeBytes(verdict.entry.name);
    if (verdict.matches())
        return line + "  OK\n";
    const std::string found = verdict.found.empty() ? "nothing of that name" : verdict.found;
    return line + "  MISMATCH  expected " + verdict.entry.digest + "  found " + found + "\n";
}

Result<Manifest> readManifest(const Context &context, const std::string &path)
{
    const auto file = MappedFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto bytes = (*file)->bytes();
    Manifest manifest = parseManifest({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    for (const std::size_t line : manifest.unreadable)
        context.console.message(path + ":" + std::to_string(line) + ": not a line with a digest");
    if (manifest.entries.empty())
        return failure("bad-manifest", "'" + escapeBytes(path) + "' holds no digests", escapeBytes(path));
    return manifest;
}

Result<int> runCheck(const Context &context, const std::string &path, const std::string &manifestPath,
                     const std::vector<HashAlgorithm> &only)
{
    const auto manifest = readManifest(context, manifestPath);
    if (!manifest)
        return tl::unexpected(manifest.error());
    const auto model = openSaying(context.console, path);
    const auto verdicts = checkManifest(*manifest, path, model ? *model : nullptr, only, {context.threads, false},
                                        context.stop, context.console.progress("hashing", "B"));
    if (!verdicts)
        return tl::unexpected(verdicts.error());
    std::string text;
    for (const Verdict &verdict : *verdicts)
        text += verdictLine(verdict);
    context.console.print(text);
    const auto wrong = std::ranges::count_if(*verdicts, [](const Verdict &v) { return !v.matches(); });
    if (wrong > 0)
        context.console.message(std::to_string(wrong) + " of " + std::to_string(verdicts->size()) + " don't match");
    return wrong > 0 ? Findings : Done;
}

Result<int> runHash(const Context &context, const Arguments &arguments)
{
    const std::string &path = arguments.positional(0);
    auto algorithms = readAlgorithms(arguments);
    if (!algorithms)
        return tl::unexpected(algorithms.error());
    if (const auto manifest = arguments.value("--check"))
        return runCheck(context, path, *manifest, *algorithms);
    if (algorithms->empty())
        algorithms->push_back(HashAlgorithm::Xxh64);
    if (arguments.has("--file"))
        return printFiles(context, path, *algorithms);
    const auto model = openModel(path);
    if (!model)
        return tl::unexpected(model.error());
    if (auto incomplete = incompleteError(**model))
        return tl::unexpected(std::move(*incomplete));
    return printModel(context, path, **model,
                      {*algorithms, !arguments.has("--no-layer"), true, {context.threads, false}});
}

} // namespace

constinit const Command hashCommand{
    "hash", "digests of tensors and files, and their verification", "FILE", 1, 1, Options,
    "Lines are gguf-hash's: algorithm, digest, FILE:TENSOR, and FILE for the data of all tensors in order.\n"
    "A backslash in front of a line says that its name is escaped, as sha256sum does.\n"
    "With --check, exit code 1 when a digest differs.\n", runHash};

} // namespace ql::cli
