// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "widgets/figurestable.h"

#include <QWidget>

class QLabel;
class QStackedWidget;
class QTableView;

namespace ql {

class Card;
class StatePlaceholder;

/// The figures of the selected tensor or expert, and of B's beside them.
class FiguresPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit FiguresPanel(QWidget *parent = nullptr);

    /// Empty sources for nothing.
    void setFigures(const FiguresSource &a, const FiguresSource &b = {});
    static bool canShow(const Selection &selection) { return selection.tensor.has_value(); }
    void setError(const QString &title, const QString &detail);

    /// Of files offered, e.g. the tensor's name.
    void setSubject(const QString &name) { m_subject = name; }

    FiguresTable *table() const { return m_table; }
    QTableView *view() const { return m_view; }
    Card *card() const { return m_card; }
    /// What a cell shows, by the figure's id, e.g. ("rms", FiguresTable::A); "" for none.
    QString shown(const QString &id, FiguresTable::Columns column = FiguresTable::A) const;
    QString csv() const;

signals:
    void reported(const QString &message);

protected:
    void changeEvent(QEvent *event) override;

private:
    void buildView();
    void addActions();

    QString m_subject;
    Card *m_card;
    QLabel *m_note;
    FiguresTable *m_table;
    QTableView *m_view;
    StatePlaceholder *m_placeholder;
    QStackedWidget *m_stack;
};

} // namespace ql
