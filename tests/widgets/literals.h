// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// First in a test that compares many texts: plain "literals" as QStrings, UTF-8. The product keeps
// them forbidden.
#undef QT_NO_CAST_FROM_ASCII
