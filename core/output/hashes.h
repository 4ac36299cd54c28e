// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ql {

enum class HashAlgorithm { Xxh64, Sha1, Sha256 };

struct HashTraits {
    HashAlgorithm algorithm;
    std::string_view name;   ///< as gguf-hash spells it
    std::size_t digestChars; ///< of the digest in hex
};

/// In the order they are printed.
inline constexpr std::array<HashTraits, 3> HashTable{{
    {HashAlgorithm::Xxh64, "xxh64", 16},
    {HashAlgorithm::Sha1, "sha1", 40},
    {HashAlgorithm::Sha256, "sha256", 64},
}};

const HashTraits &traits(HashAlgorithm algorithm);
std::optional<HashAlgorithm> findHash(std::string_view name);

/// A digest in the making. Not thread-safe.
class Hasher
{
public:
    explicit Hasher(HashAlgorithm algorithm);
    ~Hasher();
    Hasher(Hasher &&) noexcept;
    Hasher &operator=(Hasher &&) noexcept;

    HashAlgorithm algorithm() const { return m_algorithm; }
    void update(std::span<const std::byte> bytes);
    /// The digest so far, in lower-case hex; updating may go on.
    std::string hexDigest() const;

private:
    struct State;
    HashAlgorithm m_algorithm;
    std::unique_ptr<State> m_state;
};

} // namespace ql
