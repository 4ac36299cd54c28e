// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/comparemapsview.h"

#include "widgets/card.h"
#include "widgets/cellmap.h"
#include "widgets/choicebox.h"
#include "widgets/formatting.h"
#include "widgets/plotactions.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

constexpr ErrorFigure MapFigures[] = {ErrorFigure::RelativeRmse, ErrorFigure::Rmse, ErrorFigure::MaxAbsError,
                                      ErrorFigure::MeanAbsError};

QString fromText(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QStringList namesOf(const std::vector<std::string> &names)
{
    QStringList list;
    for (const std::string &name : names)
        list << QString::fromStdString(name);
    return list;
}

/// Errors start at nothing, so that a colour says how large and not only which is larger.
double largestOf(const std::vector<double> &values)
{
    double largest = 0;
    for (const double value : values)
        if (std::isfinite(value))
            largest = std::max(largest, value);
    return largest > 0 ? largest : 1;
}

} // namespace

CompareMapsView::CompareMapsView(const CompareTableModel *model, QWidget *parent)
    : QWidget(parent), m_model(model), m_map(new CellMap(this)), m_readout(Card::readoutLabel(QStringLiteral("compareMapReadout"), this))
{
    setObjectName(QStringLiteral("compareMapsView"));
    buildTools();
    m_map->setObjectName(QStringLiteral("compareMap"));
    m_map->setAccessibleName(tr("Map of errors"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_map, 1);
    layout->addWidget(m_readout);
    m_actions = new PlotActions(m_map, {[this] { return m_map->size(); },
                                        [this](QPainter &painter, const QSize &size) { m_map->draw(painter, size); },
                                        [this] { return csv(); }, [] { return QStringLiteral("errors"); }});
    connect(m_actions, &PlotActions::reported, this, &CompareMapsView::reported);
    connect(m_map, &CellMap::cellPointed, this, &CompareMapsView::point);
    connect(m_map, &CellMap::cellActivated, this, [this](int row, int column) {
        const std::size_t cell = m_errors.at(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
        if (!std::isnan(m_errors.values[cell]))
            emit cellActivated(selectionOf(m_errors.targets[cell]));
    });
}

void CompareMapsView::buildTools()
{
    m_tools = new QWidget(this);
    m_kind = new ChoiceBox({}, m_tools);
    m_kind->setObjectName(QStringLiteral("compareMapKind"));
    m_kind->setAccessibleName(tr("Which map"));
    m_kind->addItem(tr("roles × layers"), static_cast<int>(Kind::Roles));
    m_kind->addItem(tr("layers × experts"), static_cast<int>(Kind::Experts));
    m_role = new ChoiceBox(tr("role"), m_tools);
    m_role->setObjectName(QStringLiteral("compareMapRole"));
    m_role->setAccessibleName(tr("Role of the experts"));
    m_figure = new ChoiceBox({}, m_tools);
    m_figure->setObjectName(QStringLiteral("compareMapFigure"));
    m_figure->setAccessibleName(tr("Measure"));
    for (const ErrorFigure figure : MapFigures)
        m_figure->addItem(fromText(errorFigureName(figure)), static_cast<int>(figure));
    auto *layout = new QHBoxLayout(m_tools);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addStretch();
    for (ChoiceBox *box : {m_kind, m_role, m_figure}) {
        layout->addWidget(box);
        connect(box, &QComboBox::currentIndexChanged, this, &CompareMapsView::refresh);
    }
}

CompareMapsView::Kind CompareMapsView::kind() const { return static_cast<Kind>(m_kind->currentData().toInt()); }
ErrorFigure CompareMapsView::figure() const { return static_cast<ErrorFigure>(m_figure->currentData().toInt()); }
void CompareMapsView::setKind(Kind kind) { m_kind->choose(static_cast<int>(kind)); }
void CompareMapsView::setFigure(ErrorFigure figure) { m_figure->choose(static_cast<int>(figure)); }
void CompareMapsView::setRole(const QString &role) { m_role->setCurrentIndex(m_role->findText(role)); }
QString CompareMapsView::readout() const { return m_readout->text(); }

void CompareMapsView::showEvent(QShowEvent *event)
{
    if (m_dirty)
        refresh();
    QWidget::showEvent(event);
}

void CompareMapsView::refreshRoles()
{
    const QStringList roles = namesOf(expertRoles(m_model->table()));
    QStringList present;
    for (int i = 0; i < m_role->count(); ++i)
        present << m_role->itemText(i);
    if (roles != present) {
        const QSignalBlocker quiet(m_role);
        const QString chosen = m_role->currentText();
        m_role->clear();
        m_role->addItems(roles);
        m_role->setCurrentIndex(std::max(0, static_cast<int>(roles.indexOf(chosen))));
    }
    m_kind->setItemEnabled(m_kind->findData(static_cast<int>(Kind::Experts)), !roles.isEmpty());
    m_role->setVisible(kind() == Kind::Experts && !roles.isEmpty());
}

void CompareMapsView::refresh()
{
    m_dirty = !isVisible();
    if (m_dirty)
        return;
    refreshRoles();
    if (kind() == Kind::Roles)
        showMap(mapOfRoles(m_model->table(), figure()));
    else
        showMap(mapOfExperts(m_model->table(), m_role->currentText().toStdString(), figure()));
}

void CompareMapsView::showMap(ErrorMap map)
{
    m_errors = std::move(map);
    CellMapData cells;
    cells.rows = static_cast<int>(m_errors.rows.size());
    cells.columns = static_cast<int>(m_errors.columns.size());
    cells.values = m_errors.values;
    cells.rowNames = namesOf(m_errors.rows);
    cells.columnNames = namesOf(m_errors.columns);
    cells.rowTitle = kind() == Kind::Roles ? tr("role") : tr("layer");
    cells.columnTitle = kind() == Kind::Roles ? tr("layer") : tr("expert");
    cells.emptyText = kind() == Kind::Roles ? tr("No pair of tensors to show.")
                                           : tr("Neither file keeps experts that are paired.");
    cells.title = m_figure->currentText();
    cells.colors = ColorMap::Error;
    cells.hi = largestOf(m_errors.values);
    m_map->setData(std::move(cells));
    m_readout->setText(tr("dark: no error, pale: the largest; a click selects"));
    showSelected();
}

Selection CompareMapsView::selectionOf(const ErrorMap::Target &target) const
{
    const ComparisonRow &row = m_model->table().row(target.row);
    Selection selection;
    selection.tensor = row.a;
    selection.expert = target.expert ? target.expert : row.pair.expertA;
    return selection;
}

void CompareMapsView::setSelection(const Selection &selection)
{
    m_selection = selection;
    if (!m_dirty)
        showSelected();
}

void CompareMapsView::showSelected()
{
    std::optional<MapCell> place;
    for (std::size_t i = 0; i < m_errors.values.size() && m_selection.tensor && !place; ++i) {
        if (std::isnan(m_errors.values[i]))
            continue;
        const Selection cell = selectionOf(m_errors.targets[i]);
        const bool isExpert = kind() == Kind::Roles || cell.expert == m_selection.expert;
        if (cell.tensor == m_selection.tensor && isExpert)
            place = MapCell{static_cast<int>(i / m_errors.columns.size()), static_cast<int>(i % m_errors.columns.size())};
    }
    m_map->setSelected(place);
}

void CompareMapsView::point(int row, int column)
{
    if (row < 0 || column < 0)
        m_readout->setText(tr("dark: no error, pale: the largest; a click selects"));
    else
        m_readout->setText(cellText(m_errors.at(static_cast<std::size_t>(row), static_cast<std::size_t>(column))));
}

QString CompareMapsView::cellText(std::size_t cell) const
{
    const QString row = QString::fromStdString(m_errors.rows[cell / m_errors.columns.size()]);
    const QString column = QString::fromStdString(m_errors.columns[cell % m_errors.columns.size()]);
    const bool isRoles = kind() == Kind::Roles;
    if (std::isnan(m_errors.values[cell]))
        return isRoles ? tr("layer %1 · %2 · not compared").arg(column, row)
                       : tr("layer %1 · expert %2 · not compared").arg(row, column);
    const ErrorMap::Target &target = m_errors.targets[cell];
    const ComparisonTable &table = m_model->table();
    const ComparisonRow &shown = table.row(target.row);
    const QString name = compareName({nullptr, nullptr, &table, &shown, target.expert});
    return tr("%1 · %2 / %3 · %4 %5")
        .arg(name, QString::fromStdString(table.tensorA(shown)->typeName()),
             QString::fromStdString(table.tensorB(shown)->typeName()), m_figure->currentText(),
             formatNumber(m_errors.values[cell]));
}

QString CompareMapsView::csv() const
{
    const bool isRoles = kind() == Kind::Roles;
    QString text = isRoles ? QStringLiteral("role,layer,%1\n") : QStringLiteral("layer,expert,%1\n");
    text = text.arg(m_figure->currentText());
    for (std::size_t i = 0; i < m_errors.values.size(); ++i) {
        if (std::isnan(m_errors.values[i]))
            continue;
        text += QString::fromStdString(m_errors.rows[i / m_errors.columns.size()]) + QLatin1Char(',')
            + QString::fromStdString(m_errors.columns[i % m_errors.columns.size()]) + QLatin1Char(',')
            + exactNumber(m_errors.values[i]) + QLatin1Char('\n');
    }
    return text;
}

} // namespace ql
