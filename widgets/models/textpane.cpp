// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/textpane.h"

#include "widgets/card.h"
#include "widgets/formatting.h"
#include "widgets/models/celldelegate.h"

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace ql {

namespace {

/// What a summary keeps of a string (MetadataSummary::text).
constexpr quint64 SummaryBytes = 1024 * 1024;

/// `text` with no line longer than TextPane::MostInLine.
QString withShortLines(const QString &text)
{
    QString result;
    result.reserve(text.size());
    qsizetype inLine = 0;
    for (const QChar c : text) {
        inLine = c == QLatin1Char('\n') ? 0 : inLine + 1;
        if (inLine > TextPane::MostInLine && !c.isLowSurrogate()) {
            result += QLatin1Char('\n');
            inLine = 1;
        }
        result += c;
    }
    return result;
}

} // namespace

TextPane::TextPane(QWidget *parent)
    : QWidget(parent)
    , m_edit(new QPlainTextEdit(this))
    , m_copy(new QToolButton(this))
    , m_wrap(new QCheckBox(tr("wrap lines"), this))
    , m_note(Card::mutedLabel({}, this))
{
    m_edit->setObjectName(QStringLiteral("valueText"));
    m_edit->setAccessibleName(tr("Value"));
    m_edit->setReadOnly(true);
    m_edit->setFrameShape(QFrame::NoFrame);
    m_edit->setFont(rawFont());
    m_edit->document()->setDocumentMargin(10);
    m_edit->setTabStopDistance(4 * QFontMetricsF(rawFont()).horizontalAdvance(QLatin1Char(' ')));
    m_edit->setTabChangesFocus(true);
    m_wrap->setObjectName(QStringLiteral("wrapToggle"));
    m_wrap->setAccessibleName(tr("Wrap long lines"));
    m_wrap->setChecked(true);
    m_copy->setObjectName(QStringLiteral("copyValue"));
    m_copy->setProperty("chipButton", true);
    m_copy->setText(tr("copy"));
    m_copy->setAccessibleName(tr("Copy the value"));
    m_note->setObjectName(QStringLiteral("textNote"));
    m_note->setTextFormat(Qt::PlainText);
    auto *line = new QHBoxLayout;
    line->setContentsMargins(12, 4, 12, 6);
    line->addWidget(m_note, 1);
    line->setSpacing(8);
    line->addWidget(m_wrap);
    line->addWidget(m_copy);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_edit, 1);
    layout->addLayout(line);
    connect(m_copy, &QToolButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_text); });
    connect(m_wrap, &QCheckBox::toggled, this, &TextPane::setWrapped);
}

void TextPane::setText(const QString &text, quint64 wholeBytes)
{
    m_text = text;
    const QString start = text.left(MostCharacters);
    const QString shown = withShortLines(start);
    m_edit->setPlainText(shown);
    const bool isCut = start.size() < text.size() || wholeBytes > SummaryBytes;
    QStringList notes;
    if (isCut)
        notes << tr("the first %1 characters of %2")
                     .arg(formatCount(static_cast<quint64>(start.size())), formatBytes(wholeBytes));
    if (shown.size() > start.size())
        notes << tr("long lines are broken here");
    m_note->setText(notes.join(QStringLiteral(" · ")));
}

void TextPane::setWrapped(bool isWrapped)
{
    m_edit->setLineWrapMode(isWrapped ? QPlainTextEdit::WidgetWidth : QPlainTextEdit::NoWrap);
}

} // namespace ql
