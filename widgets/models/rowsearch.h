// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/arraytablemodel.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace ql {

/// Looks through a long list in slices of a few milliseconds between events, so that the window
/// stays awake. The first slice runs at once: short lists are done before search() returns.
class RowSearch final : public QObject
{
    Q_OBJECT

public:
    static constexpr int SliceMs = 4;
    using Wanted = std::function<bool(std::uint32_t)>;

    explicit RowSearch(QObject *parent = nullptr);

    /// Which of 0 … size-1 are wanted; ends a search that still runs.
    void search(std::uint32_t size, Wanted wanted);
    void stop() { m_next.stop(); }
    bool isRunning() const { return m_next.isActive(); }

signals:
    void found(const ql::RowSet &rows);

private:
    void runSlice();

    QTimer m_next;
    Wanted m_wanted;
    std::uint32_t m_size = 0;
    std::uint32_t m_at = 0;
    std::shared_ptr<std::vector<std::uint32_t>> m_rows;
};

} // namespace ql
