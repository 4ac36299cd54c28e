// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/whatiftable.h"

#include <QWidget>

#include <array>

class QLabel;

namespace ql {

/// What the choice comes to against the present: size, bits per weight, error, tensors.
class WhatIfTotalsBar final : public QWidget
{
    Q_OBJECT

public:
    explicit WhatIfTotalsBar(QWidget *parent = nullptr);

    void setTotals(const WhatIfTotals &totals);

private:
    enum Figure { Size, Bits, Error, Tensors, FigureCount };
    void set(Figure figure, const QString &text, const QString &toolTip = {});

    std::array<QLabel *, FigureCount> m_values{};
};

} // namespace ql
