// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ql {

/// Tensor type ids as the file stores them. Any 32-bit value may turn up in a file; those without
/// a name here are still shown by number. Source: ggml.h, enum ggml_type.
enum class GgmlType : std::uint32_t {
    F32 = 0, F16 = 1, Q4_0 = 2, Q4_1 = 3, Q5_0 = 6, Q5_1 = 7, Q8_0 = 8, Q8_1 = 9,
    Q2_K = 10, Q3_K = 11, Q4_K = 12, Q5_K = 13, Q6_K = 14, Q8_K = 15,
    IQ2_XXS = 16, IQ2_XS = 17, IQ3_XXS = 18, IQ1_S = 19, IQ4_NL = 20, IQ3_S = 21, IQ2_S = 22,
    IQ4_XS = 23, I8 = 24, I16 = 25, I32 = 26, I64 = 27, F64 = 28, IQ1_M = 29, BF16 = 30,
    TQ1_0 = 34, TQ2_0 = 35, MXFP4 = 39, NVFP4 = 40, Q1_0 = 41, Q2_0 = 42,
};

enum class TypeStatus {
    Decodable, ///< one of the 35 whose weights we decode
    Retired,   ///< taken out of ggml: named, never decoded, size unknown
    Fork,      ///< known from ik_llama.cpp: named, sized where known, not decoded
};

/// The colour family of a type's chip and, with it, its place in "bytes by type".
enum class TypeFamily { Float32, Float16, Integer, Q8, Q6, Q5, Q4, Q3, Q2, OneBit, Fp4, Unknown };

/// One row of the type table. Sizes of decodable types come from sizeof of their block struct.
struct TypeTraits {
    GgmlType type;
    std::string_view name;        ///< spelt as ggml's comments do: "Q4_K", "IQ2_XXS"
    TypeStatus status;
    TypeFamily family;
    std::uint32_t blockSize;      ///< weights a block; 0 where unknown
    std::uint32_t blockBytes;     ///< bytes a block; 0 where unknown
    std::uint32_t rowHeaderBytes; ///< bytes before each row's blocks (some fork types)
    bool bigEndianDecodable;      ///< false where no two writers agree on the byte order

    bool isDecodable() const { return status == TypeStatus::Decodable; }
    bool isSized() const { return blockSize != 0; }
    /// F32, F16, BF16, F64 and the integers: one weight a block, no scale.
    bool isPlain() const { return blockSize == 1; }
    bool isIq() const { return name.starts_with("IQ"); }
    double bitsPerWeight() const
    {
        return blockSize ? 8.0 * blockBytes / blockSize : 0.0;
    }
};

/// All rows, by id.
std::span<const TypeTraits> typeTable();
/// The row of an id, or nullptr for ids we have never heard of.
const TypeTraits *findType(std::uint32_t id);
/// The row of a type that is in the table.
const TypeTraits &traits(GgmlType type);
/// By name, ignoring case ("q4_k", "Q4_K"); nullptr if there is none.
const TypeTraits *findTypeByName(std::string_view name);
/// "Q4_K", "unknown(43)", "Q4_2 (retired)".
std::string typeLabel(std::uint32_t id);

/// The label of general.file_type ("Q4_K_M" for 15), or nothing for numbers without one.
/// Bit 10 (guessed) is ignored.
std::optional<std::string_view> fileTypeLabel(std::uint64_t fileType);

} // namespace ql
