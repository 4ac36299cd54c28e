// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/histogram.h"
#include "widgets/plot/histogrambins.h"
#include "widgets/plot/plotwidget.h"

#include <memory>
#include <optional>

namespace ql {

/// What to show of an error histogram first: at most the middle 99.8 % and as much again on either
/// side, with zero inside.
ValueRange firstErrorRange(const Histogram &histogram);

/// The distribution of a − b: fed with bins, never with weights. Wheel zooms, a drag pans, a double
/// click fits.
class ErrorPlot final : public PlotWidget
{
    Q_OBJECT
public:
    explicit ErrorPlot(QWidget *parent = nullptr);

    /// Null for nothing. Shared: a comparison owns its histogram.
    void setHistogram(const std::shared_ptr<const Histogram> &histogram);
    void setLogarithmicY(bool logarithmic);

    const DrawnBins &bins() const { return m_bins; } ///< as last drawn
    ValueRange visibleRange() const { return m_range; }
    void setVisibleRange(const ValueRange &range);
    double pixelOf(double error) const;

    QSize sizeHint() const override { return {520, 200}; }
    QSize minimumSizeHint() const override { return {200, 96}; }

signals:
    /// The bin under the mouse (index into bins().counts), or nothing.
    void binHovered(const std::optional<std::size_t> &bin);
    void visibleRangeChanged();

protected:
    void leaveEvent(QEvent *event) override;

private:
    void connectMouse();
    void rebuild() override;
    void fillGraph();
    void zoom(double pixel, double factor);

    std::shared_ptr<const Histogram> m_histogram;
    DrawnBins m_bins;
    ValueRange m_range{0, 1};
    bool m_logY = true;
    std::optional<double> m_dragged; ///< the error under the pointer when the drag began
};

} // namespace ql
