// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/atomicfile.h"

#include "core/model/tensorname.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace ql {

namespace {

using Stat = struct stat;

std::optional<Stat> statOf(const std::string &path)
{
    Stat s{};
    return ::stat(path.c_str(), &s) == 0 ? std::optional(s) : std::nullopt;
}

bool nameIsTaken(const std::string &path)
{
    Stat s{};
    return ::lstat(path.c_str(), &s) == 0; // a dangling link takes the name too
}

bool sameFile(const Stat &a, const Stat &b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

/// Names of what is open already: to be written to, and never to be replaced.
bool isDescriptor(const std::string &path)
{
    return path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/")
        || path.starts_with("/proc/self/fd/");
}

bool isStream(const std::string &path)
{
    const auto s = statOf(path);
    return s && !S_ISDIR(s->st_mode) && (!S_ISREG(s->st_mode) || isDescriptor(path));
}

std::string folderOf(const std::string &path)
{
    const auto slash = path.rfind('/');
    if (slash == std::string::npos)
        return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

void syncFolder(const std::string &folder)
{
    // Some file systems can't flush a folder; the file's own data is safe by now.
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    ::fsync(descriptor);
    ::close(descriptor);
}

tl::unexpected<Error> refusal(const char *code, const std::string &path, const char *why)
{
    const std::string name = escapeBytes(path);
    return failure(code, "'" + name + "' " + why, name);
}

Result<void> checkIsNoInput(const Stat &output, const std::string &name, const std::vector<std::string> &inputs)
{
    const bool isInput = std::ranges::any_of(inputs, [&](const std::string &input) {
        const auto s = statOf(input);
        return s && sameFile(*s, output);
    });
    if (isInput)
        return refusal(OutputIsInputCode, name, "is an input: writing there would destroy it");
    return {};
}

constexpr mode_t Mode = 0666; // the umask takes its share

} // namespace

bool isStandardOutput(const std::string &path)
{
    const auto named = isDescriptor(path) ? statOf(path) : std::nullopt;
    Stat own{};
    return path == "-" || (named && ::fstat(STDOUT_FILENO, &own) == 0 && sameFile(*named, own));
}

Result<void> checkStandardOutput(const std::vector<std::string> &inputs)
{
    Stat own{};
    if (::fstat(STDOUT_FILENO, &own) != 0)
        return {}; // writing will fail
    return checkIsNoInput(own, "standard output", inputs);
}

Result<void> checkOutput(const std::string &path, bool force, const std::vector<std::string> &inputs)
{
    const auto existing = statOf(path);
    if (auto checked = existing ? checkIsNoInput(*existing, path, inputs) : Result<void>(); !checked)
        return checked;
    if (existing && S_ISDIR(existing->st_mode))
        return tl::unexpected(writeError(path, EISDIR));
    if (nameIsTaken(path) && !force && !isStream(path))
        return refusal(OutputExistsCode, path, "exists already (--force replaces it)");
    return {};
}

std::vector<std::string> filesOf(const GgufModel &model)
{
    std::vector<std::string> paths;
    for (const ShardInfo &shard : model.shards())
        paths.push_back(shard.path);
    return paths;
}

Result<std::unique_ptr<AtomicFile>> AtomicFile::create(const std::string &path, bool force,
                                                       const std::vector<std::string> &inputs)
{
    if (auto checked = checkOutput(path, force, inputs); !checked)
        return tl::unexpected(checked.error());
    std::unique_ptr<AtomicFile> file(new AtomicFile(path, force));
    if (auto opened = file->open(); !opened)
        return tl::unexpected(opened.error());
    return file;
}

AtomicFile::AtomicFile(std::string path, bool force)
    : m_path(std::move(path)), m_folder(folderOf(m_path)), m_force(force), m_inPlace(isStream(m_path))
{
}

AtomicFile::~AtomicFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

Result<void> AtomicFile::open()
{
    const int flags = m_inPlace ? O_WRONLY | O_CLOEXEC : O_TMPFILE | O_WRONLY | O_CLOEXEC;
    m_descriptor = ::open(m_inPlace ? m_path.c_str() : m_folder.c_str(), flags, Mode);
    if (m_descriptor >= 0)
        return {};
    return m_inPlace ? Result<void>(tl::unexpected(writeError(m_path, errno))) : openTemporary();
}

Result<void> AtomicFile::openTemporary()
{
    for (int attempt = 0; attempt < 100; ++attempt) {
        const std::string name = temporaryName();
        m_descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, Mode);
        if (m_descriptor >= 0) {
            m_temporary = name;
            return {};
        }
        if (errno != EEXIST)
            break;
    }
    return tl::unexpected(writeError(m_path, errno));
}

std::string AtomicFile::temporaryName() const
{
    static std::atomic<unsigned> counter{0};
    return m_folder + "/.quantloupe-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".part";
}

Result<void> AtomicFile::write(std::span<const std::byte> bytes)
{
    m_written += bytes.size();
    return DescriptorSink(m_descriptor, m_path).write(bytes);
}

Result<void> AtomicFile::writeAt(std::uint64_t offset, std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t n = ::pwrite(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tl::unexpected(writeError(m_path, errno));
        offset += static_cast<std::uint64_t>(n);
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return {};
}

Result<void> AtomicFile::commit()
{
    if (m_inPlace)
        return {};
    if (::fsync(m_descriptor) != 0)
        return tl::unexpected(writeError(m_path, errno));
    if (const int problem = publish(); problem == EEXIST)
        return refusal(OutputExistsCode, m_path, "appeared meanwhile; it was left alone");
    else if (problem != 0)
        return tl::unexpected(writeError(m_path, problem));
    syncFolder(m_folder);
    return {};
}

/// Gives the file its name; 0 or errno.
int AtomicFile::publish()
{
    const int problem = m_temporary.empty() ? linkNameless() : 0;
    if (problem != 0 || m_temporary.empty())
        return problem;
    return renameTemporary();
}

/// A nameless file gets its final name, or, where that has to be replaced, a temporary one: a link
/// never replaces, a rename does.
int AtomicFile::linkNameless()
{
    const std::string self = "/proc/self/fd/" + std::to_string(m_descriptor);
    const std::string target = m_force ? temporaryName() : m_path;
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, target.c_str(), AT_SYMLINK_FOLLOW) != 0)
        return errno;
    if (m_force)
        m_temporary = target;
    return 0;
}

int AtomicFile::renameTemporary()
{
    const char *from = m_temporary.c_str(), *to = m_path.c_str();
    int result = ::renameat2(AT_FDCWD, from, AT_FDCWD, to, m_force ? 0 : RENAME_NOREPLACE);
    if (result != 0 && !m_force && (errno == EINVAL || errno == ENOSYS)) {
        // No such flag on this file system: a hard link refuses to replace as well.
        result = ::link(from, to);
        if (result == 0)
            ::unlink(from);
    }
    if (result != 0)
        return errno;
    m_temporary.clear();
    return 0;
}

} // namespace ql
