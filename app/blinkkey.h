// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace ql {

class CompareHeatPanel;

/// Hold B anywhere in the window to see B's heat map in A's place, as long as the maps are shown and
/// nobody is writing. The maps end it themselves when the key is let go.
class BlinkKey final : public QObject
{
    Q_OBJECT
public:
    BlinkKey(QWidget *window, CompareHeatPanel *maps);

    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QWidget *m_window;
    CompareHeatPanel *m_maps;
};

} // namespace ql
