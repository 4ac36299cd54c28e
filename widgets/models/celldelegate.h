// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QStyledItemDelegate>

namespace ql {

/// A fixed font that draws "<|" and "==" as they stand: without ligatures.
QFont rawFont();

/// Paints the cells of every table: chips, bars, marks, figures in the fixed font. Which cell is
/// what comes from roles (itemroles.h); which columns are words or figures from the table's owner.
class CellDelegate final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    /// Raw: for texts of a file.
    enum class Font { Fixed, Words, Raw };

    explicit CellDelegate(Font font, QObject *parent = nullptr);

    /// Height of every row; tables set uniform heights.
    static constexpr int RowHeight = 22;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    QFont m_font; // made once: looking fonts up for each cell shows in profiles
};

} // namespace ql
