// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/metadatatreemodel.h"

#include "core/model/tensorname.h"
#include "widgets/formatting.h"
#include "widgets/models/tooltip.h"

#include <algorithm>

namespace ql {

namespace {

QString fromText(const std::string &text) { return QString::fromStdString(text); }

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

QString metadataTypeText(const MetadataSummary &entry)
{
    if (entry.type != ValueType::Array || !entry.elementType)
        return fromView(valueTypeName(entry.type));
    return QStringLiteral("%1 × %2").arg(fromView(valueTypeName(*entry.elementType)),
                                         formatCount(entry.count.value_or(0)));
}

MetadataTreeModel::MetadataTreeModel(QObject *parent) : QAbstractItemModel(parent), m_nodes(1) {}

void MetadataTreeModel::setModel(ModelSummaryPtr model)
{
    beginResetModel();
    m_model = std::move(model);
    build();
    endResetModel();
}

void MetadataTreeModel::build()
{
    m_nodes.assign(1, Node());
    m_groups.clear();
    m_nodeOfEntry.clear();
    if (!m_model)
        return;
    for (int entry = 0; entry < static_cast<int>(m_model->metadata.size()); ++entry) {
        std::string_view key = m_model->metadata[static_cast<std::size_t>(entry)].key;
        std::uint32_t parent = 0;
        std::string path;
        for (int depth = 0; depth < MaxDepth; ++depth) {
            const auto dot = key.find('.');
            if (dot == std::string_view::npos || dot == 0 || dot + 1 == key.size())
                break;
            const std::string label(key.substr(0, dot));
            path += label + '.';
            parent = groupNode(parent, path, label);
            key.remove_prefix(dot + 1);
        }
        m_nodeOfEntry.push_back(addNode(parent, std::string(key), entry));
    }
}

std::uint32_t MetadataTreeModel::addNode(std::uint32_t parent, std::string label, int entry)
{
    const auto id = static_cast<std::uint32_t>(m_nodes.size());
    Node node;
    node.label = std::move(label);
    node.parent = parent;
    node.row = static_cast<std::uint32_t>(m_nodes[parent].children.size());
    node.entry = entry;
    m_nodes.push_back(std::move(node));
    m_nodes[parent].children.push_back(id);
    return id;
}

std::uint32_t MetadataTreeModel::groupNode(std::uint32_t parent, const std::string &path,
                                           std::string label)
{
    const auto found = m_groups.find(path);
    if (found != m_groups.end())
        return found->second;
    const std::uint32_t id = addNode(parent, std::move(label), -1);
    m_nodes[id].path = path;
    m_groups.emplace(path, id);
    return id;
}

QModelIndex MetadataTreeModel::indexOf(int entry) const
{
    if (entry < 0 || static_cast<std::size_t>(entry) >= m_nodeOfEntry.size())
        return {};
    const std::uint32_t id = m_nodeOfEntry[static_cast<std::size_t>(entry)];
    return createIndex(static_cast<int>(m_nodes[id].row), 0, quintptr{id});
}

std::optional<int> MetadataTreeModel::entryAt(const QModelIndex &index) const
{
    const Node &node = m_nodes[index.isValid() ? index.internalId() : 0];
    return node.entry >= 0 ? std::optional(node.entry) : std::nullopt;
}

bool MetadataTreeModel::anyEntry(const QModelIndex &index, const std::vector<char> &marks) const
{
    return anyEntry(static_cast<std::uint32_t>(index.internalId()), marks);
}

bool MetadataTreeModel::anyEntry(std::uint32_t id, const std::vector<char> &marks) const
{
    const Node &node = m_nodes[id];
    if (node.entry >= 0)
        return marks[static_cast<std::size_t>(node.entry)] != 0;
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](std::uint32_t child) { return anyEntry(child, marks); });
}

QModelIndex MetadataTreeModel::index(int row, int column, const QModelIndex &parent) const
{
    if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(parent))
        return {};
    const Node &node = m_nodes[parent.isValid() ? parent.internalId() : 0];
    return createIndex(row, column, quintptr{node.children[static_cast<std::size_t>(row)]});
}

QModelIndex MetadataTreeModel::parent(const QModelIndex &child) const
{
    if (!child.isValid())
        return {};
    const std::uint32_t id = m_nodes[child.internalId()].parent;
    return id == 0 ? QModelIndex()
                   : createIndex(static_cast<int>(m_nodes[id].row), 0, quintptr{id});
}

int MetadataTreeModel::rowCount(const QModelIndex &parent) const
{
    if (parent.column() > 0)
        return 0;
    return static_cast<int>(m_nodes[parent.isValid() ? parent.internalId() : 0].children.size());
}

int MetadataTreeModel::columnCount(const QModelIndex &) const { return ColumnCount; }

QVariant MetadataTreeModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
    const Node &node = m_nodes[index.internalId()];
    return node.entry < 0 ? groupData(node, index.column(), role)
                          : entryData(node, index.column(), role);
}

QVariant MetadataTreeModel::groupData(const Node &node, int column, int role) const
{
    if (column == KeyColumn && (role == Qt::DisplayRole || role == SortRole))
        return fromText(node.label);
    if (column == KeyColumn && role == PlainRole)
        return fromText(node.path.substr(0, node.path.size() - 1));
    return role == PlainRole ? QVariant(QString()) : QVariant();
}

QVariant MetadataTreeModel::entryData(const Node &node, int column, int role) const
{
    const MetadataSummary &entry = m_model->metadata[static_cast<std::size_t>(node.entry)];
    const bool isWhole = role == PlainRole || role == SortRole;
    if (role == MutedRole)
        return column == TypeColumn;
    if (role == Qt::ToolTipRole)
        return plainToolTip(fromText(column == KeyColumn ? entry.key : entry.preview));
    if (role != Qt::DisplayRole && !isWhole)
        return {};
    switch (column) {
    case KeyColumn: return fromText(role == PlainRole ? entry.key : node.label);
    case TypeColumn: return metadataTypeText(entry);
    case ValueColumn:
        return fromText(role == PlainRole && entry.type == ValueType::String ? entry.text
                                                                            : entry.preview);
    default: return {};
    }
}

QVariant MetadataTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static constexpr const char *keys[ColumnCount] = {"key", "type", "value"};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == PlainRole)
        return QString::fromLatin1(keys[section]);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[ColumnCount] = {tr("key"), tr("type"), tr("value")};
    return titles[section];
}

MetadataFilterProxy::MetadataFilterProxy(QObject *parent) : QSortFilterProxyModel(parent) {}

void MetadataFilterProxy::setMetadataModel(MetadataTreeModel *model)
{
    m_metadata = model;
    connect(model, &QAbstractItemModel::modelAboutToBeReset, this,
            [this] { m_areMarksValid = false; });
    setSourceModel(model);
}

void MetadataFilterProxy::setText(const TextMatcher &text)
{
    m_text = text;
    m_areMarksValid = false;
    invalidateFilter();
}

int MetadataFilterProxy::shownEntries() const
{
    return static_cast<int>(std::count(marks().begin(), marks().end(), char{1}));
}

const std::vector<char> &MetadataFilterProxy::marks() const
{
    if (m_areMarksValid)
        return m_marks;
    m_marks.clear();
    m_areMarksValid = true;
    if (!m_metadata || !m_metadata->model())
        return m_marks;
    for (const MetadataSummary &entry : m_metadata->model()->metadata)
        m_marks.push_back(m_text.matches(fromText(entry.key))
                          || m_text.matches(fromText(entry.preview)));
    return m_marks;
}

bool MetadataFilterProxy::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    return m_text.isEmpty() || m_metadata->anyEntry(m_metadata->index(row, 0, parent), marks());
}

bool MetadataFilterProxy::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const auto text = [](const QModelIndex &i) { return i.data(SortRole).toString().toStdString(); };
    return compareNatural(text(left), text(right)) < 0;
}

} // namespace ql
