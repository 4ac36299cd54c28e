// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/svg.h"

#include "core/output/reporttext.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ql {

namespace {

/// Two digits after the point are finer than any screen.
std::string coordinate(double value)
{
    std::array<char, 64> buffer{};
    const double rounded = std::round(value * 100) / 100;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), rounded + 0.0).ptr;
    return {buffer.data(), end};
}

constexpr std::string_view Anchors[] = {"start", "middle", "end"};

/// 1, 2 or 5 times a power of ten that parts a range into about so many steps.
double roundStep(double range, int steps)
{
    const double raw = range / steps;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (raw <= factor * power * (1 + 1e-9))
            return factor * power;
    return 10 * power;
}

} // namespace

Svg::Svg(double width, double height, std::string_view label)
{
    m_text = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" + htmlText(label) + "\" viewBox=\"0 0 "
        + coordinate(width) + " " + coordinate(height) + "\" width=\"" + coordinate(width) + "\" height=\""
        + coordinate(height) + "\">\n";
}

void Svg::open(std::string_view element, std::string_view cssClass)
{
    m_text.append("<").append(element).append(" class=\"").append(cssClass).append("\"");
}

void Svg::attribute(std::string_view name, double value)
{
    m_text.append(" ").append(name).append("=\"").append(coordinate(value)).append("\"");
}

void Svg::close(std::string_view element, std::string_view title)
{
    if (title.empty())
        m_text.append("/>\n");
    else
        m_text.append("><title>").append(htmlText(title)).append("</title></").append(element).append(">\n");
}

void Svg::rect(double x, double y, double width, double height, std::string_view cssClass, std::string_view fill,
               std::string_view title)
{
    open("rect", cssClass);
    attribute("x", x);
    attribute("y", y);
    attribute("width", width);
    attribute("height", height);
    if (!fill.empty())
        m_text.append(" fill=\"").append(fill).append("\"");
    close("rect", title);
}

void Svg::circle(double x, double y, double radius, std::string_view cssClass, std::string_view title)
{
    open("circle", cssClass);
    attribute("cx", x);
    attribute("cy", y);
    attribute("r", radius);
    close("circle", title);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view cssClass)
{
    open("line", cssClass);
    attribute("x1", x1);
    attribute("y1", y1);
    attribute("x2", x2);
    attribute("y2", y2);
    close("line", {});
}

void Svg::words(Anchor anchor, std::string_view words)
{
    m_text.append(" text-anchor=\"").append(Anchors[static_cast<std::size_t>(anchor)]).append("\">");
    m_text.append(htmlText(words)).append("</text>\n");
}

void Svg::text(double x, double y, Anchor anchor, std::string_view cssClass, std::string_view words)
{
    open("text", cssClass);
    attribute("x", x);
    attribute("y", y);
    this->words(anchor, words);
}

void Svg::uprightText(double x, double y, Anchor anchor, std::string_view cssClass, std::string_view words)
{
    open("text", cssClass);
    m_text.append(" transform=\"translate(").append(coordinate(x)).append(",").append(coordinate(y)).append(") rotate(-90)\"");
    this->words(anchor, words);
}

AxisScale AxisScale::linear(double high)
{
    if (!(high > 0) || !std::isfinite(high))
        return {0, 1, false};
    const double step = roundStep(high, 5);
    return {0, step * std::ceil(high / step - 1e-9), false};
}

AxisScale AxisScale::fitting(double low, double high)
{
    constexpr double Wide = 30; // beyond it a linear axis would squash most values together
    const bool isWide = low > 0 && std::isfinite(high) && high / low > Wide;
    if (!isWide)
        return linear(high);
    return {std::pow(10.0, std::floor(std::log10(low))), std::pow(10.0, std::ceil(std::log10(high))), true};
}

double AxisScale::position(double value) const
{
    const double share = logarithmic ? std::log(std::max(value, low) / low) / std::log(high / low)
                                     : (value - low) / (high - low);
    return std::clamp(share, 0.0, 1.0);
}

std::vector<double> AxisScale::ticks() const
{
    std::vector<double> list;
    if (logarithmic) {
        for (double at = low; at <= high * 1.001; at *= 10)
            list.push_back(at);
        return list;
    }
    const double step = roundStep(high - low, 5);
    for (int i = 0; low + i * step <= high * (1 + 1e-9); ++i)
        list.push_back(low + i * step);
    return list;
}

} // namespace ql
