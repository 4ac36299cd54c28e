// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/metadatacomparison.h"

#include <QPlainTextEdit>

namespace ql {

/// Two texts, or two arrays, as lines: what both have, what only A has (marked − and blue), what only B
/// has (marked + and orange), and where equal lines are left out. To read and copy from.
class DiffLinesView final : public QPlainTextEdit
{
    Q_OBJECT

public:
    /// More is not laid out; a line at the end says so.
    static constexpr std::size_t MostLines = 1500;
    static constexpr std::size_t MostCharacters = 128 * 1024; ///< of all lines together, about
    /// Longer lines are cut for the eye.
    static constexpr qsizetype MostInLine = 2048;

    explicit DiffLinesView(QWidget *parent = nullptr);

    void setLines(const std::vector<DiffLine> &lines);

protected:
    void changeEvent(QEvent *event) override;

private:
    void fill();

    std::vector<DiffLine> m_lines;
};

} // namespace ql
