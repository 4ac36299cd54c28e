// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/mappedfile.h"

#include "core/format/sigbusguard.h"
#include "core/model/tensorname.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ql {

namespace {

class FileDescriptor
{
public:
    explicit FileDescriptor(int fd) : m_fd(fd) {}
    ~FileDescriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    FileDescriptor(const FileDescriptor &) = delete;
    FileDescriptor &operator=(const FileDescriptor &) = delete;
    int get() const { return m_fd; }

private:
    int m_fd;
};

FileIdentity identityOf(const struct stat &st)
{
    return {static_cast<std::uint64_t>(st.st_dev), static_cast<std::uint64_t>(st.st_ino),
            static_cast<std::uint64_t>(st.st_size),
            static_cast<std::int64_t>(st.st_mtim.tv_sec) * 1'000'000'000 + st.st_mtim.tv_nsec};
}

tl::unexpected<Error> systemFailure(std::string code, const std::string &path, int error)
{
    const std::string name = escapeBytes(path);
    return failure(std::move(code), "'" + name + "' can't be opened: " + std::strerror(error), name);
}

std::optional<Error> whyNotAFile(const std::string &file, const struct stat &st)
{
    const std::string path = escapeBytes(file);
    if (S_ISDIR(st.st_mode))
        return Error{"not-a-file", "'" + path + "' is a folder, not a file", path, {}};
    if (!S_ISREG(st.st_mode))
        return Error{"not-a-file", "'" + path + "' is not an ordinary file (a pipe, socket or device)",
                     path, {}};
    if (st.st_size == 0)
        return Error{"empty-file", "'" + path + "' is empty: 0 bytes", "magic", 0};
    return std::nullopt;
}

std::uintptr_t address(const std::byte *p) { return reinterpret_cast<std::uintptr_t>(p); }

std::uintptr_t pageSize()
{
    static const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    return size;
}

/// madvise wants whole pages: the range grown to them, or shrunk so that no neighbour is touched.
void advise(std::uintptr_t begin, std::uintptr_t end, int advice)
{
    if (begin < end)
        ::madvise(reinterpret_cast<void *>(begin), end - begin, advice); // a hint: may fail
}

} // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string &path)
{
    // O_NONBLOCK: opening a pipe that nobody writes to must not wait for a writer.
    const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() < 0)
        return systemFailure(errno == ENOENT ? "file-not-found" : "file-unreadable", path, errno);
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0)
        return systemFailure("file-unreadable", path, errno);
    if (auto reason = whyNotAFile(path, st))
        return tl::unexpected(std::move(*reason));

    const auto size = static_cast<std::size_t>(st.st_size);
    void *map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (map == MAP_FAILED)
        return systemFailure("file-unreadable", path, errno);
    const auto slot = sigbus::registerMap(map, size);
    if (!slot) {
        ::munmap(map, size);
        return failure("too-many-files", "too many files are open to open '" + escapeBytes(path) + "'", escapeBytes(path));
    }
    const std::shared_ptr<MappedFile> file(new MappedFile);
    file->m_path = path;
    file->m_bytes = {static_cast<const std::byte *>(map), size};
    file->m_identity = identityOf(st);
    file->m_guardSlot = *slot;
    file->m_faulted = &sigbus::faultMark(*slot);
    return file;
}

MappedFile::~MappedFile()
{
    if (!m_faulted)
        return;
    sigbus::unregisterMap(m_guardSlot);
    ::munmap(const_cast<std::byte *>(m_bytes.data()), m_bytes.size());
}

bool MappedFile::changedOnDisk() const
{
    struct stat st {};
    return faulted() || ::stat(m_path.c_str(), &st) != 0 || identityOf(st) != m_identity;
}

void MappedFile::willNeed(std::span<const std::byte> range) const
{
    const auto page = pageSize();
    const auto begin = address(range.data());
    advise(begin / page * page, begin + range.size(), MADV_WILLNEED);
}

void MappedFile::dontNeed(std::span<const std::byte> range) const
{
    const auto page = pageSize();
    const auto begin = address(range.data());
    advise((begin + page - 1) / page * page, (begin + range.size()) / page * page, MADV_DONTNEED);
}

} // namespace ql
