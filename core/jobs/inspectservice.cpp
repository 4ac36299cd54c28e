// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/inspectservice.h"

namespace ql {

namespace {

const QString FindSlot = QStringLiteral("find");

QString slot(const char *what, Side side)
{
    return QLatin1String(what) + (side == Side::A ? QStringLiteral(" A") : QStringLiteral(" B"));
}

/// Work on the view of a key: opens the view, then does the work on it.
template <class T, class Work>
auto onView(GgufModelPtr model, StatsKey key, Work work)
{
    return [model = std::move(model), key, work = std::move(work)](const JobContext &context) -> Result<T> {
        const auto view = viewOf(model, key);
        if (!view)
            return tl::unexpected(view.error());
        return work(*view, context);
    };
}

} // namespace

InspectService::InspectService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{}

void InspectService::requestPage(Side side, const Document &document, const StatsKey &key, const ValuesWindow &window)
{
    m_jobs.start<ValuesPagePtr>(
        Lane::View, slot("values", side), tr("Reading values"),
        onView<ValuesPagePtr>(document.model, key, [window](const TensorView &view, const JobContext &context) {
            return readValues(view, window, context.stop);
        }),
        [this, side, key](const Result<ValuesPagePtr> &page) {
            if (page)
                emit pageReady(side, key, *page);
            else
                emit failed(key, page.error());
        });
}

void InspectService::requestBlock(Side side, const Document &document, const StatsKey &key, std::uint64_t row,
                                  std::uint64_t column)
{
    m_jobs.start<BlockViewPtr>(
        Lane::View, slot("block", side), tr("Reading a block"),
        onView<BlockViewPtr>(document.model, key, [row, column](const TensorView &view, const JobContext &) {
            return readBlockView(view, row, column);
        }),
        [this, side, key](const Result<BlockViewPtr> &block) {
            if (block)
                emit blockReady(side, key, *block);
            else
                emit failed(key, block.error());
        });
}

void InspectService::requestFind(const Document &document, const StatsKey &key, const FindQuery &query,
                                 std::optional<ValuePosition> after)
{
    using Found = std::optional<FoundValue>;
    m_jobs.start<Found>(
        Lane::View, FindSlot, tr("Searching %1").arg(QString::fromStdString(document.model->tensor(key.tensor).name)),
        onView<Found>(document.model, key, [query, after](const TensorView &view, const JobContext &context) {
            return findValue(view, query, after, context.stop, context.progress);
        }),
        [this, key](const Result<Found> &result) {
            if (result)
                emit found(key, *result);
            else
                emit failed(key, result.error());
        });
}

void InspectService::cancelFind() { m_jobs.cancelSlot(Lane::View, FindSlot); }

} // namespace ql
