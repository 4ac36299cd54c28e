// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/textmatcher.h"

#include <QCoreApplication>

namespace ql {

namespace {

// A pattern such as (a+)+$ may backtrack for ever; the limit ends a match after a few milliseconds.
constexpr QLatin1String MatchLimit("(*LIMIT_MATCH=50000)");

} // namespace

TextMatcher::TextMatcher(const QString &text, bool isRegex) : m_text(text), m_isRegex(isRegex)
{
    if (!isRegex || text.isEmpty())
        return;
    m_regex = QRegularExpression(MatchLimit + text, QRegularExpression::CaseInsensitiveOption);
    if (!m_regex.isValid()) {
        const auto at = m_regex.patternErrorOffset() - MatchLimit.size();
        m_error = QCoreApplication::translate("TextMatcher", "%1 at character %2")
                      .arg(m_regex.errorString())
                      .arg(qMax<qsizetype>(at, 0) + 1);
    }
}

bool TextMatcher::matches(const QString &subject) const
{
    if (m_text.isEmpty() || !isValid())
        return true;
    return m_isRegex ? m_regex.match(subject).hasMatch()
                     : subject.contains(m_text, Qt::CaseInsensitive);
}

} // namespace ql
