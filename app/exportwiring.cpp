// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/exportwiring.h"

#include "app/failures.h"
#include "app/mainwindow.h"
#include "app/statusline.h"
#include "app/tensorpage.h"
#include "widgets/exportdialog.h"
#include "widgets/formatting.h"
#include "widgets/messagebar.h"
#include "widgets/tensorpanel.h"
#include "widgets/valuespanel.h"
#include "widgets/valuesview.h"

#include <QAbstractItemView>
#include <QAction>
#include <QFileInfo>

namespace ql {

namespace {

ExportOptions optionsOf(const ExportWish &wish)
{
    ExportOptions options;
    options.format = wish.format == ExportWish::Npy   ? ExportFormat::Npy
                     : wish.format == ExportWish::Raw ? ExportFormat::Raw
                                                      : ExportFormat::Csv;
    options.layout = wish.format == ExportWish::CsvLong ? CsvLayout::Long : CsvLayout::Matrix;
    options.expert = wish.expert;
    if (wish.rows)
        options.rows = RowRange{wish.rows->first, wish.rows->last};
    if (wish.columns)
        options.columns = RowRange{wish.columns->first, wish.columns->last};
    options.parallel.lowPriority = true;
    return options;
}

ExportSubject subjectOf(MainWindow &window, bool selection)
{
    Session &session = window.session();
    const Document &document = session.document(Side::A);
    const Selection &selected = session.selection();
    ExportSubject subject;
    subject.tensor = std::shared_ptr<const TensorInfo>(document.model, &document.model->tensor(*selected.tensor));
    subject.expert = selected.expert;
    // What is marked belongs to what the page shows, which a scan may lag behind.
    const PageSubject &shown = window.panels().page->shown();
    const ValuesWindow marked = window.panels().page->values()->view()->selection();
    const bool isShown = shown.tensor == subject.tensor && shown.expert == subject.expert;
    if (isShown && marked.rows > 0 && marked.columns > 0)
        subject.selection = marked;
    subject.preferSelection = selection;
    return subject;
}

void addContextMenus(MainWindow &window)
{
    auto *tree = window.panels().tensors->findChild<QAbstractItemView *>(QStringLiteral("tensorTree"));
    auto *fromTree = new QAction(QObject::tr("Export tensor…"), tree);
    fromTree->setObjectName(QStringLiteral("treeExport"));
    QObject::connect(fromTree, &QAction::triggered, &window, [&window] { showExport(window); });
    tree->addAction(fromTree);
    ValuesView *values = window.panels().page->values()->view();
    auto *copy = new QAction(QObject::tr("Copy values"), values);
    copy->setObjectName(QStringLiteral("valuesCopy"));
    QObject::connect(copy, &QAction::triggered, values, &ValuesView::copySelection);
    auto *marked = new QAction(QObject::tr("Export selection…"), values);
    marked->setObjectName(QStringLiteral("valuesExport"));
    QObject::connect(marked, &QAction::triggered, &window, [&window] { showExport(window, true); });
    values->addActions({copy, marked});
    values->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void connectDialog(MainWindow &window, ExportDialog *dialog, TensorIndex tensor)
{
    ExportService &service = window.session().exports();
    const Document document = window.session().document(Side::A);
    QObject::connect(dialog, &ExportDialog::estimateRequested, &service, [&service, dialog, document, tensor] {
        service.estimate(document, tensor, optionsOf(dialog->wish()));
    });
    QObject::connect(&service, &ExportService::estimated, dialog, &ExportDialog::setEstimate);
    QObject::connect(&service, &ExportService::estimateFailed, dialog,
                     [dialog](const Error &error) { dialog->setProblem(describe(error)); });
    QObject::connect(dialog, &ExportDialog::exportRequested, &service,
                     [&service, document, tensor](const ExportWish &wish) {
                         service.exportTensor(document, tensor, optionsOf(wish), wish.path);
                     });
}

} // namespace

void showExport(MainWindow &window, bool selection)
{
    Session &session = window.session();
    const Selection &selected = session.selection();
    if (!selected.tensor || !session.document(Side::A)) {
        window.panels().message->showMessage(QObject::tr("Select a tensor to export it."));
        return;
    }
    auto *dialog = new ExportDialog(subjectOf(window, selection), window.settings().lastFolder(), &window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connectDialog(window, dialog, *selected.tensor);
    dialog->open();
}

void wireExports(MainWindow &window)
{
    ExportService &exports = window.session().exports();
    StatusLine *status = window.panels().status;
    MessageBar *message = window.panels().message;
    QObject::connect(&exports, &ExportService::exported, status, [status](const QString &path, quint64 bytes) {
        status->setMessage(QObject::tr("Wrote %1 (%2)").arg(path, formatBytes(bytes)));
    });
    QObject::connect(&exports, &ExportService::stopped, status, [status](const QString &path) {
        status->setMessage(QObject::tr("Cancelled: %1 was not written").arg(path));
    });
    QObject::connect(&exports, &ExportService::failed, message, [message](const QString &path, const Error &error) {
        message->showMessage(QObject::tr("%1 was not written: %2").arg(path, describe(error)));
    });
    addContextMenus(window);
}

} // namespace ql
