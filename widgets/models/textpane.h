// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QCheckBox;
class QLabel;
class QPlainTextEdit;
class QToolButton;

namespace ql {

/// A text of a file to read and copy from: fixed font, wrapped or not, never taken for markup.
class TextPane final : public QWidget
{
    Q_OBJECT

public:
    /// More than this is not laid out, and longer lines are broken for the eye: a single line of
    /// 128 Ki characters took Qt 3 seconds. The copy button gives the text as it is.
    static constexpr qsizetype MostCharacters = 256 * 1024;
    static constexpr qsizetype MostInLine = 2048;

    explicit TextPane(QWidget *parent = nullptr);

    /// `wholeBytes`: the length in the file, to say how much is left out.
    void setText(const QString &text, quint64 wholeBytes);
    const QString &text() const { return m_text; }

private:
    void setWrapped(bool isWrapped);

    QString m_text;
    QPlainTextEdit *m_edit;
    QToolButton *m_copy;
    QCheckBox *m_wrap;
    QLabel *m_note;
};

} // namespace ql
