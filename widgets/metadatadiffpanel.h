// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/metadatacomparison.h"

#include <QWidget>

class QLabel;
class QModelIndex;
class QSplitter;
class QStackedLayout;
class QTableView;

namespace ql {

class DiffLinesView;
class FilterField;
class MetadataDiffModel;
class MetadataDiffProxy;
class StatePlaceholder;

/// What differs between the metadata of two files: keys side by side, and below them the whole of the one
/// chosen, line by line.
class MetadataDiffPanel final : public QWidget
{
    Q_OBJECT

public:
    explicit MetadataDiffPanel(QWidget *parent = nullptr);

    /// Null: not comparing.
    void setComparison(MetadataComparisonPtr comparison);
    /// It is being worked out.
    void showPending();
    void showError(const QString &what);
    void focusFilter();

    QTableView *table() const { return m_table; }
    QString state() const; ///< what the panel says in place of a table, or ""

private:
    void makeTable();
    void makeDetail();
    void filterChanged();
    void showRow(const QModelIndex &row);
    void showState();
    void showSummary();

    MetadataComparisonPtr m_comparison;
    MetadataDiffModel *m_model;
    MetadataDiffProxy *m_proxy;
    FilterField *m_filter;
    QLabel *m_summary;
    QTableView *m_table;
    StatePlaceholder *m_placeholder;
    QWidget *m_content;
    QLabel *m_key;
    QLabel *m_facts;
    DiffLinesView *m_lines;
    QWidget *m_detail;
    QSplitter *m_splitter;
    QStackedLayout *m_stack;
};

} // namespace ql
