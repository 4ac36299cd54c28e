// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plotactions.h"

#include <QAction>
#include <QBuffer>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QPainter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QWidget>

namespace ql {

namespace {

constexpr double FileScale = 2; // sharp on any screen and in print

QString suffixOf(const QString &filter)
{
    return filter.section(QStringLiteral("*."), 1).chopped(1);
}

} // namespace

QString writeWholeFile(const QString &path, const QByteArray &bytes)
{
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return {};
    return PlotActions::tr("Can't write %1: %2").arg(path, file.errorString());
}

void saveWithDialog(QWidget *parent, const QString &title, const QStringList &filters, QString baseName,
                    const std::function<QString(const QString &)> &write,
                    const std::function<void(const QString &)> &report)
{
    auto *dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(filters);
    dialog->setDefaultSuffix(suffixOf(filters.first()));
    // A dot would be taken for the start of a suffix, and none be added.
    dialog->selectFile(baseName.replace(QLatin1Char('.'), QLatin1Char('_')));
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString &filter) {
        dialog->setDefaultSuffix(suffixOf(filter));
    });
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, [write, report](const QString &path) {
        const QString error = write(path);
        report(error.isEmpty() ? PlotActions::tr("Saved %1.").arg(path) : error);
    });
    dialog->open();
}

PlotActions::PlotActions(QWidget *widget, PlotSource source)
    : QObject(widget), m_widget(widget), m_source(std::move(source))
{
    add(QStringLiteral("copyPicture"), tr("Copy picture"), &PlotActions::copyPicture);
    add(QStringLiteral("savePicture"), tr("Save picture…"), &PlotActions::askPicturePath);
    add(QStringLiteral("saveNumbers"), tr("Save numbers as CSV…"), &PlotActions::askCsvPath);
    widget->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void PlotActions::add(const QString &name, const QString &text, void (PlotActions::*handler)())
{
    auto *action = new QAction(text, this);
    action->setObjectName(name);
    connect(action, &QAction::triggered, this, handler);
    m_widget->addAction(action);
    m_actions << action;
}

QImage PlotActions::picture(double scale) const
{
    const QSize size = m_source.size();
    QImage image(size * scale, QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        return image;
    image.setDevicePixelRatio(scale);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    m_source.draw(painter, size);
    return image;
}

QString PlotActions::writePicture(const QString &path) const
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (QFileInfo(path).suffix().compare(QLatin1String("svg"), Qt::CaseInsensitive) == 0) {
        const QSize size = m_source.size();
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setSize(size);
        svg.setViewBox(QRect(QPoint(0, 0), size));
        svg.setTitle(m_source.baseName());
        QPainter painter(&svg);
        m_source.draw(painter, size);
    } else if (!picture(FileScale).save(&buffer, "PNG")) {
        return tr("There is no picture to save.");
    }
    return writeWholeFile(path, bytes);
}

QString PlotActions::writeCsv(const QString &path) const
{
    return writeWholeFile(path, m_source.csv().toUtf8());
}

void PlotActions::copyPicture()
{
    QGuiApplication::clipboard()->setImage(picture(m_widget->devicePixelRatioF()));
    emit reported(tr("Picture copied."));
}

void PlotActions::askPicturePath()
{
    ask(tr("Save picture"), {tr("PNG picture (*.png)"), tr("SVG drawing (*.svg)")},
        &PlotActions::writePicture);
}

void PlotActions::askCsvPath()
{
    ask(tr("Save numbers"), {tr("Comma-separated values (*.csv)")}, &PlotActions::writeCsv);
}

void PlotActions::ask(const QString &title, const QStringList &filters,
                      QString (PlotActions::*write)(const QString &) const)
{
    saveWithDialog(m_widget, title, filters, m_source.baseName(),
                   [this, write](const QString &path) { return (this->*write)(path); },
                   [this](const QString &line) { emit reported(line); });
}

} // namespace ql
