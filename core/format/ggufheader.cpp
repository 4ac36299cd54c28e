// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/ggufheader.h"

#include "core/format/bytereader.h"
#include "core/format/findings.h"
#include "core/model/tensorname.h"

#include <algorithm>
#include <string_view>

namespace ql {

namespace {

constexpr std::string_view Magic = "GGUF";
constexpr std::uint32_t NewestVersion = 3;
/// A table with more rows is not a model: the largest seen have some 50,000. The limit keeps a
/// sparse file of zeros (24 bytes of nothing are a valid tensor info) from filling the memory.
constexpr std::uint64_t MaxEntries = std::uint64_t(1) << 20;

struct ForeignFormat {
    std::string_view start;
    std::string_view what;
};

constexpr ForeignFormat Foreign[] = {
    {"version https://git-lfs", "a Git LFS pointer: the text that stands for the file until 'git lfs pull' fetches it"},
    {"tjgg", "a GGJT file, the format of llama.cpp before GGUF (2023)"},
    {"fmgg", "a GGMF file, an old format of llama.cpp before GGUF (2023)"},
    {"lmgg", "a GGML file, an old format of llama.cpp before GGUF (2023)"},
    {"algg", "a GGLA file, an old LoRA adapter of llama.cpp before GGUF (2023)"},
    {"FUGG", "a GGUF file with its magic written backwards, by a faulty big-endian writer"},
    {"PK\x03\x04", "a ZIP archive (PyTorch checkpoints are such)"},
    {"\x1f\x8b", "a gzip archive"},
    {"\x28\xb5\x2f\xfd", "a Zstandard archive"},
    {"BZh", "a bzip2 archive"},
    {"\xfd" "7zXZ", "an xz archive"},
    {"\x89HDF", "an HDF5 file"},
    {"\x93NUMPY", "a NumPy array"},
    {"%PDF", "a PDF document"},
    {"\x7f" "ELF", "a program (ELF)"},
};

std::string_view textOf(std::span<const std::byte> file, std::size_t most)
{
    return {reinterpret_cast<const char *>(file.data()), std::min(file.size(), most)};
}

bool looksLikeHtml(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\xef\xbb\xbf"), text.size()));
    std::string lower(text.substr(0, 16));
    std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return lower.starts_with("<!doctype") || lower.starts_with("<html") || lower.starts_with("<head")
        || lower.starts_with("<?xml");
}

/// safetensors: u64 length of a JSON object that follows at once.
bool looksLikeSafetensors(std::span<const std::byte> file)
{
    if (file.size() < 10)
        return false;
    const auto length = loadValue<std::uint64_t>(file.data(), false);
    return length <= file.size() - 8 && file[8] == std::byte('{');
}

tl::unexpected<Error> notGguf(std::span<const std::byte> file)
{
    const auto start = escapeBytes(textOf(file, 4));
    const auto looks = describeForeignFile(file);
    auto message = "this is not a GGUF file: it starts with '" + start + "' in place of 'GGUF'";
    if (!looks.empty())
        message += "; it looks like " + looks;
    return failure("not-gguf", std::move(message), "magic", 0);
}

tl::unexpected<Error> cut(std::string_view what, std::string field, std::uint64_t offset,
                          std::uint64_t size)
{
    return failure("truncated-header",
                   "the file ends inside the " + std::string(what) + ": it has only "
                       + bytesText(size),
                   std::move(field), offset);
}

std::uint32_t swapped(std::uint32_t v) { return __builtin_bswap32(v); }

/// Every entry takes room: a key or name length, a type, and whatever else is always there.
std::uint64_t leastKvBytes(bool v1) { return v1 ? 4 + 4 + 1 : 8 + 4 + 1; }
std::uint64_t leastTensorBytes(bool v1) { return v1 ? 4 + 4 + 4 + 8 : 8 + 4 + 4 + 8; }

std::optional<Error> checkCount(std::uint64_t count, std::uint64_t least, std::uint64_t room,
                                const std::string &field, std::uint64_t offset)
{
    const bool fits = count <= room / least;
    if (fits && count <= MaxEntries)
        return std::nullopt;
    const auto said = field + " says " + std::to_string(count);
    if (!fits)
        return Error{"count-too-large",
                     said + ", but the file has only " + bytesText(room)
                         + " after its header and each entry takes at least " + std::to_string(least),
                     field, offset};
    return Error{"count-too-large",
                 said + "; more than " + std::to_string(MaxEntries) + " are not read", field, offset};
}

} // namespace

std::string describeForeignFile(std::span<const std::byte> file)
{
    const auto start = textOf(file, 64);
    const auto known = std::ranges::find_if(
        Foreign, [&](const ForeignFormat &format) { return start.starts_with(format.start); });
    if (known != std::end(Foreign))
        return std::string(known->what);
    if (looksLikeHtml(start))
        return "a web page (HTML): perhaps the page about the download, not the file";
    if (looksLikeSafetensors(file))
        return "a safetensors file";
    return {};
}

Result<GgufHeader> readHeader(std::span<const std::byte> file)
{
    if (file.empty())
        return failure("empty-file", "the file is empty: 0 bytes", "magic", 0);
    if (textOf(file, 4) != Magic) {
        if (Magic.starts_with(textOf(file, 4)))
            return cut("magic", "magic", 0, file.size());
        return notGguf(file);
    }
    ByteReader start(file, false, false, 4);
    const auto version = start.read<std::uint32_t>();
    if (!version)
        return cut("version", "version", 4, file.size());

    GgufHeader header;
    header.bigEndian = *version != 0 && (*version & 0xffff) == 0;
    header.version = header.bigEndian ? swapped(*version) : *version;
    if (header.version == 0 || header.version > NewestVersion)
        return failure("unknown-version",
                       "this file is GGUF version " + std::to_string(header.version)
                           + "; versions 1 to 3 are known",
                       "version", 4);

    ByteReader reader(file, header.bigEndian, header.isV1(), 8);
    const auto tensors = reader.readLength();
    if (!tensors)
        return cut("tensor count", "tensor_count", 8, file.size());
    const auto metadataAt = reader.position();
    const auto metadata = reader.readLength();
    if (!metadata)
        return cut("metadata count", "metadata_kv_count", metadataAt, file.size());
    header.tensorCount = *tensors;
    header.metadataCount = *metadata;
    header.byteSize = reader.position();

    const bool v1 = header.isV1();
    if (auto error = checkCount(*tensors, leastTensorBytes(v1), reader.remaining(), "tensor_count", 8))
        return tl::unexpected(std::move(*error));
    if (auto error = checkCount(*metadata, leastKvBytes(v1), reader.remaining(),
                                "metadata_kv_count", metadataAt))
        return tl::unexpected(std::move(*error));
    return header;
}

} // namespace ql
