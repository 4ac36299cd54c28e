// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/comparetabwiring.h"

#include "app/blinkkey.h"
#include "app/failures.h"
#include "app/mainwindow.h"
#include "app/tensorpage.h"
#include "core/stats/comparisontable.h"
#include "widgets/comparepanel.h"
#include "widgets/messagebar.h"
#include "widgets/pairdialog.h"

#include <QTabWidget>

namespace ql {

namespace {

bool hasBoth(Session &session) { return session.document(Side::A) && session.document(Side::B); }

void wireFilling(Session &session, ComparePanel *panel)
{
    ComparisonService &comparison = session.comparison();
    QObject::connect(&session, &Session::documentChanged, panel, [&session, panel] {
        if (hasBoth(session))
            panel->beginPairing();
        else
            panel->clear();
    });
    QObject::connect(&comparison, &ComparisonService::paired, panel, [&session, panel](const PairingPtr &pairing) {
        if (hasBoth(session))
            panel->setTable(ComparisonTable(session.document(Side::A).summary, session.document(Side::B).summary, *pairing));
    });
    QObject::connect(&comparison, &ComparisonService::pairCompared, panel, &ComparePanel::setResult);
    QObject::connect(&comparison, &ComparisonService::pairUnreadable, panel,
                     [panel](std::size_t pair, const Error &error) { panel->setFailure(pair, describe(error)); });
    QObject::connect(&comparison, &ComparisonService::finished, panel, &ComparePanel::setFinished);
    QObject::connect(&comparison, &ComparisonService::stopped, panel, &ComparePanel::setStopped);
    QObject::connect(&comparison, &ComparisonService::failed, panel,
                     [panel](const Error &error) { panel->setError(describe(error)); });
    QObject::connect(&session.jobs(), &JobRunner::progressed, panel, [&comparison, panel](const JobStatus &job) {
        if (comparison.isTableJob(job.id) && job.total > 0)
            panel->setProgress(static_cast<double>(job.done) / static_cast<double>(job.total));
    });
}

void wireHandPairs(MainWindow &window, ComparePanel *panel)
{
    ComparisonService &comparison = window.session().comparison();
    QObject::connect(panel, &ComparePanel::pairRequested, &window,
                     [&window](const Selection &inA) { askForPartner(window, inA); });
    QObject::connect(&comparison, &ComparisonService::pairedByHand, panel, &ComparePanel::addByHand);
    QObject::connect(&comparison, &ComparisonService::handPairCompared, panel, &ComparePanel::setHandResult);
    QObject::connect(&comparison, &ComparisonService::handPairFailed, panel,
                     [panel](const TensorPair &pair, const Error &error) { panel->setHandFailure(pair, describe(error)); });
}

/// Everything once more, then the pairs that a person had made.
void compareAgain(Session &session, ComparePanel *panel)
{
    if (!hasBoth(session))
        return;
    ComparisonService &comparison = session.comparison();
    const std::vector<TensorPair> pairs = panel->handPairs();
    comparison.compareAll(session.document(Side::A), session.document(Side::B));
    const auto restore = [&session, pairs] {
        for (const TensorPair &pair : pairs)
            if (hasBoth(session))
                session.comparison().compareByHand(session.document(Side::A), session.document(Side::B), pair);
    };
    QObject::connect(&comparison, &ComparisonService::paired, panel, restore, Qt::SingleShotConnection);
}

} // namespace

void wireCompareTab(MainWindow &window)
{
    Session &session = window.session();
    ComparePanel *panel = window.panels().page->compare();
    wireFilling(session, panel);
    wireHandPairs(window, panel);
    QObject::connect(panel, &ComparePanel::tensorActivated, &session, &Session::selectTensor);
    QObject::connect(panel, &ComparePanel::expertActivated, &session, &Session::selectExpert);
    QObject::connect(panel, &ComparePanel::openOtherRequested, &window, &MainWindow::chooseOther);
    QObject::connect(panel, &ComparePanel::compareAgainRequested, &session, [&session, panel] { compareAgain(session, panel); });
    new BlinkKey(&window, window.panels().page->pairMaps());
}

void showWorst(MainWindow &window)
{
    Session &session = window.session();
    TensorPage *page = window.panels().page;
    if (!session.document(Side::A))
        return;
    page->tabs()->setCurrentWidget(page->compare());
    if (!session.selection().tensor) {
        const Selection worst = page->compare()->worst();
        if (worst.tensor)
            session.select(worst);
        else if (!session.document(Side::A).summary->tensors.empty())
            session.selectTensor(TensorIndex{0});
    }
    window.showTensorPage();
}

void askForPartner(MainWindow &window, const Selection &inA)
{
    Session &session = window.session();
    if (!hasBoth(session) || !inA.tensor) {
        window.panels().message->showMessage(QObject::tr("Select a tensor of A and open a second file to pair it by hand."));
        return;
    }
    auto *dialog = new PairDialog(session.document(Side::A).summary, session.document(Side::B).summary, inA, &window);
    const quint64 generationA = session.document(Side::A).generation;
    const quint64 generationB = session.document(Side::B).generation;
    QObject::connect(dialog, &PairDialog::pairChosen, &session, [&session, generationA, generationB](const TensorPair &pair) {
        const Document &a = session.document(Side::A), &b = session.document(Side::B);
        if (a && b && a.generation == generationA && b.generation == generationB)
            session.comparison().compareByHand(a, b, pair);
    });
    dialog->open(); // window-modal, no nested event loop
}

} // namespace ql
