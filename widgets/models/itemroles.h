// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Qt>

namespace ql {

/// Roles shared by all item models, so that one delegate and one copy action serve every table.
enum ItemRole {
    SortRole = Qt::UserRole, ///< a number or a text to sort by; invalid where nothing is known
    PlainRole,               ///< the text for files and the clipboard: whole, without locale
    TypeIdRole,              ///< id of a tensor type: shown as a chip
    BarRole,                 ///< 0 … 1: the length of a bar beside the text
    ProblemRole,             ///< true where the row has something wrong: shown with a mark
    MutedRole,               ///< true where the text is of second rank
    ChosenRole,              ///< true where the cell belongs to what was chosen: tinted and strong
};

} // namespace ql
