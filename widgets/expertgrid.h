// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/expertstats.h"

#include <QAbstractScrollArea>

#include <optional>
#include <vector>

class QPainter;

namespace ql {

struct Theme;

/// Tiles of equal size in rows that fill a width.
struct TileGeometry {
    int width = 0;
    int count = 0;

    static constexpr int TileHeight = 86;
    static constexpr int LeastTileWidth = 120;
    static constexpr int Gap = 8;
    static constexpr int Caption = 20; ///< above the bars

    int columns() const;
    int tileWidth() const;
    int height() const;
    QRect rectOf(int place) const;
    /// Where the bars are drawn.
    QRect barsOf(int place) const { return rectOf(place).adjusted(6, Caption + 2, -6, -5); }
    int placeAt(QPoint p) const; ///< -1 between tiles
    /// The bar under a point of the tile, or -1.
    int barAt(int place, QPoint p, int bars) const;
};

/// One small histogram an expert, on a shared axis and a shared logarithmic scale.
class ExpertGrid final : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit ExpertGrid(QWidget *parent = nullptr);

    /// `order` lists places in the table, first tile first.
    void setTable(ExpertTablePtr table, std::vector<std::size_t> order);
    /// Instead of tiles, while there is no table.
    void setEmptyText(const QString &text);
    const QString &emptyText() const { return m_emptyText; }
    void setFigure(ExpertFigure figure);
    void setOdd(std::vector<OddExpert> odd);
    void setSelected(std::optional<std::uint64_t> number);
    std::optional<std::uint64_t> selected() const { return m_selected; }

    /// The expert held as B, marked in its colour.
    void setHeld(std::optional<std::uint64_t> number);
    std::optional<std::uint64_t> held() const { return m_held; }

    TileGeometry tiles() const;
    /// All tiles, as wide as the view.
    QSize pictureSize() const { return {viewport()->width(), tiles().height()}; }
    void draw(QPainter &painter, const QRect &part) const;
    const std::vector<std::size_t> &order() const { return m_order; }
    /// What is under a point of the viewport: "expert 5 · −0.012 to −0.010 · 1,234 weights".
    QString readoutAt(QPoint p) const;

signals:
    void expertActivated(std::size_t index); ///< into ExpertTable::experts
    void expertHeld(std::size_t index);      ///< clicked with Ctrl held down
    void readoutChanged(const QString &text);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    QPoint fromViewport(QPoint p) const;
    void updateScrollBar();
    void activate(int place);
    int selectedPlace() const { return placeOf(m_selected); }
    int placeOf(std::optional<std::uint64_t> number) const;
    void ensureVisible(int place);
    void paintTile(QPainter &painter, const Theme &theme, int place) const;
    void paintCaption(QPainter &painter, const Theme &theme, int place) const;
    void paintBars(QPainter &painter, const Theme &theme, int place) const;
    const OddExpert *oddOf(std::size_t index) const;

    ExpertTablePtr m_table;
    QString m_emptyText;
    std::vector<std::size_t> m_order;
    std::vector<OddExpert> m_odd;
    ExpertFigure m_figure = ExpertFigure::Rms;
    std::optional<std::uint64_t> m_selected;
    std::optional<std::uint64_t> m_held;
    std::uint64_t m_tallest = 1;
};

} // namespace ql
