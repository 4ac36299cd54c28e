// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/arraywalk.h"

#include <algorithm>

namespace ql {

namespace {

/// Steps over strings and notes where every 64th starts; returns the position behind the last, or
/// nothing if one runs past the end. All there is to opening a vocabulary, so it works on plain
/// pointers: 560,000 strings in some 1.5 ms where a checked cursor took 2.
template <class Length, bool BigEndian>
std::optional<std::uint64_t> stepOverStrings(std::span<const std::byte> bytes, std::uint64_t at,
                                             std::uint64_t count,
                                             std::vector<std::uint64_t> *checkpoints)
{
    const std::byte *const begin = bytes.data();
    const std::byte *const end = begin + bytes.size();
    const std::byte *p = begin + at;
    while (count > 0) {
        if (checkpoints)
            checkpoints->push_back(static_cast<std::uint64_t>(p - begin));
        const auto stride = std::min(count, CheckpointStride);
        for (std::uint64_t i = 0; i < stride; ++i) {
            if (static_cast<std::size_t>(end - p) < sizeof(Length))
                return std::nullopt;
            const std::uint64_t length = loadValue<Length>(p, BigEndian);
            p += sizeof(Length);
            if (length > static_cast<std::size_t>(end - p))
                return std::nullopt;
            p += length;
        }
        count -= stride;
    }
    return static_cast<std::uint64_t>(p - begin);
}

auto stringStepper(const ByteReader &reader)
{
    if (reader.shortLengths())
        return reader.bigEndian() ? stepOverStrings<std::uint32_t, true>
                                  : stepOverStrings<std::uint32_t, false>;
    return reader.bigEndian() ? stepOverStrings<std::uint64_t, true>
                              : stepOverStrings<std::uint64_t, false>;
}

/// An array whose elements are being stepped over.
struct Level {
    ValueType elementType;
    std::uint64_t left;
};

class Walker
{
public:
    Walker(ByteReader &reader, std::uint64_t &budget) : m_reader(reader), m_budget(budget) {}

    ArrayWalk walk(ValueType elementType, std::uint64_t count)
    {
        if (elementType == ValueType::String)
            walkStrings(count, &m_result.checkpoints);
        else if (elementType == ValueType::Array)
            walkNested(count);
        else
            skipFixed(elementType, count);
        return std::move(m_result);
    }

private:
    bool stop(WalkProblem problem)
    {
        m_result.problem = problem;
        return false;
    }

    bool spend(std::uint64_t elements)
    {
        if (elements > m_budget)
            return stop(WalkProblem::TooManyElements);
        m_budget -= elements;
        return true;
    }

    bool skipFixed(ValueType type, std::uint64_t count)
    {
        const std::uint64_t each = valueBytes(type);
        if (count > m_reader.remaining() / each || !m_reader.skip(count * each))
            return stop(WalkProblem::PastEnd);
        return true;
    }

    bool walkStrings(std::uint64_t count, std::vector<std::uint64_t> *checkpoints)
    {
        const auto least = m_reader.lengthBytes();
        if (count > m_reader.remaining() / least)
            return stop(WalkProblem::PastEnd);
        if (!spend(count))
            return false;
        if (checkpoints)
            checkpoints->reserve(count / CheckpointStride + 1);
        const auto end = stringStepper(m_reader)(m_reader.bytes(), m_reader.position(), count,
                                                 checkpoints);
        if (!end)
            return stop(WalkProblem::PastEnd);
        m_reader.skip(*end - m_reader.position());
        return true;
    }

    /// Arrays within arrays: the levels stand in a vector, so that depth costs memory the file
    /// itself has to pay for (12 bytes a level), never the stack.
    void walkNested(std::uint64_t count)
    {
        m_levels.push_back({ValueType::Array, count});
        while (!m_levels.empty()) {
            Level &top = m_levels.back();
            if (top.left == 0) {
                m_levels.pop_back();
                continue;
            }
            if (m_levels.size() == 1 && (count - top.left) % CheckpointStride == 0)
                m_result.checkpoints.push_back(m_reader.position());
            --top.left;
            if (!spend(1) || !enterElement())
                return;
        }
    }

    bool enterElement()
    {
        const auto id = m_reader.read<std::uint32_t>();
        const auto count = id ? m_reader.readLength() : std::nullopt;
        if (!count)
            return stop(WalkProblem::PastEnd);
        if (!isKnownValueType(*id)) {
            m_result.badElementType = *id;
            return stop(WalkProblem::UnknownElement);
        }
        m_result.depth = std::max<std::uint64_t>(m_result.depth, m_levels.size() + 1);
        const auto type = static_cast<ValueType>(*id);
        if (type == ValueType::String)
            return walkStrings(*count, nullptr);
        if (type != ValueType::Array)
            return skipFixed(type, *count);
        m_levels.push_back({type, *count});
        return true;
    }

    ByteReader &m_reader;
    std::uint64_t &m_budget;
    ArrayWalk m_result;
    std::vector<Level> m_levels;
};

} // namespace

std::uint32_t valueBytes(ValueType type)
{
    constexpr std::uint32_t Bytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    const auto id = static_cast<std::uint32_t>(type);
    return id < std::size(Bytes) ? Bytes[id] : 0;
}

bool isKnownValueType(std::uint32_t id) { return id <= static_cast<std::uint32_t>(ValueType::F64); }

ArrayWalk walkArray(ByteReader &reader, ValueType elementType, std::uint64_t count,
                    std::uint64_t &budget)
{
    return Walker(reader, budget).walk(elementType, count);
}

} // namespace ql
