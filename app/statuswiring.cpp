// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/statuswiring.h"

#include "app/mainwindow.h"
#include "app/statusline.h"
#include "app/tensorpage.h"
#include "core/jobs/residentmemory.h"
#include "widgets/formatting.h"

#include <QTimer>

namespace ql {

namespace {

constexpr int ResidentEveryMs = 1000;

QStringList sizesOf(const Session &session)
{
    QStringList sizes;
    for (const Side side : {Side::A, Side::B}) {
        if (const Document &document = session.document(side))
            sizes << formatBytes(document.summary->size);
    }
    return sizes;
}

void wireResident(StatusLine *status)
{
    auto *timer = new QTimer(status);
    timer->setInterval(ResidentEveryMs);
    QObject::connect(timer, &QTimer::timeout, status, [status] {
        if (!status->isVisible())
            return;
        if (const auto bytes = residentBytes())
            status->setResident(formatBytes(*bytes));
    });
    timer->start();
}

} // namespace

void wireStatus(MainWindow &window)
{
    Session &session = window.session();
    StatusLine *status = window.panels().status;
    TensorPage *page = window.panels().page;
    QObject::connect(&session.jobs(), &JobRunner::progressed, status, [status, page](const JobStatus &job) {
        status->showJob(job);
        if (job.lane == Lane::View)
            page->setProgress(job.done, job.total);
    });
    QObject::connect(&session.jobs(), &JobRunner::idle, status, &StatusLine::clearJob);
    QObject::connect(status, &StatusLine::cancelClicked, &session, [&session] { session.jobs().cancelAll(); });
    QObject::connect(&session, &Session::documentChanged, status,
                     [status, &session] { status->setFiles(sizesOf(session)); });
    wireResident(status);
}

} // namespace ql
