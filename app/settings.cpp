// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings.h"

#include <QFileInfo>

namespace ql {

namespace {

constexpr int MaxRecent = 12;

const QString ThemeKey = QStringLiteral("view/theme");
const QString RecentKey = QStringLiteral("recent/files");
const QString RecentPairsKey = QStringLiteral("recent/pairs");
const QString LastTensorKey = QStringLiteral("recent/tensor");
// Tabs don't occur in paths that dialogs give; a pair is stored as one string.
const QChar PairSeparator = QLatin1Char('\t');

QStringList pushFront(QStringList list, const QString &item)
{
    list.removeAll(item);
    list.prepend(item);
    return list.mid(0, MaxRecent);
}

QString canonical(const QString &path) { return QFileInfo(path).absoluteFilePath(); }

} // namespace

Settings::Settings()
    : m_settings(std::make_unique<QSettings>(QStringLiteral("quantloupe"), QStringLiteral("quantloupe")))
{}

Settings::Settings(const QString &iniFile)
    : m_settings(std::make_unique<QSettings>(iniFile, QSettings::IniFormat))
{}

ThemeChoice Settings::theme() const
{
    const QString name = m_settings->value(ThemeKey).toString();
    if (name == QLatin1String("light"))
        return ThemeChoice::Light;
    if (name == QLatin1String("dark"))
        return ThemeChoice::Dark;
    return ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice choice)
{
    static constexpr const char *Names[] = {"system", "light", "dark"};
    m_settings->setValue(ThemeKey, QLatin1String(Names[static_cast<int>(choice)]));
}

QStringList Settings::recentFiles() const { return m_settings->value(RecentKey).toStringList(); }

void Settings::addRecentFile(const QString &path)
{
    m_settings->setValue(RecentKey, pushFront(recentFiles(), canonical(path)));
}

void Settings::removeRecentFile(const QString &path)
{
    QStringList files = recentFiles();
    files.removeAll(canonical(path));
    m_settings->setValue(RecentKey, files);
    QStringList pairs = m_settings->value(RecentPairsKey).toStringList();
    pairs.removeIf([&](const QString &pair) { return pair.split(PairSeparator).contains(canonical(path)); });
    m_settings->setValue(RecentPairsKey, pairs);
}

void Settings::clearRecentFiles()
{
    m_settings->remove(RecentKey);
    m_settings->remove(RecentPairsKey);
}

QList<QStringList> Settings::recentPairs() const
{
    QList<QStringList> pairs;
    const QStringList stored = m_settings->value(RecentPairsKey).toStringList();
    for (const QString &pair : stored)
        pairs.append(pair.split(PairSeparator));
    pairs.removeIf([](const QStringList &pair) { return pair.size() != 2; });
    return pairs;
}

void Settings::addRecentPair(const QString &a, const QString &b)
{
    const QString pair = canonical(a) + PairSeparator + canonical(b);
    m_settings->setValue(RecentPairsKey, pushFront(m_settings->value(RecentPairsKey).toStringList(), pair));
}

QString Settings::lastFolder() const
{
    const QStringList files = recentFiles();
    return files.isEmpty() ? QString() : QFileInfo(files.first()).absolutePath();
}

QByteArray Settings::state(const QString &what) const
{
    return m_settings->value(QStringLiteral("state/") + what).toByteArray();
}

void Settings::setState(const QString &what, const QByteArray &state)
{
    m_settings->setValue(QStringLiteral("state/") + what, state);
}

QString Settings::lastTensor(const QString &path) const
{
    const QStringList pair = m_settings->value(LastTensorKey).toStringList();
    return pair.size() == 2 && pair.first() == canonical(path) ? pair.last() : QString();
}

void Settings::setLastTensor(const QString &path, const QString &tensor)
{
    m_settings->setValue(LastTensorKey, QStringList{canonical(path), tensor});
}

} // namespace ql
