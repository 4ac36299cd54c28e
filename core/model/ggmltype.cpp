// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/ggmltype.h"

#include "core/model/blocks.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace ql {

namespace {

using enum TypeFamily;

template <class Block>
constexpr TypeTraits blocked(GgmlType type, std::string_view name, TypeFamily family,
                             std::uint32_t blockSize, bool bigEndianDecodable)
{
    return {type, name, TypeStatus::Decodable, family, blockSize, sizeof(Block), 0, bigEndianDecodable};
}

template <class Value>
constexpr TypeTraits plain(GgmlType type, std::string_view name, TypeFamily family)
{
    return {type, name, TypeStatus::Decodable, family, 1, sizeof(Value), 0, true};
}

constexpr TypeTraits retired(std::uint32_t id, std::string_view name)
{
    return {static_cast<GgmlType>(id), name, TypeStatus::Retired, Unknown, 0, 0, 0, false};
}

constexpr TypeTraits fork(std::uint32_t id, std::string_view name, TypeFamily family = Unknown,
                          std::uint32_t blockSize = 0, std::uint32_t blockBytes = 0,
                          std::uint32_t rowHeader = 0)
{
    return {static_cast<GgmlType>(id), name, TypeStatus::Fork, family, blockSize, blockBytes, rowHeader, false};
}

// Sorted by id; a test checks that.
constexpr TypeTraits Table[] = {
    plain<float>(GgmlType::F32, "F32", Float32),
    plain<Half>(GgmlType::F16, "F16", Float16),
    blocked<BlockQ4_0>(GgmlType::Q4_0, "Q4_0", Q4, 32, true),
    blocked<BlockQ4_1>(GgmlType::Q4_1, "Q4_1", Q4, 32, true),
    retired(4, "Q4_2"),
    retired(5, "Q4_3"),
    blocked<BlockQ5_0>(GgmlType::Q5_0, "Q5_0", Q5, 32, false),
    blocked<BlockQ5_1>(GgmlType::Q5_1, "Q5_1", Q5, 32, false),
    blocked<BlockQ8_0>(GgmlType::Q8_0, "Q8_0", Q8, 32, true),
    blocked<BlockQ8_1>(GgmlType::Q8_1, "Q8_1", Q8, 32, true),
    blocked<BlockQ2K>(GgmlType::Q2_K, "Q2_K", Q2, 256, true),
    blocked<BlockQ3K>(GgmlType::Q3_K, "Q3_K", Q3, 256, true),
    blocked<BlockQ4K>(GgmlType::Q4_K, "Q4_K", Q4, 256, true),
    blocked<BlockQ5K>(GgmlType::Q5_K, "Q5_K", Q5, 256, true),
    blocked<BlockQ6K>(GgmlType::Q6_K, "Q6_K", Q6, 256, true),
    blocked<BlockQ8K>(GgmlType::Q8_K, "Q8_K", Q8, 256, false),
    blocked<BlockIQ2XXS>(GgmlType::IQ2_XXS, "IQ2_XXS", Q2, 256, false),
    blocked<BlockIQ2XS>(GgmlType::IQ2_XS, "IQ2_XS", Q2, 256, false),
    blocked<BlockIQ3XXS>(GgmlType::IQ3_XXS, "IQ3_XXS", Q3, 256, false),
    blocked<BlockIQ1S>(GgmlType::IQ1_S, "IQ1_S", OneBit, 256, false),
    blocked<BlockIQ4NL>(GgmlType::IQ4_NL, "IQ4_NL", Q4, 32, true),
    blocked<BlockIQ3S>(GgmlType::IQ3_S, "IQ3_S", Q3, 256, false),
    blocked<BlockIQ2S>(GgmlType::IQ2_S, "IQ2_S", Q2, 256, false),
    blocked<BlockIQ4XS>(GgmlType::IQ4_XS, "IQ4_XS", Q4, 256, false),
    plain<std::int8_t>(GgmlType::I8, "I8", Integer),
    plain<std::int16_t>(GgmlType::I16, "I16", Integer),
    plain<std::int32_t>(GgmlType::I32, "I32", Integer),
    plain<std::int64_t>(GgmlType::I64, "I64", Integer),
    plain<double>(GgmlType::F64, "F64", Float32),
    blocked<BlockIQ1M>(GgmlType::IQ1_M, "IQ1_M", OneBit, 256, false),
    plain<std::uint16_t>(GgmlType::BF16, "BF16", Float16),
    retired(31, "Q4_0_4_4"),
    retired(32, "Q4_0_4_8"),
    retired(33, "Q4_0_8_8"),
    blocked<BlockTQ1_0>(GgmlType::TQ1_0, "TQ1_0", OneBit, 256, true),
    blocked<BlockTQ2_0>(GgmlType::TQ2_0, "TQ2_0", OneBit, 256, true),
    // Retired in ggml as IQ4_NL_4_4; the ik_llama.cpp fork uses the number for I2_S. Size unknown.
    retired(36, "IQ4_NL_4_4"),
    retired(37, "IQ4_NL_4_8"),
    retired(38, "IQ4_NL_8_8"),
    blocked<BlockMXFP4>(GgmlType::MXFP4, "MXFP4", Fp4, 32, true),
    blocked<BlockNVFP4>(GgmlType::NVFP4, "NVFP4", Fp4, 64, true),
    blocked<BlockQ1_0>(GgmlType::Q1_0, "Q1_0", OneBit, 128, true),
    blocked<BlockQ2_0>(GgmlType::Q2_0, "Q2_0", Q2, 64, true),

    // ik_llama.cpp. Sizes from the project's format notes; interleaved variants have their base's
    // geometry and are listed without one, so that the offset gap decides.
    fork(133, "Q6_0", Q6, 32, 26),
    fork(134, "IQ1_BN", OneBit, 64, 13, 2),
    fork(135, "IQ2_BN", OneBit, 64, 16, 4),
    fork(137, "IQ2_K", Q2, 256, 76),
    fork(138, "IQ3_K", Q3, 256, 110),
    fork(139, "IQ4_K", Q4, 256, 144),
    fork(140, "IQ5_K", Q5, 256, 176),
    fork(141, "IQ6_K", Q6, 256, 212),
    fork(144, "IQ4_KS", Q4, 256, 136, 4),
    fork(145, "IQ2_KS", Q2, 256, 70, 2),
    fork(146, "IQ4_KSS", Q4, 256, 128, 4),
    fork(151, "Q8_KV", Q8, 1, 1, 8),
    fork(152, "IQ5_KS", Q5, 256, 168, 4),
    fork(153, "IQ2_KT", Q2, 256, 68, 4),
    fork(154, "IQ3_KT", Q3, 256, 100, 4),
    fork(155, "IQ4_KT", Q4, 256, 128, 4),
    fork(156, "IQ3_KS", Q3, 256, 102, 2),
    fork(157, "IQ2_KL", Q2, 256, 86, 2),
    fork(158, "IQ1_KT", OneBit, 256, 56, 4),
    fork(202, "Q4_0_R8", Q4),
    fork(206, "Q5_0_R4", Q5),
    fork(208, "Q8_0_R8", Q8),
    fork(210, "Q2_K_R4", Q2),
    fork(211, "Q3_K_R4", Q3),
    fork(212, "Q4_K_R4", Q4),
    fork(213, "Q5_K_R4", Q5),
    fork(214, "Q6_K_R4", Q6),
    fork(216, "IQ2_XXS_R4", Q2),
    fork(217, "IQ2_XS_R4", Q2),
    fork(218, "IQ3_XXS_R4", Q3),
    fork(219, "IQ1_S_R4", OneBit),
    fork(220, "IQ4_NL_R4", Q4),
    fork(221, "IQ3_S_R4", Q3),
    fork(222, "IQ2_S_R4", Q2),
    fork(223, "IQ4_XS_R8", Q4),
    fork(229, "IQ1_M_R4", OneBit),
    fork(230, "BF16_R16", Float16),
    fork(233, "Q6_0_R4", Q6),
    fork(335, "IQ2_BN_R4", OneBit),
    fork(337, "IQ2_K_R4", Q2),
    fork(338, "IQ3_K_R4", Q3),
    fork(339, "IQ4_K_R4", Q4),
    fork(340, "IQ5_K_R4", Q5),
    fork(344, "IQ4_KS_R4", Q4),
    fork(352, "IQ5_KS_R4", Q5),
    fork(353, "MXFP4_R8", Fp4),
    fork(397, "Q8_K_R16", Q8),
    fork(398, "Q8_KV_R8", Q8),
    fork(399, "Q8_K_R8", Q8),
};

constexpr std::pair<std::uint64_t, std::string_view> FileTypes[] = {
    {0, "F32"},      {1, "F16"},      {2, "Q4_0"},    {3, "Q4_1"},    {7, "Q8_0"},
    {8, "Q5_0"},     {9, "Q5_1"},     {10, "Q2_K"},   {11, "Q3_K_S"}, {12, "Q3_K_M"},
    {13, "Q3_K_L"},  {14, "Q4_K_S"},  {15, "Q4_K_M"}, {16, "Q5_K_S"}, {17, "Q5_K_M"},
    {18, "Q6_K"},    {19, "IQ2_XXS"}, {20, "IQ2_XS"}, {21, "Q2_K_S"}, {22, "IQ3_XS"},
    {23, "IQ3_XXS"}, {24, "IQ1_S"},   {25, "IQ4_NL"}, {26, "IQ3_S"},  {27, "IQ3_M"},
    {28, "IQ2_S"},   {29, "IQ2_M"},   {30, "IQ4_XS"}, {31, "IQ1_M"},  {32, "BF16"},
    {36, "TQ1_0"},   {37, "TQ2_0"},   {38, "MXFP4_MOE"}, {39, "NVFP4"}, {40, "Q1_0"},
    {41, "Q2_0"},
};

constexpr std::uint64_t GuessedBit = 1u << 10;

bool equalIgnoringCase(std::string_view a, std::string_view b)
{
    return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) {
        return std::tolower(x) == std::tolower(y);
    });
}

} // namespace

std::span<const TypeTraits> typeTable() { return Table; }

const TypeTraits *findType(std::uint32_t id)
{
    const auto row = std::ranges::lower_bound(
        Table, id, {}, [](const TypeTraits &t) { return static_cast<std::uint32_t>(t.type); });
    const bool found = row != std::end(Table) && static_cast<std::uint32_t>(row->type) == id;
    return found ? row : nullptr;
}

const TypeTraits &traits(GgmlType type) { return *findType(static_cast<std::uint32_t>(type)); }

const TypeTraits *findTypeByName(std::string_view name)
{
    const auto row = std::ranges::find_if(
        Table, [&](const TypeTraits &t) { return equalIgnoringCase(t.name, name); });
    return row != std::end(Table) ? row : nullptr;
}

std::string typeLabel(std::uint32_t id)
{
    const TypeTraits *row = findType(id);
    if (!row)
        return "unknown(" + std::to_string(id) + ")";
    if (row->status == TypeStatus::Retired)
        return std::string(row->name) + " (retired)";
    return std::string(row->name);
}

std::optional<std::string_view> fileTypeLabel(std::uint64_t fileType)
{
    const auto row = std::ranges::find(FileTypes, fileType & ~GuessedBit,
                                       &std::pair<std::uint64_t, std::string_view>::first);
    if (row == std::end(FileTypes))
        return std::nullopt;
    return row->second;
}

} // namespace ql
