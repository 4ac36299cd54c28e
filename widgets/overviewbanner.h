// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"

#include <QFrame>

class QLabel;
class QTableView;
class QToolButton;

namespace ql {

class WarningsModel;

/// What the reader found: one line with counts, and on demand a list. Hidden while there is nothing.
class OverviewBanner final : public QFrame
{
    Q_OBJECT

public:
    explicit OverviewBanner(QWidget *parent = nullptr);

    void setModel(ModelSummaryPtr model);
    void setExpanded(bool isExpanded);

signals:
    void tensorActivated(ql::TensorIndex tensor);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void makeList();
    void showSummary();
    void activateRow(const QModelIndex &index);

    WarningsModel *m_findings;
    QLabel *m_summary;
    QToolButton *m_toggle;
    QTableView *m_list = nullptr;
};

} // namespace ql
