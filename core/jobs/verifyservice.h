// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"

#include <QObject>

#include <vector>

namespace ql {

/// What to verify of an open file.
struct VerifyOrder {
    QString manifest;  ///< a file with digests; empty: none
    bool deep = false; ///< decode every weight
};

/// What was found. Digests that don't match are errors, those that do are counted.
struct VerifyReport {
    std::vector<Warning> findings;
    quint64 digests = 0;  ///< lines of the manifest about the file
    quint64 matching = 0;
    quint64 tensors = 0;  ///< decoded
};

/// Verifies an open file in the task lane. GUI thread.
class VerifyService final : public QObject
{
    Q_OBJECT

public:
    explicit VerifyService(JobRunner &jobs, QObject *parent = nullptr);

    void verify(const Document &document, const VerifyOrder &order);

signals:
    void verified(quint64 generation, const ql::VerifyReport &report);
    void failed(const ql::Error &error);

private:
    JobRunner &m_jobs;
};

} // namespace ql
