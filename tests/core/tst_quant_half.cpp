// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/half.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ql;

namespace {

constexpr int Patterns = 65536;

/// The value of a finite half by its definition.
double valueOfHalf(int half)
{
    const int exponent = (half >> 10) & 31;
    const int mantissa = half & 1023;
    const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24)
                                           : std::ldexp(1024 + mantissa, exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

bool isFiniteHalf(int half) { return (half & 0x7c00) != 0x7c00; }

std::uint32_t bitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }

float next(float value) { return std::nextafterf(value, std::numeric_limits<float>::infinity()); }
float previous(float value) { return std::nextafterf(value, 0.0f); }

} // namespace

class HalfTest : public QObject
{
    Q_OBJECT

private slots:
    void everyFiniteHalfHasItsValue()
    {
        for (int half = 0; half < Patterns; ++half) {
            if (!isFiniteHalf(half))
                continue;
            const float value = halfToFloat(static_cast<std::uint16_t>(half));
            QCOMPARE(static_cast<double>(value), valueOfHalf(half));
            QCOMPARE(std::signbit(value), (half & 0x8000) != 0);
        }
    }

    void infinitiesAndNans()
    {
        QCOMPARE(bitsOf(halfToFloat(0x7c00)), 0x7f800000u);
        QCOMPARE(bitsOf(halfToFloat(0xfc00)), 0xff800000u);
        for (int mantissa = 1; mantissa < 1024; ++mantissa) {
            const auto nan = static_cast<std::uint16_t>(0xfc00 | mantissa);
            const auto payload = static_cast<std::uint32_t>(mantissa) << 13;
            QCOMPARE(bitsOf(halfToFloat(nan)), 0xffc00000u | payload);
        }
    }

    void everyHalfSurvivesTheWayBack()
    {
        for (int half = 0; half < Patterns; ++half) {
            const float value = halfToFloat(static_cast<std::uint16_t>(half));
            const int quiet = std::isnan(value) ? half | 0x0200 : half;
            QCOMPARE(static_cast<int>(floatToHalf(value)), quiet);
        }
    }

    /// Between two neighbours the middle goes to the even one, and a hair beside it to the nearer.
    void everyMidpointRoundsToEven()
    {
        for (int half = 0; half < 0x7bff; ++half) {
            const auto middle = static_cast<float>((valueOfHalf(half) + valueOfHalf(half + 1)) / 2);
            const int even = half % 2 == 0 ? half : half + 1;
            QCOMPARE(static_cast<int>(floatToHalf(middle)), even);
            QCOMPARE(static_cast<int>(floatToHalf(-middle)), even | 0x8000);
            QCOMPARE(static_cast<int>(floatToHalf(next(middle))), half + 1);
            QCOMPARE(static_cast<int>(floatToHalf(previous(middle))), half);
        }
    }

    void halfOverflowsToInfinity()
    {
        QCOMPARE(static_cast<int>(floatToHalf(65504.0f)), 0x7bff);
        QCOMPARE(static_cast<int>(floatToHalf(previous(65520.0f))), 0x7bff);
        QCOMPARE(static_cast<int>(floatToHalf(65520.0f)), 0x7c00);
        QCOMPARE(static_cast<int>(floatToHalf(-std::numeric_limits<float>::max())), 0xfc00);
    }

    void everyBf16IsTheTopOfAFloat()
    {
        for (int top = 0; top < Patterns; ++top) {
            const auto bf16 = static_cast<std::uint16_t>(top);
            const float value = bf16ToFloat(bf16);
            QCOMPARE(bitsOf(value), static_cast<std::uint32_t>(top) << 16);
            const int quiet = std::isnan(value) ? top | 0x40 : top;
            QCOMPARE(static_cast<int>(floatToBf16(value)), quiet);
        }
    }

    void bf16RoundsToEven()
    {
        for (std::uint32_t top = 0; top < 0x7f80u; ++top) {
            const std::uint32_t even = top + (top & 1u);
            const auto rounded = [](std::uint32_t bits) {
                return static_cast<std::uint32_t>(floatToBf16(std::bit_cast<float>(bits)));
            };
            QCOMPARE(rounded(top << 16 | 0x8000u), even);
            QCOMPARE(rounded(top << 16 | 0x7fffu), top);
            QCOMPARE(rounded(top << 16 | 0x8001u), top + 1);
        }
    }
};

QTEST_APPLESS_MAIN(HalfTest)
#include "tst_quant_half.moc"
