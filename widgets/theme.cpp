// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme.h"

#include "widgets/colormaps.h"
#include "widgets/focusring.h"
#include "widgets/quietstyle.h"

#include <QApplication>
#include <QFontDatabase>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

struct FamilyColor {
    TypeFamily family;
    QRgb color;
};

// Cool for many bits, warm for few; white text reads at 4.5:1 or better on each.
constexpr std::array<FamilyColor, 12> FamilyColors{{
    {TypeFamily::Float32, 0xff5b6472}, {TypeFamily::Float16, 0xff3f5f96},
    {TypeFamily::Integer, 0xff566b78}, {TypeFamily::Q8, 0xff2563b0},
    {TypeFamily::Q6, 0xff1f7690},      {TypeFamily::Q5, 0xff1a7a64},
    {TypeFamily::Q4, 0xff4f7a2a},      {TypeFamily::Q3, 0xff8f6a12},
    {TypeFamily::Q2, 0xffb4501f},      {TypeFamily::OneBit, 0xffa63a50},
    {TypeFamily::Fp4, 0xff7a5ea8},     {TypeFamily::Unknown, 0xff6b5f5f},
}};

QFont fontOf(const QStringList &families, QFontDatabase::SystemFont fallback, int pixelSize)
{
    QFont font = QFontDatabase::systemFont(fallback);
    font.setFamilies(QStringList(families) << font.family());
    font.setPixelSize(pixelSize);
    return font;
}

void setAll(QPalette &palette, QPalette::ColorRole role, const QColor &color, const QColor &disabled)
{
    palette.setColor(role, color);
    palette.setColor(QPalette::Disabled, role, disabled);
}

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor &color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF())
        + 0.0722 * linear(color.blueF());
}

QColor mixed(const QColor &a, const QColor &b, double share)
{
    const auto mix = [share](float x, float y) { return float(x * (1 - share) + y * share); };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()),
                            mix(a.blueF(), b.blueF()));
}

void makeQuiet(QApplication &app)
{
    app.setStyle(new QuietStyle); // owned by the application
    FocusRing::follow(app);
}

} // namespace

Theme Theme::light()
{
    Theme t;
    t.dark = false;
    t.window = QColor(0xf6f7f9);
    t.panel = QColor(0xffffff);
    t.line = QColor(0xdfe3e8);
    t.grid = QColor(0xeceff3);
    t.text = QColor(0x1b2430);
    t.muted = QColor(0x5f6b7a);
    t.accent = QColor(0x2f6fde);
    t.accentText = QColor(0x2a66cf);
    t.selection = QColor(0xe3edfc);
    t.b = QColor(0xd9742b);
    t.bText = QColor(0xa8511a);
    t.warning = QColor(0x8a5a00);
    t.danger = QColor(0xb3261e);
    t.nonFinite = QColor(0xff2bd6);
    return t;
}

Theme Theme::darkened()
{
    Theme t;
    t.dark = true;
    t.window = QColor(0x15181d);
    t.panel = QColor(0x1c2027);
    t.line = QColor(0x2c323c);
    t.grid = QColor(0x272d36);
    t.text = QColor(0xe4e8ee);
    t.muted = QColor(0x98a3b2);
    t.accent = QColor(0x6ea2ff);
    t.accentText = QColor(0x6ea2ff);
    t.selection = QColor(0x25324a);
    t.b = QColor(0xf0a060);
    t.bText = QColor(0xf0a060);
    t.warning = QColor(0xe8b95a);
    t.danger = QColor(0xff8a80);
    t.nonFinite = QColor(0xff4fe0);
    return t;
}

Theme Theme::fromPalette(const QPalette &palette)
{
    const double window = luminance(palette.color(QPalette::Active, QPalette::Window));
    const double text = luminance(palette.color(QPalette::Active, QPalette::WindowText));
    return text > window ? darkened() : light();
}

QPalette Theme::palette() const
{
    const QColor faint = mixed(muted, panel, 0.4);
    QPalette p;
    setAll(p, QPalette::Window, window, window);
    setAll(p, QPalette::Base, panel, window);
    setAll(p, QPalette::AlternateBase, mixed(panel, window, 0.6), window);
    setAll(p, QPalette::Button, panel, window);
    setAll(p, QPalette::WindowText, text, faint);
    setAll(p, QPalette::Text, text, faint);
    setAll(p, QPalette::ButtonText, text, faint);
    setAll(p, QPalette::BrightText, danger, danger);
    setAll(p, QPalette::PlaceholderText, muted, faint);
    setAll(p, QPalette::Highlight, selection, grid);
    setAll(p, QPalette::HighlightedText, text, faint);
    setAll(p, QPalette::Link, accentText, faint);
    setAll(p, QPalette::LinkVisited, bText, faint); // no page here has links that were visited
    setAll(p, QPalette::ToolTipBase, panel, panel);
    setAll(p, QPalette::ToolTipText, text, text);
    setAll(p, QPalette::Light, mixed(panel, Qt::white, dark ? 0.08 : 1), panel);
    setAll(p, QPalette::Midlight, grid, grid);
    setAll(p, QPalette::Mid, line, line);
    setAll(p, QPalette::Dark, mixed(line, text, 0.25), line);
    setAll(p, QPalette::Shadow, mixed(line, Qt::black, 0.5), line);
    return p;
}

const ColorTable &Theme::colors(ColorMap map) const
{
    return colorTable(map, dark);
}

QRgb Theme::colorAt(ColorMap map, double position) const
{
    if (std::isnan(position))
        return qRgba(0, 0, 0, 0);
    const double at = std::clamp(position, 0.0, 1.0) * 255.0;
    return colors(map)[static_cast<std::size_t>(std::lround(at))];
}

QColor Theme::chipColor(TypeFamily family)
{
    for (const auto &row : FamilyColors)
        if (row.family == family)
            return QColor(row.color);
    return QColor(FamilyColors.back().color);
}

QFont Theme::textFont(int pixelSize)
{
    return fontOf({QStringLiteral("Inter")}, QFontDatabase::GeneralFont, pixelSize);
}

QFont Theme::strongFont(int pixelSize)
{
    QFont font = textFont(pixelSize);
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont Theme::fixedFont(int pixelSize)
{
    QFont font = fontOf({QStringLiteral("JetBrains Mono"), QStringLiteral("DejaVu Sans Mono")},
                        QFontDatabase::FixedFont, pixelSize);
    font.setStyleHint(QFont::Monospace);
    return font;
}

Theme themeOf(const QWidget *widget)
{
    return Theme::fromPalette(widget->palette());
}

void applyTheme(QApplication &app, const Theme &theme)
{
    if (!qobject_cast<QuietStyle *>(app.style()))
        makeQuiet(app);
    app.setPalette(theme.palette());
    app.setFont(Theme::textFont());
    app.setStyleSheet(theme.styleSheet());
}

double contrastRatio(const QColor &a, const QColor &b)
{
    const double first = luminance(a), second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

} // namespace ql
