// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/warningsmodel.h"

#include "widgets/formatting.h"
#include "widgets/models/tooltip.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

namespace ql {

namespace {

/// N of "tensor[N]…".
std::optional<std::uint32_t> tensorNumber(std::string_view field)
{
    constexpr std::string_view Start = "tensor[";
    std::uint32_t number = 0;
    if (!field.starts_with(Start))
        return std::nullopt;
    field.remove_prefix(Start.size());
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    const bool isClosed = end != field.data() + field.size() && *end == ']';
    return error == std::errc() && isClosed ? std::optional(number) : std::nullopt;
}

} // namespace

std::optional<TensorIndex> tensorOf(const ModelSummary &model, const Warning &warning)
{
    const auto named = std::find_if(model.tensors.begin(), model.tensors.end(),
                                    [&](const TensorInfo &t) { return t.name == warning.field; });
    if (named != model.tensors.end())
        return TensorIndex{static_cast<std::uint32_t>(named - model.tensors.begin())};
    const auto number = tensorNumber(warning.field);
    // In a split model the number counts within one shard, and which one is not said.
    if (number && *number < model.tensors.size() && model.shards.size() <= 1)
        return TensorIndex{*number};
    return std::nullopt;
}

QString severityText(Severity severity)
{
    switch (severity) {
    case Severity::Error: return WarningsModel::tr("Error");
    case Severity::Warning: return WarningsModel::tr("Warning");
    case Severity::Info: return WarningsModel::tr("Note");
    }
    return {};
}

WarningsModel::WarningsModel(QObject *parent) : QAbstractTableModel(parent) {}

void WarningsModel::setModel(ModelSummaryPtr model)
{
    beginResetModel();
    m_model = std::move(model);
    m_order.resize(m_model ? m_model->warnings.size() : 0);
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    std::stable_sort(m_order.begin(), m_order.end(), [this](std::size_t a, std::size_t b) {
        return m_model->warnings[a].severity > m_model->warnings[b].severity;
    });
    endResetModel();
}

int WarningsModel::count(Severity severity) const
{
    if (!m_model)
        return 0;
    return static_cast<int>(std::count_if(m_model->warnings.begin(), m_model->warnings.end(),
                                          [&](const Warning &w) { return w.severity == severity; }));
}

std::optional<TensorIndex> WarningsModel::tensorAt(int row) const
{
    return tensorOf(*m_model, warningAt(row));
}

int WarningsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int WarningsModel::columnCount(const QModelIndex &) const { return ColumnCount; }

QVariant WarningsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const Warning &warning = warningAt(index.row());
    const bool isOffset = index.column() == OffsetColumn;
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((isOffset ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == ProblemRole)
        return index.column() == SeverityColumn && warning.severity != Severity::Info;
    if (role == Qt::ToolTipRole)
        return plainToolTip(QString::fromStdString(warning.message));
    if (role != Qt::DisplayRole && role != PlainRole)
        return {};
    switch (index.column()) {
    case SeverityColumn: return severityText(warning.severity);
    case MessageColumn: return QString::fromStdString(warning.message);
    case FieldColumn: return QString::fromStdString(warning.field);
    default:
        if (!warning.offset)
            return QString();
        return role == PlainRole ? QString::number(*warning.offset) : formatCount(*warning.offset);
    }
}

QVariant WarningsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const QString titles[ColumnCount] = {tr("severity"), tr("finding"), tr("field"), tr("offset")};
    static constexpr const char *keys[ColumnCount] = {"severity", "message", "field", "offset"};
    if (role == Qt::DisplayRole)
        return titles[section];
    if (role == PlainRole)
        return QString::fromLatin1(keys[section]);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == OffsetColumn ? Qt::AlignRight : Qt::AlignLeft)
                                | Qt::AlignVCenter);
    return {};
}

} // namespace ql
