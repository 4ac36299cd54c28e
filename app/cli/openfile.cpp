// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/openfile.h"

#include "app/cli/command.h"
#include "app/cli/humantext.h"
#include "core/format/incompleteset.h"
#include "core/format/shardset.h"

#include <algorithm>
#include <fnmatch.h>

namespace ql::cli {

namespace {

/// Marks what one pattern chooses; false if that is nothing.
bool markMatches(const GgufModel &model, const std::string &pattern, std::vector<bool> &chosen)
{
    if (const auto exact = model.findTensor(pattern)) {
        chosen[exact->value] = true;
        return true;
    }
    bool any = false;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        // Without escapes: a backslash in a name is doubled already and stands for itself.
        const bool matches = ::fnmatch(pattern.c_str(), model.tensors()[i].name.c_str(), FNM_NOESCAPE) == 0;
        chosen[i] = chosen[i] || matches;
        any = any || matches;
    }
    return any;
}

} // namespace

Result<GgufModelPtr> openSaying(Console &console, const std::string &path)
{
    auto model = openModel(path);
    if (model) {
        if (const auto incomplete = incompleteError(**model))
            console.message("note: " + incomplete->message);
    }
    return model;
}

tl::unexpected<Error> noSuchTensor(const GgufModel &model, const std::string &name)
{
    std::vector<std::string_view> names;
    for (const TensorInfo &tensor : model.tensors())
        names.push_back(tensor.name);
    const auto near = nearest(name, names);
    std::string message = "there is no tensor '" + name + "'";
    if (!near.empty())
        message += "; did you mean '" + std::string(near) + "'?";
    return failure(NoSuchTensorCode, std::move(message), name);
}

std::vector<bool> matchTensors(const GgufModel &model, const std::vector<std::string> &patterns,
                               std::vector<bool> &matched)
{
    std::vector<bool> chosen(model.tensors().size(), patterns.empty());
    matched.resize(patterns.size());
    for (std::size_t i = 0; i < patterns.size(); ++i)
        matched[i] = markMatches(model, patterns[i], chosen) || matched[i];
    return chosen;
}

Result<std::vector<TensorIndex>> selectTensors(const GgufModel &model,
                                               const std::vector<std::string> &patterns)
{
    std::vector<bool> matched;
    const std::vector<bool> chosen = matchTensors(model, patterns, matched);
    if (const auto missing = std::ranges::find(matched, false); missing != matched.end())
        return noSuchTensor(model, patterns[static_cast<std::size_t>(missing - matched.begin())]);
    std::vector<TensorIndex> selected;
    for (std::uint32_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i])
            selected.push_back({i});
    }
    return selected;
}

Result<TensorIndex> findTensor(const GgufModel &model, const std::string &name)
{
    const auto found = model.findTensor(name);
    if (!found)
        return noSuchTensor(model, name);
    return *found;
}

Result<void> checkExpert(const TensorInfo &tensor, std::uint64_t expert)
{
    const std::string slab = "expert " + std::to_string(expert);
    if (tensor.ne.size() < 3)
        return failure(NoSuchExpertCode, "'" + tensor.name + "' is " + shapeText(tensor.ne)
                       + " and has no experts: there is no " + slab, tensor.name);
    if (expert >= tensor.ne[2])
        return failure(NoSuchExpertCode, "'" + tensor.name + "' has experts 0 to "
                       + std::to_string(tensor.ne[2] - 1) + ": there is no " + slab, tensor.name);
    return {};
}

std::string problemText(const std::string &label, const std::string &tensor, const Error &error)
{
    const bool names = error.message.find("'" + tensor + "'") != std::string::npos;
    return names ? error.message : label + ": " + error.message;
}

std::string warningsText(const std::vector<Warning> &warnings)
{
    Table table{{"severity", "where", "offset", "what"}, {}};
    for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Info}) {
        for (const Warning &warning : warnings) {
            if (warning.severity != severity)
                continue;
            table.rows.push_back({textCell(std::string(severityName(severity))), textCell(warning.field),
                                  TableCell::number(warning.offset ? std::to_string(*warning.offset) : "-"),
                                  textCell(warning.message)});
        }
    }
    return tableToText(table);
}

} // namespace ql::cli
