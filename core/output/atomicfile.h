// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"
#include "core/output/bytesink.h"

#include <memory>
#include <string>
#include <vector>

namespace ql {

/// A file that appears under its name whole or not at all. Bytes go to a nameless file in the same
/// folder where the file system knows such (a killed program then leaves nothing behind), else to
/// a hidden temporary one; commit() flushes file and folder and gives it its name. Destroying it
/// without commit() removes every trace. An existing file is replaced only with `force`, at once.
/// A path that is a device, a pipe or a socket (/dev/null, /dev/stdout) is written to as it is.
class AtomicFile final : public ByteSink
{
public:
    /// Checks first, so that no work is done in vain: OutputExistsCode, OutputIsInputCode (the same
    /// device and inode as one of `inputs`, through whatever link), WriteFailedCode.
    static Result<std::unique_ptr<AtomicFile>> create(const std::string &path, bool force,
                                                      const std::vector<std::string> &inputs);
    ~AtomicFile() override;
    AtomicFile(const AtomicFile &) = delete;
    AtomicFile &operator=(const AtomicFile &) = delete;

    using ByteSink::write;
    Result<void> write(std::span<const std::byte> bytes) override;
    /// Overwrites bytes already written, e.g. a header whose numbers come last.
    Result<void> writeAt(std::uint64_t offset, std::span<const std::byte> bytes);
    std::uint64_t bytesWritten() const { return m_written; }
    /// After it the file is there; on an error, it is not, and nothing else is either.
    Result<void> commit();

private:
    AtomicFile(std::string path, bool force);
    Result<void> open();
    Result<void> openTemporary();
    int publish();
    int linkNameless();
    int renameTemporary();
    std::string temporaryName() const;

    std::string m_path;
    std::string m_folder;
    std::string m_temporary; ///< empty while nameless or written in place
    std::uint64_t m_written = 0;
    int m_descriptor = -1;
    bool m_force = false;
    bool m_inPlace = false;
};

/// "-", or another name of what standard output is open on.
bool isStandardOutput(const std::string &path);
/// Refuses where standard output goes into an input.
Result<void> checkStandardOutput(const std::vector<std::string> &inputs);

/// What create() checks, without creating anything: for refusing before long work.
Result<void> checkOutput(const std::string &path, bool force, const std::vector<std::string> &inputs);

/// The files of a model, for the check above.
std::vector<std::string> filesOf(const GgufModel &model);

} // namespace ql
