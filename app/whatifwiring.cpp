// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/whatifwiring.h"

#include "app/failures.h"
#include "app/mainwindow.h"
#include "app/saveaswiring.h"
#include "app/statusline.h"
#include "widgets/whatifpanel.h"

namespace ql {

namespace {

void wireMeasuring(Session &session, WhatIfPanel *panel)
{
    WhatIfService &service = session.whatIf();
    QObject::connect(panel, &WhatIfPanel::measureRequested, &service, [&session, &service](const WhatIfOrder &order) {
        service.measure(session.document(Side::A), order);
    });
    QObject::connect(panel, &WhatIfPanel::cancelRequested, &service, &WhatIfService::cancel);
    QObject::connect(&service, &WhatIfService::rowMeasured, panel,
                     [panel, &session](quint64 generation, const WhatIfRowPtr &row) {
                         if (generation == session.document(Side::A).generation)
                             panel->setRow(row);
                     });
    QObject::connect(&service, &WhatIfService::finished, panel, &WhatIfPanel::setFinished);
    QObject::connect(&service, &WhatIfService::stopped, panel, &WhatIfPanel::setStopped);
    QObject::connect(&service, &WhatIfService::failed, panel,
                     [panel](const Error &error) { panel->setError(describe(error)); });
    QObject::connect(&session.jobs(), &JobRunner::progressed, panel, [panel, &service](const JobStatus &job) {
        if (service.isJob(job.id))
            panel->setProgress(job.done, job.total, describeProgress(job));
    });
}

} // namespace

void wireWhatIf(MainWindow &window)
{
    Session &session = window.session();
    WhatIfPanel *panel = window.panels().whatIf;
    QObject::connect(&session, &Session::documentChanged, panel, [&session, panel](Side side) {
        if (side != Side::A)
            return;
        session.whatIf().cancel();
        panel->setModel(session.document(Side::A).summary);
    });
    QObject::connect(&session, &Session::selectionChanged, panel, &WhatIfPanel::setSelection);
    QObject::connect(panel, &WhatIfPanel::tensorActivated, &session, &Session::selectTensor);
    QObject::connect(panel, &WhatIfPanel::candidateRequested, &session, [&session](TensorIndex tensor, GgmlType type) {
        session.selectTensor(tensor);
        session.openCandidate(tensor, type);
    });
    QObject::connect(panel, &WhatIfPanel::reported, window.panels().status, &StatusLine::setMessage);
    wireMeasuring(session, panel);
    wireSaveAs(window);
}

} // namespace ql
