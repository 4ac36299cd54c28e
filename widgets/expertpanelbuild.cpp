// SPDX-License-Identifier: GPL-3.0-or-later
// How the view is put together: its parts, their actions, and what they tell each other.
#include "widgets/expertpanel.h"

#include "widgets/busyoverlay.h"
#include "widgets/card.h"
#include "widgets/cellmap.h"
#include "widgets/choicebox.h"
#include "widgets/expertgrid.h"
#include "widgets/expertmaps.h"
#include "widgets/plotactions.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr int OddWidth = 184;

} // namespace

ExpertPanel::ExpertPanel(QWidget *parent)
    : QWidget(parent)
    , m_card(new Card(tr("Experts"), this))
    , m_picture(new ChoiceBox({}, this))
    , m_role(new ChoiceBox(tr("role"), this))
    , m_figure(new ChoiceBox(tr("figure"), this))
    , m_order(new ChoiceBox(tr("sort"), this))
    , m_scan(new QPushButton(tr("Scan all"), this))
    , m_grid(new ExpertGrid(this))
    , m_map(new CellMap(this))
    , m_routerMap(new CellMap(this))
    , m_matrixView(new CellMap(this))
    , m_gridOverlay(new BusyOverlay(m_grid))
    , m_matrixOverlay(new BusyOverlay(m_matrixView))
    , m_pictures(new QStackedWidget(this))
    , m_odd(new QListWidget(this))
    , m_oddTitle(Card::mutedLabel({}, this))
    , m_readout(new QLabel(this))
    , m_beside(new ChoiceBox(tr("compare with"), this))
    , m_state(new StatePlaceholder(this))
{
    setObjectName(QStringLiteral("expertPanel"));
    setAccessibleName(tr("Experts"));
    buildHeader();
    buildPictures();
    buildBody();
    buildActions();
    connectChoices();
    connectGrid();
    connectMap(m_map);
    connectMap(m_routerMap);
    connectMatrix();
    refreshNow();
}

void ExpertPanel::buildHeader()
{
    m_picture->setObjectName(QStringLiteral("expertPicture"));
    m_picture->setAccessibleName(tr("Picture"));
    m_role->setObjectName(QStringLiteral("expertRole"));
    m_role->setAccessibleName(tr("Role"));
    m_figure->setObjectName(QStringLiteral("expertFigure"));
    m_figure->setAccessibleName(tr("Figure"));
    m_order->setObjectName(QStringLiteral("expertOrder"));
    m_order->setAccessibleName(tr("Sort by"));
    m_scan->setObjectName(QStringLiteral("expertScan"));
    buildChoices();
    for (ChoiceBox *box : {m_picture, m_role, m_figure, m_order})
        m_card->header()->addWidget(box);
    m_card->header()->addStretch();
    m_card->header()->addWidget(m_scan);
}

void ExpertPanel::buildChoices()
{
    m_picture->addItem(tr("histograms"), static_cast<int>(Picture::Histograms));
    m_picture->addItem(tr("layers \u00d7 experts"), static_cast<int>(Picture::Map));
    m_picture->addItem(tr("experts \u00d7 experts"), static_cast<int>(Picture::Cosines));
    for (const ExpertFigure figure : AllExpertFigures)
        m_figure->addItem(toText(expertFigureName(figure)), static_cast<int>(figure));
    m_order->addItem(tr("number"), static_cast<int>(Order::Number));
    m_order->addItem(tr("figure \u2193"), static_cast<int>(Order::Descending));
    m_order->addItem(tr("figure \u2191"), static_cast<int>(Order::Ascending));
}

void ExpertPanel::buildPictures()
{
    m_map->setObjectName(QStringLiteral("expertMap"));
    m_map->setAccessibleName(tr("Map of layers and experts"));
    m_routerMap->setObjectName(QStringLiteral("expertRouterMap"));
    m_routerMap->setAccessibleName(tr("Norms of the routers' rows"));
    m_matrixView->setObjectName(QStringLiteral("expertMatrix"));
    m_matrixView->setAccessibleName(tr("Cosines between experts"));
    m_gridOverlay->setUnit(tr("weights"));
    m_matrixOverlay->setUnit(tr("weights"));
    auto *maps = new QWidget(this);
    auto *beside = new QHBoxLayout(maps);
    beside->setContentsMargins(0, 0, 0, 0);
    beside->setSpacing(16);
    beside->addWidget(m_map, 1);
    beside->addWidget(m_routerMap, 1);
    m_pictures->addWidget(m_grid);
    m_pictures->addWidget(maps);
    m_pictures->addWidget(m_matrixView);
}

void ExpertPanel::buildBody()
{
    m_odd->setObjectName(QStringLiteral("expertOdd"));
    m_odd->setAccessibleName(tr("Odd experts"));
    m_odd->setFixedWidth(OddWidth);
    m_odd->setWordWrap(true);
    m_odd->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_readout->setObjectName(QStringLiteral("expertReadout"));
    m_readout->setFont(Theme::fixedFont());
    m_readout->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_readout->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_beside->setObjectName(QStringLiteral("expertBeside"));
    m_beside->setAccessibleName(tr("Compare the selected expert with"));

    auto *odd = new QVBoxLayout;
    odd->setSpacing(4);
    odd->addWidget(m_oddTitle);
    odd->addWidget(m_odd, 1);
    odd->addWidget(m_beside);
    auto *middle = new QHBoxLayout;
    middle->setSpacing(16);
    middle->addWidget(m_pictures, 1);
    middle->addLayout(odd);
    m_card->body()->addLayout(middle, 1);
    m_card->body()->addWidget(m_readout);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_card);
    layout->addWidget(m_state);
}

PlotActions *ExpertPanel::addActions(CellMap *map, const QString &name)
{
    auto *actions = new PlotActions(map, {[map] { return map->size(); },
                                          [map](QPainter &painter, const QSize &size) { map->draw(painter, size); },
                                          [this] { return csv(); }, [this, name] { return baseName(name); }});
    connect(actions, &PlotActions::reported, this, &ExpertPanel::reported);
    return actions;
}

void ExpertPanel::buildActions()
{
    auto *grid = new PlotActions(m_grid, {[this] { return m_grid->pictureSize() + QSize(0, PictureTitle); },
                                          [this](QPainter &painter, const QSize &size) { drawGrid(painter, size); },
                                          [this] { return csv(); },
                                          [this] { return baseName(QStringLiteral("histograms")); }});
    connect(grid, &PlotActions::reported, this, &ExpertPanel::reported);
    addFiguresAction();
    addCopyAction();
    m_actions = {grid, addActions(m_map, QStringLiteral("map")), addActions(m_matrixView, QStringLiteral("cosines"))};
    auto *router = new PlotActions(
        m_routerMap, {[this] { return m_routerMap->size(); },
                      [this](QPainter &painter, const QSize &size) { m_routerMap->draw(painter, size); },
                      [this] {
                          return QString::fromStdString(expertMapCsv(makeExpertMap(
                              m_groups, m_tables, shownGroup() ? shownGroup()->role : std::string(), ExpertFigure::RouterNorm)));
                      },
                      [this] { return baseName(QStringLiteral("router")); }});
    connect(router, &PlotActions::reported, this, &ExpertPanel::reported);
}

/// The grid's numbers are its bars; the figures of its experts are a table of their own.
void ExpertPanel::addFiguresAction()
{
    auto *save = new QAction(tr("Save figures as CSV\u2026"), this);
    save->setObjectName(QStringLiteral("saveFigures"));
    connect(save, &QAction::triggered, this, &ExpertPanel::saveFigures);
    m_grid->addAction(save);
}

/// The numbers of the picture that is shown, for a spreadsheet.
void ExpertPanel::addCopyAction()
{
    auto *copy = new QAction(tr("Copy numbers"), this);
    copy->setObjectName(QStringLiteral("copyNumbers"));
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, [this] {
        QGuiApplication::clipboard()->setText(csv().replace(QLatin1Char(','), QLatin1Char('\t')));
        emit reported(tr("Numbers copied."));
    });
    for (QWidget *picture : {static_cast<QWidget *>(m_grid), static_cast<QWidget *>(m_map), static_cast<QWidget *>(m_matrixView)})
        picture->addAction(copy);
}

void ExpertPanel::saveFigures()
{
    saveWithDialog(this, tr("Save figures"), {tr("CSV table (*.csv)")}, baseName(QStringLiteral("figures")),
                   [this](const QString &path) { return writeWholeFile(path, figuresCsv().toUtf8()); },
                   [this](const QString &line) { emit reported(line); });
}

QString ExpertPanel::baseName(const QString &picture) const
{
    const ExpertGroup *group = shownGroup();
    QString name = group ? QString::fromStdString(group->role) : QStringLiteral("experts");
    if (group && group->layer && this->picture() != Picture::Map)
        name = QStringLiteral("blk-%1-").arg(*group->layer) + name;
    return name + QLatin1Char('-') + picture;
}

void ExpertPanel::connectChoices()
{
    for (ChoiceBox *box : {m_picture, m_figure, m_order})
        connect(box, &QComboBox::currentIndexChanged, this, &ExpertPanel::refresh);
    connect(m_role, &QComboBox::activated, this, [this] { showRole(m_role->currentText().toStdString()); });
    connect(m_beside, &QComboBox::activated, this, [this](int index) {
        const QVariant expert = m_beside->itemData(index);
        emit besideRequested(expert.isValid() ? std::optional(expert.value<ExpertRef>()) : std::nullopt);
    });
    connect(m_scan, &QPushButton::clicked, this, &ExpertPanel::scanClicked);
    const auto follow = [this](QListWidgetItem *item) {
        emit expertSelected(item->data(Qt::UserRole).value<ExpertRef>());
    };
    connect(m_odd, &QListWidget::itemClicked, this, follow);
    connect(m_odd, &QListWidget::itemActivated, this, follow);
}

void ExpertPanel::scanClicked()
{
    if (picture() == Picture::Cosines && shownGroup()) {
        m_matrixAsked = m_shown;
        m_matrixProblem.clear();
        m_matrixOverlay->start(tr("Comparing each two experts"));
        emit matrixRequested(*shownGroup());
    } else if (m_scanShare) {
        emit scanCancelled();
    } else {
        emit modelScanRequested();
    }
}

void ExpertPanel::connectGrid()
{
    connect(m_state, &StatePlaceholder::actionTriggered, this,
            [this] { emit expertSelected(shownGroup()->experts.front()); });
    connect(m_grid, &ExpertGrid::expertActivated, this,
            [this](std::size_t index) { emit expertSelected(shownTable()->experts[index].ref); });
    connect(m_grid, &ExpertGrid::expertHeld, this,
            [this](std::size_t index) { emit besideRequested(shownTable()->experts[index].ref); });
    connect(m_gridOverlay, &BusyOverlay::cancelRequested, this, &ExpertPanel::tableCancelled);
    connect(m_grid, &ExpertGrid::readoutChanged, this, &ExpertPanel::showReadout);
}

void ExpertPanel::connectMap(CellMap *map)
{
    connect(map, &CellMap::cellPointed, this, &ExpertPanel::pointMap);
    connect(map, &CellMap::cellActivated, this, [this](int row, int column) {
        if (const ExpertSummary *expert = mapExpert(row, column))
            emit expertSelected(expert->ref);
    });
    connect(map, &CellMap::cellHeld, this, [this](int row, int column) {
        if (const ExpertSummary *expert = mapExpert(row, column))
            emit besideRequested(expert->ref);
    });
}

void ExpertPanel::connectMatrix()
{
    const auto expertAt = [this](int row) { return shownGroup()->experts[static_cast<std::size_t>(row)]; };
    connect(m_matrixOverlay, &BusyOverlay::cancelRequested, this, &ExpertPanel::matrixCancelled);
    connect(m_matrixView, &CellMap::cellPointed, this, &ExpertPanel::pointMatrix);
    // A cell is two experts: it shows them beside each other.
    connect(m_matrixView, &CellMap::cellActivated, this, [this, expertAt](int row, int column) {
        if (!shownGroup() || !m_matrix)
            return;
        const ExpertRef a = expertAt(row);
        const ExpertRef b = expertAt(column);
        emit besideRequested(row == column ? std::nullopt : std::optional(b));
        emit expertSelected(a);
    });
    connect(m_matrixView, &CellMap::cellHeld, this, [this, expertAt](int row, int) {
        if (shownGroup() && m_matrix)
            emit besideRequested(expertAt(row));
    });
}

} // namespace ql
