// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/whatiftotals.h"

#include "widgets/card.h"
#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QGridLayout>
#include <QLabel>

namespace ql {

namespace {

QString bitsText(const std::optional<double> &bits)
{
    return bits ? QLocale().toString(*bits, 'f', 2) : noValue();
}

} // namespace

WhatIfTotalsBar::WhatIfTotalsBar(QWidget *parent)
    : QWidget(parent)
{
    static constexpr const char *Titles[] = {
        QT_TR_NOOP("File size, now → then"),
        QT_TR_NOOP("Bits per weight"),
        QT_TR_NOOP("Error against the present"),
        QT_TR_NOOP("Tensors that change"),
    };
    static constexpr const char *Names[] = {"whatIfTotalSize", "whatIfTotalBits", "whatIfTotalError", "whatIfTotalTensors"};
    auto *layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setHorizontalSpacing(32);
    layout->setVerticalSpacing(2);
    for (int i = 0; i < FigureCount; ++i) {
        m_values[std::size_t(i)] = new QLabel(this);
        QLabel *value = m_values[std::size_t(i)];
        value->setObjectName(QLatin1String(Names[i]));
        value->setAccessibleName(tr(Titles[i]));
        value->setTextFormat(Qt::PlainText);
        value->setFont(Theme::fixedFont(Theme::TitlePx));
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(Card::mutedLabel(tr(Titles[i]), this), 0, i);
        layout->addWidget(value, 1, i);
    }
    layout->setColumnStretch(FigureCount, 1);
    setTotals({});
}

void WhatIfTotalsBar::set(Figure figure, const QString &text, const QString &toolTip)
{
    m_values[figure]->setText(text);
    m_values[figure]->setToolTip(toolTip);
}

void WhatIfTotalsBar::setTotals(const WhatIfTotals &totals)
{
    if (totals.measured == 0) {
        for (int i = 0; i < FigureCount; ++i)
            set(Figure(i), noValue());
        return;
    }
    set(Size, tr("%1 → %2").arg(formatBytes(totals.bytesNow), formatBytes(totals.bytesThen)),
        tr("%1 → %2").arg(formatBytesLong(totals.bytesNow), formatBytesLong(totals.bytesThen)));
    set(Bits, tr("%1 → %2").arg(bitsText(totals.bitsNow), bitsText(totals.bitsThen)));
    const QString sign = totals.estimated ? QStringLiteral("≈ ") : QString();
    const QString sqnr = totals.sqnrDb ? tr(" · %1 dB").arg(QLocale().toString(*totals.sqnrDb, 'f', 1)) : QString();
    set(Error, totals.relativeRmse ? sign + formatNumber(totals.relativeRmse) + sqnr : formatNumber(0.0),
        tr("Relative RMSE and SQNR over all weights of the measured tensors, those included that stay as they are")
            + (totals.estimated ? tr("; some tensors were only sampled") : QString()));
    set(Tensors, tr("%1 of %2 measured").arg(formatCount(totals.changed), formatCount(totals.measured)));
}

} // namespace ql
