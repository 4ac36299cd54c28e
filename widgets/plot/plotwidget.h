// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QCustomPlot;
class QPainter;

namespace ql {

/// A plot that is worked out anew when something was set, once however much was, and not while hidden.
class PlotWidget : public QWidget
{
    Q_OBJECT
public:
    /// Rebuilds at once what is pending; the picture is up to date afterwards.
    void updateNow();
    /// Between the axes; empty where there is no room to draw anything.
    QRect plotArea() const;
    /// The picture at another size.
    void draw(QPainter &painter, const QSize &size);

protected:
    explicit PlotWidget(QWidget *parent);

    /// Call when something was set.
    void schedule();
    /// Brings m_plot up to date, in the theme's colours.
    virtual void rebuild() = 0;

    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

    QCustomPlot *const m_plot; ///< fills the widget

private:
    void rebuildFor(const QSize &size);

    bool m_dirty = true;
    bool m_scheduled = false;
};

} // namespace ql
