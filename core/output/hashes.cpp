// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/hashes.h"

#include <algorithm>
#include <cstdint>
#include <openssl/evp.h>
#include <vector>
#include <xxhash.h>

namespace ql {

namespace {

struct FreeDigest {
    void operator()(EVP_MD_CTX *context) const { EVP_MD_CTX_free(context); }
};
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeDigest>;

struct FreeXxh {
    void operator()(XXH64_state_t *state) const { XXH64_freeState(state); }
};

std::string toHex(std::span<const unsigned char> bytes)
{
    constexpr char Digits[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes)
        text += {Digits[byte >> 4], Digits[byte & 15]};
    return text;
}

} // namespace

/// One of the two is set.
struct Hasher::State {
    std::unique_ptr<XXH64_state_t, FreeXxh> xxh;
    DigestContext digest;
};

const HashTraits &traits(HashAlgorithm algorithm)
{
    return *std::ranges::find(HashTable, algorithm, &HashTraits::algorithm);
}

std::optional<HashAlgorithm> findHash(std::string_view name)
{
    const auto row = std::ranges::find(HashTable, name, &HashTraits::name);
    return row != HashTable.end() ? std::optional(row->algorithm) : std::nullopt;
}

Hasher::Hasher(HashAlgorithm algorithm) : m_algorithm(algorithm), m_state(std::make_unique<State>())
{
    if (algorithm == HashAlgorithm::Xxh64) {
        m_state->xxh.reset(XXH64_createState());
        XXH64_reset(m_state->xxh.get(), 0);
    } else {
        m_state->digest.reset(EVP_MD_CTX_new());
        EVP_DigestInit_ex(m_state->digest.get(),
                          algorithm == HashAlgorithm::Sha1 ? EVP_sha1() : EVP_sha256(), nullptr);
    }
}

Hasher::~Hasher() = default;
Hasher::Hasher(Hasher &&) noexcept = default;
Hasher &Hasher::operator=(Hasher &&) noexcept = default;

void Hasher::update(std::span<const std::byte> bytes)
{
    if (bytes.empty())
        return;
    if (m_state->xxh)
        XXH64_update(m_state->xxh.get(), bytes.data(), bytes.size());
    else
        EVP_DigestUpdate(m_state->digest.get(), bytes.data(), bytes.size());
}

std::string Hasher::hexDigest() const
{
    if (m_state->xxh) {
        XXH64_canonical_t canonical;
        XXH64_canonicalFromHash(&canonical, XXH64_digest(m_state->xxh.get()));
        return toHex(canonical.digest);
    }
    const DigestContext copy(EVP_MD_CTX_new());
    EVP_MD_CTX_copy_ex(copy.get(), m_state->digest.get());
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned length = 0;
    EVP_DigestFinal_ex(copy.get(), bytes.data(), &length);
    return toHex(std::span(bytes).first(length));
}

} // namespace ql
