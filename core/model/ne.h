// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace ql {

/// A tensor's shape in file order: ne[0] is the row length and varies fastest. Absent dimensions
/// read as 1. Up to eight are kept, so that a row from the future can be shown; only shapes of at
/// most four are decoded.
class Ne
{
public:
    static constexpr std::size_t MaxDims = 8;

    Ne() = default;
    Ne(std::initializer_list<std::uint64_t> dims)
    {
        for (const auto dim : dims)
            push(dim);
    }

    void push(std::uint64_t dim)
    {
        if (m_size < MaxDims)
            m_dims[m_size++] = dim;
    }
    std::size_t size() const { return m_size; }
    std::uint64_t operator[](std::size_t i) const { return i < m_size ? m_dims[i] : 1; }
    std::span<const std::uint64_t> dims() const { return {m_dims.data(), m_size}; }

    /// The number of weights, or nothing where it does not fit 64 bits.
    std::optional<std::uint64_t> elements() const;
    /// Rows along ne[0]: the product of all other dimensions, or nothing beyond 64 bits.
    std::optional<std::uint64_t> rows() const;

    bool operator==(const Ne &) const = default;

private:
    std::array<std::uint64_t, MaxDims> m_dims{};
    std::size_t m_size = 0;
};

} // namespace ql
