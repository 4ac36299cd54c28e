// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/menus.h"

#include "app/comparetabwiring.h"
#include "app/mainwindow.h"
#include "app/reportwiring.h"
#include "app/saveaswiring.h"
#include "app/statusline.h"
#include "app/tensorpage.h"
#include "app/verifywiring.h"
#include "widgets/gotopopup.h"
#include "widgets/tensorpanel.h"

#include <QActionGroup>
#include <QApplication>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>

namespace ql {

namespace {

template <class Slot>
QAction *add(QMenu &menu, const QString &name, const QString &text, const QKeySequence &shortcut, MainWindow &window,
             Slot slot)
{
    auto *action = menu.addAction(text);
    action->setObjectName(name);
    action->setShortcut(shortcut);
    QObject::connect(action, &QAction::triggered, &window, slot);
    return action;
}

void enableWithFile(QAction *action, MainWindow &window)
{
    const auto update = [action, &window] { action->setEnabled(bool(window.session().document(Side::A))); };
    QObject::connect(&window.session(), &Session::documentChanged, action, update);
    update();
}

void createFileMenu(QMenu &menu, MainWindow &window)
{
    add(menu, QStringLiteral("actionOpen"), QObject::tr("&Open…"), QKeySequence::Open, window, &MainWindow::chooseFile);
    auto *recent = menu.addMenu(QObject::tr("Open &recent"));
    recent->setObjectName(QStringLiteral("recentMenu"));
    QObject::connect(recent, &QMenu::aboutToShow, &window, [recent, &window] { fillRecentMenu(*recent, window); });
    add(menu, QStringLiteral("actionSample"), QObject::tr("Open &sample model"), {}, window, &MainWindow::openSample);
    menu.addSeparator();
    auto *reload = add(menu, QStringLiteral("actionReload"), QObject::tr("Re&load"), Qt::Key_F5, window,
                       [&window] { window.session().reload(); });
    enableWithFile(reload, window);
    auto *close = add(menu, QStringLiteral("actionClose"), QObject::tr("&Close"), QKeySequence::Close, window, [&window] {
        window.session().close(Side::B);
        window.session().close(Side::A);
    });
    enableWithFile(close, window);
    menu.addSeparator();
    auto *save = add(menu, QStringLiteral("actionExport"), QObject::tr("&Export tensor…"), Qt::CTRL | Qt::Key_E, window,
                     &MainWindow::exportSelected);
    enableWithFile(save, window);
    auto *saveAs = add(menu, QStringLiteral("actionSaveAs"), QObject::tr("Save &as…"), QKeySequence::SaveAs, window,
                       [&window] { showSaveAs(window); });
    saveAs->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_S); // not every platform has a standard one
    enableWithFile(saveAs, window);
    menu.addSeparator();
    add(menu, QStringLiteral("actionQuit"), QObject::tr("&Quit"), QKeySequence::Quit, window, &QWidget::close);
}

void createModelMenu(QMenu &menu, MainWindow &window)
{
    auto *overview = add(menu, QStringLiteral("actionOverview"), QObject::tr("&Overview"), Qt::CTRL | Qt::Key_0, window,
                         &MainWindow::showOverview);
    enableWithFile(overview, window);
    auto *goTo = add(menu, QStringLiteral("actionGoTo"), QObject::tr("&Go to tensor or key…"), Qt::CTRL | Qt::Key_K,
                     window, [&window] { window.panels().goTo->openPopup(); });
    enableWithFile(goTo, window);
    // No key of its own: every panel on the left has Ctrl+F for its own filter.
    add(menu, QStringLiteral("actionFilter"), QObject::tr("&Filter tensors"), {}, window,
        [&window] { window.panels().tensors->focusFilter(); });
    menu.addSeparator();
    auto *back = add(menu, QStringLiteral("actionBack"), QObject::tr("&Back"), Qt::ALT | Qt::Key_Left, window,
                     [&window] { window.session().goBack(); });
    auto *forward = add(menu, QStringLiteral("actionForward"), QObject::tr("&Forward"), Qt::ALT | Qt::Key_Right, window,
                        [&window] { window.session().goForward(); });
    const auto update = [back, forward, &window] {
        back->setEnabled(window.session().canGoBack());
        forward->setEnabled(window.session().canGoForward());
    };
    QObject::connect(&window.session(), &Session::historyChanged, &window, update);
    update();
    menu.addSeparator();
    auto *scan = add(menu, QStringLiteral("actionScanAll"), QObject::tr("&Scan all tensors"), {}, window, [&window] {
        window.session().modelScan().start(window.session().document(Side::A));
    });
    enableWithFile(scan, window);
    menu.addSeparator();
    add(menu, QStringLiteral("actionCancel"), QObject::tr("&Cancel work"), Qt::Key_Escape, window,
        [&window] { window.session().jobs().cancelAll(); });
}

void createViewMenu(QMenu &menu, MainWindow &window)
{
    auto *themes = menu.addMenu(QObject::tr("&Theme"));
    auto *group = new QActionGroup(themes);
    const std::pair<ThemeChoice, QString> choices[] = {{ThemeChoice::System, QObject::tr("&System")},
                                                       {ThemeChoice::Light, QObject::tr("&Light")},
                                                       {ThemeChoice::Dark, QObject::tr("&Dark")}};
    for (const auto &[choice, text] : choices) {
        auto *action = add(*themes, QStringLiteral("theme%1").arg(static_cast<int>(choice)), text, {}, window,
                           [choice = choice, &window] { window.setThemeChoice(choice); });
        action->setCheckable(true);
        action->setChecked(window.settings().theme() == choice);
        group->addAction(action);
    }
}

/// What there is to do with two files.
void addPairActions(QMenu &menu, MainWindow &window)
{
    auto *recent = menu.addMenu(QObject::tr("&Recent pairs"));
    recent->setObjectName(QStringLiteral("recentPairsMenu"));
    QObject::connect(recent, &QMenu::aboutToShow, &window, [recent, &window] { fillRecentPairs(*recent, window); });
    auto *differences = add(menu, QStringLiteral("actionDifferences"), QObject::tr("&Metadata differences"),
                            Qt::CTRL | Qt::SHIFT | Qt::Key_M, window, &MainWindow::showDifferences);
    const auto update = [differences, &window] {
        differences->setEnabled(window.session().document(Side::A) && window.session().document(Side::B));
    };
    QObject::connect(&window.session(), &Session::documentChanged, differences, update);
    update();
    addReportAction(menu, window);
}

void createCompareMenu(QMenu &menu, MainWindow &window)
{
    auto *open = add(menu, QStringLiteral("actionCompare"), QObject::tr("Compare &with…"), Qt::CTRL | Qt::SHIFT | Qt::Key_O,
                     window, &MainWindow::chooseOther);
    enableWithFile(open, window);
    auto *worst = add(menu, QStringLiteral("actionWorst"), QObject::tr("&Differences, worst first"), Qt::CTRL | Qt::Key_D,
                      window, [&window] { showWorst(window); });
    enableWithFile(worst, window);
    auto *pair = add(menu, QStringLiteral("actionPairByHand"), QObject::tr("&Pair with a tensor of B…"), {}, window,
                     [&window] { askForPartner(window, window.session().selection()); });
    enableWithFile(pair, window);
    auto *hold = add(menu, QStringLiteral("actionHold"), QObject::tr("&Hold selected as B"), Qt::CTRL | Qt::Key_B, window,
                     [&window] {
                         if (const Selection &selected = window.session().selection(); selected.tensor)
                             window.session().hold(*selected.tensor, selected.expert);
                     });
    hold->setToolTip(QObject::tr("Compare this tensor or expert with others of the same file"));
    enableWithFile(hold, window);
    auto *letGo = add(menu, QStringLiteral("actionLetGo"), QObject::tr("Back to &A alone"), {}, window,
                      [&window] { window.session().letGo(); });
    letGo->setEnabled(false);
    QObject::connect(&window.session(), &Session::heldChanged, letGo,
                     [letGo](const auto &held) { letGo->setEnabled(held.has_value()); });
    menu.addSeparator();
    addPairActions(menu, window);
    menu.addSeparator();
    auto *close = add(menu, QStringLiteral("actionCloseB"), QObject::tr("&Close B"), {}, window,
                      [&window] { window.session().close(Side::B); });
    const auto update = [close, &window] { close->setEnabled(bool(window.session().document(Side::B))); };
    QObject::connect(&window.session(), &Session::documentChanged, close, update);
    update();
}

void createToolsMenu(QMenu &menu, MainWindow &window)
{
    auto *whatIf = add(menu, QStringLiteral("actionWhatIf"), QObject::tr("&What if…"), Qt::CTRL | Qt::Key_I, window,
                       &MainWindow::showWhatIf);
    enableWithFile(whatIf, window);
    auto *verify = add(menu, QStringLiteral("actionVerify"), QObject::tr("&Verify file…"), {}, window,
                       [&window] { showVerify(window); });
    enableWithFile(verify, window);
}

void createHelpMenu(QMenu &menu, MainWindow &window)
{
    add(menu, QStringLiteral("actionAbout"), QObject::tr("&About Quantloupe"), {}, window, [&window] {
        QMessageBox::about(&window, QObject::tr("About Quantloupe"),
                           QObject::tr("Quantloupe %1\n\nLooks inside GGUF language-model files: read-only, exact to the "
                                       "bit.\nLicence: GPL-3.0-or-later. The histogram is drawn with QCustomPlot.")
                               .arg(QStringLiteral(QL_VERSION)));
    });
}

QMenu *menu(MainWindow &window, const QString &name, const QString &title)
{
    QMenu *result = window.menuBar()->addMenu(title);
    result->setObjectName(name);
    return result;
}

} // namespace

void createMenus(MainWindow &window)
{
    createFileMenu(*menu(window, QStringLiteral("fileMenu"), QObject::tr("&File")), window);
    createModelMenu(*menu(window, QStringLiteral("modelMenu"), QObject::tr("&Model")), window);
    createViewMenu(*menu(window, QStringLiteral("viewMenu"), QObject::tr("&View")), window);
    createCompareMenu(*menu(window, QStringLiteral("compareMenu"), QObject::tr("&Compare")), window);
    createToolsMenu(*menu(window, QStringLiteral("toolsMenu"), QObject::tr("&Tools")), window);
    createHelpMenu(*menu(window, QStringLiteral("helpMenu"), QObject::tr("&Help")), window);
}

void fillRecentMenu(QMenu &menu, MainWindow &window)
{
    menu.clear();
    const QStringList files = window.settings().recentFiles();
    for (const QString &path : files) {
        QAction *action = menu.addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        QObject::connect(action, &QAction::triggered, &window, [path, &window] { window.openFile(path); });
    }
    menu.setEnabled(true);
    if (files.isEmpty()) {
        menu.addAction(QObject::tr("No files yet"))->setEnabled(false);
        return;
    }
    menu.addSeparator();
    QObject::connect(menu.addAction(QObject::tr("&Clear list")), &QAction::triggered, &window, [&window] {
        window.settings().clearRecentFiles();
        window.refreshRecent();
    });
}

void fillRecentPairs(QMenu &menu, MainWindow &window)
{
    menu.clear();
    menu.setToolTipsVisible(true);
    const QList<QStringList> pairs = window.settings().recentPairs();
    for (const QStringList &pair : pairs) {
        const QString a = pair.first(), b = pair.last();
        // An ampersand of a name is no mnemonic.
        QString text = QObject::tr("%1  –  %2").arg(QFileInfo(a).fileName(), QFileInfo(b).fileName());
        QAction *action = menu.addAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setToolTip(a + QLatin1Char('\n') + b);
        QObject::connect(action, &QAction::triggered, &window, [a, b, &window] { window.openPair(a, b); });
    }
    if (pairs.isEmpty())
        menu.addAction(QObject::tr("No pairs yet"))->setEnabled(false);
}

} // namespace ql
