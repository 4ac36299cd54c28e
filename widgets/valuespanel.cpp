// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/valuespanel.h"

#include "widgets/card.h"
#include "widgets/choicebox.h"
#include "widgets/formatting.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"
#include "widgets/valuesview.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QShortcut>
#include <QVBoxLayout>

namespace ql {

namespace {

using What = FindQuery::What;

struct SearchKind {
    What what;
    const char *text;
    bool hasBound;
};

constexpr SearchKind SearchKinds[] = {
    {What::NaN, QT_TRANSLATE_NOOP("ValuesPanel", "NaN"), false},
    {What::Inf, QT_TRANSLATE_NOOP("ValuesPanel", "Inf"), false},
    {What::ZeroBlock, QT_TRANSLATE_NOOP("ValuesPanel", "zero block"), false},
    {What::MagnitudeAbove, QT_TRANSLATE_NOOP("ValuesPanel", "|w| above"), true},
    {What::Above, QT_TRANSLATE_NOOP("ValuesPanel", "w above"), true},
    {What::Below, QT_TRANSLATE_NOOP("ValuesPanel", "w below"), true},
};

const SearchKind &kindOf(What what)
{
    return *std::ranges::find(SearchKinds, what, &SearchKind::what);
}

/// "12,345" or "12 345" -> 12345.
std::optional<std::uint64_t> parseGrouped(QString digits)
{
    static const QRegularExpression groupSigns(QStringLiteral("[\\s,.'_\u00a0\u202f]"));
    digits.remove(groupSigns);
    bool ok = false;
    const std::uint64_t value = digits.toULongLong(&ok);
    return ok ? std::optional(value) : std::nullopt;
}

} // namespace

std::optional<ValuePosition> parsePlace(const QString &text)
{
    // A group is three digits behind a grouping sign, so that "12, 345" and "1,234,567" both mean
    // what they say; a comma with a blank always parts row and column.
    static const QRegularExpression place(QStringLiteral(
        "^\\s*(?:row\\s+)?(\\d{1,3}(?:[,.'_\u00a0\u202f]\\d{3})+|\\d+)"
        "(?:\\s*[,;:x]\\s+|\\s*[;:x]\\s*|\\s+(?:column\\s+)?|\\s*,\\s*(?:column\\s+)?|$)"
        "(\\d{1,3}(?:[,.'_\u00a0\u202f]\\d{3})+|\\d+)?\\s*$"));
    const QRegularExpressionMatch match = place.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    const auto row = parseGrouped(match.captured(1));
    const auto column = match.captured(2).isEmpty() ? std::optional<std::uint64_t>(0)
                                                    : parseGrouped(match.captured(2));
    if (!row || !column)
        return std::nullopt;
    return ValuePosition{*row, *column};
}

ValuesPanel::ValuesPanel(QWidget *parent)
    : QWidget(parent)
    , m_card(new Card({}, this))
    , m_view(new ValuesView(this))
    , m_state(new StatePlaceholder(this))
    , m_jump(new QLineEdit(this))
    , m_shown(new ChoiceBox(tr("show"), this))
    , m_what(new ChoiceBox(tr("find"), this))
    , m_bound(new QLineEdit(this))
    , m_find(new QPushButton(tr("Find next"), this))
    , m_colored(new QCheckBox(tr("Colour"), this))
    , m_note(Card::mutedLabel({}, this))
{
    setObjectName(QStringLiteral("valuesPanel"));
    setAccessibleName(tr("Values"));
    buildHeader();
    m_note->setObjectName(QStringLiteral("valuesNote"));
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_card->body()->addWidget(m_view, 1);
    m_card->body()->addWidget(m_note);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_card);
    layout->addWidget(m_state);

    connect(m_view, &ValuesView::pageRequested, this, &ValuesPanel::pageRequested);
    connect(m_view, &ValuesView::pageBRequested, this, &ValuesPanel::pageBRequested);
    connect(m_view, &ValuesView::cellSelected, this, &ValuesPanel::cellSelected);
    connect(m_view, &ValuesView::cellSelected, this, &ValuesPanel::showPlace);
    connect(m_view, &ValuesView::reported, this, [this](const QString &text) { showNote(text); });
    connect(m_jump, &QLineEdit::returnPressed, this, &ValuesPanel::jump);
    connect(m_bound, &QLineEdit::returnPressed, this, &ValuesPanel::find);
    connect(m_find, &QPushButton::clicked, this, &ValuesPanel::find);
    connect(m_colored, &QCheckBox::toggled, m_view, &ValuesView::setColored);
    updateState();
}

void ValuesPanel::buildHeader()
{
    m_jump->setObjectName(QStringLiteral("valuesJump"));
    m_jump->setAccessibleName(tr("Go to row, column"));
    m_jump->setPlaceholderText(tr("row, column"));
    m_jump->setToolTip(tr("Go to a row and column, e.g. 12, 345. Enter goes there."));
    m_jump->setMaximumWidth(150);
    m_shown->setObjectName(QStringLiteral("valuesShown"));
    m_shown->setAccessibleName(tr("Whose values to show"));
    m_shown->addItem(tr("A, B, A \u2212 B"), static_cast<int>(ValuesShown::All));
    m_shown->addItem(tr("A"), static_cast<int>(ValuesShown::A));
    m_shown->addItem(tr("B"), static_cast<int>(ValuesShown::B));
    m_shown->addItem(tr("A \u2212 B"), static_cast<int>(ValuesShown::Difference));
    m_shown->setVisible(false);
    connect(m_shown, &QComboBox::currentIndexChanged, this, [this] { setComparing(m_comparing); });
    m_what->setObjectName(QStringLiteral("valuesFindWhat"));
    m_what->setAccessibleName(tr("What to find"));
    for (const SearchKind &kind : SearchKinds)
        m_what->addItem(tr(kind.text), static_cast<int>(kind.what));
    m_bound->setObjectName(QStringLiteral("valuesBound"));
    m_bound->setAccessibleName(tr("Bound"));
    m_bound->setPlaceholderText(tr("bound"));
    m_bound->setMaximumWidth(90);
    m_find->setObjectName(QStringLiteral("valuesFind"));
    m_colored->setObjectName(QStringLiteral("valuesColored"));
    m_colored->setToolTip(tr("Colour the cells by their values"));
    connect(m_what, &QComboBox::currentIndexChanged, this,
            [this] { m_bound->setVisible(kindOf(query().what).hasBound); });
    m_bound->setVisible(false);
    for (QWidget *widget : std::initializer_list<QWidget *>{m_shown, m_jump, m_what, m_bound, m_find})
        m_card->header()->addWidget(widget);
    m_card->header()->addStretch();
    m_card->header()->addWidget(m_colored);
}

void ValuesPanel::setShape(std::uint64_t rows, std::uint64_t columns, const QString &name)
{
    m_error.clear();
    m_view->setShape(rows, columns);
    setComparing(false);
    m_view->setColorRange(std::nullopt);
    m_name = name;
    m_card->setTitle(name);
    setFindEnded();
    updateState();
    showPlace();
}

void ValuesPanel::setPage(ValuesPagePtr page)
{
    m_view->setPage(std::move(page));
    if (m_noteIsPlace) // its value may be there now; other news stays
        showPlace();
}

void ValuesPanel::setComparing(bool comparing)
{
    if (m_comparing && !comparing)
        m_view->forgetB();
    m_comparing = comparing;
    m_shown->setVisible(comparing);
    m_card->setTitle(comparing ? QString() : m_name); // the page's header says it; the switch needs the room
    m_view->setShown(comparing ? static_cast<ValuesShown>(m_shown->currentData().toInt()) : ValuesShown::A);
    if (m_noteIsPlace)
        showPlace();
}

void ValuesPanel::setPageB(ValuesPagePtr page)
{
    m_view->setPage(std::move(page), ValuesOf::B);
    if (m_noteIsPlace)
        showPlace();
}

void ValuesPanel::setError(const QString &what)
{
    m_error = what;
    m_view->setRequestFailed();
    updateState();
}

void ValuesPanel::setSelection(const Selection &selection)
{
    if (selection.row || selection.column)
        m_view->setCurrent({selection.row.value_or(0), selection.column.value_or(0)});
    showPlace();
}

void ValuesPanel::setColorRange(std::optional<double> magnitude)
{
    m_view->setColorRange(magnitude);
}

QString ValuesPanel::note() const
{
    return m_note->text();
}

void ValuesPanel::jump()
{
    const auto place = parsePlace(m_jump->text());
    const ValuesGeometry &table = m_view->geometryOfTable();
    if (!place)
        return showNote(tr("A row and a column, please: 12, 345"), true);
    if (place->row >= table.rows || place->column >= table.columns)
        return showNote(tr("There are %1 rows of %2 weights, numbered from 0")
                            .arg(formatCount(table.rows), formatCount(table.columns)),
                        true);
    m_view->selectCell({place->row, place->column});
    m_view->setFocus();
}

FindQuery ValuesPanel::query() const
{
    return {static_cast<What>(m_what->currentData().toInt()), parseNumber(m_bound->text()).value_or(0)};
}

void ValuesPanel::find()
{
    if (m_finding) {
        emit findCancelled();
        return;
    }
    if (kindOf(query().what).hasBound && !parseNumber(m_bound->text())) {
        m_bound->setFocus();
        return showNote(tr("A number to compare with, please"), true);
    }
    m_finding = true;
    m_find->setText(tr("Cancel"));
    showNote(tr("Searching\u2026"));
    const auto at = m_view->current();
    emit findRequested(query(),
                       at ? std::optional(ValuePosition{at->row, at->column}) : std::nullopt);
}

void ValuesPanel::setFindProgress(std::uint64_t done, std::uint64_t total)
{
    if (m_finding && total > 0)
        showNote(tr("Searching\u2026 %1")
                     .arg(formatPercent(static_cast<double>(done) / static_cast<double>(total))));
}

void ValuesPanel::setFindEnded(const QString &message)
{
    m_finding = false;
    m_find->setText(tr("Find next"));
    showNote(message, !message.isEmpty());
}

void ValuesPanel::setFound(const std::optional<FoundValue> &found)
{
    setFindEnded();
    if (!found)
        return showNote(tr("None here: %1").arg(m_what->currentText()));
    m_view->selectCell({found->row, found->column});
    const QString where = tr("row %1, column %2: %3")
                              .arg(formatCount(found->row), formatCount(found->column),
                                   inLocale(exactNumber(found->value)));
    showNote(found->wrapped ? tr("%1 \u00b7 searched on from the start").arg(where) : where);
}

void ValuesPanel::showNote(const QString &text, bool isProblem)
{
    m_noteIsPlace = false;
    m_note->setText(text);
    m_note->setForegroundRole(isProblem ? Theme::DangerText : Theme::MutedText);
}

/// What is known of the current cell: "0.25", or "A 0.25", "B 0.5", "A − B -0.25".
QStringList ValuesPanel::currentTexts() const
{
    static const QString names[] = {QStringLiteral("A "), QStringLiteral("B "), QStringLiteral("A \u2212 B ")};
    QStringList texts;
    for (const ValuesOf of : {ValuesOf::A, ValuesOf::B, ValuesOf::Difference})
        if (const auto text = m_view->cellText(*m_view->current(), of))
            texts << (m_comparing ? names[static_cast<int>(of)] : QString()) + inLocale(*text);
    return texts;
}

void ValuesPanel::showPlace()
{
    const auto place = m_view->current();
    if (!place || m_finding)
        return;
    QStringList parts{tr("row %1, column %2").arg(formatCount(place->row), formatCount(place->column))};
    parts += currentTexts();
    const ValuesGeometry &table = m_view->geometryOfTable();
    parts << tr("%1 rows of %2 weights").arg(formatCount(table.rows), formatCount(table.columns));
    showNote(parts.join(QStringLiteral(" \u00b7 ")));
    m_noteIsPlace = true;
}

void ValuesPanel::updateState()
{
    const bool isShown = m_error.isEmpty() && !m_view->geometryOfTable().isEmpty();
    m_card->setVisible(isShown);
    m_state->setVisible(!isShown);
    if (!m_error.isEmpty())
        m_state->showError(tr("These values can't be shown"), m_error);
    else if (!isShown)
        m_state->showEmpty(tr("No tensor selected"),
                           tr("Choose a tensor or an expert on the left to see its weights."));
}

} // namespace ql
