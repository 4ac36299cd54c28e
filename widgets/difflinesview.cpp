// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/difflinesview.h"

#include "widgets/formatting.h"
#include "widgets/models/celldelegate.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QTextBlock>

#include <algorithm>

namespace ql {

namespace {

using Kind = DiffLine::Kind;

QString numberText(const DiffLine &line, int digits)
{
    const auto number = [&](bool isThere, std::uint64_t n) {
        return (isThere ? QString::number(n) : QString()).rightJustified(digits);
    };
    return number(line.kind != Kind::OnlyB, line.numberA) + QLatin1Char(' ') + number(line.kind != Kind::OnlyA, line.numberB);
}

QString lineText(const DiffLine &line, int digits)
{
    if (line.kind == Kind::Gap)
        return QString(2 * digits + 1, QLatin1Char(' ')) + DiffLinesView::tr("  … %1 the same").arg(formatCount(line.count));
    const QString marks[] = {QStringLiteral("   "), QStringLiteral(" \u2212 "), QStringLiteral(" + ")};
    QString text = QString::fromStdString(line.text);
    if (text.size() > DiffLinesView::MostInLine)
        text = text.left(DiffLinesView::MostInLine) + QStringLiteral("…");
    return numberText(line, digits) + marks[static_cast<int>(line.kind)] + text;
}

QTextCharFormat formatOf(Kind kind, const Theme &theme)
{
    QTextCharFormat format;
    const QColor colors[] = {theme.text, theme.accentText, theme.bText, theme.muted};
    format.setForeground(colors[static_cast<int>(kind)]);
    return format;
}

QTextBlockFormat blockFormatOf(Kind kind, const Theme &theme)
{
    QTextBlockFormat format;
    QColor fill = kind == Kind::OnlyA ? theme.accent : theme.b;
    fill.setAlphaF(theme.dark ? 0.16f : 0.10f);
    if (kind == Kind::OnlyA || kind == Kind::OnlyB)
        format.setBackground(fill);
    return format;
}

int digitsFor(const std::vector<DiffLine> &lines)
{
    std::uint64_t largest = 99;
    for (const DiffLine &line : lines)
        largest = std::max({largest, line.numberA, line.numberB});
    return static_cast<int>(QString::number(largest).size());
}

/// How many lines the window's thread can lay out without being noticed.
std::size_t shownLines(const std::vector<DiffLine> &lines)
{
    constexpr std::size_t MostInLine = DiffLinesView::MostInLine;
    std::size_t characters = 0;
    std::size_t n = 0;
    while (n < std::min(lines.size(), DiffLinesView::MostLines) && characters < DiffLinesView::MostCharacters)
        characters += std::min(lines[n++].text.size(), MostInLine);
    return n;
}

} // namespace

DiffLinesView::DiffLinesView(QWidget *parent) : QPlainTextEdit(parent)
{
    setObjectName(QStringLiteral("diffLines"));
    setAccessibleName(tr("What differs, line by line"));
    setReadOnly(true);
    setFrameShape(QFrame::NoFrame);
    setFont(rawFont());
    setTabChangesFocus(true);
    document()->setDocumentMargin(10);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
}

void DiffLinesView::setLines(const std::vector<DiffLine> &lines)
{
    m_lines = lines;
    fill();
}

void DiffLinesView::fill()
{
    clear();
    const Theme theme = themeOf(this);
    const int digits = digitsFor(m_lines);
    const std::size_t shown = shownLines(m_lines);
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    for (std::size_t i = 0; i < shown; ++i) {
        if (i > 0)
            cursor.insertBlock();
        cursor.setBlockFormat(blockFormatOf(m_lines[i].kind, theme));
        cursor.insertText(lineText(m_lines[i], digits), formatOf(m_lines[i].kind, theme));
    }
    if (m_lines.size() > shown) {
        cursor.insertBlock();
        cursor.setBlockFormat({});
        cursor.insertText(tr("%1 more lines are not shown").arg(formatCount(m_lines.size() - shown)),
                          formatOf(Kind::Gap, theme));
    }
    cursor.endEditBlock();
    moveCursor(QTextCursor::Start);
}

void DiffLinesView::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        fill();
}

} // namespace ql
