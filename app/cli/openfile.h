// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/console.h"
#include "core/model/ggufmodel.h"
#include "core/output/json.h"

#include <span>
#include <string>
#include <vector>

namespace ql::cli {

/// openModel() with a word on standard error where some of a split model's shards are not there.
Result<GgufModelPtr> openSaying(Console &console, const std::string &path);

/// The tensors a command works on: by exact name (in the spelling of JSON), else by glob (`*`, `?`,
/// `[a-z]`); all of them without patterns. Each once, in file order. NoSuchTensorCode for a pattern
/// that matches nothing, naming the nearest name.
Result<std::vector<TensorIndex>> selectTensors(const GgufModel &model,
                                               const std::vector<std::string> &patterns);

/// Which tensors the patterns name, by index; all of them without patterns. `matched` gets a mark for
/// each pattern that names any.
std::vector<bool> matchTensors(const GgufModel &model, const std::vector<std::string> &patterns,
                               std::vector<bool> &matched);

/// The one tensor of that exact name.
Result<TensorIndex> findTensor(const GgufModel &model, const std::string &name);

/// An error unless the tensor can be sliced along ne[2] and has that slab.
Result<void> checkExpert(const TensorInfo &tensor, std::uint64_t expert);

tl::unexpected<Error> noSuchTensor(const GgufModel &model, const std::string &name);

/// "LABEL: message", or the message alone where it names the tensor itself.
std::string problemText(const std::string &label, const std::string &tensor, const Error &error);

/// Lines for people: "warning  tensor[5].offset  @141  …", worst first.
std::string warningsText(const std::vector<Warning> &warnings);

} // namespace ql::cli
