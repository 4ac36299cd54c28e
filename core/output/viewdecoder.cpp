// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/viewdecoder.h"

namespace ql {

ViewDecoder::ViewDecoder(const TensorView &view)
    : m_view(view), m_floats(dequantizer(view.type().type)), m_doubles(doubleDequantizer(view.type().type))
{
}

std::span<const std::byte> ViewDecoder::littleEndian(std::uint64_t first, std::size_t n)
{
    const auto bytes = m_view.blockRange(first, n);
    if (!m_view.bigEndian())
        return bytes;
    m_swapped.resize(bytes.size());
    swapBlocks(m_view.type().type, bytes.data(), m_swapped.data(), n);
    return m_swapped;
}

void ViewDecoder::floats(std::uint64_t first, std::size_t n, float *out)
{
    m_floats(littleEndian(first, n).data(), out, n);
}

void ViewDecoder::doubles(std::uint64_t first, std::size_t n, double *out)
{
    m_doubles(littleEndian(first, n).data(), out, n);
}

} // namespace ql
