// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/console.h"
#include "core/output/atomicfile.h"

#include <memory>
#include <string>
#include <vector>

namespace ql::cli {

/// What `-o OUT` names: a file that appears whole or not at all, or with `-` standard output.
class OutputFile
{
public:
    static Result<OutputFile> open(Console &console, const std::string &path, bool force,
                                   const std::vector<std::string> &inputs);

    ByteSink &sink() { return m_file ? static_cast<ByteSink &>(*m_file) : m_console->output(); }
    /// Gives the file its name.
    Result<void> commit();

private:
    explicit OutputFile(Console &console) : m_console(&console) {}

    Console *m_console;
    std::unique_ptr<AtomicFile> m_file;
};

} // namespace ql::cli
