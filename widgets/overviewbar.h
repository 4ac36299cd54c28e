// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/totalsmodel.h"

#include <QWidget>

namespace ql {

/// Bytes by type as one bar, a piece a type in the colour of its chip; pointing names it.
class ShareBar final : public QWidget
{
    Q_OBJECT

public:
    explicit ShareBar(QWidget *parent = nullptr);

    void setTotals(std::vector<GroupTotal> totals);
    /// Where the pieces are, in the order of the totals.
    std::vector<QRectF> pieces() const;

    QSize sizeHint() const override { return {240, 22}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    std::vector<GroupTotal> m_totals;
    double m_bytes = 0;
};

} // namespace ql
