// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reportwiring.h"

#include "app/failures.h"
#include "app/mainwindow.h"
#include "app/statusline.h"
#include "core/jobs/reportservice.h"
#include "widgets/formatting.h"
#include "widgets/messagebar.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

namespace ql {

namespace {

QString nameOf(const Document &document)
{
    return QFileInfo(QString::fromStdString(document.model->path())).completeBaseName();
}

/// "A-vs-B.html" beside the files.
QString suggestion(MainWindow &window)
{
    const QString name = QStringLiteral("%1-vs-%2.html").arg(nameOf(window.session().document(Side::A)),
                                                             nameOf(window.session().document(Side::B)));
    return QDir(window.settings().lastFolder()).filePath(name);
}

void askWhere(MainWindow &window, ReportService *reports)
{
    auto *dialog = new QFileDialog(&window, QObject::tr("Save report"), suggestion(window),
                                   QObject::tr("HTML page, one file (*.html);;Markdown, to paste (*.md)"));
    dialog->setObjectName(QStringLiteral("reportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("html"));
    dialog->selectFile(QFileInfo(suggestion(window)).fileName());
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString &filter) {
        dialog->setDefaultSuffix(filter.contains(QLatin1String("*.md")) ? QStringLiteral("md") : QStringLiteral("html"));
    });
    QObject::connect(dialog, &QFileDialog::fileSelected, reports, [&window, reports](const QString &path) {
        const Document &a = window.session().document(Side::A), &b = window.session().document(Side::B);
        if (a && b)
            reports->write(a, b, path);
    });
    dialog->open(); // window-modal, no nested event loop
}

} // namespace

void addReportAction(QMenu &menu, MainWindow &window)
{
    auto *reports = new ReportService(window.session().jobs(), &window.session());
    StatusLine *status = window.panels().status;
    MessageBar *message = window.panels().message;
    QObject::connect(reports, &ReportService::written, status, [status](const QString &path, quint64 bytes) {
        status->setMessage(QObject::tr("Wrote %1 (%2)").arg(path, formatBytes(bytes)));
    });
    QObject::connect(reports, &ReportService::failed, message, [message](const QString &path, const Error &error) {
        message->showMessage(QObject::tr("%1 was not written: %2").arg(path, describe(error)));
    });
    QAction *action = menu.addAction(QObject::tr("&Save report…"));
    action->setObjectName(QStringLiteral("actionReport"));
    QObject::connect(action, &QAction::triggered, &window, [&window, reports] { askWhere(window, reports); });
    const auto update = [action, &window] {
        action->setEnabled(window.session().document(Side::A) && window.session().document(Side::B));
    };
    QObject::connect(&window.session(), &Session::documentChanged, action, update);
    update();
}

} // namespace ql
