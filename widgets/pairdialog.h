// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "core/model/selection.h"
#include "core/stats/comparison.h"

#include <QDialog>

#include <optional>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace ql {

/// A tensor of B, or one of its experts, that may go with one of A.
struct PairCandidate {
    TensorIndex tensor;
    std::optional<std::uint64_t> expert;
    bool fits = false; ///< decodable and of the same shape
};

/// What of B to offer for a tensor (or expert) of A: what fits first, each in file order; experts of
/// B's merged tensors where they fit.
std::vector<PairCandidate> pairCandidates(const ModelSummary &a, const ModelSummary &b, const Selection &inA);

/// "Pair with a tensor of B…": a list to search. Only what has the same shape can be chosen; the
/// others say why not.
class PairDialog final : public QDialog
{
    Q_OBJECT
public:
    PairDialog(ModelSummaryPtr a, ModelSummaryPtr b, const Selection &inA, QWidget *parent = nullptr);

    /// At most as many rows as a list can show without a wait.
    static constexpr int MostShown = 500;

signals:
    void pairChosen(const ql::TensorPair &pair);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void build();
    void fill(const QString &text);
    void addRow(std::size_t candidate);
    QString nameOf(const PairCandidate &candidate) const;
    TensorPair pairOf(const PairCandidate &candidate) const;
    void showCurrent();
    void accept() override;
    const PairCandidate *current() const;

    ModelSummaryPtr m_a;
    ModelSummaryPtr m_b;
    Selection m_inA;
    std::vector<PairCandidate> m_candidates;
    QLineEdit *m_field;
    QListWidget *m_list;
    QLabel *m_message;
    QPushButton *m_ok = nullptr;
};

} // namespace ql
