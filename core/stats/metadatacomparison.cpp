// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/metadatacomparison.h"

#include "core/model/tensorname.h"
#include "core/model/valuetext.h"
#include "core/parallel/progress.h"

#include <algorithm>
#include <span>

namespace ql {

namespace {

using Kind = DiffLine::Kind;
using Lines = std::vector<std::string_view>;
using ArrayPtr = std::shared_ptr<const MetadataArray>;

constexpr std::size_t Context = 3;          ///< equal lines around what differs
constexpr std::size_t MaxTextBytes = 1u << 20; ///< of a string that is taken apart; the rest is left out
constexpr std::uint64_t ElementsBefore = 2;
constexpr std::uint64_t ElementsShown = 32; ///< of arrays, from the first difference on

Lines linesOf(std::string_view text)
{
    Lines lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

/// Lengths of the longest common subsequences of all ends of two lists: row i, column j is that of
/// a[i…] and b[j…].
class CommonLengths
{
public:
    CommonLengths(std::span<const std::string_view> a, std::span<const std::string_view> b)
        : m_width(b.size() + 1)
        , m_lengths((a.size() + 1) * m_width)
    {
        for (std::size_t i = a.size(); i-- > 0;)
            for (std::size_t j = b.size(); j-- > 0;)
                at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
    std::uint32_t &at(std::size_t i, std::size_t j) { return m_lengths[i * m_width + j]; }

private:
    std::size_t m_width;
    std::vector<std::uint32_t> m_lengths;
};

/// Puts lines into a list, counting where in A and B it is.
class DiffWriter
{
public:
    void same(std::string_view text) { add({Kind::Same, escapeText(text), ++m_a, ++m_b, 0}); }
    void onlyA(std::string_view text) { add({Kind::OnlyA, escapeText(text), ++m_a, 0, 0}); }
    void onlyB(std::string_view text) { add({Kind::OnlyB, escapeText(text), 0, ++m_b, 0}); }
    std::vector<DiffLine> take() { return std::move(m_lines); }

private:
    void add(DiffLine line) { m_lines.push_back(std::move(line)); }

    std::vector<DiffLine> m_lines;
    std::uint64_t m_a = 0;
    std::uint64_t m_b = 0;
};

/// The parts between the equal start and end of both.
void diffMiddle(DiffWriter &writer, std::span<const std::string_view> a, std::span<const std::string_view> b)
{
    std::size_t i = 0, j = 0;
    if (!a.empty() && !b.empty() && (a.size() + 1) <= MaxDiffCells / (b.size() + 1)) {
        CommonLengths common(a, b);
        while (i < a.size() && j < b.size()) {
            if (a[i] == b[j]) {
                writer.same(a[i++]);
                ++j;
            } else if (common.at(i + 1, j) >= common.at(i, j + 1))
                writer.onlyA(a[i++]);
            else
                writer.onlyB(b[j++]);
        }
    }
    while (i < a.size())
        writer.onlyA(a[i++]);
    while (j < b.size())
        writer.onlyB(b[j++]);
}

std::string typeText(const MetadataEntry &entry)
{
    if (entry.type != ValueType::Array)
        return std::string(valueTypeName(entry.type));
    const auto &array = std::get<ArrayPtr>(entry.value);
    return std::string(valueTypeName(array->elementType())) + " × " + std::to_string(array->count());
}

std::string_view textOf(const MetadataEntry &entry, std::string &buffer)
{
    if (const auto *text = std::get_if<std::string>(&entry.value))
        return std::string_view(*text).substr(0, MaxTextBytes);
    buffer = valuePreview(entry.value);
    return buffer;
}

/// An array from shortly before the first difference on: elements that are alike once, others from both.
std::vector<DiffLine> diffElements(const MetadataArray &a, const MetadataArray &b, std::uint64_t first)
{
    const std::uint64_t start = first > ElementsBefore ? first - ElementsBefore : 0;
    const auto partA = a.slice(std::min(start, a.count()), ElementsShown);
    const auto partB = b.slice(std::min(start, b.count()), ElementsShown);
    std::vector<DiffLine> lines;
    if (start > 0)
        lines.push_back({Kind::Gap, {}, 0, 0, start});
    for (std::uint64_t i = 0; i < std::max(partA.size(), partB.size()); ++i) {
        const std::string textA = i < partA.size() ? valuePreview(partA[i]) : std::string();
        const std::string textB = i < partB.size() ? valuePreview(partB[i]) : std::string();
        const bool inBoth = i < partA.size() && i < partB.size();
        if (inBoth && textA == textB && start + i != first) {
            lines.push_back({Kind::Same, textA, start + i, start + i, 0});
            continue;
        }
        if (i < partA.size())
            lines.push_back({Kind::OnlyA, textA, start + i, 0, 0});
        if (i < partB.size())
            lines.push_back({Kind::OnlyB, textB, 0, start + i, 0});
    }
    return lines;
}

MetadataDifference changeOf(const MetadataEntry &a, const MetadataEntry &b, std::optional<std::uint64_t> first)
{
    MetadataDifference row{MetadataDifference::Kind::Changed, a.key, typeText(a), typeText(b),
                           valuePreview(a.value), valuePreview(b.value), first, false, {}};
    row.isArray = a.type == ValueType::Array && b.type == ValueType::Array;
    if (row.isArray) {
        row.lines = diffElements(*std::get<ArrayPtr>(a.value), *std::get<ArrayPtr>(b.value), first.value_or(0));
        return row;
    }
    std::string bufferA, bufferB;
    row.lines = withoutLongRuns(diffLines(textOf(a, bufferA), textOf(b, bufferB)), Context);
    return row;
}

MetadataDifference onlyOf(const MetadataEntry &entry, bool isA)
{
    MetadataDifference row;
    row.kind = isA ? MetadataDifference::Kind::OnlyA : MetadataDifference::Kind::OnlyB;
    row.key = entry.key;
    (isA ? row.typeA : row.typeB) = typeText(entry);
    (isA ? row.previewA : row.previewB) = valuePreview(entry.value);
    std::string buffer;
    const std::string_view text = textOf(entry, buffer);
    row.lines = isA ? diffLines(text, {}) : diffLines({}, text);
    return row;
}

} // namespace

std::vector<DiffLine> diffLines(std::string_view a, std::string_view b)
{
    const Lines linesA = linesOf(a), linesB = linesOf(b);
    const std::size_t shorter = std::min(linesA.size(), linesB.size());
    std::size_t start = 0, end = 0;
    while (start < shorter && linesA[start] == linesB[start])
        ++start;
    while (end < shorter - start && linesA[linesA.size() - 1 - end] == linesB[linesB.size() - 1 - end])
        ++end;
    DiffWriter writer;
    for (std::size_t i = 0; i < start; ++i)
        writer.same(linesA[i]);
    diffMiddle(writer, std::span(linesA).subspan(start, linesA.size() - start - end),
               std::span(linesB).subspan(start, linesB.size() - start - end));
    for (std::size_t i = linesA.size() - end; i < linesA.size(); ++i)
        writer.same(linesA[i]);
    return writer.take();
}

std::vector<DiffLine> withoutLongRuns(const std::vector<DiffLine> &lines, std::size_t context)
{
    std::vector<bool> kept(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].kind == Kind::Same)
            continue;
        const std::size_t last = std::min(lines.size(), i + context + 1);
        std::fill(kept.begin() + static_cast<std::ptrdiff_t>(i - std::min(i, context)),
                  kept.begin() + static_cast<std::ptrdiff_t>(last), true);
    }
    std::vector<DiffLine> result;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (kept[i])
            result.push_back(lines[i]);
        else if (!result.empty() && result.back().kind == Kind::Gap)
            ++result.back().count;
        else
            result.push_back({Kind::Gap, {}, 0, 0, 1});
    }
    return result;
}

Result<MetadataComparisonPtr> compareMetadata(const GgufModel &a, const GgufModel &b, std::stop_token stop)
{
    const MetadataDiff diff = diffMetadata(a, b);
    auto comparison = std::make_shared<MetadataComparison>();
    const auto &entriesA = a.metadata();
    const auto &entriesB = b.metadata();
    comparison->same = entriesA.size() - diff.onlyA.size() - diff.changed.size();
    for (const MetadataChange &change : diff.changed) {
        if (stop.stop_requested())
            return failure(StoppedCode, "stopped");
        comparison->rows.push_back(changeOf(entriesA[change.a], entriesB[change.b], change.firstDifference));
    }
    for (const std::size_t i : diff.onlyA)
        comparison->rows.push_back(onlyOf(entriesA[i], true));
    for (const std::size_t i : diff.onlyB)
        comparison->rows.push_back(onlyOf(entriesB[i], false));
    for (const GgufModel *model : {&a, &b})
        if (model->changedOnDisk())
            return tl::unexpected(model->changedError());
    return comparison;
}

} // namespace ql
