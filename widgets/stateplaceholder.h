// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace ql {

/// What a view shows instead of a result: why there is none, and what to do about it.
class StatePlaceholder final : public QWidget
{
    Q_OBJECT
public:
    explicit StatePlaceholder(QWidget *parent = nullptr);

    /// Nothing to show yet, and how that changes. A button only with a text.
    void showEmpty(const QString &title, const QString &whatToDo, const QString &button = {});
    /// What went wrong and where; selectable, so that it can be quoted.
    void showError(const QString &title, const QString &detail, const QString &button = {});

    QString title() const;
    QString detail() const;
    bool isError() const { return m_error; }

    /// Does not ask for the height its text would take at a width: stacks ask their hidden pages as well, every
    /// layout of a window several times, and breaking lines was half of what the GUI thread did.
    bool hasHeightForWidth() const override { return false; }
    int heightForWidth(int) const override { return -1; }
    /// Room for some lines of text.
    QSize minimumSizeHint() const override;

signals:
    void actionTriggered();

protected:
    void changeEvent(QEvent *event) override;

private:
    void setContent(const QString &title, const QString &detail, const QString &button);
    void applyColors();

    bool m_error = false;
    QLabel *m_title;
    QLabel *m_detail;
    QPushButton *m_button;
};

} // namespace ql
