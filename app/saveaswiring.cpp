// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saveaswiring.h"

#include "app/failures.h"
#include "app/mainwindow.h"
#include "app/statusline.h"
#include "widgets/formatting.h"
#include "widgets/messagebar.h"
#include "widgets/saveasdialog.h"
#include "widgets/whatifpanel.h"

#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>

namespace ql {

namespace {

ConvertOrder orderOf(MainWindow &window, const SaveAsWish &wish)
{
    ConvertOrder order;
    order.type = wish.type;
    if (wish.whatIfChoice)
        order.choices = window.panels().whatIf->choices();
    for (const SaveAsWish::Edit &edit : wish.edits)
        order.changes.push_back({edit.key, edit.type, edit.value, edit.remove});
    return order;
}

/// "model-new.gguf" beside the file that is open; of a split one without the shard's number.
QString suggestedPath(const QString &path)
{
    const QFileInfo file(path);
    QString name = file.completeBaseName();
    name.remove(QRegularExpression(QStringLiteral("-\\d{5}-of-\\d{5}$")));
    return file.dir().filePath(name + QStringLiteral("-new.gguf"));
}

SaveAsPreview shown(const ConvertPreview &preview)
{
    return {preview.bytesBefore, preview.bytesAfter, preview.encoded, preview.freeBytes, preview.notes};
}

QString summary(const ConvertOutcome &outcome)
{
    QString text = QObject::tr("%1 was written: %2.").arg(outcome.path, formatBytesLong(outcome.bytes));
    if (outcome.encoded > 0)
        text += QObject::tr(" %1 tensors have another type; relative RMSE %2 against the source.")
                    .arg(formatCount(outcome.encoded), formatNumber(outcome.relativeRmse));
    return text;
}

/// What to do with the new file; nothing waits for the answer.
void offer(MainWindow &window, const ConvertOutcome &outcome)
{
    auto *box = new QMessageBox(QMessageBox::Information, QObject::tr("Saved"), summary(outcome), QMessageBox::Close, &window);
    box->setObjectName(QStringLiteral("savedBox"));
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    constexpr int MostNotes = 8;
    if (!outcome.notes.isEmpty())
        box->setInformativeText(outcome.notes.mid(0, MostNotes).join(QLatin1Char('\n')));
    if (outcome.notes.size() > MostNotes)
        box->setDetailedText(outcome.notes.join(QLatin1Char('\n')));
    auto *open = box->addButton(QObject::tr("Open"), QMessageBox::ActionRole);
    open->setObjectName(QStringLiteral("savedOpen"));
    auto *compare = box->addButton(QObject::tr("Compare with it"), QMessageBox::ActionRole);
    compare->setObjectName(QStringLiteral("savedCompare"));
    const QString path = outcome.path;
    QObject::connect(open, &QPushButton::clicked, &window, [&window, path] { window.openFile(path); });
    QObject::connect(compare, &QPushButton::clicked, &window, [&window, path] { window.session().open(Side::B, path); });
    box->open();
}

} // namespace

void showSaveAs(MainWindow &window)
{
    Session &session = window.session();
    const Document &document = session.document(Side::A);
    if (!document)
        return;
    auto *dialog = new SaveAsDialog(document.summary, window.panels().whatIf->choices().size(),
                                    suggestedPath(QString::fromStdString(document.model->path())), &window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    ConvertService &service = session.conversions();
    QObject::connect(dialog, &SaveAsDialog::previewRequested, &service, [&window, &service, dialog, document] {
        const SaveAsWish wish = dialog->wish();
        service.preview(document, orderOf(window, wish), wish.path);
    });
    QObject::connect(&service, &ConvertService::previewReady, dialog,
                     [dialog](const ConvertPreview &preview) { dialog->setPreview(shown(preview)); });
    QObject::connect(&service, &ConvertService::previewFailed, dialog,
                     [dialog](const Error &error) { dialog->setProblem(describe(error)); });
    QObject::connect(dialog, &SaveAsDialog::saveRequested, &service,
                     [&window, &service, document](const SaveAsWish &wish) {
                         service.convert(document, orderOf(window, wish), wish.path);
                     });
    dialog->open();
}

void wireSaveAs(MainWindow &window)
{
    ConvertService &service = window.session().conversions();
    MessageBar *message = window.panels().message;
    StatusLine *status = window.panels().status;
    QObject::connect(window.panels().whatIf, &WhatIfPanel::saveRequested, &window, [&window] { showSaveAs(window); });
    QObject::connect(&service, &ConvertService::converted, &window, [&window, status](const ConvertOutcome &outcome) {
        status->setMessage(QObject::tr("Wrote %1 (%2)").arg(outcome.path, formatBytes(outcome.bytes)));
        offer(window, outcome);
    });
    QObject::connect(&service, &ConvertService::failed, message, [message](const QString &path, const Error &error) {
        message->showMessage(QObject::tr("%1 was not written: %2").arg(path, describe(error)));
    });
    QObject::connect(&service, &ConvertService::stopped, status, [status](const QString &path) {
        status->setMessage(QObject::tr("Cancelled: %1 was not written").arg(path));
    });
}

} // namespace ql
