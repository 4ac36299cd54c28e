// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"
#include "core/model/selection.h"
#include "core/model/tensorinfo.h"
#include "core/stats/comparison.h"
#include "core/stats/tensorstats.h"

#include <QTimer>
#include <QWidget>

#include <memory>
#include <optional>

class QSplitter;
class QStackedWidget;
class QStackedLayout;
class QTabWidget;

namespace ql {

class BesideBar;
class BlockPanel;
class BusyOverlay;
class CompareHeatPanel;
class ComparePanel;
class ErrorHistogramPanel;
class ExpertPanel;
class FiguresPanel;
class HeatMapPanel;
class HistogramPanel;
class StatePlaceholder;
class TensorHeader;
class ValuesPanel;

/// A tensor and which part of it: what the page shows, or waits for.
struct PageSubject {
    std::shared_ptr<const TensorInfo> tensor;
    std::optional<std::uint64_t> expert;

    explicit operator bool() const { return tensor != nullptr; }
    QString name() const;
    std::optional<std::uint64_t> byteSize() const;
};

/// What stands beside the tensor that is shown: the other file's, or one held of the same file.
struct OtherSubject {
    PageSubject subject;
    TensorStatsPtr stats;
    ComparisonPtr comparison;
};

/// The views of the selected tensor: heat map above, histogram and tabs below. What it shows always
/// stands under its own name: while a result is awaited for more than a blink, the header names the
/// new tensor and the old pictures are dimmed under theirs.
class TensorPage final : public QWidget
{
    Q_OBJECT

public:
    explicit TensorPage(QWidget *parent = nullptr);

    /// A result for this subject has been asked for.
    void await(const PageSubject &subject);
    void showStats(const PageSubject &subject, const TensorStatsPtr &stats);
    /// The other file's result for the tensor that is shown, or null.
    void setComparison(const TensorStatsPtr &stats, const PageSubject &subject);
    /// Another tensor's result of the other file has been asked for: the one before must not be shown under a
    /// new name.
    void awaitComparison();
    /// A, B and their error in place of A's heat map, or null for A alone.
    void showPair(const ComparisonPtr &comparison);
    /// Of the same file, held as B; goes before the other file's for as long as it is set. Empty: let go.
    void setHeld(const PageSubject &held);
    void showHeld(const TensorStatsPtr &stats, const ComparisonPtr &comparison);
    /// Finer cells for the subject that is shown.
    void showHeatMap(const std::shared_ptr<const HeatMap> &map);
    void showError(const PageSubject &subject, const QString &message, const QString &action = {});
    /// The awaited result was cancelled: the old one stays, dimmed, under its own name.
    void showStopped();
    void clear();
    void setSelection(const Selection &selection);
    void setProgress(std::uint64_t done, std::uint64_t total);

    HeatMapPanel *heatMap() const { return m_heatMap; }
    CompareHeatPanel *pairMaps() const { return m_pairMaps; }
    HistogramPanel *histogram() const { return m_histogram; }
    /// Below the histogram while two files are compared.
    ErrorHistogramPanel *errors() const { return m_errors; }
    FiguresPanel *figures() const { return m_figures; }
    ExpertPanel *experts() const { return m_experts; }
    BlockPanel *block() const { return m_block; }
    ValuesPanel *values() const { return m_values; }
    ComparePanel *compare() const { return m_compare; }
    TensorHeader *header() const { return m_header; }
    QTabWidget *tabs() const { return m_tabs; }
    BusyOverlay *overlay() const { return m_overlay; }
    BesideBar *besideBar() const { return m_besideBar; }
    /// Over the heat maps, while what is held is compared.
    BusyOverlay *besideOverlay() const { return m_besideOverlay; }
    StatePlaceholder *placeholder() const { return m_placeholder; }
    const PageSubject &shown() const { return m_shown; }
    TensorStatsPtr stats() const { return m_stats; }

    QByteArray saveState() const;
    void restoreState(const QByteArray &state);

signals:
    void cancelRequested();
    /// The button of an error or of a cancelled scan.
    void retryRequested();

private:
    QWidget *createViews();
    void showViews();
    void nameAwaited();
    void fitColumns(int tab);
    void fitRows();
    void showFigures();
    void showOther();
    void dropStaleOther();
    const OtherSubject &other() const { return m_held.subject ? m_held : m_fileB; }

    TensorHeader *m_header;
    BesideBar *m_besideBar;
    HeatMapPanel *m_heatMap;
    CompareHeatPanel *m_pairMaps;
    QStackedWidget *m_maps;
    HistogramPanel *m_histogram;
    ErrorHistogramPanel *m_errors;
    FiguresPanel *m_figures;
    ExpertPanel *m_experts;
    BlockPanel *m_block;
    ValuesPanel *m_values;
    ComparePanel *m_compare;
    QTabWidget *m_tabs;
    QSplitter *m_vertical;
    QSplitter *m_lower;
    QWidget *m_views;
    StatePlaceholder *m_placeholder;
    QStackedLayout *m_stack;
    BusyOverlay *m_overlay;
    BusyOverlay *m_besideOverlay;
    QTimer m_nameTimer;
    bool m_isWide = false;    ///< the tabs have the larger part of the lower half
    bool m_isLow = false;     ///< the border below the heat map lies higher
    QByteArray m_otherColumns; ///< the lower half's sizes in the state that m_isWide is not
    QList<int> m_otherRows;    ///< heights above and below the border, in the state that m_isLow is not
    PageSubject m_shown;
    PageSubject m_awaited;
    TensorStatsPtr m_stats;
    OtherSubject m_fileB;
    bool m_isOtherStale = false; ///< m_fileB belongs to the tensor before
    OtherSubject m_held;
};

} // namespace ql
