// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRegularExpression>
#include <QString>

namespace ql {

/// What a filter field says: plain text or a regular expression, case ignored. A value.
class TextMatcher
{
public:
    TextMatcher() = default;
    TextMatcher(const QString &text, bool isRegex);

    bool isEmpty() const { return m_text.isEmpty(); }
    bool isRegex() const { return m_isRegex; }
    const QString &text() const { return m_text; }
    /// False for a regular expression that can't be read; it then matches everything.
    bool isValid() const { return m_error.isEmpty(); }
    /// Why not, for the field: "missing closing parenthesis at character 4".
    const QString &error() const { return m_error; }

    bool matches(const QString &subject) const;

private:
    QString m_text;
    bool m_isRegex = false;
    QRegularExpression m_regex;
    QString m_error;
};

} // namespace ql
