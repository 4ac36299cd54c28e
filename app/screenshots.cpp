// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/screenshots.h"

#include "app/comparetabwiring.h"
#include "app/exportwiring.h"
#include "app/mainwindow.h"
#include "app/samplemodel.h"
#include "app/saveaswiring.h"
#include "app/tensorpage.h"
#include "app/thememanager.h"
#include "app/verifywiring.h"
#include "core/format/shardset.h"
#include "widgets/comparepanel.h"
#include "widgets/expertpanel.h"
#include "widgets/whatifpanel.h"

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QPainter>
#include <QPushButton>
#include <QSlider>
#include <QTabWidget>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <functional>

namespace ql {

namespace {

constexpr QSize PictureSize(1440, 900);
constexpr int MaxWaitMs = 120000;
constexpr int QuietMs = 200; // debounced requests and repaints are done by then
constexpr int WriteError = 3;

/// Lets the window work until no job has been active for a moment.
void settle(MainWindow &window)
{
    QElapsedTimer total;
    QElapsedTimer quiet;
    total.start();
    quiet.start();
    QElapsedTimer round;
    while (quiet.elapsed() < QuietMs && total.elapsed() < MaxWaitMs) {
        round.start();
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        // A long round has shown something, which may be about to ask for more.
        if (!window.session().jobs().active().empty() || round.elapsed() > QuietMs / 4)
            quiet.restart();
    }
}

/// The tensor to show: a merged expert tensor if there is one, else the largest that can be decoded.
std::optional<TensorIndex> exampleTensor(const Document &document)
{
    std::optional<TensorIndex> best;
    const auto &tensors = document.summary->tensors;
    for (std::uint32_t i = 0; i < tensors.size(); ++i) {
        const auto rank = [&](const TensorInfo &t) {
            return std::pair(t.experts.has_value(), t.elements.value_or(0));
        };
        if (tensors[i].isDecodable() && (!best || rank(tensors[i]) > rank(tensors[best->value])))
            best = TensorIndex{i};
    }
    return best;
}

struct View {
    const char *name;
    void (*show)(MainWindow &window);
};

void showLeftTab(MainWindow &window, int index)
{
    window.findChild<QTabWidget *>(QStringLiteral("leftTabs"))->setCurrentIndex(index);
}

void showPageTab(MainWindow &window, int index) { window.panels().page->tabs()->setCurrentIndex(index); }

void selectExample(MainWindow &window)
{
    if (const auto tensor = exampleTensor(window.session().document(Side::A)))
        window.session().selectTensor(*tensor);
    showLeftTab(window, 0);
}

/// A picture of the experts, with what it has to be asked for.
void showExperts(MainWindow &window, ExpertPanel::Picture picture)
{
    ExpertPanel *panel = window.panels().page->experts();
    window.panels().page->tabs()->setCurrentWidget(panel);
    panel->setPicture(picture);
    if (picture != ExpertPanel::Picture::Histograms)
        panel->findChild<QPushButton *>(QStringLiteral("expertScan"))->click();
}

/// The last expert beside the first.
void showExpertPair(MainWindow &window)
{
    showExperts(window, ExpertPanel::Picture::Histograms);
    const auto tensor = window.session().selection().tensor;
    const auto &groups = window.session().experts().groups();
    const auto group = std::ranges::find_if(groups, [&](const ExpertGroup &g) { return g.experts.front().tensor == tensor; });
    if (group == groups.end() || !group->experts.front().slab)
        return;
    window.session().selectExpert(*tensor, *group->experts.front().slab);
    window.session().hold(*tensor, group->experts.back().slab);
}

void closeDialogs(MainWindow &window)
{
    for (auto *dialog : window.findChildren<QDialog *>())
        dialog->close();
}

void showCompare(MainWindow &window, ComparePanel::View view)
{
    showWorst(window);
    window.panels().page->compare()->setView(view);
}

constexpr View Views[] = {
    {"overview", [](MainWindow &window) { window.showOverview(); }},
    {"metadata", [](MainWindow &window) { showLeftTab(window, 1); }},
    {"differences", [](MainWindow &window) { window.showDifferences(); }},
    {"tokenizer", [](MainWindow &window) { showLeftTab(window, 2); }},
    {"tensor", selectExample},
    {"experts", [](MainWindow &window) { showExperts(window, ExpertPanel::Picture::Histograms); }},
    {"experts-map", [](MainWindow &window) { showExperts(window, ExpertPanel::Picture::Map); }},
    {"experts-cosines", [](MainWindow &window) { showExperts(window, ExpertPanel::Picture::Cosines); }},
    {"experts-pair", showExpertPair},
    {"block", [](MainWindow &window) { window.session().letGo(); showPageTab(window, 2); window.session().selectWeight(3, 40); }},
    {"values", [](MainWindow &window) { showPageTab(window, 3); }},
    {"compare", [](MainWindow &window) { showCompare(window, ComparePanel::View::Table); }},
    {"compare-maps", [](MainWindow &window) { showCompare(window, ComparePanel::View::Maps); }},
    {"compare-scatter", [](MainWindow &window) { showCompare(window, ComparePanel::View::Scatter); }},
    {"whatif-empty", [](MainWindow &window) { window.showWhatIf(); }},
    {"whatif",
     [](MainWindow &window) { window.panels().whatIf->findChild<QPushButton *>(QStringLiteral("whatIfMeasure"))->click(); }},
    {"whatif-budget",
     [](MainWindow &window) { window.panels().whatIf->findChild<QSlider *>(QStringLiteral("whatIfSlider"))->setValue(300); }},
    {"save-as", showSaveAs},
    {"export", [](MainWindow &window) { closeDialogs(window); showExport(window); }},
    {"verify", [](MainWindow &window) { closeDialogs(window); showVerify(window); }},
    {"candidate",
     [](MainWindow &window) {
         closeDialogs(window);
         emit window.panels().whatIf->candidateRequested(*window.session().selection().tensor, GgmlType::Q2_K);
         window.showTensorPage();
         showPageTab(window, 0);
     }},
};

class Renderer
{
public:
    Renderer(MainWindow &window, QDir folder, QString theme)
        : m_window(window)
        , m_folder(std::move(folder))
        , m_theme(std::move(theme))
    {}

    bool render(const QString &name)
    {
        settle(m_window);
        const QString path = m_folder.filePath(QStringLiteral("%1-%2.png").arg(name, m_theme));
        const bool saved = picture().save(path);
        std::fprintf(stderr, "%s %s\n", saved ? "wrote" : "can't write", qPrintable(path));
        return saved;
    }

private:
    /// The window, with a dialog over it where one is open.
    QPixmap picture()
    {
        QPixmap pixmap = m_window.grab();
        for (auto *dialog : m_window.findChildren<QDialog *>()) {
            if (!dialog->isVisible())
                continue;
            const QPixmap above = dialog->grab();
            QPainter(&pixmap).drawPixmap((pixmap.width() - above.width()) / 2, (pixmap.height() - above.height()) / 3, above);
        }
        return pixmap;
    }

    MainWindow &m_window;
    QDir m_folder;
    QString m_theme;
};

bool renderTheme(QApplication &app, const QStringList &files, ThemeChoice theme, const QDir &folder)
{
    const QTemporaryDir settingsFolder;
    Settings settings(settingsFolder.filePath(QStringLiteral("settings.ini")));
    ThemeManager(app).apply(theme);
    MainWindow window(settings);
    window.resize(PictureSize);
    window.show();
    Renderer renderer(window, folder, theme == ThemeChoice::Light ? QStringLiteral("light") : QStringLiteral("dark"));
    bool allSaved = renderer.render(QStringLiteral("start"));
    if (files.size() == 2)
        window.openPair(files.at(0), files.at(1));
    else
        window.openFile(files.first());
    settle(window);
    if (!window.session().document(Side::A))
        return renderer.render(QStringLiteral("open-failed")) && false;
    for (const View &view : Views) {
        view.show(window);
        allSaved &= renderer.render(QLatin1String(view.name));
    }
    return allSaved;
}

/// Says which of the files don't open.
bool allOpen(const QStringList &files)
{
    bool all = true;
    for (const QString &file : files) {
        const auto model = openModel(QFile::encodeName(file).toStdString());
        if (!model)
            std::fprintf(stderr, "quantloupe: %s\n", model.error().message.c_str());
        all = all && model.has_value();
    }
    return all;
}

} // namespace

int renderScreenshots(QApplication &app, const GuiArguments &arguments)
{
    const QDir folder(arguments.screenshotsFolder);
    if (!folder.mkpath(QStringLiteral("."))) {
        std::fprintf(stderr, "quantloupe: can't make the folder %s\n", qPrintable(folder.path()));
        return WriteError;
    }
    const QStringList files = arguments.files.isEmpty() ? QStringList{sampleModelPath()} : arguments.files;
    // A picture of the error for a single file; nothing would tell a pair without its B from a whole one.
    if (!allOpen(files) && files.size() == 2)
        return WriteError;
    const bool light = renderTheme(app, files, ThemeChoice::Light, folder);
    const bool dark = renderTheme(app, files, ThemeChoice::Dark, folder);
    return light && dark ? 0 : WriteError;
}

} // namespace ql
