// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QBoxLayout;
class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace ql {

/// A panel: rounded frame without a shadow, a row with title and controls, and a body below.
class Card final : public QFrame
{
    Q_OBJECT
public:
    explicit Card(const QString &title, QWidget *parent = nullptr);

    void setTitle(const QString &title);
    QString title() const;
    /// The row of the title: add controls, addStretch(), hints.
    QHBoxLayout *header() const { return m_header; }
    /// What is below; add one widget, or several.
    QVBoxLayout *body() const { return m_body; }

    /// A label in the muted colour, following the palette; for hints in a header.
    static QLabel *mutedLabel(const QString &text, QWidget *parent = nullptr);
    /// One such line in the fixed font below a picture: selectable, and never what makes a window wider.
    static QLabel *readoutLabel(const QString &name, QWidget *parent);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QLabel *m_title;
    QHBoxLayout *m_header;
    QVBoxLayout *m_body;
};

} // namespace ql
