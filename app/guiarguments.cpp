// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/guiarguments.h"

#include <QCommandLineParser>

namespace ql {

Result<GuiArguments> parseGuiArguments(const QStringList &arguments)
{
    QCommandLineParser parser;
    parser.addOptions({{QStringLiteral("screenshots"), {}, QStringLiteral("DIR")}, {QStringLiteral("sample"), {}}});
    parser.addPositionalArgument(QStringLiteral("A"), {});
    if (!parser.parse(QStringList{QStringLiteral("quantloupe")} + arguments))
        return failure("usage", parser.errorText().toStdString());
    GuiArguments result;
    result.files = parser.positionalArguments();
    result.sample = parser.isSet(QStringLiteral("sample"));
    result.screenshotsFolder = parser.value(QStringLiteral("screenshots"));
    if (result.files.size() > 2)
        return failure("usage", "a window shows at most two files, A and B");
    return result;
}

} // namespace ql
