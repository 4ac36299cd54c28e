// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/arraytablemodel.h"
#include "widgets/models/textmatcher.h"

#include <QWidget>

class QLabel;
class QStackedLayout;
class QTableView;

namespace ql {

class FilterField;
class StatePlaceholder;

/// One array of metadata, however long: index and value, scrolled and filtered.
class ArrayView final : public QWidget
{
    Q_OBJECT

public:
    /// Longer lists are filtered by someone else, off the window's thread.
    static constexpr std::size_t FilterHere = 10'000;

    explicit ArrayView(QWidget *parent = nullptr);

    /// The elements are on their way.
    void showPending();
    /// Null: they could not be read.
    void setListing(ArrayListingPtr listing);
    /// The answer to filterRequested().
    void setFilteredRows(RowSet rows);

signals:
    void filterRequested(const QString &text, bool isRegex);

private:
    void applyFilter(const TextMatcher &matcher);
    void filterHere(const TextMatcher &matcher);
    void showRows(RowSet rows);
    void showCount();

    ArrayTableModel *m_model;
    FilterField *m_filter;
    QTableView *m_table;
    QLabel *m_count;
    StatePlaceholder *m_placeholder;
    QStackedLayout *m_stack;
    bool m_isWaiting = false; ///< for filtered rows
};

} // namespace ql
