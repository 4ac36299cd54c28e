// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory a scan and a comparison with heat maps take: the peaks of RssAnon and RssFile while
// they run. With --limit the process first puts itself in a memory cgroup of so many MiB (version 1 or
// 2; needs the right to make one), and another file that was in use before is looked at afterwards: how
// much of it the scan has pushed out of memory.
//
//   bench_memory [--mib N] [--type T] [--limit MIB] [--threads N]
#include "core/parallel/keepmemory.h"
#include "core/format/shardset.h"
#include "core/stats/comparison.h"
#include "core/stats/tensorstats.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::uint64_t Columns = 32768;
constexpr std::size_t BystanderBytes = 64u << 20;

struct Options {
    std::uint64_t mib = 1024;
    std::uint64_t limitMib = 0;
    std::string type = "F16";
    unsigned threads = 0;
};

template <class T>
void put(std::string &out, T value)
{
    out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// A file of one tensor of random ordinary values, of about so many bytes.
std::string makeFile(const ql::TypeTraits &type, std::uint64_t bytes, const std::string &name)
{
    const std::uint64_t rowBytes = Columns / type.blockSize * type.blockBytes;
    const std::uint64_t rows = bytes / rowBytes;
    std::string header = "GGUF";
    put(header, std::uint32_t{3});
    put(header, std::uint64_t{1});
    put(header, std::uint64_t{0});
    put(header, std::uint64_t{1});
    header += "w";
    put(header, std::uint32_t{2});
    put(header, Columns);
    put(header, rows);
    put(header, static_cast<std::uint32_t>(type.type));
    put(header, std::uint64_t{0});
    header.resize((header.size() + 31) / 32 * 32);
    std::mt19937 random(1);
    std::string row(rowBytes, '\0');
    for (std::size_t i = 0; i < row.size(); ++i) // 0x20 … 0x3f: no exponent of a half is large
        row[i] = static_cast<char>(i % 2 ? 0x20 + random() % 16 : random());
    const auto path = std::filesystem::temp_directory_path() / (name + std::to_string(getpid()) + ".gguf");
    std::ofstream file(path, std::ios::binary);
    file << header;
    for (std::uint64_t i = 0; i < rows; ++i)
        file.write(row.data(), static_cast<std::streamsize>(row.size()));
    return path.string();
}

double memoryMiB(const char *field)
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field))
            return std::stod(line.substr(line.find(':') + 1)) / 1024;
    return 0;
}

/// Looks at the memory of this process every few milliseconds.
class Watch
{
public:
    Watch() : m_thread([this] { run(); }) {}
    ~Watch()
    {
        m_stop = true;
        m_thread.join();
        std::printf("  peak RssAnon %6.1f MiB, peak RssFile %6.1f MiB\n", m_anon, m_file);
    }

private:
    void run()
    {
        while (!m_stop) {
            m_anon = std::max(m_anon, memoryMiB("RssAnon"));
            m_file = std::max(m_file, memoryMiB("RssFile"));
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    double m_anon = 0;
    double m_file = 0;
    std::atomic<bool> m_stop = false;
    std::thread m_thread;
};

bool writeTo(const std::filesystem::path &path, const std::string &text)
{
    std::ofstream file(path);
    file << text << std::flush;
    return static_cast<bool>(file);
}

/// The cgroup's folder, or nothing where it can't be made.
std::filesystem::path enterLimit(std::uint64_t mib)
{
    const bool isV1 = std::filesystem::exists("/sys/fs/cgroup/memory");
    const std::filesystem::path folder =
        std::filesystem::path(isV1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup") / ("ql_bench_" + std::to_string(getpid()));
    std::error_code error;
    std::filesystem::create_directory(folder, error);
    if (writeTo(folder / (isV1 ? "memory.limit_in_bytes" : "memory.max"), std::to_string(mib << 20))
        && writeTo(folder / "cgroup.procs", std::to_string(getpid())))
        return folder;
    std::fprintf(stderr, "no limit: a memory cgroup can't be made here\n");
    return {};
}

/// Another file that is in use: read twice, so that the kernel takes it for one.
class Bystander
{
public:
    Bystander()
    {
        const auto path = std::filesystem::temp_directory_path() / ("bench_memory_other" + std::to_string(getpid()));
        std::ofstream(path, std::ios::binary) << std::string(BystanderBytes, 'x');
        m_fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        std::filesystem::remove(path);
        ::fsync(m_fd);
        std::vector<char> bytes(BystanderBytes);
        for (int i = 0; i < 3; ++i)
            m_read = ::pread(m_fd, bytes.data(), bytes.size(), 0);
        m_map = ::mmap(nullptr, BystanderBytes, PROT_READ, MAP_SHARED, m_fd, 0);
    }
    ~Bystander()
    {
        ::munmap(m_map, BystanderBytes);
        ::close(m_fd);
    }
    Bystander(const Bystander &) = delete;
    Bystander &operator=(const Bystander &) = delete;
    /// The share of it that is still in memory.
    double share() const
    {
        std::vector<unsigned char> pages(BystanderBytes / 4096);
        ::mincore(m_map, BystanderBytes, pages.data());
        std::size_t present = 0;
        for (const unsigned char page : pages)
            present += page & 1u;
        return static_cast<double>(present) / static_cast<double>(pages.size());
    }

private:
    int m_fd = -1;
    ssize_t m_read = 0;
    void *m_map = nullptr;
};

void scan(const ql::GgufModelPtr &model, const Options &options)
{
    const auto view = ql::TensorView::ofTensor(model, ql::TensorIndex{0}).value();
    ql::ScanOptions scan;
    scan.threads = options.threads;
    const auto start = std::chrono::steady_clock::now();
    {
        const Watch watch;
        ql::scanTensor(view, scan).value();
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    const double bytes = static_cast<double>(view.bytes().size());
    std::printf("  scanned %.0f MiB in %.2f s, %.2f GB/s\n", bytes / 1048576, time.count(), 1e-9 * bytes / time.count());
}

void compare(const ql::GgufModelPtr &a, const ql::GgufModelPtr &b, const Options &options)
{
    ql::CompareOptions compare;
    compare.heatMaps = true;
    compare.errorHistogram = true;
    compare.threads = options.threads;
    const Watch watch;
    ql::comparePair(a, b, ql::pairTensors(*a, *b).pairs.at(0), compare).value();
}

int measure(const Options &options)
{
    const ql::TypeTraits *type = nullptr;
    for (const ql::TypeTraits &row : ql::typeTable())
        if (row.name == options.type && row.isDecodable())
            type = &row;
    if (!type) {
        std::fprintf(stderr, "no type %s\n", options.type.c_str());
        return 2;
    }
    const std::filesystem::path cgroup = options.limitMib ? enterLimit(options.limitMib) : std::filesystem::path();
    const Bystander bystander;
    std::vector<ql::GgufModelPtr> models;
    for (const std::string name : {"bench_memory_a", "bench_memory_b"}) {
        const std::string path = makeFile(*type, options.mib << 20, name);
        models.push_back(ql::openModel(path).value());
    }
    std::printf("%s, %llu MiB, limit %llu MiB\n", options.type.c_str(), static_cast<unsigned long long>(options.mib),
                static_cast<unsigned long long>(cgroup.empty() ? 0 : options.limitMib));
    std::printf("scan (another file of 64 MiB: %.0f %% in memory before)\n", 100 * bystander.share());
    scan(models[0], options);
    std::printf("  the other file: %.0f %% in memory after\n", 100 * bystander.share());
    std::printf("comparison with heat maps and error histogram\n");
    compare(models[0], models[1], options);
    for (const ql::GgufModelPtr &model : models)
        std::filesystem::remove(model->path());
    if (!cgroup.empty()) {
        writeTo(cgroup.parent_path() / "cgroup.procs", std::to_string(getpid()));
        models.clear();
        std::error_code error;
        std::filesystem::remove(cgroup, error);
    }
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    ql::keepFreedMemory();
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        const std::string value = argv[i + 1];
        if (name == "--mib")
            options.mib = std::stoull(value);
        else if (name == "--limit")
            options.limitMib = std::stoull(value);
        else if (name == "--type")
            options.type = value;
        else if (name == "--threads")
            options.threads = static_cast<unsigned>(std::stoul(value));
    }
    return measure(options);
}
