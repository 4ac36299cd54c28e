// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/expertwiring.h"

#include "app/failures.h"
#include "app/mainwindow.h"
#include "app/statusline.h"
#include "app/tensorpage.h"
#include "widgets/busyoverlay.h"
#include "widgets/expertpanel.h"

namespace ql {

namespace {

void feedScans(Session &session)
{
    ExpertService &experts = session.experts();
    QObject::connect(&session.analysis(), &AnalysisService::statsReady, &experts,
                     [&experts](Side side, const StatsKey &key, const TensorStatsPtr &stats) {
                         if (side == Side::A && !key.expert)
                             experts.addScan(key.generation, key.tensor, stats);
                     });
    QObject::connect(&session.modelScan(), &ModelScanService::tensorScanned, &experts, &ExpertService::addScan);
}

void wireAnswers(ExpertService &experts, ExpertPanel *panel)
{
    QObject::connect(&experts, &ExpertService::tableReady, panel, &ExpertPanel::setTable);
    QObject::connect(&experts, &ExpertService::tableStopped, panel, [panel] { panel->setTableEnded({}); });
    QObject::connect(&experts, &ExpertService::tableFailed, panel,
                     [panel](const Error &error) { panel->setTableEnded(describe(error)); });
    QObject::connect(&experts, &ExpertService::matrixReady, panel, &ExpertPanel::setMatrix);
    QObject::connect(&experts, &ExpertService::matrixStopped, panel, [panel] { panel->setMatrixEnded({}); });
    QObject::connect(&experts, &ExpertService::failed, panel,
                     [panel](const Error &error) { panel->setMatrixEnded(describe(error)); });
}

void wireRequests(Session &session, ExpertPanel *panel)
{
    QObject::connect(panel, &ExpertPanel::expertSelected, &session, [&session](const ExpertRef &expert) {
        if (expert.slab)
            session.selectExpert(expert.tensor, *expert.slab);
        else
            session.selectTensor(expert.tensor);
    });
    QObject::connect(panel, &ExpertPanel::tableRequested, &session.experts(), &ExpertService::requestTable);
    QObject::connect(panel, &ExpertPanel::tableCancelled, &session.experts(), &ExpertService::cancelTable);
    QObject::connect(panel, &ExpertPanel::matrixRequested, &session.experts(), &ExpertService::requestMatrix);
    QObject::connect(panel, &ExpertPanel::matrixCancelled, &session.experts(), &ExpertService::cancelMatrix);
    QObject::connect(panel, &ExpertPanel::modelScanRequested, &session,
                     [&session] { session.modelScan().start(session.document(Side::A)); });
    QObject::connect(panel, &ExpertPanel::scanCancelled, &session.modelScan(), &ModelScanService::cancel);
}

void wireScanProgress(Session &session, ExpertPanel *panel)
{
    QObject::connect(&session.jobs(), &JobRunner::progressed, panel, [panel, &session](const JobStatus &job) {
        if (job.id == session.modelScan().job() && job.total > 0) // not the comparison in the same lane
            panel->setScanProgress(static_cast<double>(job.done) / static_cast<double>(job.total));
        else if (job.id == session.experts().tableJob())
            panel->gridOverlay()->setProgress(job.done, job.total);
        else if (job.id == session.experts().matrixJob())
            panel->matrixOverlay()->setProgress(job.done, job.total);
    });
    const auto over = [panel] { panel->setScanProgress({}); };
    QObject::connect(&session.modelScan(), &ModelScanService::finished, panel, over);
    QObject::connect(&session.modelScan(), &ModelScanService::stopped, panel, over);
    QObject::connect(&session.modelScan(), &ModelScanService::failed, panel, over);
}

} // namespace

void wireExperts(MainWindow &window)
{
    Session &session = window.session();
    ExpertPanel *panel = window.panels().page->experts();
    QObject::connect(&session, &Session::documentChanged, panel, [&session, panel](Side side) {
        if (side != Side::A)
            return;
        session.experts().setDocument(session.document(Side::A));
        panel->setGroups(session.experts().groups());
    });
    QObject::connect(panel, &ExpertPanel::reported, window.panels().status, &StatusLine::setMessage);
    feedScans(session);
    wireAnswers(session.experts(), panel);
    wireRequests(session, panel);
    wireScanProgress(session, panel);
}

} // namespace ql
