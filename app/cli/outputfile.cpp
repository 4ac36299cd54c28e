// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/outputfile.h"

namespace ql::cli {

Result<OutputFile> OutputFile::open(Console &console, const std::string &path, bool force,
                                    const std::vector<std::string> &inputs)
{
    OutputFile output(console);
    if (isStandardOutput(path)) {
        if (auto checked = checkStandardOutput(inputs); !checked)
            return tl::unexpected(checked.error());
        return output;
    }
    auto file = AtomicFile::create(path, force, inputs);
    if (!file)
        return tl::unexpected(file.error());
    output.m_file = std::move(*file);
    return output;
}

Result<void> OutputFile::commit() { return m_file ? m_file->commit() : Result<void>(); }

} // namespace ql::cli
