// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/busyoverlay.h"

#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace ql {

namespace {
constexpr int RefreshMs = 100;
constexpr double ShortestMeasured = 0.05;
constexpr int BarSteps = 1000;
} // namespace

std::optional<double> Pace::perSecond() const
{
    if (seconds < ShortestMeasured || done == 0)
        return std::nullopt;
    return static_cast<double>(done) / seconds;
}

std::optional<double> Pace::secondsLeft() const
{
    const auto rate = perSecond();
    if (!rate || done > total)
        return std::nullopt;
    return static_cast<double>(total - done) / *rate;
}

QString Pace::text(const QString &unit) const
{
    QStringList parts;
    if (const auto rate = perSecond())
        parts << formatRate(*rate, unit);
    if (const auto left = secondsLeft())
        parts << BusyOverlay::tr("%1 left").arg(formatDuration(*left));
    return parts.join(QStringLiteral(" · "));
}

BusyOverlay::BusyOverlay(QWidget *parent) : QWidget(parent), m_unit(tr("weights"))
{
    setObjectName(QStringLiteral("busyOverlay"));
    setAccessibleName(tr("Work in progress"));
    m_delay.setSingleShot(true);
    m_delay.setInterval(DelayMs);
    m_refresh.setInterval(RefreshMs);
    connect(&m_delay, &QTimer::timeout, this, &BusyOverlay::appear);
    connect(&m_refresh, &QTimer::timeout, this, &BusyOverlay::showProgress);
    build();
    hide();
    parent->installEventFilter(this);
}

void BusyOverlay::build()
{
    m_box = new QWidget(this);
    m_box->setFixedWidth(320);
    m_what = new QLabel(m_box);
    m_what->setObjectName(QStringLiteral("busyWhat"));
    m_what->setFont(Theme::strongFont());
    m_what->setWordWrap(true);
    m_detail = new QLabel(m_box);
    m_detail->setObjectName(QStringLiteral("busyDetail"));
    m_detail->setFont(Theme::textFont(Theme::SmallPx));
    m_bar = new QProgressBar(m_box);
    m_bar->setObjectName(QStringLiteral("busyBar"));
    m_bar->setRange(0, BarSteps);
    m_bar->setTextVisible(false);
    m_cancel = new QPushButton(tr("Cancel"), m_box);
    m_cancel->setObjectName(QStringLiteral("busyCancel"));
    m_cancel->setAccessibleName(tr("Cancel"));
    connect(m_cancel, &QPushButton::clicked, this, &BusyOverlay::cancelRequested);

    auto *below = new QHBoxLayout;
    below->addWidget(m_detail, 1);
    below->addWidget(m_cancel);
    auto *box = new QVBoxLayout(m_box);
    box->setContentsMargins(16, 12, 16, 12);
    box->setSpacing(8);
    box->addWidget(m_what);
    box->addWidget(m_bar);
    box->addLayout(below);
    auto *centred = new QVBoxLayout(this);
    centred->addWidget(m_box, 0, Qt::AlignCenter);
}

void BusyOverlay::start(const QString &what)
{
    m_busy = true;
    m_stale = false;
    m_pace = {};
    m_clock.start();
    m_what->setText(what);
    if (isVisible() && m_box->isVisibleTo(this)) {
        showProgress();
        return;
    }
    hide();
    m_delay.start();
}

void BusyOverlay::appear()
{
    for (QWidget *widget : {static_cast<QWidget *>(m_bar), static_cast<QWidget *>(m_detail),
                            static_cast<QWidget *>(m_cancel)})
        widget->show();
    m_box->show();
    m_refresh.start();
    showProgress();
    cover();
}

void BusyOverlay::setProgress(std::uint64_t done, std::uint64_t total)
{
    m_pace.done = done;
    m_pace.total = total;
}

void BusyOverlay::showProgress()
{
    m_pace.seconds = static_cast<double>(m_clock.elapsed()) / 1000.0;
    const double share = m_pace.total == 0
        ? 0.0 : static_cast<double>(m_pace.done) / static_cast<double>(m_pace.total);
    m_bar->setValue(static_cast<int>(share * BarSteps));
    QStringList lines;
    if (m_pace.total > 0)
        lines << tr("%1 of %2").arg(formatCompact(m_pace.done), formatWeights(m_pace.total));
    const QString pace = m_pace.text(m_unit);
    if (!pace.isEmpty())
        lines << pace;
    m_detail->setText(lines.join(QLatin1Char('\n')));
}

void BusyOverlay::finish()
{
    m_busy = false;
    m_stale = false;
    m_delay.stop();
    m_refresh.stop();
    hide();
}

void BusyOverlay::markStale(const QString &whose)
{
    finish();
    m_stale = true;
    m_what->setText(tr("Still showing %1").arg(whose));
    m_bar->hide();
    m_detail->hide();
    m_cancel->hide();
    cover();
}

void BusyOverlay::cover()
{
    setGeometry(parentWidget()->rect());
    raise();
    show();
}

bool BusyOverlay::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == parent() && event->type() == QEvent::Resize && isVisible())
        setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

void BusyOverlay::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && m_busy)
        emit cancelRequested();
    else
        QWidget::keyPressEvent(event);
}

void BusyOverlay::paintEvent(QPaintEvent *)
{
    const Theme theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor veil = theme.panel;
    veil.setAlphaF(0.72F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(veil);
    painter.drawRoundedRect(rect(), 8, 8);
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(QRectF(m_box->geometry()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
}

} // namespace ql
