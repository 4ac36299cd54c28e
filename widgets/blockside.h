// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/quant/blockview.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QToolButton;

namespace ql {

class BlockCanvas;
class ChipLabel;

/// One file's block: a header that says which, the formula, and the canvas in a scroll area.
class BlockSide final : public QWidget
{
    Q_OBJECT
public:
    /// `letter` is "A" or "B", shown while two are compared.
    explicit BlockSide(const QString &letter, QWidget *parent = nullptr);

    void setBlock(BlockViewPtr block);
    const BlockViewPtr &block() const;
    /// Lights a weight and scrolls to it.
    void selectWeight(std::optional<std::uint32_t> weight);
    void setLetterShown(bool shown);
    /// Said after the place: which of several blocks over the other file's one this is; "" = nothing.
    void setShare(const QString &text);
    BlockCanvas *canvas() const { return m_canvas; }

signals:
    void blockRequested(std::uint64_t row, std::uint64_t column);

private:
    QToolButton *addStep(const QString &text, const QString &name, const QString &hint, int blocks,
                         int rows);
    /// Blocks go on in the next row; rows keep the column.
    void step(int blocks, int rows);
    bool canStep(int blocks, int rows) const;
    void updateButtons();
    QRect byteRect(std::uint32_t weight) const;
    void showPlace();

    struct StepButton {
        QToolButton *button;
        int blocks;
        int rows;
    };

    QLabel *m_letter;
    QLabel *m_name;
    ChipLabel *m_chip;
    QLabel *m_place;
    QLabel *m_formula;
    BlockCanvas *m_canvas;
    std::vector<StepButton> m_steps;
    QString m_share;
};

} // namespace ql
