// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/quant/blockview.h"
#include "widgets/blockgeometry.h"
#include "widgets/blocklinks.h"

#include <QAbstractScrollArea>
#include <QStringList>

#include <optional>

class QPainter;

namespace ql {

struct Theme;

/// The colour of a field's kind: its bits, its cells and its part of the layout drawing.
QColor blockKindColor(std::string_view kind, const Theme &theme);

/// One block drawn: layout, bytes with their bits, fields and weights. What is pointed at, or else
/// the selected weight, lights everything it is linked to. The layout stays in sight when the rest
/// is scrolled.
class BlockCanvas final : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit BlockCanvas(QWidget *parent = nullptr);

    void setBlock(BlockViewPtr block);
    const BlockViewPtr &block() const { return m_block; }
    /// The weight that stays lit when nothing is pointed at.
    void setSelectedWeight(std::optional<std::uint32_t> weight);
    std::optional<std::uint32_t> selectedWeight() const { return m_selected; }
    /// Points from outside, as the mouse would.
    void setPointed(const BlockTarget &target);

    /// What is lit now: pointed at, or selected.
    BlockTarget litTarget() const;
    const BlockHighlight &highlight() const { return m_lit; }
    const BlockGeometry &geometryOfBlock() const { return m_geometry; }
    const BlockLinks &links() const { return m_links; }

    /// Where a point of the geometry lies in the viewport now, and back.
    QPoint toViewport(QPoint p) const;
    QPoint fromViewport(QPoint p) const;
    /// Scrolls as little as shows a rectangle of the geometry.
    void ensureVisible(const QRect &rect);

signals:
    void targetPointed(const ql::BlockTarget &target); ///< by the mouse, None when it leaves
    void weightActivated(std::uint32_t weight);        ///< clicked, or moved to by the keyboard
    void pageStepped(int blocks);                      ///< Page Up and Page Down

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    static constexpr int Margin = 2;

    void arrange();
    void updateScrollBars();
    QPoint scrolled() const;
    void relight();
    void point(const BlockTarget &target);
    bool stepSelection(int by);

    void paintParts(QPainter &painter, const Theme &theme) const;
    void paintBytes(QPainter &painter, const Theme &theme) const;
    void paintBits(QPainter &painter, const Theme &theme, std::uint32_t byte) const;
    void paintFields(QPainter &painter, const Theme &theme) const;
    void paintWeights(QPainter &painter, const Theme &theme) const;
    void paintTitle(QPainter &painter, const Theme &theme, QPoint at, const QString &text) const;
    void paintFocus(QPainter &painter, const Theme &theme) const;
    void paintOutline(QPainter &painter, const BlockTarget &target, const QPen &pen) const;
    QColor bitColor(std::uint32_t bit, const Theme &theme) const;
    QRect targetRect(const BlockTarget &target) const;
    QString elidedWhat(std::string_view what, std::size_t part) const;

    BlockViewPtr m_block;
    BlockLinks m_links;
    BlockGeometry m_geometry;
    BlockHighlight m_lit;
    BlockTarget m_pointed;
    std::optional<std::uint32_t> m_selected;
    QStringList m_fieldTexts;
    QStringList m_weightTexts;
};

} // namespace ql
