// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

/// For main(), before there are threads: lets the process keep up to 32 MiB that it has freed, whichever thread
/// freed them. Every tensor takes some megabytes for a heat map and tables and gives them back; as the C library
/// comes, it asks the system for them each time, page by page, which took a third of the scan of 8 M weights of
/// Q4_0. Does nothing where the C library knows no such setting.
void keepFreedMemory();

} // namespace ql
