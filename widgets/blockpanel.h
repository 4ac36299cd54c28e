// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "core/quant/blockview.h"

#include <QWidget>

#include <optional>

class QLabel;

namespace ql {

class BlockCanvas;
class BlockSide;
class StatePlaceholder;
struct BlockTarget;

/// The Block view: one block's layout, bytes, fields and weights, linked both ways; a second one, of
/// the other file, beside it when comparing. Rows and columns are those of the selection.
class BlockPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit BlockPanel(QWidget *parent = nullptr);

    /// The block to show; null = nothing selected.
    void setBlock(BlockViewPtr block);
    /// The other file's block that holds the same weight; null = not comparing.
    void setBlockB(BlockViewPtr block);
    /// Instead of a block: why there is none.
    void setError(const QString &what);
    /// Lights the selected weight where the shown blocks hold it. A change from outside: no signal.
    void setSelection(const Selection &selection);

    static bool canShow(const Selection &selection) { return selection.tensor.has_value(); }

    /// For tests and wiring: the canvas of A (or B).
    BlockCanvas *canvas() const;
    BlockCanvas *canvasB() const;

signals:
    void weightSelected(std::uint64_t row, std::uint64_t column);
    /// Another block was asked for: the one that holds this weight.
    void blockRequested(std::uint64_t row, std::uint64_t column);

private:
    void connectSide(BlockSide *side, BlockSide *other);
    void showDetail(const BlockSide *side, const BlockTarget &target);
    void lightSelection(BlockSide *side) const;
    void updateState();

    BlockSide *m_a;
    BlockSide *m_b;
    QLabel *m_detail;
    QWidget *m_content;
    StatePlaceholder *m_state;
    Selection m_selection;
    QString m_error;
};

} // namespace ql
