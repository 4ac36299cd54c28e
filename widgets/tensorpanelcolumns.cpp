// SPDX-License-Identifier: GPL-3.0-or-later
// TensorPanel's columns: which are there, how wide, kept from one start to the next.
#include "widgets/chip.h"
#include "widgets/models/columnstate.h"
#include "widgets/models/tensorfilterproxy.h"
#include "widgets/models/treeview.h"
#include "widgets/tensorpanel.h"

#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMenu>

namespace ql {

namespace {

constexpr int NameWidth = 176;
constexpr int FlatNameWidth = 264;
constexpr int LeastNameWidth = 132;
constexpr int MostTypeWidth = 160;
struct ColumnWidth {
    TensorColumn column;
    int width;
};

constexpr ColumnWidth Widths[] = {
    {TensorColumn::Type, 66},      {TensorColumn::TypeB, 66},   {TensorColumn::Error, 116},
    {TensorColumn::Shape, 148},    {TensorColumn::Weights, 116}, {TensorColumn::Bytes, 86},
    {TensorColumn::BitsPerWeight, 58}, {TensorColumn::Offset, 124}, {TensorColumn::Shard, 60},
    {TensorColumn::Rms, 90},       {TensorColumn::Std, 90},     {TensorColumn::AbsMax, 90},
    {TensorColumn::Kurtosis, 90},  {TensorColumn::ZeroShare, 82}, {TensorColumn::NonFinite, 82},
    {TensorColumn::Problem, 420},
};

QString keyOf(const TensorColumnSpec &column) { return QString::fromLatin1(column.key); }

} // namespace

void TensorPanel::setDefaultColumns()
{
    fitNames();
    for (const TensorColumnSpec &column : tensorColumns()) {
        if (column.when == TensorColumnSpec::When::Optional)
            m_hiddenByUser.insert(keyOf(column));
    }
    for (const ColumnWidth &column : Widths)
        m_view->setColumnWidth(static_cast<int>(column.column), column.width);
}

void TensorPanel::fitNames()
{
    m_view->setColumnWidth(static_cast<int>(TensorColumn::Name), isFlat() ? FlatNameWidth : NameWidth);
}

/// Names give way until types and errors of both files fit into a narrow panel.
void TensorPanel::fitComparison()
{
    int others = 0;
    for (const TensorColumn column : {TensorColumn::Type, TensorColumn::TypeB, TensorColumn::Error})
        others += m_view->columnWidth(static_cast<int>(column));
    const int most = m_view->columnWidth(static_cast<int>(TensorColumn::Name));
    const int fitting = std::max(LeastNameWidth, m_view->viewport()->width() - others);
    m_view->setColumnWidth(static_cast<int>(TensorColumn::Name), std::min(most, fitting));
}

/// Names such as "unknown(99)" are longer than the usual ones. A column that was made wider stays so.
void TensorPanel::fitTypes()
{
    const auto column = static_cast<int>(TensorColumn::Type);
    int needed = 0;
    for (const TypeTotal &total : m_model ? m_model->totals.byType : std::vector<TypeTotal>())
        needed = std::max(needed, chipSize(chipForType(total.typeId).text).width() + 10);
    m_view->setColumnWidth(column, std::max(m_view->columnWidth(column), std::min(needed, MostTypeWidth)));
}

void TensorPanel::applyColumns()
{
    for (const TensorColumnSpec &column : tensorColumns()) {
        const bool isShown = m_tensors->isUseful(column) && !m_hiddenByUser.contains(keyOf(column));
        m_view->setColumnHidden(static_cast<int>(column.column), !isShown);
    }
}

void TensorPanel::showColumnMenu(const QPoint &position)
{
    auto *menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("columnMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const TensorColumnSpec &column : tensorColumns()) {
        if (column.column == TensorColumn::Name || !m_tensors->isUseful(column))
            continue;
        const QString key = keyOf(column);
        QAction *action = menu->addAction(
            m_proxy->headerData(static_cast<int>(column.column), Qt::Horizontal).toString());
        action->setCheckable(true);
        action->setChecked(!m_hiddenByUser.contains(key));
        connect(action, &QAction::toggled, this, [this, key](bool isShown) {
            isShown ? void(m_hiddenByUser.erase(key)) : void(m_hiddenByUser.insert(key));
            applyColumns();
        });
    }
    menu->popup(m_view->header()->mapToGlobal(position));
}

QByteArray TensorPanel::saveState() const
{
    QJsonArray hidden;
    for (const QString &key : m_hiddenByUser)
        hidden.append(key);
    const QJsonObject state{{QStringLiteral("version"), 1},
                            {QStringLiteral("flat"), isFlat()},
                            {QStringLiteral("hidden"), hidden},
                            {QStringLiteral("columns"), columnState(*m_view->header())}};
    return QJsonDocument(state).toJson(QJsonDocument::Compact);
}

bool TensorPanel::restoreState(const QByteArray &state)
{
    const QJsonObject object = QJsonDocument::fromJson(state).object();
    if (object.value(QLatin1String("version")).toInt() != 1)
        return false;
    m_hiddenByUser.clear();
    for (const QJsonValue &key : object.value(QLatin1String("hidden")).toArray())
        m_hiddenByUser.insert(key.toString());
    setFlat(object.value(QLatin1String("flat")).toBool());
    restoreColumnState(*m_view->header(), object.value(QLatin1String("columns")).toObject());
    applyColumns();
    return true;
}

} // namespace ql
