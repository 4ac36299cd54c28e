// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"

#include <QFrame>

#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;

namespace ql {

/// A place in a model that a name leads to.
struct GoToTarget {
    enum class Kind { Tensor, Key } kind = Kind::Tensor;
    std::uint32_t index = 0; ///< into ModelSummary::tensors or ::metadata
    bool operator==(const GoToTarget &) const = default;
};

/// Tensors and keys whose name holds all the words of `text`, ignoring case: exact names first, then
/// those that start with it, then the rest, each in file order. At most `limit`.
std::vector<GoToTarget> findTargets(const ModelSummary &model, const QString &text, std::size_t limit);

/// Ctrl+K: type some of a name, Enter goes there, Esc closes.
class GoToPopup final : public QFrame
{
    Q_OBJECT

public:
    explicit GoToPopup(QWidget *parent = nullptr);

    void setModel(ModelSummaryPtr model);
    /// Shows the popup below the top of its parent, with an empty field.
    void openPopup();

signals:
    void tensorChosen(ql::TensorIndex tensor);
    void keyChosen(int metadataIndex);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void updateList(const QString &text);
    void showNothing(const QString &text);
    void addItem(const GoToTarget &target);
    void choose(const QListWidgetItem *item);
    bool handleKey(int key);

    QLineEdit *m_field;
    QListWidget *m_list;
    QLabel *m_nothing;
    int m_fullHeight = 0; ///< of the popup with its list
    ModelSummaryPtr m_model;
};

} // namespace ql
