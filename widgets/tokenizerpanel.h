// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "core/model/selection.h"
#include "core/model/tokentable.h"
#include "widgets/models/arraytablemodel.h"

#include <QWidget>

class QLabel;
class QStackedLayout;
class QTableView;
class QToolButton;

namespace ql {

class CheckMenuButton;
class FilterField;
class RowSearch;
class SpecialTokensModel;
class StatePlaceholder;
class TokenTableModel;

/// A model's vocabulary: special ids, tokens with type and score, merges; filtered and sorted.
class TokenizerPanel final : public QWidget
{
    Q_OBJECT

public:
    explicit TokenizerPanel(QWidget *parent = nullptr);

    void setModel(ModelSummaryPtr model);
    /// The answer to tokensRequested(). Null: the tokenizer could not be read.
    void setTokens(TokenTablePtr tokens);
    static bool canShow(const Selection &) { return true; }
    void focusFilter();

    QByteArray saveState() const;
    bool restoreState(const QByteArray &state);

signals:
    /// The panel is on show for the first time with this model, which has a tokenizer.
    void tokensRequested();

protected:
    void showEvent(QShowEvent *event) override;

private:
    void makeTools();
    void makeTables();
    QTableView *makeTable(const QString &name, const QString &spoken, QAbstractItemModel *model);
    void requestIfShown();
    void showPage(int page);
    void showTables();
    void fillTypeMenu();
    void applyFilter();
    void showFound(const RowSet &rows);
    void showCount();
    void goToSpecial(const QModelIndex &index);

    enum Pages { TokensPage, MergesPage, StatePage };

    ModelSummaryPtr m_model;
    TokenTablePtr m_table;
    bool m_isRequested = false;
    TokenTableModel *m_tokens;
    ArrayTableModel *m_merges;
    SpecialTokensModel *m_specials;
    RowSearch *m_search;
    QWidget *m_tools = nullptr;
    FilterField *m_filter = nullptr;
    CheckMenuButton *m_types = nullptr;
    QToolButton *m_tokensButton = nullptr;
    QToolButton *m_mergesButton = nullptr;
    QTableView *m_specialTable = nullptr;
    QTableView *m_tokenTable = nullptr;
    QTableView *m_mergeTable = nullptr;
    QStackedLayout *m_stack = nullptr;
    StatePlaceholder *m_placeholder = nullptr;
    QLabel *m_count = nullptr;
};

} // namespace ql
