// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "core/model/tensorinfo.h"

#include <QWidget>

#include <memory>

class QLabel;

namespace ql {

class ChipLabel;

/// The line above the views: which tensor (and expert) they show, its type, shape and size.
class TensorHeader final : public QWidget
{
    Q_OBJECT

public:
    explicit TensorHeader(QWidget *parent = nullptr);

    /// null clears the line.
    void setTensor(std::shared_ptr<const TensorInfo> tensor, std::optional<std::uint64_t> expert);
    /// Short figures at the right end, plain text: "relative RMSE 0.2137 · SQNR 13.41 dB".
    void setFigures(const QString &text);

    QString nameText() const;
    QString detailText() const;

private:

    QLabel *m_name;
    ChipLabel *m_type;
    QLabel *m_detail;
    QLabel *m_figures;
};

/// "expert 5 of 8 · [14336, 4096, 8] · 58.7 M weights · 38.5 MiB · 5.50 bpw"
QString describeTensor(const TensorInfo &tensor, std::optional<std::uint64_t> expert);

} // namespace ql
