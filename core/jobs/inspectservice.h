// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/jobs/statskey.h"
#include "core/quant/blockview.h"
#include "core/stats/valuespage.h"

#include <QObject>

namespace ql {

/// Small looks at single weights: a page of values, one block taken apart, the next odd value.
/// Each kind answers its newest request only. GUI thread.
class InspectService final : public QObject
{
    Q_OBJECT

public:
    explicit InspectService(JobRunner &jobs, QObject *parent = nullptr);

    void requestPage(Side side, const Document &document, const StatsKey &key, const ValuesWindow &window);
    void requestBlock(Side side, const Document &document, const StatsKey &key, std::uint64_t row, std::uint64_t column);
    /// Searches from the weight after `after` in file order, or from the first one.
    void requestFind(const Document &document, const StatsKey &key, const FindQuery &query,
                     std::optional<ValuePosition> after);
    void cancelFind();

signals:
    void pageReady(ql::Side side, const ql::StatsKey &key, const ql::ValuesPagePtr &page);
    void blockReady(ql::Side side, const ql::StatsKey &key, const ql::BlockViewPtr &block);
    /// Nothing: no such weight from there to the end.
    void found(const ql::StatsKey &key, const std::optional<ql::FoundValue> &value);
    void failed(const ql::StatsKey &key, const ql::Error &error);

private:
    JobRunner &m_jobs;
};

} // namespace ql
