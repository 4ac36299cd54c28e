// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/convert.h"

#include "core/format/ggufcheck.h"
#include "core/format/incompleteset.h"
#include "core/model/tensorkind.h"
#include "core/model/tensorname.h"
#include "core/output/storedbytes.h"
#include "core/parallel/guarded.h"
#include "core/stats/metadatadiff.h"

#include <algorithm>
#include <map>
#include <regex>

namespace ql {

namespace {

/// std::regex recurses once a character: longer names match no pattern.
constexpr std::size_t LongestMatchedName = 1024;

/// general.file_type of a file that is mostly of one type.
constexpr std::pair<GgmlType, std::uint32_t> FileTypes[] = {
    {GgmlType::F32, 0},      {GgmlType::F16, 1},      {GgmlType::Q4_0, 2},    {GgmlType::Q4_1, 3},
    {GgmlType::Q8_0, 7},     {GgmlType::Q5_0, 8},     {GgmlType::Q5_1, 9},    {GgmlType::Q2_K, 10},
    {GgmlType::Q3_K, 11},    {GgmlType::Q4_K, 14},    {GgmlType::Q5_K, 16},   {GgmlType::Q6_K, 18},
    {GgmlType::IQ2_XXS, 19}, {GgmlType::IQ2_XS, 20},  {GgmlType::IQ3_XXS, 23}, {GgmlType::IQ1_S, 24},
    {GgmlType::IQ4_NL, 25},  {GgmlType::IQ3_S, 26},   {GgmlType::IQ2_S, 28},  {GgmlType::IQ4_XS, 30},
    {GgmlType::IQ1_M, 31},   {GgmlType::BF16, 32},    {GgmlType::TQ1_0, 36},  {GgmlType::TQ2_0, 37},
    {GgmlType::MXFP4, 38},   {GgmlType::NVFP4, 39},   {GgmlType::Q1_0, 40},   {GgmlType::Q2_0, 41},
};

constexpr std::uint32_t QuantizationVersion = 2;
constexpr const char *AlignmentKey = "general.alignment";
constexpr const char *FileTypeKey = "general.file_type";
constexpr const char *QuantizationVersionKey = "general.quantization_version";

bool isPlainFloat(GgmlType type) { return traits(type).isPlain(); }

struct CompiledPattern {
    std::regex expression;
    GgmlType type;
};

Result<std::vector<CompiledPattern>> compile(const std::vector<TypePattern> &patterns)
{
    std::vector<CompiledPattern> compiled;
    for (const TypePattern &pattern : patterns) {
        try {
            compiled.push_back({std::regex(pattern.expression), pattern.type});
        } catch (const std::regex_error &e) {
            return failure(BadPatternCode, "'" + pattern.expression + "' is no regular expression: " + e.what());
        }
    }
    return compiled;
}

class Planner
{
public:
    Planner(const GgufModelPtr &model, const ConvertRequest &request) : m_request(request) { m_plan.model = model; }

    Result<ConvertPlan> run();

private:
    std::optional<GgmlType> wantedType(TensorIndex index) const;
    Result<PlannedTensor> plan(TensorIndex index);
    Result<void> planEncoding(PlannedTensor &planned, GgmlType wanted);
    Result<void> planCopy(PlannedTensor &planned) const;
    void noteSingleRow(PlannedTensor &planned, bool isNamed) const;
    Result<void> chooseAlignment();
    void chooseFileType();
    bool hasChange(std::string_view key) const;
    std::optional<std::uint32_t> fileType() const;
    void noteSources();
    void noteMetadata();

    const TensorInfo &info(const PlannedTensor &planned) const { return m_plan.model->tensor(planned.tensor); }

    const ConvertRequest &m_request;
    std::vector<CompiledPattern> m_patterns;
    std::map<TensorIndex, GgmlType> m_choices;
    std::vector<GgufEntry> m_metadata;
    std::vector<GgufTensor> m_tensors;
    ConvertPlan m_plan;
};

Result<ConvertPlan> Planner::run()
{
    if (auto incomplete = incompleteError(*m_plan.model))
        return tl::unexpected(std::move(*incomplete));
    auto patterns = compile(m_request.patterns);
    if (!patterns)
        return tl::unexpected(patterns.error());
    m_patterns = std::move(*patterns);
    for (const TensorTypeChoice &choice : m_request.choices)
        m_choices[choice.tensor] = choice.type;
    for (std::uint32_t i = 0; i < m_plan.model->tensors().size(); ++i) {
        auto planned = plan({i});
        if (!planned)
            return tl::unexpected(planned.error());
        const TensorInfo &tensor = info(*planned);
        const std::uint32_t typeId = planned->encode ? static_cast<std::uint32_t>(planned->type) : tensor.typeId;
        m_tensors.push_back({tensor.rawName, typeId, tensor.ne, planned->bytes});
        m_plan.tensors.push_back(std::move(*planned));
    }
    m_metadata = editedMetadata(*m_plan.model, m_request.changes);
    if (auto chosen = chooseAlignment(); !chosen)
        return tl::unexpected(chosen.error());
    chooseFileType();
    noteSources();
    noteMetadata();
    auto file = GgufWriter::create(std::move(m_metadata), std::move(m_tensors));
    if (!file)
        return tl::unexpected(file.error());
    m_plan.file = std::move(*file);
    return std::move(m_plan);
}

/// Nothing where the tensor is to stay as it is.
std::optional<GgmlType> Planner::wantedType(TensorIndex index) const
{
    if (const auto choice = m_choices.find(index); choice != m_choices.end())
        return choice->second;
    const TensorInfo &tensor = m_plan.model->tensor(index);
    std::optional<GgmlType> wanted;
    if (m_request.type && isMainWeight(tensor))
        wanted = m_request.type;
    if (tensor.rawName.size() > LongestMatchedName)
        return wanted;
    for (const CompiledPattern &pattern : m_patterns)
        if (std::regex_search(tensor.rawName, pattern.expression))
            wanted = pattern.type;
    return wanted;
}

Result<PlannedTensor> Planner::plan(TensorIndex index)
{
    PlannedTensor planned;
    planned.tensor = index;
    const auto wanted = wantedType(index);
    if (wanted) {
        if (auto done = planEncoding(planned, *wanted); !done)
            return tl::unexpected(done.error());
    }
    if (!planned.encode) {
        if (auto done = planCopy(planned); !done)
            return tl::unexpected(done.error());
        noteSingleRow(planned, wanted.has_value());
    }
    if (!planned.note.empty())
        m_plan.notes.push_back("tensor '" + info(planned).name + "': " + planned.note);
    return planned;
}

Result<void> Planner::planEncoding(PlannedTensor &planned, GgmlType wanted)
{
    const TensorInfo &tensor = info(planned);
    if (tensor.type && tensor.type->type == wanted)
        return {};
    const std::string name(traits(wanted).name);
    if (staysPlain(tensor) && !isPlainFloat(wanted)) {
        planned.note = "one-dimensional tensors of its kind are not quantized: it stays " + tensor.typeName();
        return {};
    }
    if (isIntegerTensor(tensor)) {
        planned.note = "integers are not encoded as " + name + ": it stays " + tensor.typeName();
        return {};
    }
    if (!tensor.isDecodable())
        return failure("not-decodable", "tensor '" + tensor.name + "': " + tensor.problem, tensor.name,
                       tensor.absoluteOffset);
    const auto type = fittingType(tensor, wanted);
    if (!type)
        return tl::unexpected(type.error());
    if (*type != wanted)
        planned.note = "rows of " + std::to_string(tensor.ne[0]) + " don't fit " + name + " (blocks of "
                       + std::to_string(traits(wanted).blockSize) + "): "
                       + std::string(traits(*type).name) + " instead";
    planned.encode = tensor.type->type != *type;
    planned.type = *type;
    planned.bytes = encodedBytes(tensor, *type).value_or(0);
    return {};
}

Result<void> Planner::planCopy(PlannedTensor &planned) const
{
    const TensorInfo &tensor = info(planned);
    const auto bytes = storedBytes(*m_plan.model, planned.tensor);
    if (!bytes)
        return tl::unexpected(bytes.error());
    planned.bytes = bytes->size();
    if (m_plan.model->shards()[tensor.shard].bigEndian && !tensor.type->bigEndianDecodable)
        return failure("big-endian-data",
                       "tensor '" + tensor.name + "': big-endian data of type " + tensor.typeName()
                           + " can't be written in a little-endian file",
                       tensor.name);
    return {};
}

/// A weight that --type passes over for its shape alone: said, and looked at for NaN, since a model
/// that is made anew should not carry one on unseen.
void Planner::noteSingleRow(PlannedTensor &planned, bool isNamed) const
{
    const TensorInfo &tensor = info(planned);
    if (!m_request.type || isNamed || usedDimensions(tensor) > 1 || staysPlain(tensor) || !tensor.isDecodable()
        || !isPlainFloat(tensor.type->type) || isIntegerTensor(tensor))
        return;
    planned.mustBeFinite = true;
    planned.note = "it has one row, which --type leaves alone: it stays " + tensor.typeName();
}

bool Planner::hasChange(std::string_view key) const
{
    return std::ranges::find(m_request.changes, key, &MetadataEdit::rawKey) != m_request.changes.end();
}

/// The source's, where loaders take it; else 32.
Result<void> Planner::chooseAlignment()
{
    const auto alignment = alignmentOf(m_metadata);
    if (alignment)
        return {};
    if (hasChange(AlignmentKey))
        return failure(BadValueCode, alignment.error().message, AlignmentKey);
    std::erase_if(m_metadata, [](const GgufEntry &entry) { return entry.key == AlignmentKey; });
    m_plan.notes.push_back("general.alignment is not a power of two from 8 to 1,048,576: the new file has 32");
    return {};
}

/// Of the type that most weights of main tensors will have.
std::optional<std::uint32_t> Planner::fileType() const
{
    std::map<std::uint32_t, std::uint64_t> weights;
    for (std::size_t i = 0; i < m_plan.tensors.size(); ++i) {
        const TensorInfo &tensor = info(m_plan.tensors[i]);
        if (isMainWeight(tensor))
            weights[m_tensors[i].typeId] += tensor.elements.value_or(0);
    }
    const auto most = std::ranges::max_element(weights, {}, &std::pair<const std::uint32_t, std::uint64_t>::second);
    if (most == weights.end())
        return std::nullopt;
    const auto row = std::ranges::find(FileTypes, static_cast<GgmlType>(most->first),
                                       &std::pair<GgmlType, std::uint32_t>::first);
    return row != std::end(FileTypes) ? std::optional(row->second) : std::nullopt;
}

void Planner::chooseFileType()
{
    const bool encodes = std::ranges::any_of(m_plan.tensors, &PlannedTensor::encode);
    if (!encodes)
        return;
    if (const auto type = fileType(); type && !hasChange(FileTypeKey))
        setMetadata(m_metadata, {FileTypeKey, ValueType::U32, MetadataValue(std::uint64_t{*type})});
    const bool quantizes = std::ranges::any_of(
        m_plan.tensors, [](const PlannedTensor &t) { return t.encode && !isPlainFloat(t.type); });
    if (quantizes && !hasChange(QuantizationVersionKey))
        setMetadata(m_metadata, {QuantizationVersionKey, ValueType::U32, MetadataValue(std::uint64_t{QuantizationVersion})});
}

void Planner::noteSources()
{
    const auto lossy = std::ranges::count_if(m_plan.tensors, [&](const PlannedTensor &planned) {
        return planned.encode && !info(planned).type->isPlain();
    });
    if (lossy > 0)
        m_plan.notes.push_back(std::to_string(lossy) + " of the tensors to encode are quantized already: "
                               "errors add up, better start from the original");
}

/// Values that are left out, and types that nobody chose.
void Planner::noteMetadata()
{
    // Shards may repeat each other's keys; within one file a second value is another one.
    std::map<std::pair<std::uint32_t, std::string_view>, std::size_t> times;
    for (const MetadataEntry &entry : m_plan.model->metadata())
        if (++times[{entry.shard, entry.rawKey}] == 2 && !isSplitKey(entry.rawKey) && !hasChange(entry.rawKey))
            m_plan.notes.push_back("the key '" + entry.key + "' stands more than once: its first value is kept");
    for (const MetadataEdit &change : m_request.changes)
        if (change.typeAssumed)
            m_plan.notes.push_back("'" + escapeBytes(change.rawKey) + "' is a new key without a type: its value is a string");
}

} // namespace

std::uint64_t ConvertPlan::encodedWeights() const
{
    std::uint64_t weights = 0;
    for (const PlannedTensor &planned : tensors)
        if (planned.encode)
            weights += model->tensor(planned.tensor).elements.value_or(0);
    return weights;
}

Result<GgmlType> parseEncodableType(std::string_view name)
{
    const TypeTraits *type = findTypeByName(name);
    if (!type)
        return failure(BadPatternCode, "there is no type '" + std::string(name) + "'");
    if (!quantizer(type->type) && !type->isIq())
        return failure(BadPatternCode, "tensors can't be encoded as " + std::string(type->name));
    if (!quantizer(type->type))
        return tl::unexpected(fittingType(TensorInfo(), type->type).error());
    return type->type;
}

Result<TypePattern> parseTypePattern(std::string_view text)
{
    const auto equals = text.rfind('=');
    if (equals == std::string_view::npos || equals == 0)
        return failure(BadPatternCode, "'" + std::string(text) + "' is not PATTERN=TYPE");
    const auto type = parseEncodableType(text.substr(equals + 1));
    if (!type)
        return tl::unexpected(type.error());
    return TypePattern{std::string(text.substr(0, equals)), *type};
}

Result<ConvertPlan> planConversion(const GgufModelPtr &model, const ConvertRequest &request)
{
    return guarded([&]() -> Result<ConvertPlan> { return Planner(model, request).run(); });
}

} // namespace ql
