// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/valuespage.h"
#include "widgets/valuesgeometry.h"

#include <QAbstractScrollArea>
#include <QTimer>

#include <array>
#include <deque>
#include <optional>
#include <vector>

class QPainter;

namespace ql {

struct Theme;

/// Whose numbers a table of weights shows.
enum class ValuesOf { A, B, Difference };
/// One of them, or all three in every cell.
enum class ValuesShown { A, B, Difference, All };

/// A table of weights of any size: it asks for what comes into sight and draws placeholders until it
/// is there. Positions are 64-bit; rows and columns are numbered in file order from 0. A second
/// tensor of the same shape can stand beside the first, and the difference of the two, a - b.
class ValuesView final : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit ValuesView(QWidget *parent = nullptr);

    /// Another tensor or expert: forgets all pages and goes to the first cell.
    void setShape(std::uint64_t rows, std::uint64_t columns);
    /// An answer to pageRequested() (or pageBRequested()), or any other part of the same tensor.
    void setPage(ValuesPagePtr page, ValuesOf of = ValuesOf::A);
    /// B and the difference need pages of both: pageBRequested() asks for B's.
    void setShown(ValuesShown shown);
    ValuesShown shown() const { return m_shown; }
    /// B is another tensor now, or none.
    void forgetB();
    /// The last request was in vain: nothing is asked for again until something changes.
    void setRequestFailed();

    /// Moves the current cell and shows it. No signal.
    void setCurrent(const CellPlace &place);
    std::optional<CellPlace> current() const { return m_current; }
    /// Moves it as a user does: with a signal.
    void selectCell(const CellPlace &place, bool extend = false);
    ValuesWindow selection() const;

    void setColored(bool colored);
    /// The magnitude at both ends of the colour scale; nothing = the largest one loaded.
    void setColorRange(std::optional<double> magnitude);

    const ValuesGeometry &geometryOfTable() const { return m_geometry; }
    /// What a cell shows; nothing while its page is not there.
    std::optional<QString> cellText(const CellPlace &place, ValuesOf of) const;
    /// A's, or the one that is shown instead.
    std::optional<QString> cellText(const CellPlace &place) const;
    bool isCovered(const ValuesWindow &window) const;

public slots:
    /// The selection as tab-separated text; asks for what is not there yet.
    void copySelection();

signals:
    void pageRequested(const ql::ValuesWindow &window);
    void pageBRequested(const ql::ValuesWindow &window);
    void cellSelected(std::uint64_t row, std::uint64_t column);
    /// A line for people: copied, or too much to copy.
    void reported(const QString &message);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent *event) override;

private:
    static constexpr std::size_t MaxPages = 12;
    static constexpr std::size_t Layers = 3; ///< of ValuesOf
    struct Layer {
        std::deque<ValuesPagePtr> pages; ///< newest first
        double largest = 0;              ///< finite magnitude among the pages seen
    };

    void measure();
    void widenFor(const ValuesPage &page);
    void updateScrollBars();
    void scrollChanged();
    void requestMissing();
    void emitRequest(const ValuesWindow &window);
    std::vector<ValuesOf> shownLayers() const;
    const Layer &layer(ValuesOf of) const { return m_layers[static_cast<std::size_t>(of)]; }
    void addPage(ValuesPagePtr page, ValuesOf of);
    void addDifference(const ValuesPage &page, ValuesOf of);
    ValuesPagePtr covering(const ValuesWindow &window, ValuesOf of) const;
    const ValuesPage *pageOf(const CellPlace &place, ValuesOf of) const;
    void stopCopy();
    bool findCopyPages();
    QString copyText(const ValuesWindow &part) const;
    CellPlace moved(int key, bool control) const;
    void continueCopy();
    void finishCopy(const QString &text);

    void paintCells(QPainter &painter, const Theme &theme) const;
    void paintCell(QPainter &painter, const Theme &theme, const CellPlace &place) const;
    void paintValue(QPainter &painter, const Theme &theme, const CellPlace &place, ValuesOf of, const QRect &rect) const;
    QColor plainColor(const Theme &theme, double value, ValuesOf of) const;
    void paintHeaders(QPainter &painter, const Theme &theme) const;
    void paintSelection(QPainter &painter, const Theme &theme) const;
    std::optional<QColor> cellColor(const Theme &theme, double value, ValuesOf of) const;

    ValuesGeometry m_geometry;
    std::array<Layer, Layers> m_layers;
    ValuesShown m_shown = ValuesShown::A;
    std::optional<CellPlace> m_current;
    CellPlace m_anchor;
    bool m_colored = false;
    std::optional<double> m_colorRange;
    int m_textLength = 0;
    bool m_movingBars = false;
    QPoint m_wheelRest;

    QTimer m_requestTimer;
    std::optional<ValuesWindow> m_pending;

    struct Copy {
        ValuesWindow window;
        std::vector<ValuesPagePtr> pages; ///< of the layers shown; empty until all have come
        std::uint64_t nextRow = 0;
        QString text;
    };
    std::optional<Copy> m_copy;
    QTimer m_copyTimer; ///< a long text is put together in slices, so that the window never waits
};

} // namespace ql
