// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mainwindow.h"

#include "app/exportwiring.h"
#include "app/menus.h"
#include "app/samplemodel.h"
#include "app/startpage.h"
#include "app/statusline.h"
#include "app/tensorpage.h"
#include "app/topbar.h"
#include "app/wiring.h"
#include "core/format/shardname.h"
#include "widgets/comparepanel.h"
#include "widgets/comparetableview.h"
#include "widgets/gotopopup.h"
#include "widgets/messagebar.h"
#include "widgets/metadatadiffpanel.h"
#include "widgets/metadatapanel.h"
#include "widgets/overviewpanel.h"
#include "widgets/tensorpanel.h"
#include "widgets/theme.h"
#include "widgets/tokenizerpanel.h"
#include "widgets/whatifpanel.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QFileDialog>
#include <QIcon>
#include <QKeyEvent>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr QSize DefaultSize(1440, 900);
constexpr int LeftWidth = 420;
constexpr QSize LeastSize(1024, 620); ///< below it panels would lie on each other
constexpr QSize FrameSize(16, 48);    ///< about what window managers add

const QString GeometryState = QStringLiteral("geometry");
const QString SplitState = QStringLiteral("split");

/// Calls handle(name, view) for each view that remembers its columns, borders or tab between starts.
template <class Handle>
void forViewsWithState(const Panels &panels, const Handle &handle)
{
    handle(QStringLiteral("tensors"), panels.tensors);
    handle(QStringLiteral("page"), panels.page);
    handle(QStringLiteral("metadata"), panels.metadata);
    handle(QStringLiteral("tokenizer"), panels.tokenizer);
    handle(QStringLiteral("compare"), panels.page->compare()->table());
}

QString fileFilter() { return QObject::tr("GGUF models (*.gguf);;All files (*)"); }

/// The dropped files, one a model: the shards of a split model are dropped together.
QStringList droppedFiles(const QMimeData &data)
{
    std::vector<std::string> paths;
    for (const QUrl &url : data.urls())
        if (url.isLocalFile())
            paths.push_back(url.toLocalFile().toStdString());
    QStringList models;
    for (const std::string &path : onePathPerModel(paths))
        models << QString::fromStdString(path);
    return models;
}

} // namespace

MainWindow::MainWindow(Settings &settings, std::shared_ptr<ResultStore> store, QWidget *parent)
    : QMainWindow(parent)
    , m_settings(settings)
    , m_session(std::move(store))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(QStringLiteral("Quantloupe"));
    setAcceptDrops(true);
    createPanels();
    createLayout();
    createMenus(*this);
    wireAll(*this);
    restoreState();
    refreshRecent();
    showStart();
}

MainWindow::~MainWindow() = default;

void MainWindow::createPanels()
{
    m_panels.topBar = new TopBar(this);
    m_panels.tensors = new TensorPanel(this);
    m_panels.metadata = new MetadataPanel(this);
    m_panels.tokenizer = new TokenizerPanel(this);
    m_panels.overview = new OverviewPanel(this);
    m_panels.page = new TensorPage(this);
    m_panels.differences = new MetadataDiffPanel(this);
    m_panels.whatIf = new WhatIfPanel(this);
    m_panels.start = new StartPage(this);
    m_panels.status = new StatusLine(this);
    m_panels.message = new MessageBar(this);
}

QWidget *MainWindow::createLeft()
{
    m_left = new QTabWidget(this);
    m_left->setObjectName(QStringLiteral("leftTabs"));
    m_left->setDocumentMode(true);
    m_left->addTab(m_panels.tensors, tr("Tensors"));
    m_left->addTab(m_panels.metadata, tr("Metadata"));
    m_left->addTab(m_panels.tokenizer, tr("Tokenizer"));
    return m_left;
}

QWidget *MainWindow::createRight()
{
    m_right = new QStackedWidget(this);
    m_right->setObjectName(QStringLiteral("rightPages"));
    m_right->addWidget(m_panels.overview);
    m_right->addWidget(m_panels.page);
    m_right->addWidget(m_panels.differences);
    m_right->addWidget(m_panels.whatIf);
    return m_right;
}

void MainWindow::createLayout()
{
    m_split = new QSplitter(this);
    m_split->setObjectName(QStringLiteral("mainSplit"));
    m_split->setChildrenCollapsible(false);
    m_split->setHandleWidth(1);
    m_split->addWidget(createLeft());
    m_split->addWidget(createRight());
    m_split->setStretchFactor(1, 1);
    setMinimumSize(LeastSize);
    m_split->setSizes({LeftWidth, DefaultSize.width() - LeftWidth});

    auto *central = new QWidget(this);
    auto *layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_panels.topBar);
    layout->addWidget(m_panels.message);
    layout->addWidget(m_panels.start, 1);
    layout->addWidget(m_split, 1);
    layout->addWidget(m_panels.status);
    setCentralWidget(central);
    m_panels.goTo = new GoToPopup(central);
}

void MainWindow::restoreState()
{
    if (!restoreGeometry(m_settings.state(GeometryState)))
        resize(DefaultSize.boundedTo(screen()->availableSize() - FrameSize));
    m_split->restoreState(m_settings.state(SplitState));
    forViewsWithState(m_panels, [this](const QString &name, auto *view) { view->restoreState(m_settings.state(name)); });
}

void MainWindow::saveState()
{
    m_settings.setState(GeometryState, saveGeometry());
    m_settings.setState(SplitState, m_split->saveState());
    forViewsWithState(m_panels, [this](const QString &name, auto *view) { m_settings.setState(name, view->saveState()); });
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    saveState();
    QMainWindow::closeEvent(event);
}

/// A panel that has the keyboard sees to Ctrl+F itself; from elsewhere it goes to the one on the left.
void MainWindow::keyPressEvent(QKeyEvent *event)
{
    if (!event->matches(QKeySequence::Find))
        return QMainWindow::keyPressEvent(event);
    const auto focusIfSeen = [](auto *panel) {
        if (panel->isVisible())
            panel->focusFilter();
    };
    focusIfSeen(m_panels.tensors);
    focusIfSeen(m_panels.metadata);
    focusIfSeen(m_panels.tokenizer);
}

void MainWindow::openFile(const QString &path) { m_session.open(Side::A, path); }

void MainWindow::openPair(const QString &a, const QString &b)
{
    m_session.open(Side::A, a);
    m_session.open(Side::B, b);
}

void MainWindow::openSample()
{
    const QString path = sampleModelPath();
    if (path.isEmpty())
        m_panels.message->showMessage(tr("The sample model could not be written to the cache folder."));
    else
        openFile(path);
}

void MainWindow::chooseFile()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a GGUF file"), m_settings.lastFolder(), fileFilter());
    if (!path.isEmpty())
        openFile(path);
}

void MainWindow::chooseOther()
{
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open a file to compare with"), m_settings.lastFolder(), fileFilter());
    if (!path.isEmpty())
        m_session.open(Side::B, path);
}

void MainWindow::exportSelected() { showExport(*this); }

void MainWindow::showStart()
{
    m_panels.start->show();
    m_split->hide();
}

void MainWindow::showOverview()
{
    m_panels.start->hide();
    m_split->show();
    m_right->setCurrentWidget(m_panels.overview);
}

void MainWindow::showTensorPage()
{
    m_panels.start->hide();
    m_split->show();
    m_right->setCurrentWidget(m_panels.page);
}

void MainWindow::showDifferences()
{
    m_panels.start->hide();
    m_split->show();
    m_right->setCurrentWidget(m_panels.differences);
}

void MainWindow::showWhatIf()
{
    m_panels.start->hide();
    m_split->show();
    m_right->setCurrentWidget(m_panels.whatIf);
}

void MainWindow::showMetadataKey(int metadataIndex)
{
    m_left->setCurrentWidget(m_panels.metadata);
    m_panels.metadata->showEntry(metadataIndex);
}

void MainWindow::refreshRecent() { m_panels.start->setRecentFiles(m_settings.recentFiles()); }

void MainWindow::setThemeChoice(ThemeChoice choice)
{
    m_settings.setTheme(choice);
    emit themeChoiceChanged(choice);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (!droppedFiles(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    const QStringList paths = droppedFiles(*event->mimeData());
    if (paths.isEmpty())
        return;
    event->acceptProposedAction();
    if (paths.size() > 1)
        openDropped(paths);
    else if (m_session.document(Side::A))
        offerToCompare(paths.first());
    else
        openFile(paths.first());
}

void MainWindow::openDropped(const QStringList &paths)
{
    openPair(paths.at(0), paths.at(1));
    if (paths.size() > 2)
        m_panels.status->setMessage(tr("%1 files were dropped: the first two are opened").arg(paths.size()));
}

void MainWindow::offerToCompare(const QString &path)
{
    auto *question = new QMessageBox(QMessageBox::Question, tr("Open a second file"),
                                     tr("Open %1 in place of the file that is open, or beside it to compare?")
                                         .arg(QFileInfo(path).fileName()),
                                     QMessageBox::Cancel, this);
    question->setObjectName(QStringLiteral("dropQuestion"));
    question->setTextFormat(Qt::PlainText);
    question->setAttribute(Qt::WA_DeleteOnClose);
    auto *replace = question->addButton(tr("Replace"), QMessageBox::AcceptRole);
    auto *beside = question->addButton(tr("Beside it"), QMessageBox::AcceptRole);
    connect(replace, &QPushButton::clicked, this, [this, path] { openFile(path); });
    connect(beside, &QPushButton::clicked, this, [this, path] { m_session.open(Side::B, path); });
    question->open(); // window-modal, no nested event loop
}

} // namespace ql
