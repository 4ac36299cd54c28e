// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "widgets/models/itemroles.h"
#include "widgets/models/textmatcher.h"

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>

#include <map>
#include <optional>

namespace ql {

/// Metadata as a tree by the segments of its keys: general › name. A key that is there twice has
/// two rows. GUI thread.
class MetadataTreeModel final : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum Columns { KeyColumn, TypeColumn, ValueColumn, ColumnCount };
    /// Deeper segments stay in one row's name: a key may be nothing but dots.
    static constexpr int MaxDepth = 4;

    explicit MetadataTreeModel(QObject *parent = nullptr);

    void setModel(ModelSummaryPtr model);
    const ModelSummaryPtr &model() const { return m_model; }

    QModelIndex indexOf(int entry) const;
    /// The place in ModelSummary::metadata; nothing for groups.
    std::optional<int> entryAt(const QModelIndex &index) const;
    /// Entries below a row, itself if it is one.
    bool anyEntry(const QModelIndex &index, const std::vector<char> &marks) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &child) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Node {
        std::string label;
        std::string path; ///< groups: the segments up to here
        std::uint32_t parent = 0;
        std::uint32_t row = 0;
        int entry = -1;
        std::vector<std::uint32_t> children;
    };

    void build();
    std::uint32_t addNode(std::uint32_t parent, std::string label, int entry);
    std::uint32_t groupNode(std::uint32_t parent, const std::string &path, std::string label);
    bool anyEntry(std::uint32_t node, const std::vector<char> &marks) const;
    QVariant groupData(const Node &node, int column, int role) const;
    QVariant entryData(const Node &node, int column, int role) const;

    ModelSummaryPtr m_model;
    std::vector<Node> m_nodes;
    std::vector<std::uint32_t> m_nodeOfEntry;
    std::map<std::string, std::uint32_t> m_groups;
};

/// "string", "u32", "string × 32,000".
QString metadataTypeText(const MetadataSummary &entry);

/// Entries whose key or value matches, with the groups above them.
class MetadataFilterProxy final : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit MetadataFilterProxy(QObject *parent = nullptr);

    void setMetadataModel(MetadataTreeModel *model);
    void setText(const TextMatcher &text);
    bool isFiltering() const { return !m_text.isEmpty(); }
    /// How many entries match.
    int shownEntries() const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    const std::vector<char> &marks() const;

    MetadataTreeModel *m_metadata = nullptr;
    TextMatcher m_text;
    mutable std::vector<char> m_marks; ///< by entry
    mutable bool m_areMarksValid = false;
};

} // namespace ql
