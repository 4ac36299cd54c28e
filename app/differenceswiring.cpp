// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/differenceswiring.h"

#include "app/failures.h"
#include "app/mainwindow.h"
#include "core/jobs/metadatadiffservice.h"
#include "widgets/metadatadiffpanel.h"
#include "widgets/metadatapanel.h"

namespace ql {

namespace {

void request(MainWindow &window, MetadataDiffService &service)
{
    const Document &a = window.session().document(Side::A), &b = window.session().document(Side::B);
    window.panels().metadata->setDifferences({});
    if (a && b) {
        window.panels().differences->showPending();
        service.request(a, b);
        return;
    }
    service.cancel();
    window.panels().differences->setComparison(nullptr);
}

} // namespace

void wireDifferences(MainWindow &window)
{
    auto *service = new MetadataDiffService(window.session().jobs(), &window.session());
    MetadataPanel *metadata = window.panels().metadata;
    MetadataDiffPanel *panel = window.panels().differences;
    QObject::connect(&window.session(), &Session::documentChanged, service, [&window, service] { request(window, *service); });
    QObject::connect(service, &MetadataDiffService::ready, panel, [panel, metadata](const MetadataComparisonPtr &comparison) {
        panel->setComparison(comparison);
        metadata->setDifferences(comparison->rows.size());
    });
    QObject::connect(service, &MetadataDiffService::failed, panel,
                     [panel](const Error &error) { panel->showError(describe(error)); });
    QObject::connect(metadata, &MetadataPanel::differencesRequested, &window, &MainWindow::showDifferences);
}

} // namespace ql
