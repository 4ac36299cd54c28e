// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/filterfield.h"

#include "widgets/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

namespace ql {

namespace {

QToolButton *makeRegexButton(const QString &name, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setObjectName(name);
    button->setProperty("chipButton", true);
    button->setText(QStringLiteral(".*"));
    button->setCheckable(true);
    button->setToolTip(FilterField::tr("Regular expression"));
    button->setAccessibleName(FilterField::tr("Filter is a regular expression"));
    return button;
}

QLineEdit *makeEdit(const QString &name, const QString &placeholder, QWidget *parent)
{
    auto *edit = new QLineEdit(parent);
    edit->setObjectName(name);
    edit->setPlaceholderText(placeholder);
    edit->setAccessibleName(placeholder);
    edit->setClearButtonEnabled(true);
    edit->setMinimumWidth(96);
    return edit;
}

QLabel *makeErrorLabel(const QString &name, QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setFont(Theme::textFont(Theme::SmallPx));
    label->setForegroundRole(QPalette::BrightText); // the theme's colour of errors
    label->hide();
    return label;
}

} // namespace

FilterField::FilterField(const QString &name, const QString &placeholder, QWidget *parent)
    : QWidget(parent)
    , m_edit(makeEdit(name + QLatin1String("Edit"), placeholder, this))
    , m_regex(makeRegexButton(name + QLatin1String("Regex"), this))
    , m_error(makeErrorLabel(name + QLatin1String("Error"), this))
{
    setObjectName(name);
    auto *layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_edit, 0, 0);
    layout->addWidget(m_regex, 0, 1);
    layout->addWidget(m_error, 1, 0, 1, 2);
    layout->setColumnStretch(0, 1);
    setFocusProxy(m_edit);
    connect(m_edit, &QLineEdit::textChanged, this, &FilterField::applyText);
    connect(m_regex, &QToolButton::toggled, this, &FilterField::applyText);
    showError();
}

void FilterField::setFilter(const QString &text, bool isRegex)
{
    {
        const QSignalBlocker quiet(m_regex);
        m_regex->setChecked(isRegex);
        const QSignalBlocker quietToo(m_edit);
        m_edit->setText(text);
    }
    applyText();
}

void FilterField::focusEdit()
{
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

void FilterField::applyText()
{
    m_matcher = TextMatcher(m_edit->text(), m_regex->isChecked());
    showError();
    if (m_matcher.isValid())
        emit matcherChanged(m_matcher);
}

void FilterField::showError()
{
    m_error->setText(m_matcher.error());
    m_error->setVisible(!m_matcher.isValid());
    m_edit->setToolTip(m_matcher.error());
    m_edit->setAccessibleDescription(m_matcher.error());
}

} // namespace ql
