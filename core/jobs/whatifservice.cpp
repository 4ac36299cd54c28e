// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/whatifservice.h"

namespace ql {

namespace {

const QString Slot = QStringLiteral("what if");

quint64 weightsOf(const GgufModel &model, const std::vector<TensorIndex> &tensors)
{
    quint64 weights = 0;
    for (const TensorIndex tensor : tensors)
        weights += model.tensor(tensor).elements.value_or(0);
    return weights;
}

/// All rows of an order; each goes to `take` as it comes.
Result<bool> measureAll(const GgufModelPtr &model, const WhatIfOrder &order, const JobContext &context,
                        const std::function<void(const WhatIfRowPtr &)> &take)
{
    const quint64 total = weightsOf(*model, order.tensors);
    quint64 before = 0;
    for (const TensorIndex tensor : order.tensors) {
        const auto row = measureRow(model, tensor, order, true, context.stop, [&](const Progress &part) {
            context.progress({before + part.done, total});
        });
        if (!row)
            return tl::unexpected(row.error());
        take(*row);
        before += model->tensor(tensor).elements.value_or(0);
        context.progress({before, total});
    }
    return true;
}

} // namespace

WhatIfService::WhatIfService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{
    connect(&m_jobs, &JobRunner::stopped, this, [this](JobId id) {
        if (isJob(id))
            emit stopped();
    });
}

bool WhatIfService::isBusy() const { return m_jobs.isActive(m_job); }

void WhatIfService::measure(const Document &document, const WhatIfOrder &order)
{
    m_job = m_jobs.start<bool>(
        Lane::Model, Slot, tr("Measuring other types"),
        [this, model = document.model, generation = document.generation, order](const JobContext &context) {
            return measureAll(model, order, context, [&](const WhatIfRowPtr &row) {
                context.post([=, this] { emit rowMeasured(generation, row); });
            });
        },
        [this, generation = document.generation](const Result<bool> &result) {
            if (result)
                emit finished(generation);
            else
                emit failed(result.error());
        });
}

void WhatIfService::cancel() { m_jobs.cancelSlot(Lane::Model, Slot); }

} // namespace ql
