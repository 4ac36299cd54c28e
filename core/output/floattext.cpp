// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/floattext.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ql {

// The method is Raffaello Giulietti's ("The Schubfach way to render doubles", 2020), for binary32:
// a value c·2^q lies between neighbours; scaled by a power of ten that leaves eight or nine digits
// before the point, the interval that rounds to it holds at least one whole number and at most one
// multiple of ten. All of it fits 32- and 64-bit integers.

namespace {

// Exact for all exponents of a float: floor(log10(2^q)), floor(log10(3/4·2^q)), floor(log2(10^k)).
constexpr int floorLog10Pow2(int q) { return (q * 1262611) >> 22; }
constexpr int floorLog10ThreeQuartersPow2(int q) { return (q * 1262611 - 524031) >> 22; }
constexpr int floorLog2Pow10(int k) { return (k * 1741647) >> 19; }

/// Just enough of a big number to work out powers of ten when compiling.
class Wide
{
public:
    constexpr explicit Wide(int bit) { m_words[static_cast<std::size_t>(bit) / 32] = 1u << (bit % 32); }

    constexpr void timesTen()
    {
        std::uint64_t carry = 0;
        for (std::uint32_t &word : m_words) {
            carry += std::uint64_t(word) * 10;
            word = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    constexpr void overTen()
    {
        std::uint64_t rest = 0;
        for (auto word = m_words.rbegin(); word != m_words.rend(); ++word) {
            rest = rest << 32 | *word;
            *word = static_cast<std::uint32_t>(rest / 10);
            rest %= 10;
        }
    }
    /// The highest 64 bits from the first that is set, the rest cut off.
    constexpr std::uint64_t top() const
    {
        int high = static_cast<int>(m_words.size()) * 32 - 1;
        while (!bit(high))
            --high;
        std::uint64_t result = 0;
        for (int i = 0; i < 64; ++i)
            result = result << 1 | (high - i >= 0 && bit(high - i));
        return result;
    }

private:
    constexpr bool bit(int i) const { return m_words[static_cast<std::size_t>(i) / 32] >> (i % 32) & 1; }
    std::array<std::uint32_t, 10> m_words{};
};

constexpr int MaxDigits = 9;
constexpr std::uint32_t PowersOfTen[] = {1,      10,      100,      1000,      10000,
                                         100000, 1000000, 10000000, 100000000, 1000000000};

constexpr int LeastPower = -31, MostPower = 46;

/// 10^k as 64 bits with the first one set, rounded up (always: plus one where it is exact).
constexpr auto makePowers()
{
    std::array<std::uint64_t, MostPower - LeastPower + 1> powers{};
    Wide up(0), down(319);
    for (int k = 0; k <= MostPower; ++k, up.timesTen())
        powers[static_cast<std::size_t>(k - LeastPower)] = up.top() + 1;
    for (int k = -1; k >= LeastPower; --k) {
        down.overTen();
        powers[static_cast<std::size_t>(k - LeastPower)] = down.top() + 1;
    }
    return powers;
}

constexpr auto Powers = makePowers();

/// The upper part of a product, its last bit set if anything below it is: all that comparing needs.
std::uint32_t roundedToOdd(std::uint64_t power, std::uint32_t factor)
{
    const std::uint64_t low = (power & 0xffffffffu) * factor;
    const std::uint64_t product = (power >> 32) * factor + (low >> 32);
    return static_cast<std::uint32_t>(product >> 32) | (static_cast<std::uint32_t>(product) > 1);
}

struct Decimal {
    std::uint32_t digits = 0;
    int exponent = 0; ///< value = digits · 10^exponent
};

Decimal shortestDecimal(std::uint32_t mantissa, std::uint32_t biasedExponent)
{
    const bool subnormal = biasedExponent == 0;
    const std::uint32_t c = subnormal ? mantissa : mantissa | 0x800000u;
    const int q = static_cast<int>(subnormal ? 1 : biasedExponent) - 150;
    // At a power of two the lower neighbour is only half as far away.
    const bool closeBelow = mantissa == 0 && biasedExponent > 1;
    const int k = closeBelow ? floorLog10ThreeQuartersPow2(q) : floorLog10Pow2(q);
    const int shift = q + floorLog2Pow10(-k) + 1;
    const std::uint64_t power = Powers[static_cast<std::size_t>(-k - LeastPower)];

    // Four times the scaled value and the ends of its interval; the ends count for even c alone.
    const std::uint32_t middle = roundedToOdd(power, (4 * c) << shift);
    const std::uint32_t odd = c & 1;
    const std::uint32_t lower = roundedToOdd(power, (4 * c - (closeBelow ? 1 : 2)) << shift) + odd;
    const std::uint32_t upper = roundedToOdd(power, (4 * c + 2) << shift) - odd;

    // Truth as numbers, without branches: for weights each would go either way, and a wrong guess
    // costs as much as everything here.
    const std::uint32_t whole = middle / 4, tens = whole / 10;
    const std::uint32_t tensBelow = lower <= 40 * tens, tensAbove = 40 * tens + 40 <= upper;
    const std::uint32_t below = lower <= 4 * whole, above = 4 * whole + 4 <= upper;
    const std::uint32_t half = 4 * whole + 2;
    const std::uint32_t nearest = (middle > half) | ((middle == half) & whole);
    const std::uint32_t oneIsInside = below ^ above;
    const std::uint32_t up = (oneIsInside & above) | (~oneIsInside & nearest & 1);
    const std::uint32_t useTens = 0u - ((tensBelow ^ tensAbove) & std::uint32_t(whole >= 10));
    return {(useTens & (10 * (tens + tensAbove))) | (~useTens & (whole + up)), k};
}

/// The eight digits of a number below 10^8, the first one in the lowest byte.
std::uint64_t eightDigits(std::uint32_t number)
{
    // Four digits in each half, then two in each quarter, then one a byte.
    std::uint64_t x = number / 10000 | std::uint64_t(number % 10000) << 32;
    const std::uint64_t hundreds = (x * 10486 >> 20) & 0x0000007f0000007fu;
    x = hundreds | (x - 100 * hundreds) << 16;
    const std::uint64_t tens = (x * 103 >> 10) & 0x000f000f000f000fu;
    return tens | (x - 10 * tens) << 8;
}

/// Nine digits of a number below 10^9 as characters, and how many of them matter: trailing zeros
/// don't. Kept out of memory: reading back at other places what was just written stalls.
struct Digits {
    std::uint64_t first; ///< eight characters
    char last;
    int count;

    void write(char *out) const
    {
        std::memcpy(out, &first, sizeof first);
        out[sizeof first] = last;
    }
    /// All but the first n (1 … 8).
    void writeAfter(int n, char *out) const
    {
        const std::uint64_t rest = first >> (8 * n - 1) >> 1;
        std::memcpy(out, &rest, sizeof rest);
        out[8 - n] = last;
    }
};

Digits nineDigits(std::uint32_t number)
{
    static_assert(std::endian::native == std::endian::little);
    const std::uint64_t first = eightDigits(number / 10);
    const std::uint32_t last = number % 10;
    const int count = last ? MaxDigits : 8 - std::countl_zero(first) / 8;
    return {first + 0x3030303030303030u, static_cast<char>('0' + last), count};
}

int digitCount(std::uint32_t number)
{
    // 1233 / 4096 is log10(2); one more where that power of ten is reached.
    const int guess = std::bit_width(number) * 1233 >> 12;
    return guess + (number >= PowersOfTen[guess]);
}

/// d.ddde-XX
char *writeScientific(char *out, const Digits &digits, int exponent)
{
    out[0] = static_cast<char>(digits.first & 0xff);
    out[1] = '.';
    digits.writeAfter(1, out + 2);
    out += digits.count > 1 ? digits.count + 1 : 1;
    const int magnitude = exponent < 0 ? -exponent : exponent;
    out[0] = 'e';
    out[1] = exponent < 0 ? '-' : '+';
    out[2] = static_cast<char>('0' + magnitude / 10);
    out[3] = static_cast<char>('0' + magnitude % 10);
    return out + 4;
}

/// 0.000ddd, dd.ddd or ddd000; `exponent` is that of the first digit.
char *writeFixed(char *out, const Digits &digits, int exponent)
{
    if (exponent < 0) {
        std::memcpy(out, "0.000000", 8);
        digits.write(out + 1 - exponent);
        return out + 1 - exponent + digits.count;
    }
    const int before = exponent + 1;
    digits.write(out);
    if (digits.count <= before)
        return out + before;
    out[before] = '.';
    digits.writeAfter(before, out + before + 1);
    return out + digits.count + 1;
}

int fixedLength(int count, int exponent)
{
    if (exponent < 0)
        return 1 - exponent + count;
    return count <= exponent + 1 ? exponent + 1 : count + 1;
}

} // namespace

char *writeSmallFloat(char *out, float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    *out = '-';
    out += bits >> 31; // either sign is as likely: no branch here too
    if ((bits & 0x7fffffffu) == 0) {
        *out++ = '0';
        return out;
    }
    const Decimal decimal = shortestDecimal(bits & 0x7fffffu, bits >> 23 & 0xffu);
    const int count = digitCount(decimal.digits);
    const Digits digits = nineDigits(decimal.digits * PowersOfTen[MaxDigits - count]);
    const int exponent = decimal.exponent + count - 1;
    const int scientificLength = digits.count + (digits.count > 1) + 4;
    if (fixedLength(digits.count, exponent) <= scientificLength)
        return writeFixed(out, digits, exponent);
    return writeScientific(out, digits, exponent);
}

} // namespace ql
