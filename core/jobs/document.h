// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"
#include "core/model/modelsummary.h"

#include <QtGlobal>

namespace ql {

/// A or B: the file that is looked at, and the one beside it.
enum class Side { A, B };

/// An opened file as jobs and views hold it. The generation tells one opening from another, so
/// that a result of a file since reloaded is never taken for one of the new file.
struct Document {
    GgufModelPtr model;
    ModelSummaryPtr summary;
    quint64 generation = 0;

    explicit operator bool() const { return model != nullptr; }
};

} // namespace ql
