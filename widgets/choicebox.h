// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

namespace ql {

/// A combo box in the look of the window: "measure: RMS ▾". The prefix is painted, not part of the
/// items' texts.
class ChoiceBox final : public QComboBox
{
    Q_OBJECT
public:
    explicit ChoiceBox(const QString &prefix = {}, QWidget *parent = nullptr);

    /// Greys an item out, or not; the user can't choose it.
    void setItemEnabled(int index, bool enabled);
    bool isItemEnabled(int index) const;
    /// Selects the item with this data; false if there is none.
    bool choose(const QVariant &value);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    int widthFor(const QString &text) const;

    QString m_prefix;
};

} // namespace ql
