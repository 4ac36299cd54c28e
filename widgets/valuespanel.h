// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "core/stats/valuespage.h"

#include <QWidget>

#include <cstdint>
#include <optional>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace ql {

class Card;
class ChoiceBox;
class StatePlaceholder;
class ValuesView;

/// "12, 345", "row 12 345", "1,234;5" … a row and a column, or a row alone: digits may be grouped.
/// Nothing where it is no place.
std::optional<ValuePosition> parsePlace(const QString &text);

/// The Values view: the numbers of a tensor or expert, with jump, search and colours.
class ValuesPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit ValuesPanel(QWidget *parent = nullptr);

    /// The tensor or expert to show; no rows = nothing selected. Forgets everything about the last.
    void setShape(std::uint64_t rows, std::uint64_t columns, const QString &name = {});
    void setPage(ValuesPagePtr page);
    /// The other file's tensor has the same shape: its numbers and the differences can be shown. After
    /// setShape(), which ends it.
    void setComparing(bool comparing);
    void setPageB(ValuesPagePtr page);
    /// Instead of values: why there are none.
    void setError(const QString &what);
    /// Moves the current cell. A change from outside: no signal.
    void setSelection(const Selection &selection);
    /// The answer to findRequested(): selects the weight, or says that there is none.
    void setFound(const std::optional<FoundValue> &found);
    void setFindProgress(std::uint64_t done, std::uint64_t total);
    /// It was cancelled or went wrong.
    void setFindEnded(const QString &message = {});
    /// Magnitude at the ends of the colour scale, e.g. four times the tensor's RMS.
    void setColorRange(std::optional<double> magnitude);

    static bool canShow(const Selection &selection) { return selection.tensor.has_value(); }
    ValuesView *view() const { return m_view; }
    QString note() const;

signals:
    void pageRequested(const ql::ValuesWindow &window);
    void pageBRequested(const ql::ValuesWindow &window);
    void cellSelected(std::uint64_t row, std::uint64_t column);
    void findRequested(const ql::FindQuery &query, const std::optional<ql::ValuePosition> &after);
    void findCancelled();

private:
    void buildHeader();
    QStringList currentTexts() const;
    void jump();
    void find();
    void showNote(const QString &text, bool isProblem = false);
    void showPlace();
    void updateState();
    FindQuery query() const;

    Card *m_card;
    ValuesView *m_view;
    StatePlaceholder *m_state;
    QLineEdit *m_jump;
    ChoiceBox *m_shown;
    ChoiceBox *m_what;
    QLineEdit *m_bound;
    QPushButton *m_find;
    QCheckBox *m_colored;
    QLabel *m_note;
    QString m_error;
    QString m_name;
    bool m_comparing = false;
    bool m_finding = false;
    bool m_noteIsPlace = false;
};

} // namespace ql
