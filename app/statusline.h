// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/jobrunner.h"

#include <QStringList>
#include <QTimer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace ql {

/// The bottom line: the job that runs (share, rate, time left, Cancel) and what is open.
class StatusLine final : public QWidget
{
    Q_OBJECT

public:
    explicit StatusLine(QWidget *parent = nullptr);

    /// Shows a job once it has run long enough to be worth a word.
    void showJob(const JobStatus &status);
    void clearJob();
    /// Sizes of what is open, one or two; none clears the line's right end.
    void setFiles(const QStringList &sizes);
    void setResident(const QString &bytes);
    /// A passing word: "Copied 12 rows".
    void setMessage(const QString &text);

signals:
    void cancelClicked();

private:
    void setJobVisible(bool visible);
    void showFiles();

    QLabel *m_title;
    QProgressBar *m_bar;
    QLabel *m_rate;
    QPushButton *m_cancel;
    QLabel *m_files;
    QStringList m_sizes;
    QString m_resident;
    QTimer m_messageTimer;
};

/// "37 %", "1.9 G weights/s · 14 s left"
QString describeProgress(const JobStatus &status);

} // namespace ql
