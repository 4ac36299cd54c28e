// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace ql {

/// What the window shows while nothing is open: what to do.
class StartPage final : public QWidget
{
    Q_OBJECT

public:
    explicit StartPage(QWidget *parent = nullptr);

    void setRecentFiles(const QStringList &paths);

signals:
    void openClicked();
    void sampleClicked();
    void recentClicked(const QString &path);

private:
    QVBoxLayout *m_recent;
    QWidget *m_recentBox;
};

} // namespace ql
