// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/statusline.h"

#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

namespace ql {

namespace {

constexpr qint64 WorthAWordMs = 150;
constexpr int MessageMs = 4000;
constexpr int BarSteps = 1000;

/// What a job counts, where that is not weights.
struct Unit {
    const char *slot;
    const char *unit; ///< none: it changes on the way
};
constexpr Unit Units[] = {{"convert", "B"}, {"verify", ""}};

QString unitOf(const JobStatus &status)
{
    for (const Unit &row : Units)
        if (status.slot == QLatin1String(row.slot))
            return QLatin1String(row.unit);
    return QObject::tr("weights");
}

} // namespace

QString describeProgress(const JobStatus &status)
{
    if (status.total == 0)
        return {};
    const double share = static_cast<double>(status.done) / static_cast<double>(status.total);
    QString text = formatPercent(share);
    if (const QString unit = unitOf(status); !unit.isEmpty())
        text += QObject::tr(" · %1").arg(formatRate(status.perSecond(), unit));
    if (status.remainingMs() >= 0)
        text += QObject::tr(" · %1 left").arg(formatDuration(static_cast<double>(status.remainingMs()) / 1000.0));
    return text;
}

StatusLine::StatusLine(QWidget *parent)
    : QWidget(parent)
    , m_title(new QLabel(this))
    , m_bar(new QProgressBar(this))
    , m_rate(new QLabel(this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_files(new QLabel(this))
{
    setObjectName(QStringLiteral("statusLine"));
    m_title->setObjectName(QStringLiteral("jobTitle"));
    m_title->setTextFormat(Qt::PlainText);
    m_rate->setObjectName(QStringLiteral("jobRate"));
    m_cancel->setObjectName(QStringLiteral("jobCancel"));
    m_files->setObjectName(QStringLiteral("statusFiles"));
    m_files->setTextFormat(Qt::PlainText);
    m_bar->setObjectName(QStringLiteral("jobBar"));
    m_bar->setRange(0, BarSteps);
    m_bar->setTextVisible(false);
    m_bar->setFixedSize(160, 6);

    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 4, 12, 4);
    layout->setSpacing(8);
    layout->addWidget(m_title);
    layout->addWidget(m_bar);
    layout->addWidget(m_rate);
    layout->addWidget(m_cancel);
    layout->addStretch(1);
    layout->addWidget(m_files);
    setFixedHeight(34);

    m_messageTimer.setSingleShot(true);
    m_messageTimer.setInterval(MessageMs);
    connect(&m_messageTimer, &QTimer::timeout, m_title, &QLabel::clear);
    connect(m_cancel, &QPushButton::clicked, this, &StatusLine::cancelClicked);
    setJobVisible(false);
}

void StatusLine::setJobVisible(bool visible)
{
    m_bar->setVisible(visible);
    m_rate->setVisible(visible);
    m_cancel->setVisible(visible);
}

void StatusLine::showJob(const JobStatus &status)
{
    if (status.elapsedMs < WorthAWordMs)
        return;
    m_messageTimer.stop();
    m_title->setText(m_title->fontMetrics().elidedText(status.title, Qt::ElideMiddle, 320));
    const double share = status.total ? static_cast<double>(status.done) / static_cast<double>(status.total) : 0.0;
    m_bar->setValue(static_cast<int>(share * BarSteps));
    m_rate->setText(describeProgress(status));
    setJobVisible(true);
}

void StatusLine::clearJob()
{
    if (!m_messageTimer.isActive())
        m_title->clear();
    setJobVisible(false);
}

void StatusLine::setFiles(const QStringList &sizes)
{
    m_sizes = sizes;
    showFiles();
}

void StatusLine::setResident(const QString &bytes)
{
    if (m_resident == bytes)
        return;
    m_resident = bytes;
    showFiles();
}

void StatusLine::showFiles()
{
    QString text = m_sizes.size() == 2 ? tr("A %1, B %2").arg(m_sizes[0], m_sizes[1]) : m_sizes.value(0);
    if (!text.isEmpty() && !m_resident.isEmpty())
        text += tr(" · %1 resident").arg(m_resident);
    m_files->setText(text);
}

void StatusLine::setMessage(const QString &text)
{
    m_title->setText(text);
    m_messageTimer.start();
}

} // namespace ql
