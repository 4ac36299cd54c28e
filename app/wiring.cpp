// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wiring.h"

#include "app/besidewiring.h"
#include "app/comparetabwiring.h"
#include "app/comparewiring.h"
#include "app/differenceswiring.h"
#include "app/expertwiring.h"
#include "app/exportwiring.h"
#include "app/failures.h"
#include "app/mainwindow.h"
#include "app/pairviews.h"
#include "app/startpage.h"
#include "app/statusline.h"
#include "app/statuswiring.h"
#include "app/tensorpage.h"
#include "app/topbar.h"
#include "app/verifywiring.h"
#include "app/whatifwiring.h"
#include "widgets/blockpanel.h"
#include "widgets/formatting.h"
#include "widgets/gotopopup.h"
#include "widgets/heatmappanel.h"
#include "widgets/messagebar.h"
#include "widgets/metadatapanel.h"
#include "widgets/overviewpanel.h"
#include "widgets/tensorpanel.h"
#include "widgets/tokenizerpanel.h"
#include "widgets/valuespanel.h"

#include <QFileInfo>

namespace ql {

namespace {

QString pathOf(const Document &document)
{
    return document ? QString::fromStdString(document.model->path()) : QString();
}

PageSubject subjectOf(const Document &document, TensorIndex tensor, std::optional<std::uint64_t> expert)
{
    return {std::shared_ptr<const TensorInfo>(document.model, &document.model->tensor(tensor)), expert};
}

void wireTopBar(MainWindow &window)
{
    TopBar *bar = window.panels().topBar;
    Session &session = window.session();
    QObject::connect(bar, &TopBar::openClicked, &window, &MainWindow::chooseFile);
    QObject::connect(bar, &TopBar::compareClicked, &window, &MainWindow::chooseOther);
    QObject::connect(bar, &TopBar::exportClicked, &window, &MainWindow::exportSelected);
    QObject::connect(bar, &TopBar::goToClicked, window.panels().goTo, &GoToPopup::openPopup);
    QObject::connect(&session, &Session::documentChanged, bar, [bar, &session] {
        bar->setFiles(pathOf(session.document(Side::A)), pathOf(session.document(Side::B)));
    });
}

void wireStartPage(MainWindow &window)
{
    StartPage *start = window.panels().start;
    QObject::connect(start, &StartPage::openClicked, &window, &MainWindow::chooseFile);
    QObject::connect(start, &StartPage::sampleClicked, &window, &MainWindow::openSample);
    QObject::connect(start, &StartPage::recentClicked, &window, &MainWindow::openFile);
}

void wireTensorPanel(MainWindow &window)
{
    TensorPanel *panel = window.panels().tensors;
    Session &session = window.session();
    QObject::connect(panel, &TensorPanel::tensorActivated, &session, &Session::selectTensor);
    QObject::connect(panel, &TensorPanel::expertActivated, &session, &Session::selectExpert);
    QObject::connect(&session, &Session::selectionChanged, panel, &TensorPanel::setSelection);
}

void wireOverview(MainWindow &window)
{
    QObject::connect(window.panels().overview, &OverviewPanel::tensorActivated, &window.session(),
                     &Session::selectTensor);
}

void wireMetadata(MainWindow &window)
{
    MetadataPanel *panel = window.panels().metadata;
    Session &session = window.session();
    ListingService &listings = session.listings();
    QObject::connect(panel, &MetadataPanel::arrayRequested, &session, [&session, &listings](int entry) {
        listings.requestArray(session.document(Side::A), entry);
    });
    QObject::connect(&listings, &ListingService::arrayReady, panel, &MetadataPanel::setArray);
    QObject::connect(panel, &MetadataPanel::arrayFilterRequested, &listings, &ListingService::requestArrayFilter);
    QObject::connect(&listings, &ListingService::arrayFilterReady, panel, &MetadataPanel::setArrayFilter);
}

void wireTokenizer(MainWindow &window)
{
    TokenizerPanel *panel = window.panels().tokenizer;
    Session &session = window.session();
    ListingService &listings = session.listings();
    QObject::connect(panel, &TokenizerPanel::tokensRequested, &session, [&session, &listings] {
        listings.requestTokens(session.document(Side::A));
    });
    QObject::connect(&listings, &ListingService::tokensReady, panel, &TokenizerPanel::setTokens);
}

void wireGoTo(MainWindow &window)
{
    GoToPopup *popup = window.panels().goTo;
    QObject::connect(popup, &GoToPopup::tensorChosen, &window.session(), &Session::selectTensor);
    QObject::connect(popup, &GoToPopup::keyChosen, &window, &MainWindow::showMetadataKey);
}

/// What the selected tensor's page shows follows the selection.
void requestSelected(MainWindow &window)
{
    Session &session = window.session();
    TensorPage *page = window.panels().page;
    const Selection &selection = session.selection();
    const Document &document = session.document(Side::A);
    const PageSubject subject = subjectOf(document, *selection.tensor, selection.expert);
    if (!subject.tensor->isDecodable()) {
        session.analysis().abandon(Side::A);
        page->showError(subject, QString::fromStdString(subject.tensor->problem));
        return;
    }
    page->await(subject);
    session.analysis().requestStats(Side::A, document, *selection.tensor, selection.expert);
}

void showSelection(MainWindow &window, const Selection &selection)
{
    Session &session = window.session();
    if (!selection.tensor || !session.document(Side::A)) {
        session.analysis().abandon(Side::A);
        window.panels().page->clear();
        return;
    }
    window.settings().setLastTensor(pathOf(session.document(Side::A)),
                                    QString::fromStdString(session.document(Side::A).model->tensor(*selection.tensor).name));
    window.showTensorPage();
    window.panels().page->setSelection(selection);
    const auto current = session.analysis().current(Side::A);
    const bool isSame = current && current->generation == session.document(Side::A).generation
                        && current->tensor == *selection.tensor && current->expert == selection.expert;
    if (!isSame)
        requestSelected(window);
}

void wireAnalysis(MainWindow &window)
{
    Session &session = window.session();
    AnalysisService &analysis = session.analysis();
    TensorPage *page = window.panels().page;
    const auto subject = [&session](const StatsKey &key) {
        return subjectOf(session.document(Side::A), key.tensor, key.expert);
    };
    QObject::connect(&analysis, &AnalysisService::statsReady, page,
                     [page, subject](Side side, const StatsKey &key, const TensorStatsPtr &stats) {
                         if (side == Side::A)
                             page->showStats(subject(key), stats);
                     });
    QObject::connect(&analysis, &AnalysisService::statsFailed, page,
                     [page, subject](Side side, const StatsKey &key, const Error &error) {
                         if (side == Side::A)
                             page->showError(subject(key), describe(error),
                                             isChangedFile(error) ? QObject::tr("Reload") : QObject::tr("Try again"));
                     });
    QObject::connect(&analysis, &AnalysisService::statsStopped, page, [page](Side side) {
        if (side == Side::A)
            page->showStopped();
    });
    QObject::connect(&analysis, &AnalysisService::heatMapReady, page,
                     [page](Side side, const StatsKey &, const std::shared_ptr<const HeatMap> &map) {
                         if (side == Side::A)
                             page->showHeatMap(map);
                     });
}

void wirePage(MainWindow &window)
{
    Session &session = window.session();
    TensorPage *page = window.panels().page;
    QObject::connect(&session, &Session::selectionChanged, page,
                     [&window](const Selection &selection) { showSelection(window, selection); });
    QObject::connect(page, &TensorPage::cancelRequested, &session,
                     [&session] { session.analysis().cancel(Side::A); });
    QObject::connect(page, &TensorPage::retryRequested, &session, [&window, &session] {
        if (session.document(Side::A).model->changedOnDisk())
            session.reload();
        else if (session.selection().tensor)
            requestSelected(window);
    });
    QObject::connect(page->heatMap(), &HeatMapPanel::cellSelected, &session, &Session::selectWeight);
    QObject::connect(page->heatMap(), &HeatMapPanel::windowRequested, &session, [&session](const HeatMapWindow &part) {
        session.analysis().requestHeatMap(Side::A, session.document(Side::A), part);
    });
}

/// What the page shows: weights are read of the tensor (or expert) that its pictures are of.
StatsKey shownKey(Session &session)
{
    return session.analysis().current(Side::A).value_or(StatsKey());
}

void wireBlock(MainWindow &window)
{
    Session &session = window.session();
    InspectService &inspect = session.inspect();
    BlockPanel *panel = window.panels().page->block();
    const auto request = [&session, &inspect](std::uint64_t row, std::uint64_t column) {
        if (session.analysis().current(Side::A))
            inspect.requestBlock(Side::A, session.document(Side::A), shownKey(session), row, column);
    };
    QObject::connect(&session, &Session::selectionChanged, panel, [request](const Selection &selection) {
        if (selection.row && selection.column)
            request(*selection.row, *selection.column);
    });
    // A step back comes to another tensor and a weight in it at once: once that tensor is shown.
    QObject::connect(&session.analysis(), &AnalysisService::statsReady, panel, [&window, request](Side side) {
        const Selection &selection = window.session().selection();
        if (side != Side::A || !selection.row || !selection.column)
            return;
        window.panels().page->setSelection(selection);
        request(*selection.row, *selection.column);
    });
    QObject::connect(panel, &BlockPanel::blockRequested, &session, &Session::selectWeight);
    QObject::connect(panel, &BlockPanel::weightSelected, &session, &Session::selectWeight);
    QObject::connect(&inspect, &InspectService::blockReady, panel,
                     [panel, &session](Side side, const StatsKey &key, const BlockViewPtr &block) {
                         if (side == Side::A && key == shownKey(session)) // not of a tensor left meanwhile
                             panel->setBlock(block);
                     });
}

void wireValues(MainWindow &window)
{
    Session &session = window.session();
    InspectService &inspect = session.inspect();
    ValuesPanel *panel = window.panels().page->values();
    QObject::connect(panel, &ValuesPanel::pageRequested, &session, [&session, &inspect](const ValuesWindow &part) {
        if (session.analysis().current(Side::A))
            inspect.requestPage(Side::A, session.document(Side::A), shownKey(session), part);
    });
    QObject::connect(&inspect, &InspectService::pageReady, panel,
                     [panel, &session](Side side, const StatsKey &key, const ValuesPagePtr &page) {
                         if (side == Side::A && key == shownKey(session))
                             panel->setPage(page);
                     });
    QObject::connect(panel, &ValuesPanel::cellSelected, &session, &Session::selectWeight);
    QObject::connect(panel, &ValuesPanel::findRequested, &session,
                     [&session, &inspect](const FindQuery &query, const std::optional<ValuePosition> &after) {
                         inspect.requestFind(session.document(Side::A), shownKey(session), query, after);
                     });
    QObject::connect(panel, &ValuesPanel::findCancelled, &inspect, &InspectService::cancelFind);
    QObject::connect(&inspect, &InspectService::found, panel,
                     [panel](const StatsKey &, const std::optional<FoundValue> &value) { panel->setFound(value); });
    QObject::connect(&inspect, &InspectService::failed, panel,
                     [panel](const StatsKey &, const Error &error) { panel->setFindEnded(describe(error)); });
}

/// A scan of the whole model fills the table's columns as results come.
void wireModelScan(MainWindow &window)
{
    Session &session = window.session();
    TensorPanel *panel = window.panels().tensors;
    MessageBar *message = window.panels().message;
    QObject::connect(&session.modelScan(), &ModelScanService::tensorScanned, panel,
                     [panel, &session](quint64 generation, TensorIndex tensor, const TensorStatsPtr &stats) {
                         if (generation != session.document(Side::A).generation)
                             return;
                         std::vector<Moments> experts;
                         for (const Figures &expert : stats->experts)
                             experts.push_back(expert.moments);
                         panel->setMoments(tensor, stats->figures.moments, std::move(experts));
                     });
    QObject::connect(&session.modelScan(), &ModelScanService::failed, message,
                     [message](const Error &error) { showFailure(message, describe(error), error); });
    QObject::connect(&session.modelScan(), &ModelScanService::unreadable, message,
                     [message, &session](quint64 generation, quint64 tensors, const Error &first) {
                         if (generation == session.document(Side::A).generation)
                             showFailure(message, QObject::tr("%1 could not be read: %2")
                                                      .arg(tensors == 1 ? QObject::tr("1 tensor")
                                                                        : QObject::tr("%1 tensors").arg(formatCount(tensors)),
                                                           describe(first)),
                                         first);
                     });
    QObject::connect(&session, &Session::documentChanged, &session.modelScan(), [&session](Side side) {
        if (side == Side::A) // nobody waits for the other file any more
            session.modelScan().cancel();
    });
}

/// The tensor that was selected when this file was open last, behind the overview.
void restoreSelection(MainWindow &window, const QString &path)
{
    const QString name = window.settings().lastTensor(path);
    const auto tensor = window.session().document(Side::A).model->findTensor(name.toStdString());
    if (!name.isEmpty() && tensor)
        window.session().selectTensor(*tensor);
}

/// A new file on side A: every panel gets its summary, the window its title.
void adoptDocument(MainWindow &window)
{
    const Document &document = window.session().document(Side::A);
    const Panels &panels = window.panels();
    panels.tensors->setModel(document.summary);
    panels.metadata->setModel(document.summary);
    panels.tokenizer->setModel(document.summary);
    panels.overview->setModel(document.summary);
    panels.goTo->setModel(document.summary);
    panels.page->clear();
    panels.message->clear();
    if (!document) {
        window.setWindowTitle(QStringLiteral("Quantloupe"));
        window.showStart();
        return;
    }
    const QString path = pathOf(document);
    window.settings().addRecentFile(path);
    window.refreshRecent();
    window.setWindowTitle(QObject::tr("%1 – Quantloupe").arg(QFileInfo(path).fileName()));
    restoreSelection(window, path);
    window.showOverview();
}

void wireDocuments(MainWindow &window)
{
    Session &session = window.session();
    MessageBar *message = window.panels().message;
    QObject::connect(&session, &Session::documentChanged, &window, [&window](Side side) {
        if (side == Side::A)
            adoptDocument(window);
    });
    QObject::connect(message, &MessageBar::actionTriggered, &session, &Session::reload); // the one action there is
    QObject::connect(&session, &Session::openFailed, message,
                     [message, &window](Side, const QString &path, const Error &error) {
                         message->showMessage(QObject::tr("%1 can't be opened: %2").arg(path, describe(error)));
                         window.settings().removeRecentFile(path);
                         window.refreshRecent();
                     });
}

} // namespace

void wireAll(MainWindow &window)
{
    wireDocuments(window);
    wireTopBar(window);
    wireStartPage(window);
    wireTensorPanel(window);
    wireOverview(window);
    wireMetadata(window);
    wireTokenizer(window);
    wireGoTo(window);
    wirePage(window);
    wireAnalysis(window);
    wireBlock(window);
    wireValues(window);
    wireExperts(window);
    wireBeside(window);
    wireExports(window);
    wireModelScan(window);
    wireComparison(window);
    wireCompareTab(window);
    wirePairViews(window);
    wireDifferences(window);
    wireWhatIf(window);
    wireVerify(window);
    wireStatus(window);
}

} // namespace ql
