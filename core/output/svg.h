// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

/// Puts an SVG picture together. Texts are escaped here; numbers have no locale. Coordinates are pixels.
class Svg
{
public:
    Svg(double width, double height, std::string_view label);

    /// `title` appears when one points at it; "" = none. `fill` is a colour, "" leaves it to the class.
    void rect(double x, double y, double width, double height, std::string_view cssClass, std::string_view fill = {},
              std::string_view title = {});
    void circle(double x, double y, double radius, std::string_view cssClass, std::string_view title = {});
    void line(double x1, double y1, double x2, double y2, std::string_view cssClass);
    enum class Anchor { Start, Middle, End };
    void text(double x, double y, Anchor anchor, std::string_view cssClass, std::string_view words);
    /// Turned a quarter to the left, around its own start.
    void uprightText(double x, double y, Anchor anchor, std::string_view cssClass, std::string_view words);

    std::string finish() const { return m_text + "</svg>\n"; }

private:
    void open(std::string_view element, std::string_view cssClass);
    void attribute(std::string_view name, double value);
    void close(std::string_view element, std::string_view title);
    void words(Anchor anchor, std::string_view words);

    std::string m_text;
};

/// Where the numbers of an axis stand: round ones, linear, or in powers of ten where the range is wide.
struct AxisScale {
    double low = 0;
    double high = 1;
    bool logarithmic = false;

    /// A scale that shows values from `low` (above 0 for a logarithmic one) to `high`.
    static AxisScale linear(double high);
    static AxisScale fitting(double low, double high);
    double position(double value) const; ///< 0 … 1
    std::vector<double> ticks() const;
};

} // namespace ql
