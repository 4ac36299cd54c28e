// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include <cstdint>

class QLabel;
class QPushButton;

namespace ql {

class ChipLabel;

/// The line under the header while a tensor or expert of the same file is held as B: which one, how
/// the comparison stands, and the way back to A alone.
class BesideBar final : public QFrame
{
    Q_OBJECT
public:
    explicit BesideBar(QWidget *parent = nullptr);

    /// Shows the bar.
    void setHeld(const QString &name, std::uint32_t typeId);
    /// Figures of the comparison, or why there is none; a button with a text offers to try again.
    void setNote(const QString &note, const QString &button = {});

    QString name() const;
    QString note() const;

signals:
    void letGo();
    void retryRequested();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void fitNote();

    QString m_fullNote;

    QLabel *m_letter;
    QLabel *m_name;
    ChipLabel *m_chip;
    QLabel *m_note;
    QPushButton *m_retry;
    QPushButton *m_close;
};

} // namespace ql
