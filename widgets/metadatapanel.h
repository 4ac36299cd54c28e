// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "core/model/selection.h"
#include "widgets/models/arraytablemodel.h"

#include <QWidget>

#include <optional>

class QLabel;
class QSplitter;
class QStackedLayout;
class QToolButton;

namespace ql {

class ArrayView;
class FilterField;
class MetadataFilterProxy;
class MetadataTreeModel;
class StatePlaceholder;
class TextPane;
class TreeView;

/// A model's metadata: keys as a tree, typed values, and below it the whole of the one chosen: a
/// long text to read, or an array to scroll.
class MetadataPanel final : public QWidget
{
    Q_OBJECT

public:
    explicit MetadataPanel(QWidget *parent = nullptr);

    void setModel(ModelSummaryPtr model);
    static bool canShow(const Selection &) { return true; }

    /// Shows an entry, as if a person had chosen it.
    void showEntry(int metadataIndex);
    /// The answer to arrayRequested(); dropped if another entry is shown by now. Null: it failed.
    void setArray(int metadataIndex, ArrayListingPtr listing);
    /// The answer to arrayFilterRequested().
    void setArrayFilter(RowSet rows);
    void focusFilter();
    /// How many keys another file that is open beside does not have alike; nothing: none is.
    void setDifferences(std::optional<std::size_t> keys);

    QByteArray saveState() const;
    bool restoreState(const QByteArray &state);

signals:
    void differencesRequested();
    /// An array is on show: its elements are wanted.
    void arrayRequested(int metadataIndex);
    /// The elements of a long array that match are wanted; the newest request counts.
    void arrayFilterRequested(int metadataIndex, const QString &text, bool isRegex);

private:
    QLayout *makeDifferences();
    void makeTree();
    void makeDetail();
    void showDetail(std::optional<int> entry);
    void showValue(const MetadataSummary &entry);
    void showState();
    void filterChanged();

    ModelSummaryPtr m_model;
    MetadataTreeModel *m_entries;
    MetadataFilterProxy *m_proxy;
    FilterField *m_filter;
    QToolButton *m_differences;
    TreeView *m_tree = nullptr;
    StatePlaceholder *m_placeholder = nullptr;
    QStackedLayout *m_stack = nullptr;
    QSplitter *m_splitter = nullptr;
    QLabel *m_key = nullptr;
    QLabel *m_facts = nullptr;
    QStackedLayout *m_detail = nullptr;
    StatePlaceholder *m_noDetail = nullptr;
    TextPane *m_text = nullptr;
    ArrayView *m_array = nullptr;
    std::optional<int> m_shown;
    bool m_isQuiet = false; ///< rows move for reasons other than a person
};

} // namespace ql
