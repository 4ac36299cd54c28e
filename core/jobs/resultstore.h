// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <mutex>
#include <optional>

namespace ql {

/// Results kept between runs: a bounded table of blobs in SQLite, oldest use thrown away first.
/// Safe against several windows (SQLite's own locks) and several threads (one mutex). A damaged
/// or foreign file is thrown away and begun anew; where the folder can't be written, the store
/// is silently empty: it is only a cache.
class ResultStore
{
public:
    /// An empty path keeps nothing.
    explicit ResultStore(QString path, qint64 maxBytes = qint64(512) << 20);
    ~ResultStore();
    ResultStore(const ResultStore &) = delete;
    ResultStore &operator=(const ResultStore &) = delete;

    std::optional<QByteArray> find(const QByteArray &key);
    void insert(const QByteArray &key, const QByteArray &value);
    void remove(const QByteArray &key);
    void clear();
    qint64 bytes();

private:
    bool isUsable();
    bool createTables();
    void discardFile();
    void trim();

    QString m_path;
    qint64 m_maxBytes;
    std::mutex m_mutex;
    bool m_gaveUp = false;
};

} // namespace ql
