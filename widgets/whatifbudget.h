// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <cstdint>
#include <optional>

class QLabel;
class QLineEdit;
class QSlider;

namespace ql {

/// "6.0 GB", "700 MiB", "1,234,567": a positive size, decimal or binary as its unit says; bytes
/// without one. Nothing where it is none.
std::optional<std::uint64_t> parseByteSize(const QString &text);

/// "best under 6.0 GiB": a slider and a field for a file's size, between the smallest and the
/// largest there is. Tells what a person asks for; shows what it is told.
class WhatIfBudget final : public QWidget
{
    Q_OBJECT

public:
    explicit WhatIfBudget(QWidget *parent = nullptr);

    /// Sizes of the whole file; equal: there is nothing to choose, and the bar is greyed out.
    void setRange(std::uint64_t smallest, std::uint64_t largest);
    /// What the choice comes to. No signal.
    void setValue(std::uint64_t bytes);
    /// Beside the slider: why nothing was chosen, or "".
    void setNote(const QString &text);

signals:
    void budgetChosen(quint64 bytes);

private:
    void slide(int position);
    void enter();

    std::uint64_t m_smallest = 0;
    std::uint64_t m_largest = 0;
    QSlider *m_slider;
    QLineEdit *m_edit;
    QLabel *m_note;
};

} // namespace ql
