// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/whatifbudget.h"

#include "widgets/card.h"
#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QSlider>

#include <cmath>

namespace ql {

namespace {

constexpr int Steps = 1000;

struct Unit {
    const char *name;
    double bytes;
};
constexpr Unit Units[] = {{"", 1}, {"b", 1}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
                          {"kib", 0x1p10}, {"mib", 0x1p20}, {"gib", 0x1p30}, {"tib", 0x1p40}};

} // namespace

std::optional<std::uint64_t> parseByteSize(const QString &text)
{
    static const QRegularExpression form(QStringLiteral("^\\s*([0-9][0-9.,'\\x{202f}\\x{a0}]*)\\s*([a-zA-Z]*)\\s*$"));
    const auto match = form.match(text);
    bool ok = false;
    double number = QLocale().toDouble(match.captured(1), &ok);
    if (!ok)
        number = QLocale::c().toDouble(match.captured(1), &ok);
    if (!match.hasMatch() || !ok || !(number > 0))
        return std::nullopt;
    const QString name = match.captured(2).toLower();
    for (const Unit &unit : Units) {
        const double bytes = number * unit.bytes;
        if (name == QLatin1String(unit.name) && bytes < 0x1p62)
            return static_cast<std::uint64_t>(bytes);
    }
    return std::nullopt;
}

WhatIfBudget::WhatIfBudget(QWidget *parent)
    : QWidget(parent)
    , m_slider(new QSlider(Qt::Horizontal, this))
    , m_edit(new QLineEdit(this))
    , m_note(Card::mutedLabel({}, this))
{
    const QString how = tr("Chooses a type for every measured tensor so that the file stays within this size.\n"
                           "Each starts at its smallest type; then, among all steps to a larger one, the step that saves\n"
                           "the most squared error (over the tensor's energy) a byte is taken, for as long as it fits.\n"
                           "The type a tensor has now counts as a choice without error.");
    auto *label = Card::mutedLabel(tr("best under"), this);
    m_slider->setObjectName(QStringLiteral("whatIfSlider"));
    m_slider->setAccessibleName(tr("Budget for the file's size"));
    m_slider->setRange(0, Steps);
    m_slider->setPageStep(Steps / 20);
    m_slider->setMinimumWidth(160);
    m_edit->setObjectName(QStringLiteral("whatIfBudget"));
    m_edit->setAccessibleName(tr("Budget for the file's size, such as 6 GB"));
    m_edit->setPlaceholderText(tr("6 GB"));
    m_edit->setFont(Theme::fixedFont());
    m_edit->setFixedWidth(108);
    m_note->setObjectName(QStringLiteral("whatIfBudgetNote"));
    for (QWidget *widget : {static_cast<QWidget *>(label), static_cast<QWidget *>(m_slider), static_cast<QWidget *>(m_edit)})
        widget->setToolTip(how);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(label);
    layout->addWidget(m_slider, 2);
    layout->addWidget(m_edit);
    layout->addWidget(m_note, 1);
    connect(m_slider, &QSlider::valueChanged, this, &WhatIfBudget::slide);
    connect(m_edit, &QLineEdit::editingFinished, this, &WhatIfBudget::enter);
    setRange(0, 0);
}

void WhatIfBudget::setRange(std::uint64_t smallest, std::uint64_t largest)
{
    m_smallest = smallest;
    m_largest = largest;
    setEnabled(largest > smallest);
}

void WhatIfBudget::setValue(std::uint64_t bytes)
{
    const QSignalBlocker quiet(m_slider);
    const double range = static_cast<double>(m_largest - m_smallest);
    const double share = range > 0 ? (static_cast<double>(bytes) - static_cast<double>(m_smallest)) / range : 0;
    if (!m_slider->isSliderDown())
        m_slider->setValue(static_cast<int>(std::lround(share * Steps)));
    if (!m_edit->hasFocus())
        m_edit->setText(bytes > 0 ? formatBytes(bytes) : QString());
}

void WhatIfBudget::setNote(const QString &text) { m_note->setText(text); }

void WhatIfBudget::slide(int position)
{
    const double range = static_cast<double>(m_largest - m_smallest);
    const auto more = static_cast<std::uint64_t>(range * position / Steps);
    emit budgetChosen(position == Steps ? m_largest : m_smallest + more);
}

void WhatIfBudget::enter()
{
    if (!m_edit->isModified())
        return; // only looked at
    m_edit->setModified(false);
    if (const auto bytes = parseByteSize(m_edit->text()))
        emit budgetChosen(*bytes);
    else
        setNote(tr("“%1” is no size such as 6 GB").arg(m_edit->text()));
}

} // namespace ql
