// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/formatting.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <array>
#include <cmath>

namespace ql {

namespace {

constexpr int SignificantDigits = 4;

QString tr(const char *text)
{
    return QCoreApplication::translate("Formatting", text);
}

/// The decimal exponent of |value| once it is rounded to `digits` significant digits.
int exponentOf(double value, int digits)
{
    const QString scientific = QString::number(std::fabs(value), 'e', digits - 1);
    return scientific.mid(scientific.indexOf(QLatin1Char('e')) + 1).toInt();
}

/// `digits` significant digits, plain: 46.7, 1.20, 995.
QString significant(double value, int digits, const QLocale &locale)
{
    if (value == 0)
        return locale.toString(0);
    return locale.toString(value, 'f', std::max(0, digits - 1 - exponentOf(value, digits)));
}

/// value / step^i < step, with value rounded to three digits first so that 1023.9 is not "1,024".
template<std::size_t N>
std::size_t unitIndex(double &value, double step, const std::array<const char *, N> &units)
{
    std::size_t i = 0;
    while (i + 1 < units.size() && value >= step - 0.5) {
        value /= step;
        ++i;
    }
    return i;
}

} // namespace

QString noValue()
{
    return QStringLiteral("–");
}

QString formatCount(std::uint64_t n, const QLocale &locale)
{
    return locale.toString(static_cast<qulonglong>(n));
}

QString formatBytes(std::uint64_t bytes, const QLocale &locale)
{
    static constexpr std::array<const char *, 7> Units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes);
    const std::size_t unit = unitIndex(value, 1024.0, Units);
    const QString number = unit == 0 ? formatCount(bytes, locale) : significant(value, 3, locale);
    return number + QLatin1Char(' ') + QLatin1String(Units[unit]);
}

QString formatBytesLong(std::uint64_t bytes, const QLocale &locale)
{
    const QString exact = tr("%1 bytes").arg(formatCount(bytes, locale));
    if (bytes < 1024)
        return exact;
    return QStringLiteral("%1 (%2)").arg(formatBytes(bytes, locale), exact);
}

QString formatNumber(double value, const QLocale &locale)
{
    if (std::isnan(value))
        return QStringLiteral("NaN");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    if (value == 0)
        return locale.toString(0);
    const int exponent = exponentOf(value, SignificantDigits);
    if (exponent >= -4 && exponent < 6)
        return locale.toString(value, 'f', std::max(0, SignificantDigits - 1 - exponent));
    const QString mantissa = QString::number(value, 'e', SignificantDigits - 1)
                                 .section(QLatin1Char('e'), 0, 0);
    return locale.toString(mantissa.toDouble(), 'f', SignificantDigits - 1)
        + QStringLiteral("e%1").arg(exponent);
}

QString formatNumber(const std::optional<double> &value, const QLocale &locale)
{
    return value ? formatNumber(*value, locale) : noValue();
}

QString exactNumber(double value)
{
    if (std::isnan(value))
        return QStringLiteral("NaN");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

QString exactNumber(const std::optional<double> &value)
{
    return value ? exactNumber(*value) : QString();
}

QString inLocale(QString exact, const QLocale &locale)
{
    static const QRegularExpression point(QStringLiteral("(?<=\\d)[.](?=\\d)"));
    return exact.replace(point, locale.decimalPoint());
}

std::optional<double> parseNumber(const QString &text, QLocale locale)
{
    locale.setNumberOptions(QLocale::RejectGroupSeparator);
    bool ok = false;
    double value = locale.toDouble(text.trimmed(), &ok);
    if (!ok)
        value = text.trimmed().toDouble(&ok);
    return ok ? std::optional(value) : std::nullopt;
}

QString formatCompact(std::uint64_t n, const QLocale &locale)
{
    static constexpr std::array<const char *, 5> Units{"", " K", " M", " B", " T"};
    double value = static_cast<double>(n);
    const std::size_t unit = unitIndex(value, 1000.0, Units);
    const QString number = unit == 0 ? formatCount(n, locale) : significant(value, 3, locale);
    return number + QLatin1String(Units[unit]);
}

QString formatWeights(std::uint64_t n, const QLocale &locale)
{
    return n == 1 ? tr("1 weight") : tr("%1 weights").arg(formatCompact(n, locale));
}

QString formatWeightCount(std::uint64_t n, const QLocale &locale)
{
    return n == 1 ? tr("1 weight") : tr("%1 weights").arg(formatCount(n, locale));
}

QString formatRate(double perSecond, const QString &unit, const QLocale &locale)
{
    static constexpr std::array<const char *, 5> Units{"", "k ", "M ", "G ", "T "};
    if (!std::isfinite(perSecond) || perSecond < 0)
        return noValue();
    double value = perSecond;
    const std::size_t prefix = unitIndex(value, 1000.0, Units);
    return QStringLiteral("%1 %2%3/s").arg(significant(value, 2, locale),
                                           QLatin1String(Units[prefix]), unit);
}

QString formatDuration(double seconds, const QLocale &locale)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return noValue();
    if (seconds < 9.95)
        return tr("%1 s").arg(locale.toString(seconds, 'f', 1));
    const auto whole = static_cast<qulonglong>(std::llround(seconds));
    if (whole < 60)
        return tr("%1 s").arg(locale.toString(whole));
    if (whole < 3600)
        return tr("%1 min %2 s").arg(locale.toString(whole / 60), locale.toString(whole % 60));
    return tr("%1 h %2 min").arg(locale.toString(whole / 3600), locale.toString(whole % 3600 / 60));
}

QString formatPercent(double share, const QLocale &locale)
{
    if (!std::isfinite(share))
        return noValue();
    const double percent = share * 100.0;
    if (percent == 0 || percent == 100)
        return tr("%1 %").arg(locale.toString(percent, 'f', 0));
    if (std::fabs(percent) < 0.01)
        return tr("< %1 %").arg(locale.toString(0.01, 'f', 2));
    if (percent > 99.99 && percent < 100)
        return tr("> %1 %").arg(locale.toString(99.99, 'f', 2));
    const int decimals = std::fabs(percent) < 10 || percent > 99.9 ? 2 : 1;
    return tr("%1 %").arg(locale.toString(percent, 'f', decimals));
}

QString formatBitsPerWeight(double bits, const QLocale &locale)
{
    return tr("%1 bpw").arg(locale.toString(bits, 'f', 2));
}

QString formatShape(const Ne &ne)
{
    QStringList dims;
    for (const auto dim : ne.dims())
        dims << QString::number(static_cast<qulonglong>(dim));
    return QStringLiteral("[%1]").arg(dims.join(QStringLiteral(", ")));
}

QString formatPowerOfTen(int exponent)
{
    static const QString Digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = QStringLiteral("10");
    for (const QChar c : QString::number(exponent))
        text += c == QLatin1Char('-') ? QStringLiteral("⁻") : QString(Digits.at(c.digitValue()));
    return text;
}

QString formatSampled(double share, const QLocale &locale)
{
    if (share >= 1.0)
        return tr("exact");
    const double percent = share * 100.0;
    return tr("estimate from %1 %").arg(significant(percent, percent < 10 ? 1 : 2, locale));
}

} // namespace ql
