// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/expertpanel.h"

#include "widgets/card.h"
#include "widgets/cellmap.h"
#include "widgets/choicebox.h"
#include "widgets/expertgrid.h"
#include "widgets/formatting.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ql {

namespace {

constexpr int OddWidth = 260;

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString layerText(const std::optional<std::uint32_t> &layer)
{
    return layer ? ExpertPanel::tr("layer %1").arg(*layer) : ExpertPanel::tr("no layer");
}

/// Lowest and highest finite value; 0 and 1 where there is none.
std::pair<double, double> rangeOf(const std::vector<double> &values)
{
    double lo = std::numeric_limits<double>::infinity();
    double hi = -lo;
    for (const double value : values)
        if (std::isfinite(value)) {
            lo = std::min(lo, value);
            hi = std::max(hi, value);
        }
    return lo <= hi ? std::pair(lo, hi) : std::pair(0.0, 1.0);
}

bool sameGroup(const ExpertGroup &group, const ExpertTable &table)
{
    return group.layer == table.layer && group.role == table.role
           && !table.experts.empty() && !group.experts.empty()
           && group.experts.front().tensor == table.experts.front().ref.tensor;
}

} // namespace

ExpertPanel::ExpertPanel(QWidget *parent)
    : QWidget(parent)
    , m_card(new Card(tr("Experts"), this))
    , m_picture(new ChoiceBox({}, this))
    , m_role(new ChoiceBox(tr("role"), this))
    , m_figure(new ChoiceBox(tr("figure"), this))
    , m_order(new ChoiceBox(tr("sort"), this))
    , m_scan(new QPushButton(tr("Scan all layers"), this))
    , m_grid(new ExpertGrid(this))
    , m_map(new CellMap(this))
    , m_matrixView(new CellMap(this))
    , m_pictures(new QStackedWidget(this))
    , m_odd(new QListWidget(this))
    , m_oddTitle(Card::mutedLabel({}, this))
    , m_readout(new QLabel(this))
    , m_state(new StatePlaceholder(this))
{
    setObjectName(QStringLiteral("expertPanel"));
    setAccessibleName(tr("Experts"));
    buildHeader();
    buildBody();
    connectViews();
    refresh();
}

void ExpertPanel::buildHeader()
{
    m_picture->setObjectName(QStringLiteral("expertPicture"));
    m_picture->setAccessibleName(tr("Picture"));
    m_picture->addItem(tr("histograms"), static_cast<int>(Picture::Histograms));
    m_picture->addItem(tr("layers \u00d7 experts"), static_cast<int>(Picture::Map));
    m_picture->addItem(tr("experts \u00d7 experts"), static_cast<int>(Picture::Cosines));
    m_role->setObjectName(QStringLiteral("expertRole"));
    m_role->setAccessibleName(tr("Role"));
    m_figure->setObjectName(QStringLiteral("expertFigure"));
    m_figure->setAccessibleName(tr("Figure"));
    for (const ExpertFigure figure : AllExpertFigures)
        m_figure->addItem(text(expertFigureName(figure)), static_cast<int>(figure));
    m_order->setObjectName(QStringLiteral("expertOrder"));
    m_order->setAccessibleName(tr("Sort by"));
    m_order->addItem(tr("number"), static_cast<int>(Order::Number));
    m_order->addItem(tr("figure \u2193"), static_cast<int>(Order::Descending));
    m_order->addItem(tr("figure \u2191"), static_cast<int>(Order::Ascending));
    m_scan->setObjectName(QStringLiteral("expertScan"));
    for (QWidget *widget : {static_cast<QWidget *>(m_picture), static_cast<QWidget *>(m_role),
                            static_cast<QWidget *>(m_figure), static_cast<QWidget *>(m_order)})
        m_card->header()->addWidget(widget);
    m_card->header()->addStretch();
    m_card->header()->addWidget(m_scan);
}

void ExpertPanel::buildBody()
{
    m_map->setObjectName(QStringLiteral("expertMap"));
    m_map->setAccessibleName(tr("Map of layers and experts"));
    m_matrixView->setObjectName(QStringLiteral("expertMatrix"));
    m_matrixView->setAccessibleName(tr("Cosines between experts"));
    m_pictures->addWidget(m_grid);
    m_pictures->addWidget(m_map);
    m_pictures->addWidget(m_matrixView);
    m_odd->setObjectName(QStringLiteral("expertOdd"));
    m_odd->setAccessibleName(tr("Odd experts"));
    m_odd->setFixedWidth(OddWidth);
    m_odd->setWordWrap(true);
    m_odd->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_readout->setObjectName(QStringLiteral("expertReadout"));
    m_readout->setFont(Theme::fixedFont());
    m_readout->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_readout->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

    auto *odd = new QVBoxLayout;
    odd->setSpacing(4);
    odd->addWidget(m_oddTitle);
    odd->addWidget(m_odd, 1);
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

void ExpertPanel::connectViews()
{
    for (ChoiceBox *box : {m_picture, m_figure, m_order})
        connect(box, &QComboBox::currentIndexChanged, this, &ExpertPanel::refresh);
    connect(m_role, &QComboBox::activated, this,
            [this] { showRole(m_role->currentText().toStdString()); });
    connect(m_scan, &QPushButton::clicked, this, [this] {
        if (m_scanShare)
            emit scanCancelled();
        else if (picture() == Picture::Cosines && shownGroup())
            emit matrixRequested(*shownGroup());
        else
            emit modelScanRequested();
    });
    connect(m_grid, &ExpertGrid::expertActivated, this, [this](std::size_t index) {
        emit expertSelected(shownTable()->experts[index].ref);
    });
    connect(m_grid, &ExpertGrid::readoutChanged, this, &ExpertPanel::showReadout);
    connect(m_map, &CellMap::cellPointed, this, &ExpertPanel::pointMap);
    connect(m_map, &CellMap::cellActivated, this, [this](int row, int column) {
        if (const ExpertSummary *expert = mapExpert(row, column))
            emit expertSelected(expert->ref);
    });
    connect(m_matrixView, &CellMap::cellPointed, this, &ExpertPanel::pointMatrix);
    connect(m_matrixView, &CellMap::cellActivated, this, [this](int row, int) {
        if (const ExpertGroup *group = shownGroup())
            emit expertSelected(group->experts[static_cast<std::size_t>(row)]);
    });
    const auto follow = [this](QListWidgetItem *item) {
        emit expertSelected(item->data(Qt::UserRole).value<ExpertRef>());
    };
    connect(m_odd, &QListWidget::itemClicked, this, follow);
    connect(m_odd, &QListWidget::itemActivated, this, follow);
}

void ExpertPanel::setGroups(std::vector<ExpertGroup> groups)
{
    m_groups = std::move(groups);
    m_tables.assign(m_groups.size(), nullptr);
    m_norms.clear();
    m_matrix.reset();
    m_error.clear();
    m_selection = {};
    m_shown = m_groups.empty() ? std::nullopt : std::optional<std::size_t>(0);
    m_role->clear();
    for (const ExpertGroup &group : m_groups)
        if (m_role->findText(text(group.role)) < 0)
            m_role->addItem(text(group.role));
    refresh();
}

void ExpertPanel::setTable(const ExpertTablePtr &table)
{
    if (!table)
        return;
    const auto group =
        std::ranges::find_if(m_groups, [&](const ExpertGroup &g) { return sameGroup(g, *table); });
    if (group != m_groups.end()) {
        m_tables[static_cast<std::size_t>(group - m_groups.begin())] = table;
    } else {
        ExpertGroup own{table->layer, table->role, {}};
        for (const ExpertSummary &expert : table->experts)
            own.experts.push_back(expert.ref);
        m_groups.push_back(std::move(own));
        m_tables.push_back(table);
        m_role->addItem(text(table->role));
        setSelection(m_selection);
    }
    m_error.clear();
    refresh();
}

void ExpertPanel::setRouterNorms(std::optional<std::uint32_t> layer, std::vector<double> norms)
{
    std::erase_if(m_norms, [&](const auto &entry) { return entry.first == layer; });
    m_norms.emplace_back(layer, std::move(norms));
}

void ExpertPanel::setMatrix(const CosineMatrixPtr &matrix)
{
    m_matrix = matrix;
    refresh();
}

bool ExpertPanel::canShow(const Selection &selection) const
{
    if (!selection.tensor)
        return !m_groups.empty();
    return std::ranges::any_of(m_groups, [&](const ExpertGroup &group) {
        return std::ranges::find(group.experts, *selection.tensor, &ExpertRef::tensor)
               != group.experts.end();
    });
}

void ExpertPanel::setSelection(const Selection &selection)
{
    m_selection = selection;
    if (!selection.tensor)
        return;
    const auto holds = [&](const ExpertGroup &group) {
        return std::ranges::find(group.experts, *selection.tensor, &ExpertRef::tensor)
               != group.experts.end();
    };
    const auto group = std::ranges::find_if(m_groups, holds);
    if (group == m_groups.end())
        return;
    const auto place = static_cast<std::size_t>(group - m_groups.begin());
    if (m_shown != place)
        m_matrix.reset();
    m_shown = place;
    m_role->setCurrentIndex(m_role->findText(text(group->role)));
    refresh();
}

void ExpertPanel::setError(const QString &what)
{
    m_error = what;
    refresh();
}

void ExpertPanel::setScanProgress(std::optional<double> share)
{
    m_scanShare = share;
    m_scan->setText(share ? tr("Cancel \u00b7 %1").arg(formatPercent(*share))
                    : picture() == Picture::Cosines ? tr("Compute cosines")
                                                    : tr("Scan all layers"));
}

void ExpertPanel::setPicture(Picture picture)
{
    m_picture->choose(static_cast<int>(picture));
}

ExpertPanel::Picture ExpertPanel::picture() const
{
    return static_cast<Picture>(m_picture->currentData().toInt());
}

void ExpertPanel::setFigure(ExpertFigure figure)
{
    m_figure->choose(static_cast<int>(figure));
}

ExpertFigure ExpertPanel::figure() const
{
    return static_cast<ExpertFigure>(m_figure->currentData().toInt());
}

QString ExpertPanel::readout() const
{
    return m_readout->text();
}

const ExpertGroup *ExpertPanel::shownGroup() const
{
    return m_shown ? &m_groups[*m_shown] : nullptr;
}

ExpertTablePtr ExpertPanel::shownTable() const
{
    return m_shown ? m_tables[*m_shown] : nullptr;
}

void ExpertPanel::showRole(const std::string &role)
{
    // The same layer's tensor of that role, or the first of the role.
    const auto layer = shownGroup() ? shownGroup()->layer : std::nullopt;
    auto group = std::ranges::find_if(
        m_groups, [&](const ExpertGroup &g) { return g.role == role && g.layer == layer; });
    if (group == m_groups.end())
        group = std::ranges::find(m_groups, role, &ExpertGroup::role);
    if (group == m_groups.end())
        return;
    m_shown = static_cast<std::size_t>(group - m_groups.begin());
    m_matrix.reset();
    refresh();
    if (!group->experts.empty())
        emit expertSelected(group->experts.front());
}

std::vector<std::size_t> ExpertPanel::orderOf(const ExpertTable &table) const
{
    std::vector<std::size_t> order(table.experts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto by = static_cast<Order>(m_order->currentData().toInt());
    if (by == Order::Number)
        return order;
    const auto values = table.column(figure());
    // Experts without the figure come last either way.
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        if (!values[a] || !values[b])
            return values[a].has_value() && !values[b];
        return by == Order::Descending ? *values[a] > *values[b] : *values[a] < *values[b];
    });
    return order;
}

void ExpertPanel::refresh()
{
    const bool hasExperts = !m_groups.empty();
    const bool isShown = m_error.isEmpty() && hasExperts;
    m_card->setVisible(isShown);
    m_state->setVisible(!isShown);
    if (!m_error.isEmpty())
        m_state->showError(tr("These experts can't be shown"), m_error);
    else if (!hasExperts)
        m_state->showEmpty(
            tr("No experts here"),
            tr("This model keeps no experts. Models with ffn_\u2026_exps tensors do."));
    if (!isShown)
        return;
    m_pictures->setCurrentIndex(static_cast<int>(picture()));
    m_order->setVisible(picture() == Picture::Histograms);
    m_figure->setVisible(picture() != Picture::Cosines);
    m_scan->setVisible(picture() != Picture::Histograms);
    setScanProgress(m_scanShare);
    refreshGrid();
    refreshMap();
    refreshMatrix();
    refreshOdd();
    showReadout({});
}

void ExpertPanel::refreshGrid()
{
    const auto table = shownTable();
    m_grid->setTable(table, table ? orderOf(*table) : std::vector<std::size_t>());
    m_grid->setFigure(figure());
    m_grid->setOdd(table ? findOddExperts(*table, figure()) : std::vector<OddExpert>());
    std::optional<std::uint64_t> number = m_selection.expert;
    if (const ExpertGroup *group = shownGroup(); group && !number && m_selection.tensor) {
        const auto own = std::ranges::find(group->experts, *m_selection.tensor, &ExpertRef::tensor);
        if (own != group->experts.end() && !own->slab)
            number = own->number;
    }
    m_grid->setSelected(number);
}

void ExpertPanel::refreshMap()
{
    const ExpertGroup *group = shownGroup();
    if (picture() != Picture::Map || !group)
        return;
    const ExpertMap map = makeExpertMap(m_groups, m_tables, group->role, figure());
    CellMapData cells;
    cells.rows = static_cast<int>(map.layers.size());
    cells.columns = static_cast<int>(map.experts);
    cells.values = map.values;
    cells.rowNumbers.assign(map.layers.begin(), map.layers.end());
    cells.columnNumbers.resize(map.experts);
    std::iota(cells.columnNumbers.begin(), cells.columnNumbers.end(), std::uint64_t{0});
    cells.rowTitle = tr("layer");
    cells.columnTitle = tr("expert");
    std::tie(cells.lo, cells.hi) = rangeOf(map.values);
    if (figure() == ExpertFigure::Mean) {
        cells.colors = ColorMap::Signed;
        cells.hi = std::max(std::abs(cells.lo), std::abs(cells.hi));
        cells.lo = -cells.hi;
    }
    cells.marked.resize(map.values.size());
    for (const ExpertTablePtr &table : m_tables) {
        if (!table || table->role != map.role || !table->layer)
            continue;
        const auto row = std::ranges::find(map.layers, *table->layer) - map.layers.begin();
        for (const OddExpert &odd : findOddExperts(*table, figure()))
            if (const std::uint64_t number = table->experts[odd.index].ref.number;
                number < map.experts)
                cells.marked[static_cast<std::size_t>(row) * map.experts + number] = true;
    }
    m_map->setData(std::move(cells));
    if (!group->layer || !m_selection.expert)
        return m_map->setSelected(std::nullopt);
    const auto row = std::ranges::find(map.layers, *group->layer) - map.layers.begin();
    m_map->setSelected(MapCell{static_cast<int>(row), static_cast<int>(*m_selection.expert)});
}

void ExpertPanel::refreshMatrix()
{
    CellMapData cells;
    if (m_matrix) {
        cells.rows = cells.columns = static_cast<int>(m_matrix->size());
        cells.values = m_matrix->cosines;
        cells.rowNumbers = cells.columnNumbers = m_matrix->numbers;
        cells.marked.resize(cells.values.size());
        for (const NearDuplicate &pair : findNearDuplicates(*m_matrix)) {
            cells.marked[pair.first * m_matrix->size() + pair.second] = true;
            cells.marked[pair.second * m_matrix->size() + pair.first] = true;
        }
    }
    cells.rowTitle = cells.columnTitle = tr("expert");
    cells.emptyText =
        tr("How alike the experts of this layer are: compute the cosine between each two of them.");
    cells.colors = ColorMap::Signed;
    cells.lo = -1;
    cells.hi = 1;
    m_matrixView->setData(std::move(cells));
}

void ExpertPanel::addOdd(const QString &what, const ExpertRef &expert)
{
    auto *item = new QListWidgetItem(what, m_odd);
    item->setData(Qt::UserRole, QVariant::fromValue(expert));
    item->setToolTip(tr("Go to this expert"));
}

void ExpertPanel::refreshOdd()
{
    m_odd->clear();
    const ExpertGroup *group = shownGroup();
    if (!group)
        return;
    if (picture() == Picture::Cosines && m_matrix) {
        for (const NearDuplicate &pair : findNearDuplicates(*m_matrix))
            addOdd(tr("experts %1 and %2 are nearly the same: cosine %3")
                       .arg(m_matrix->numbers[pair.first]).arg(m_matrix->numbers[pair.second])
                       .arg(formatNumber(pair.cosine)),
                   group->experts[pair.second]);
    } else {
        for (const ExpertTablePtr &table : m_tables) {
            const bool isAsked = picture() == Picture::Map ? table && table->role == group->role
                                                           : table && table == shownTable();
            if (!isAsked)
                continue;
            for (const OddExpert &odd : findOddExperts(*table, figure()))
                addOdd(layerText(table->layer) + QStringLiteral(", ") + text(describe(odd, *table)),
                       table->experts[odd.index].ref);
        }
    }
    const bool isKnown =
        picture() == Picture::Cosines
            ? m_matrix != nullptr
            : std::ranges::any_of(m_tables, [](const auto &t) { return t != nullptr; });
    m_oddTitle->setText(m_odd->count() > 0 ? tr("Odd ones: %1").arg(m_odd->count())
                        : isKnown          ? tr("No odd ones")
                                           : tr("Not scanned yet"));
}

QString ExpertPanel::expertText(const ExpertTable &table, const ExpertSummary &expert) const
{
    QStringList parts{layerText(table.layer), tr("expert %1").arg(expert.ref.number),
                      text(expertFigureName(figure())) + QLatin1Char(' ')
                          + formatNumber(expert.figure(figure()))};
    const auto values = table.column(figure());
    const RobustScores robust = robustScores(values);
    const auto index = static_cast<std::size_t>(&expert - table.experts.data());
    if (robust.scores[index])
        parts << tr("%1 spreads from the median").arg(formatNumber(*robust.scores[index]));
    for (const auto &[layer, norms] : m_norms)
        if (layer == table.layer && expert.ref.number < norms.size())
            parts << tr("router row norm %1").arg(formatNumber(norms[expert.ref.number]));
    return parts.join(QStringLiteral(" \u00b7 "));
}

void ExpertPanel::showReadout(const QString &what)
{
    const auto table = shownTable();
    if (!what.isEmpty() || !table)
        return m_readout->setText(what);
    if (picture() == Picture::Map)
        return m_readout->setText(
            tr("%1 layers \u00d7 %2 experts \u00b7 point at a cell, click to go there")
                .arg(m_map->data().rows)
                .arg(m_map->data().columns));
    const auto number = m_grid->selected();
    const auto expert = std::ranges::find_if(
        table->experts, [&](const ExpertSummary &e) { return number && e.ref.number == *number; });
    if (expert != table->experts.end())
        return m_readout->setText(expertText(*table, *expert));
    m_readout->setText(tr("%1 \u00b7 %2 experts \u00b7 shared axis %3 to %4, log y")
                           .arg(layerText(table->layer)).arg(table->experts.size())
                           .arg(formatNumber(table->lo), formatNumber(table->hi)));
}

const ExpertSummary *ExpertPanel::mapExpert(int row, int column) const
{
    const CellMapData &cells = m_map->data();
    if (row < 0 || column < 0 || row >= cells.rows || !shownGroup())
        return nullptr;
    for (const ExpertTablePtr &table : m_tables) {
        const bool isRow = table && table->role == shownGroup()->role && table->layer
                           && *table->layer == cells.rowNumbers[static_cast<std::size_t>(row)];
        if (!isRow)
            continue;
        const auto expert = std::ranges::find_if(table->experts, [&](const ExpertSummary &e) {
            return e.ref.number == static_cast<std::uint64_t>(column);
        });
        return expert != table->experts.end() ? &*expert : nullptr;
    }
    return nullptr;
}

void ExpertPanel::pointMap(int row, int column)
{
    const ExpertSummary *expert = mapExpert(row, column);
    if (!expert)
        return showReadout({});
    const auto table = std::ranges::find_if(m_tables, [&](const ExpertTablePtr &t) {
        return t && !t->experts.empty() && expert >= t->experts.data()
               && expert < t->experts.data() + t->experts.size();
    });
    showReadout(expertText(**table, *expert));
}

void ExpertPanel::pointMatrix(int row, int column)
{
    if (!m_matrix || row < 0)
        return showReadout({});
    const auto i = static_cast<std::size_t>(row);
    const auto j = static_cast<std::size_t>(column);
    showReadout(tr("experts %1 and %2 \u00b7 cosine %3")
                    .arg(m_matrix->numbers[i]).arg(m_matrix->numbers[j])
                    .arg(formatNumber(m_matrix->at(i, j))));
}

QString ExpertPanel::csv() const
{
    if (picture() == Picture::Cosines)
        return m_matrix ? QString::fromStdString(cosineMatrixCsv(*m_matrix)) : QString();
    if (picture() == Picture::Map && shownGroup())
        return QString::fromStdString(
            expertMapCsv(makeExpertMap(m_groups, m_tables, shownGroup()->role, figure())));
    const auto table = shownTable();
    return table ? QString::fromStdString(expertTableCsv(*table)) : QString();
}

} // namespace ql
