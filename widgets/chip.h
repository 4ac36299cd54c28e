// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QString>
#include <QWidget>

#include <cstdint>

class QPainter;

namespace ql {

/// A tensor type as a coloured label. The name is always written; colour is only a help.
struct ChipLook {
    QString text;
    QColor fill;
    bool dotted = false; ///< IQ types: same colour as their width, dotted edge

    bool operator==(const ChipLook &) const = default;
};

/// Any id, unknown ones too.
ChipLook chipForType(std::uint32_t typeId);

QFont chipFont();
/// The size a chip of this text wants, e.g. for a delegate's size hint.
QSize chipSize(const QString &text);
/// Fills `rect` (white text, centred, elided if it must be). For delegates: pass the cell's rect
/// through chipRect() first.
void paintChip(QPainter &painter, const QRectF &rect, const ChipLook &look);
/// Where a chip sits in a cell: left-aligned, centred vertically, `minimumWidth` wide at least.
QRectF chipRect(const QRect &cell, const QString &text, int minimumWidth = 46);

class ChipLabel final : public QWidget
{
    Q_OBJECT
public:
    explicit ChipLabel(QWidget *parent = nullptr);

    void setType(std::uint32_t typeId);
    void setLook(const ChipLook &look);
    const ChipLook &look() const { return m_look; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    ChipLook m_look;
};

} // namespace ql
