// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/textmatcher.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace ql {

/// "filter…" with a toggle for regular expressions; says below itself why one can't be read.
class FilterField final : public QWidget
{
    Q_OBJECT

public:
    /// `name` becomes the object names: name + "Edit", "Regex", "Error".
    FilterField(const QString &name, const QString &placeholder, QWidget *parent = nullptr);

    const TextMatcher &matcher() const { return m_matcher; }
    void setFilter(const QString &text, bool isRegex);
    void focusEdit();

signals:
    /// Told while a person types; not while the expression is broken.
    void matcherChanged(const ql::TextMatcher &matcher);

private:
    void applyText();
    void showError();

    TextMatcher m_matcher;
    QLineEdit *m_edit;
    QToolButton *m_regex;
    QLabel *m_error;
};

} // namespace ql
