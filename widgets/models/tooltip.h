// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ql {

/// A tool-tip that shows a file's text as it is: Qt would take "<img src=…>" for markup.
inline QString plainToolTip(const QString &text)
{
    return text.isEmpty()
               ? QString()
               : QStringLiteral("<p style=\"white-space: pre-wrap\">%1</p>").arg(text.toHtmlEscaped());
}

} // namespace ql
