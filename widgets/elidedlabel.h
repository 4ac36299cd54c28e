// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace ql {

/// One line of plain text that may be narrower than its text: it then shows the text shortened with
/// an ellipsis and whole as the tool-tip. A tensor's name of thousands of letters must not widen the window.
class ElidedLabel final : public QLabel
{
    Q_OBJECT

public:
    explicit ElidedLabel(Qt::TextElideMode mode, QWidget *parent = nullptr);

    QSize minimumSizeHint() const override;
    /// What is painted: the text, or its shortened form.
    QString shownText() const;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool event(QEvent *event) override;

private:
    bool isShortened() const;

    Qt::TextElideMode m_mode;
};

} // namespace ql
