// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ne.h"

#include <QLocale>
#include <QString>

#include <cstdint>
#include <optional>

/// Numbers as people read them in the window, in their locale. Nothing here is for files, but for
/// exactNumber(), which knows no locale.
namespace ql {

/// What a table shows where a figure is undefined or unknown.
QString noValue(); // "–"

/// "58,720,256"
QString formatCount(std::uint64_t n, const QLocale &locale = QLocale());
/// Binary and says so: "512 B", "38.5 MiB", "26.4 GiB".
QString formatBytes(std::uint64_t bytes, const QLocale &locale = QLocale());
/// Binary and exact, for tool-tips: "38.5 MiB (40,370,176 bytes)".
QString formatBytesLong(std::uint64_t bytes, const QLocale &locale = QLocale());

/// Four significant digits, always all four: "0.7930", "-1.214e-5", "12,346", "0", "NaN", "inf".
QString formatNumber(double value, const QLocale &locale = QLocale());
QString formatNumber(const std::optional<double> &value, const QLocale &locale = QLocale());
/// The shortest text that reads back to the same double, without locale: for the clipboard.
QString exactNumber(double value);
QString exactNumber(const std::optional<double> &value); // "" for nothing

/// A text with exact numbers, "A 0.25", as the window writes numbers: "A 0,25" where that is the custom.
QString inLocale(QString exact, const QLocale &locale = QLocale());
/// A number that a person typed in their locale, or as files have it; nothing for anything else. Group
/// signs are not understood: "0.125" must not be taken for 125.
std::optional<double> parseNumber(const QString &text, QLocale locale = QLocale());

/// Three significant digits and a letter: "995", "58.7 M", "46.7 B", "1.20 T".
QString formatCompact(std::uint64_t n, const QLocale &locale = QLocale());
/// "46.7 B weights", "1 weight"
QString formatWeights(std::uint64_t n, const QLocale &locale = QLocale());
/// "1.9 G weights/s"; unit as given ("weights", "B")
QString formatRate(double perSecond, const QString &unit, const QLocale &locale = QLocale());
/// "0.4 s", "14 s", "2 min 5 s", "1 h 3 min"
QString formatDuration(double seconds, const QLocale &locale = QLocale());

/// "0.41 %", "37 %", "< 0.01 %" for shares that would round to nothing, "100 %" only for all.
QString formatPercent(double share, const QLocale &locale = QLocale());
/// "5.50 bpw"
QString formatBitsPerWeight(double bits, const QLocale &locale = QLocale());
/// File order, ne[0] first, never grouped: "[4096, 14336]"
QString formatShape(const Ne &ne);
/// "10⁷", "10⁻³"
QString formatPowerOfTen(int exponent);
/// "1 weight", "3 weights": n and the noun, counted.
QString formatWeightCount(std::uint64_t n, const QLocale &locale = QLocale());
/// "estimate from 2 %", or "exact" for a share of 1.
QString formatSampled(double share, const QLocale &locale = QLocale());

} // namespace ql
