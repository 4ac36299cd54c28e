// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/samplemodel.h"

#include <QDir>
#include <QFile>
#include <QSaveFile>
#include <QStandardPaths>

// The resource lies in a static library; the macro that keeps it can't stand in a namespace.
static void initResources() { Q_INIT_RESOURCE(quantloupe); }

namespace ql {

namespace {

const QString Resource = QStringLiteral(":/sample/tiny-moe-Q4_K_M.gguf");

bool hasSameContent(const QString &path, const QByteArray &content)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.size() == content.size() && file.readAll() == content;
}

bool write(const QString &path, const QByteArray &content)
{
    QSaveFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.commit();
}

} // namespace

QString sampleModelPath()
{
    initResources();
    QFile resource(Resource);
    if (!resource.open(QIODevice::ReadOnly))
        return {};
    const QByteArray content = resource.readAll();
    const QDir folder(QStandardPaths::writableLocation(QStandardPaths::CacheLocation));
    const QString path = folder.filePath(QStringLiteral("tiny-moe-Q4_K_M.gguf"));
    if (hasSameContent(path, content))
        return path;
    const bool written = folder.mkpath(QStringLiteral(".")) && write(path, content);
    return written ? path : QString();
}

} // namespace ql
