// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>

#include <memory>

namespace ql {

enum class ThemeChoice { System, Light, Dark };

/// What a window remembers between runs. Passed in, so that tests bring their own file.
class Settings
{
public:
    /// The user's settings.
    Settings();
    /// Settings in one file, for tests and screenshots.
    explicit Settings(const QString &iniFile);

    ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);

    /// Paths, newest first; a comparison is a pair.
    QStringList recentFiles() const;
    void addRecentFile(const QString &path);
    void removeRecentFile(const QString &path); ///< and every pair it is in
    void clearRecentFiles();
    QList<QStringList> recentPairs() const;
    void addRecentPair(const QString &a, const QString &b);

    /// The folder the last file came from.
    QString lastFolder() const;

    QByteArray state(const QString &what) const;
    void setState(const QString &what, const QByteArray &state);
    /// The tensor that was selected last in a file.
    QString lastTensor(const QString &path) const;
    void setLastTensor(const QString &path, const QString &tensor);

private:
    std::unique_ptr<QSettings> m_settings;
};

} // namespace ql
