// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QList>
#include <QObject>
#include <QString>

#include <functional>

class QAction;
class QPainter;
class QWidget;

namespace ql {

/// What a picture can be taken away as. Asked for only when someone takes it.
struct PlotSource {
    std::function<QSize()> size;                          ///< in device-independent pixels
    std::function<void(QPainter &, const QSize &)> draw;  ///< onto an image or a vector page
    std::function<QString()> csv;                         ///< its numbers; no locale
    std::function<QString()> baseName;                    ///< of the files offered, no suffix
};

/// Copy picture, Save picture… (PNG or SVG), Save numbers… (CSV): one set a plot, as actions for its
/// context menu and for the window's menus. Files appear whole or not at all.
class PlotActions final : public QObject
{
    Q_OBJECT
public:
    /// Adds the actions to `widget`'s context menu (Qt::ActionsContextMenu).
    PlotActions(QWidget *widget, PlotSource source);

    const QList<QAction *> &actions() const { return m_actions; }

    /// `scale` device pixels a pixel.
    QImage picture(double scale) const;
    /// By suffix: .png (twice the screen's size) or .svg. Returns a sentence on failure, else "".
    QString writePicture(const QString &path) const;
    QString writeCsv(const QString &path) const;

signals:
    /// Something was saved or could not be: a line for the status bar.
    void reported(const QString &message);

private:
    void add(const QString &name, const QString &text, void (PlotActions::*handler)());
    void copyPicture();
    void askPicturePath();
    void askCsvPath();
    void ask(const QString &title, const QStringList &filters,
             QString (PlotActions::*write)(const QString &) const);

    QWidget *m_widget;
    PlotSource m_source;
    QList<QAction *> m_actions;
};

/// Asks for a path without blocking and hands it to `write`, which returns a sentence on failure;
/// `report` gets a line either way. The first filter's suffix is added where none is given.
void saveWithDialog(QWidget *parent, const QString &title, const QStringList &filters, QString baseName,
                    const std::function<QString(const QString &)> &write,
                    const std::function<void(const QString &)> &report);
/// A file that appears whole or not at all; a sentence on failure, else "".
QString writeWholeFile(const QString &path, const QByteArray &bytes);

} // namespace ql
