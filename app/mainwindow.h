// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"
#include "app/settings.h"

#include <QMainWindow>

class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace ql {

class GoToPopup;
class MessageBar;
class MetadataDiffPanel;
class MetadataPanel;
class OverviewPanel;
class StartPage;
class StatusLine;
class TensorPage;
class TensorPanel;
class TokenizerPanel;
class TopBar;
class WhatIfPanel;

/// The parts of the window, for wiring and tests. Owned by the window.
struct Panels {
    TopBar *topBar = nullptr;
    TensorPanel *tensors = nullptr;
    MetadataPanel *metadata = nullptr;
    MetadataDiffPanel *differences = nullptr;
    TokenizerPanel *tokenizer = nullptr;
    OverviewPanel *overview = nullptr;
    TensorPage *page = nullptr;
    WhatIfPanel *whatIf = nullptr;
    StartPage *start = nullptr;
    StatusLine *status = nullptr;
    MessageBar *message = nullptr;
    GoToPopup *goTo = nullptr;
};

/// The window: lays the panels out and holds the menus. What flows between panels is in wiring.cpp.
class MainWindow final : public QMainWindow
{
    Q_OBJECT

public:
    explicit MainWindow(Settings &settings, std::shared_ptr<ResultStore> store = {}, QWidget *parent = nullptr);
    ~MainWindow() override;

    Session &session() { return m_session; }
    const Panels &panels() const { return m_panels; }
    Settings &settings() { return m_settings; }

    void openFile(const QString &path);
    void openPair(const QString &a, const QString &b);
    void openSample();

public slots:
    void chooseFile();
    void chooseOther();
    /// Asks what of the selected tensor, how and where, then writes it in the background.
    void exportSelected();
    void showOverview();
    void showTensorPage();
    /// What the metadata of A and B don't have alike.
    void showDifferences();
    void showWhatIf();
    void showStart();
    void showMetadataKey(int metadataIndex);
    void setThemeChoice(ql::ThemeChoice choice);
    void refreshRecent();

signals:
    void themeChoiceChanged(ql::ThemeChoice choice);

protected:
    void closeEvent(QCloseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void createPanels();
    QWidget *createLeft();
    QWidget *createRight();
    void createLayout();
    void restoreState();
    void saveState();
    void openDropped(const QStringList &paths);
    void offerToCompare(const QString &path);

    Settings &m_settings;
    Session m_session;
    Panels m_panels;
    QSplitter *m_split = nullptr;
    QTabWidget *m_left = nullptr;
    QStackedWidget *m_right = nullptr;
};

} // namespace ql
