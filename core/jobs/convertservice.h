// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/jobs/runningfiles.h"
#include "core/stats/whatif.h"

#include <QObject>
#include <QStringList>

#include <optional>
#include <vector>

namespace ql {

/// A change to the metadata as a person types it.
struct TypedMetadataEdit {
    QString key;
    QString type;  ///< u8 … f64, bool or string; empty: the key's own, a string for a new one
    QString value;
    bool remove = false;
};

/// A new file as a person asks for it.
struct ConvertOrder {
    std::optional<GgmlType> type;          ///< for all main weights; nothing: as they are
    std::vector<TensorTypeChoice> choices; ///< tensors named one by one
    std::vector<TypedMetadataEdit> changes;
};

/// What a new file would be.
struct ConvertPreview {
    quint64 bytesBefore = 0; ///< of all shards
    quint64 bytesAfter = 0;  ///< exact
    quint64 shards = 1;
    quint64 encoded = 0;     ///< tensors in another type
    quint64 freeBytes = 0;   ///< in the folder of the path asked about; 0 where there is none
    QStringList notes;       ///< fallbacks and whatever else a person should know
};

/// What has been written.
struct ConvertOutcome {
    QString path;
    quint64 bytes = 0;
    quint64 encoded = 0;
    std::optional<double> relativeRmse; ///< over all encoded tensors together
    QStringList notes;
};

/// Makes new files of a model: previews in the view lane, files in the task lane, each whole or not
/// at all. GUI thread.
class ConvertService final : public QObject
{
    Q_OBJECT

public:
    explicit ConvertService(JobRunner &jobs, QObject *parent = nullptr);

    /// Reads no weights; the newest request is answered.
    void preview(const Document &document, const ConvertOrder &order, const QString &path);
    /// The person has agreed to replace what stands at the path. An input is refused all the same,
    /// and so is a file that the disk has no room for.
    JobId convert(const Document &document, const ConvertOrder &order, const QString &path);

signals:
    void previewReady(const ql::ConvertPreview &preview);
    void previewFailed(const ql::Error &error);
    void converted(const ql::ConvertOutcome &outcome);
    void failed(const QString &path, const ql::Error &error);
    void stopped(const QString &path);

private:
    JobRunner &m_jobs;
    RunningFiles m_running;
};

} // namespace ql
