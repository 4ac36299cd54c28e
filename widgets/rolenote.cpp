// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/rolenote.h"

#include <QCoreApplication>

#include <algorithm>

namespace ql {

namespace {

struct Note {
    std::string_view part; ///< of the role
    const char *text;
};

/// The first that fits: the shared expert has a gate of its own.
constexpr Note Notes[] = {
    {"ffn_gate_inp_shexp", QT_TRANSLATE_NOOP("roleNote", "gate of the shared expert")},
    {"ffn_gate_inp", QT_TRANSLATE_NOOP("roleNote", "router: a row an expert")},
    {"_shexp", QT_TRANSLATE_NOOP("roleNote", "shared expert")},
};

} // namespace

QString roleNote(std::string_view role)
{
    const auto note = std::ranges::find_if(Notes, [&](const Note &n) { return role.find(n.part) != role.npos; });
    return note != std::end(Notes) ? QCoreApplication::translate("roleNote", note->text) : QString();
}

} // namespace ql
