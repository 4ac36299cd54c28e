// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/ggufwriter.h"
#include "core/model/ggufmodel.h"
#include "core/output/bytesink.h"
#include "core/output/metadataedit.h"
#include "core/parallel/progress.h"
#include "core/parallel/reduce.h"
#include "core/stats/requantize.h"
#include "core/stats/whatif.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

// A model written anew: some tensors in another type, the rest byte for byte, shards joined,
// metadata changed. First a plan that names every decision, then its errors or its file.

namespace ql {

inline constexpr const char *BadPatternCode = "bad-pattern";

/// Tensors whose name the regular expression is found in get the type.
struct TypePattern {
    std::string expression; ///< ECMAScript; "^…$" for a whole name
    GgmlType type{};
};

/// "PATTERN=T": the last '=' parts them; T by name, ignoring case. Errors: BadPatternCode, NeedsMatrixCode.
Result<TypePattern> parseTypePattern(std::string_view text);
/// A type by name that there is an encoder for.
Result<GgmlType> parseEncodableType(std::string_view name);

struct ConvertRequest {
    std::optional<GgmlType> type;            ///< for 2-D and 3-D `.weight` tensors but norms and routers
    std::vector<TypePattern> patterns;       ///< the last match wins, over `type` too
    std::vector<TensorTypeChoice> choices;   ///< tensors named one by one; win over both
    std::vector<MetadataEdit> changes;
};

/// What becomes of one tensor.
struct PlannedTensor {
    TensorIndex tensor;
    bool encode = false;       ///< false: copied byte for byte
    bool mustBeFinite = false; ///< copied, but not with a NaN in it
    GgmlType type{};           ///< the new one, if encoded
    std::uint64_t bytes = 0;
    std::string note;          ///< "rows of 288 don't fit Q4_K (blocks of 256): IQ4_NL instead"; else empty
};

struct ConvertPlan {
    GgufModelPtr model;
    std::vector<PlannedTensor> tensors; ///< in the model's order
    std::optional<GgufWriter> file;     ///< set; its fileSize() is the exact size to come
    std::vector<std::string> notes;     ///< what a person should know, tensor by tensor and in general

    std::uint64_t encodedWeights() const;
};

/// Decides everything; reads no weights. Errors: BadPatternCode, NeedsMatrixCode, "not-decodable" for a
/// tensor to encode, "no-bytes" for one to copy whose bytes are not all there, "big-endian-data" for
/// one to copy that can't be turned round, those of incompleteError() where shards are missing, those
/// of GgufWriter::create() for what loaders would refuse.
Result<ConvertPlan> planConversion(const GgufModelPtr &model, const ConvertRequest &request);

/// The errors of a conversion, one entry a tensor; nothing for copied ones.
struct ConvertReport {
    std::vector<std::optional<ErrorSums>> errors;
};

/// A dry run: what writePlan() would report, without writing. Progress in weights. Errors:
/// NotFiniteCode, ScaleOverflowCode, "stopped", "file-changed".
Result<ConvertReport> measurePlan(const ConvertPlan &plan, const ParallelOptions &parallel,
                                  std::stop_token stop = {}, const ProgressFn &progress = {});

/// Writes the file; memory is a few MB a thread. Progress in bytes of the file. Errors: as
/// measurePlan(), and those of the sink; then what the sink has got is worth nothing.
Result<ConvertReport> writePlan(const ConvertPlan &plan, ByteSink &sink, const ParallelOptions &parallel,
                                std::stop_token stop = {}, const ProgressFn &progress = {});

} // namespace ql
