// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"
#include "core/model/modelsummary.h"
#include "core/parallel/progress.h"
#include "core/stats/whatif.h"

#include <cstdint>
#include <stop_token>

// One tensor in another type, as a model to compare with, without a file.

namespace ql {

struct CandidateOptions {
    /// Of the new tensor; more is refused with "out-of-memory". 0: half of what the machine has to spare.
    std::uint64_t maxBytes = 0;
    bool lowPriority = false;
};

/// The same model but for one tensor, which is encoded in `choice.type`, bit for bit as `convert`
/// would write it. Its bytes live in memory for as long as the model does; everything else is in
/// the source's maps. The path is no file's: "MODEL · TENSOR as TYPE". Progress in weights. Errors: those of
/// measureTypes, "scale-overflow", "out-of-memory".
Result<GgufModelPtr> candidateModel(const GgufModelPtr &source, const TensorTypeChoice &choice,
                                    const CandidateOptions &options = {}, std::stop_token stop = {},
                                    const ProgressFn &progress = {});

/// summarize(), with the size that a file of the candidate would have.
ModelSummaryPtr summarizeCandidate(const GgufModel &candidate, const ModelSummary &source);

/// Whether the model was made by candidateModel(): there is no file to open again.
bool isInMemory(const GgufModel &model);

} // namespace ql
