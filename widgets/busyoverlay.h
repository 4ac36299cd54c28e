// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QTimer>
#include <QWidget>

#include <cstdint>
#include <optional>

class QLabel;
class QProgressBar;
class QPushButton;

namespace ql {

/// Rate and time left of a piece of work, from what is done after how long. Steady at the start:
/// nothing is claimed before a twentieth of a second has been measured.
struct Pace {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    double seconds = 0;

    std::optional<double> perSecond() const;
    std::optional<double> secondsLeft() const;
    /// "1.9 G weights/s · 14 s left", or as much of it as is known.
    QString text(const QString &unit) const;
};

/// Lies over its parent while work runs for it: dims it, shows progress and a Cancel button. Only
/// work over 150 ms is ever seen. After a cancel, markStale() keeps the old picture dimmed under
/// its own name.
class BusyOverlay final : public QWidget
{
    Q_OBJECT
public:
    static constexpr int DelayMs = 150;

    explicit BusyOverlay(QWidget *parent);

    /// Work on `what` has begun; visible in 150 ms unless finish() comes first. Called again while
    /// visible it only changes the text and starts the clock anew.
    void start(const QString &what);
    /// In units of `unit`; cheap to call often.
    void setProgress(std::uint64_t done, std::uint64_t total);
    void setUnit(const QString &unit) { m_unit = unit; }
    /// The work is over, well or not: gone at once.
    void finish();
    /// What is below is not what was asked for last; says whose it is. finish() or start() ends it.
    void markStale(const QString &whose);

    bool isBusy() const { return m_busy; }
    bool isStale() const { return m_stale; }

signals:
    void cancelRequested();

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void build();
    void appear();
    void showProgress();
    void cover();

    QString m_unit;
    bool m_busy = false;
    bool m_stale = false;
    Pace m_pace;
    QElapsedTimer m_clock;
    QTimer m_delay;
    QTimer m_refresh; ///< progress comes from the caller thousands of times a second
    QWidget *m_box;
    QLabel *m_what;
    QLabel *m_detail;
    QProgressBar *m_bar;
    QPushButton *m_cancel;
};

} // namespace ql
