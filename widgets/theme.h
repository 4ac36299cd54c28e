// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggmltype.h"

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QRgb>
#include <QString>

#include <array>

class QApplication;
class QWidget;

namespace ql {

/// 256 opaque colours, dark to light or one end to the other.
using ColorTable = std::array<QRgb, 256>;

/// Which table a value is coloured by.
enum class ColorMap {
    Magnitude, ///< dark violet, teal, yellow: sizes, from zero up
    Signed,    ///< blue, neutral, red: values on both sides of zero
    Error,     ///< black, purple, orange, pale yellow: differences of A and B
};

/// Every colour and font of the window. A value: make it from a palette where it is needed, throw
/// it away afterwards. A is always blue, B always orange.
struct Theme {
    bool dark = false;
    QColor window;     ///< behind the cards
    QColor panel;      ///< of cards, tables and plots
    QColor line;       ///< borders
    QColor grid;       ///< lines inside plots, hover
    QColor text;
    QColor muted;      ///< labels and hints; 4.5:1 on panel and window
    QColor accent;     ///< fills of A, progress, focus
    QColor accentText; ///< A as text
    QColor selection;  ///< selected rows
    QColor b;          ///< fills of B
    QColor bText;      ///< B as text
    QColor warning;    ///< text of warnings; 4.5:1 on panel
    QColor danger;     ///< text of errors; 4.5:1 on panel
    QColor nonFinite;  ///< marks NaN and Inf; in none of the colour maps

    static Theme light();
    static Theme darkened();
    /// Light or dark, as the palette's own window and text colours are.
    static Theme fromPalette(const QPalette &palette);

    /// The roles of palette() that coloured labels write with, by setForegroundRole(). A colour put into a
    /// label's own palette would outlive its theme: a new style sheet brings the old palette back.
    static constexpr QPalette::ColorRole MutedText = QPalette::PlaceholderText;
    static constexpr QPalette::ColorRole DangerText = QPalette::BrightText;
    static constexpr QPalette::ColorRole TextOfA = QPalette::Link;
    static constexpr QPalette::ColorRole TextOfB = QPalette::LinkVisited;

    /// The palette of a whole application in this theme; fromPalette() of it gives the theme back.
    QPalette palette() const;
    /// A small application style sheet on top of Fusion.
    QString styleSheet() const;
    const ColorTable &colors(ColorMap map) const;
    /// colors(map) at `position` in 0 … 1, clamped; NaN gives transparent.
    QRgb colorAt(ColorMap map, double position) const;

    static QColor chipColor(TypeFamily family);

    static constexpr int BodyPx = 13;
    static constexpr int SmallPx = 12;
    static constexpr int TitlePx = 15;
    /// Words. Inter where it is installed, else the system's font.
    static QFont textFont(int pixelSize = BodyPx);
    static QFont strongFont(int pixelSize = BodyPx);
    /// Names, shapes and numbers; all figures equally wide.
    static QFont fixedFont(int pixelSize = SmallPx);

    bool operator==(const Theme &) const = default;
};

/// The theme a widget is shown in, from its palette. Ask again on QEvent::PaletteChange.
Theme themeOf(const QWidget *widget);

/// Fusion, palette, style sheet and font of a whole application.
void applyTheme(QApplication &app, const Theme &theme);

/// WCAG contrast of two opaque colours, 1 … 21.
double contrastRatio(const QColor &a, const QColor &b);

} // namespace ql
