// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verifywiring.h"

#include "app/failures.h"
#include "app/mainwindow.h"
#include "widgets/formatting.h"
#include "widgets/messagebar.h"
#include "widgets/overviewpanel.h"
#include "widgets/verifydialog.h"

#include <QFileInfo>

namespace ql {

namespace {

QString describe(const VerifyReport &report)
{
    QStringList parts;
    if (report.digests > 0)
        parts += QObject::tr("%1 of %2 digests match").arg(formatCount(report.matching), formatCount(report.digests));
    if (report.tensors > 0)
        parts += QObject::tr("%1 tensors decoded").arg(formatCount(report.tensors));
    parts += report.findings.empty() ? QObject::tr("nothing found")
                                     : QObject::tr("%1 findings, listed in the overview").arg(formatCount(report.findings.size()));
    return QObject::tr("Verified: %1").arg(parts.join(QStringLiteral(" · ")));
}

/// The file's own findings, then those of this verification; an earlier one's give way.
void showFindings(MainWindow &window, const VerifyReport &report)
{
    auto summary = std::make_shared<ModelSummary>(*window.session().document(Side::A).summary);
    summary->warnings.insert(summary->warnings.end(), report.findings.begin(), report.findings.end());
    window.panels().overview->setFindings(std::move(summary));
    window.panels().message->showMessage(describe(report));
    if (!report.findings.empty())
        window.showOverview();
}

} // namespace

void showVerify(MainWindow &window)
{
    Session &session = window.session();
    const Document document = session.document(Side::A);
    if (!document)
        return;
    auto *dialog = new VerifyDialog(QFileInfo(QString::fromStdString(document.model->path())).absolutePath(), &window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &VerifyDialog::verifyRequested, &session, [&session, document](const QString &manifest, bool deep) {
        session.verification().verify(document, {manifest, deep});
    });
    dialog->open();
}

void wireVerify(MainWindow &window)
{
    VerifyService &service = window.session().verification();
    QObject::connect(&service, &VerifyService::verified, &window, [&window](quint64 generation, const VerifyReport &report) {
        if (generation == window.session().document(Side::A).generation)
            showFindings(window, report);
    });
    MessageBar *message = window.panels().message;
    QObject::connect(&service, &VerifyService::failed, message, [message](const Error &error) {
        message->showMessage(QObject::tr("The file was not verified: %1").arg(describe(error)));
    });
}

} // namespace ql
