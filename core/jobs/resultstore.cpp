// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/resultstore.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

#include <atomic>

namespace ql {

namespace {

// Raise when the tables change; older files are thrown away.
constexpr int SchemaVersion = 1;

/// A connection of its own for one call: QtSql's connections belong to threads, and jobs have many.
class Connection
{
public:
    explicit Connection(const QString &path)
        : m_name(QStringLiteral("resultstore-%1").arg(++counter))
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_name);
        database.setDatabaseName(path);
        database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=2000"));
        m_isOpen = database.open();
    }
    ~Connection() { QSqlDatabase::removeDatabase(m_name); }
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    bool isOpen() const { return m_isOpen; }
    QSqlQuery query() const { return QSqlQuery(QSqlDatabase::database(m_name, false)); }
    bool run(const QString &sql) const
    {
        QSqlQuery q = query();
        return q.exec(sql);
    }
    QVariant value(const QString &sql) const
    {
        QSqlQuery q = query();
        return q.exec(sql) && q.next() ? q.value(0) : QVariant();
    }

private:
    static inline std::atomic<int> counter = 0;
    QString m_name;
    bool m_isOpen = false;
};

bool hasSchema(const Connection &connection)
{
    return connection.isOpen() && connection.value(QStringLiteral("PRAGMA user_version")).toInt() == SchemaVersion
           && connection.value(QStringLiteral("SELECT count(*) FROM sqlite_master WHERE name = 'results'")).toInt() == 1;
}

} // namespace

ResultStore::ResultStore(QString path, qint64 maxBytes)
    : m_path(std::move(path))
    , m_maxBytes(maxBytes)
    , m_gaveUp(m_path.isEmpty())
{}

ResultStore::~ResultStore() = default;

bool ResultStore::createTables()
{
    QDir().mkpath(QFileInfo(m_path).absolutePath());
    const Connection connection(m_path);
    return connection.isOpen() && connection.run(QStringLiteral("PRAGMA journal_mode = WAL"))
           && connection.run(QStringLiteral("CREATE TABLE IF NOT EXISTS results (key BLOB PRIMARY KEY, used INTEGER "
                                            "NOT NULL, bytes INTEGER NOT NULL, value BLOB NOT NULL)"))
           && connection.run(QStringLiteral("CREATE INDEX IF NOT EXISTS results_used ON results (used)"))
           && connection.run(QStringLiteral("PRAGMA user_version = %1").arg(SchemaVersion));
}

void ResultStore::discardFile()
{
    for (const auto *suffix : {"", "-wal", "-shm"})
        QFile::remove(m_path + QLatin1String(suffix));
}

bool ResultStore::isUsable()
{
    if (m_gaveUp)
        return false;
    if (QFileInfo::exists(m_path) && hasSchema(Connection(m_path)))
        return true;
    discardFile();
    m_gaveUp = !createTables();
    return !m_gaveUp;
}

std::optional<QByteArray> ResultStore::find(const QByteArray &key)
{
    const std::lock_guard lock(m_mutex);
    if (!isUsable())
        return std::nullopt;
    const Connection connection(m_path);
    QSqlQuery query = connection.query();
    query.prepare(QStringLiteral("SELECT value FROM results WHERE key = ?"));
    query.addBindValue(key);
    if (!query.exec() || !query.next())
        return std::nullopt;
    QByteArray value = query.value(0).toByteArray();
    query.finish();
    query.prepare(QStringLiteral("UPDATE results SET used = ? WHERE key = ?"));
    query.addBindValue(QDateTime::currentMSecsSinceEpoch());
    query.addBindValue(key);
    query.exec();
    return value;
}

void ResultStore::insert(const QByteArray &key, const QByteArray &value)
{
    const std::lock_guard lock(m_mutex);
    if (value.size() > m_maxBytes || !isUsable())
        return;
    {
        const Connection connection(m_path);
        QSqlQuery query = connection.query();
        query.prepare(QStringLiteral("INSERT OR REPLACE INTO results (key, used, bytes, value) VALUES (?, ?, ?, ?)"));
        query.addBindValue(key);
        query.addBindValue(QDateTime::currentMSecsSinceEpoch());
        query.addBindValue(static_cast<qint64>(value.size()));
        query.addBindValue(value);
        query.exec();
    }
    trim();
}

void ResultStore::trim()
{
    const Connection connection(m_path);
    const QString total = QStringLiteral("SELECT coalesce(sum(bytes), 0) FROM results");
    const QString dropOldest = QStringLiteral(
        "DELETE FROM results WHERE key = (SELECT key FROM results ORDER BY used, rowid LIMIT 1)");
    while (connection.value(total).toLongLong() > m_maxBytes)
        if (!connection.run(dropOldest))
            return;
}

void ResultStore::remove(const QByteArray &key)
{
    const std::lock_guard lock(m_mutex);
    if (!isUsable())
        return;
    const Connection connection(m_path);
    QSqlQuery query = connection.query();
    query.prepare(QStringLiteral("DELETE FROM results WHERE key = ?"));
    query.addBindValue(key);
    query.exec();
}

void ResultStore::clear()
{
    const std::lock_guard lock(m_mutex);
    if (isUsable())
        Connection(m_path).run(QStringLiteral("DELETE FROM results"));
}

qint64 ResultStore::bytes()
{
    const std::lock_guard lock(m_mutex);
    if (!isUsable())
        return 0;
    return Connection(m_path).value(QStringLiteral("SELECT coalesce(sum(bytes), 0) FROM results")).toLongLong();
}

} // namespace ql
