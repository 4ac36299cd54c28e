// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/colormaps.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

// Each map is a path through OKLCh (perceived lightness, chroma, hue in degrees) given by a few
// points of our own choosing, interpolated linearly and brought into sRGB by lowering the chroma.
// Lightness of the sequential maps is monotonic, so that they survive a grey printer.

namespace ql {

namespace {

struct PathPoint {
    double at;
    double lightness;
    double chroma;
    double hue;
};

constexpr PathPoint MagnitudePath[] = {
    {0.00, 0.26, 0.13, 308}, {0.25, 0.42, 0.10, 268}, {0.50, 0.58, 0.09, 205},
    {0.75, 0.76, 0.16, 150}, {1.00, 0.92, 0.19, 108},
};
constexpr PathPoint ErrorPath[] = {
    {0.00, 0.14, 0.03, 285}, {0.25, 0.33, 0.14, 315}, {0.50, 0.53, 0.19, 366},
    {0.75, 0.73, 0.17, 412}, {1.00, 0.97, 0.09, 466},
};
constexpr PathPoint SignedLight[] = {
    {0.00, 0.38, 0.16, 260}, {0.25, 0.66, 0.12, 250}, {0.4999, 0.975, 0.004, 240},
    {0.5001, 0.975, 0.004, 40}, {0.75, 0.66, 0.15, 32}, {1.00, 0.40, 0.16, 26},
};
constexpr PathPoint SignedDark[] = {
    {0.00, 0.86, 0.08, 245}, {0.25, 0.60, 0.15, 256}, {0.4999, 0.25, 0.01, 260},
    {0.5001, 0.25, 0.01, 26}, {0.75, 0.60, 0.17, 28}, {1.00, 0.87, 0.08, 45},
};

PathPoint pointAt(std::span<const PathPoint> path, double t)
{
    std::size_t next = 1;
    while (next + 1 < path.size() && path[next].at < t)
        ++next;
    const auto &a = path[next - 1];
    const auto &b = path[next];
    const double s = std::clamp((t - a.at) / (b.at - a.at), 0.0, 1.0);
    return {t, std::lerp(a.lightness, b.lightness, s), std::lerp(a.chroma, b.chroma, s),
            std::lerp(a.hue, b.hue, s)};
}

struct LinearRgb {
    double r, g, b;
    bool inGamut() const
    {
        const auto ok = [](double x) { return x >= -1e-4 && x <= 1.0001; };
        return ok(r) && ok(g) && ok(b);
    }
};

// OKLab to linear sRGB, the published matrices of Ottosson (2020).
LinearRgb toLinear(double lightness, double chroma, double hueDegrees)
{
    const double hue = hueDegrees * std::numbers::pi / 180.0;
    const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
    const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

int encoded(double channel)
{
    const double c = std::clamp(channel, 0.0, 1.0);
    const double srgb = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
    return static_cast<int>(std::lround(srgb * 255.0));
}

QRgb toRgb(const PathPoint &p)
{
    double chroma = p.chroma;
    LinearRgb rgb = toLinear(p.lightness, chroma, p.hue);
    while (!rgb.inGamut() && chroma > 0.001) {
        chroma *= 0.97;
        rgb = toLinear(p.lightness, chroma, p.hue);
    }
    return qRgb(encoded(rgb.r), encoded(rgb.g), encoded(rgb.b));
}

ColorTable tableOf(std::span<const PathPoint> path)
{
    ColorTable table;
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] = toRgb(pointAt(path, static_cast<double>(i) / 255.0));
    return table;
}

} // namespace

const ColorTable &colorTable(ColorMap map, bool dark)
{
    static const ColorTable magnitude = tableOf(MagnitudePath);
    static const ColorTable error = tableOf(ErrorPath);
    static const ColorTable signedLight = tableOf(SignedLight);
    static const ColorTable signedDark = tableOf(SignedDark);
    switch (map) {
    case ColorMap::Magnitude: return magnitude;
    case ColorMap::Error: return error;
    case ColorMap::Signed: break;
    }
    return dark ? signedDark : signedLight;
}

} // namespace ql
