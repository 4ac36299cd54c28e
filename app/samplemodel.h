// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ql {

/// The path of the bundled sample model, laid out in the user's cache folder where it does not
/// stand there yet (a map needs a file). Empty if that could not be written.
QString sampleModelPath();

} // namespace ql
