// SPDX-License-Identifier: GPL-3.0-or-later
// How fast whole tensors are scanned (moments, histogram and heat map; both passes counted) and
// compared, from memory: weights a second for one thread and more. The files are made on the spot.
#include "core/format/shardset.h"
#include "core/parallel/keepmemory.h"
#include "core/quant/dequantize.h"
#include "core/quant/kernels.h"
#include "core/quant/quantize.h"
#include "core/stats/comparison.h"
#include "core/stats/histogram.h"
#include "core/stats/increment.h"
#include "core/stats/scankernels.h"
#include "core/stats/tensorstats.h"

#include <nlohmann/json.hpp>

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

using ql::GgmlType;
using ql::TypeTraits;

constexpr std::uint64_t Columns = 4096;

struct Options {
    std::uint64_t rows = 16384; ///< of 4,096 weights
    int rounds = 5;
    std::vector<unsigned> threads{1, 2};
    std::string only;
    std::string json;
    std::string baseline;
    bool heatMap = true;
    bool pieces = false; ///< of the kernels alone
    bool oneRow = false; ///< the same weights as a 1-D tensor
};

/// Weights of a block like those of a trained model: about as large as one another, all over a tensor. Single
/// ones, of types that store whole numbers, need only be numbers.
bool areOrdinary(const std::vector<float> &weights)
{
    if (weights.size() == 1)
        return weights[0] == 0 || (std::fabs(weights[0]) > 1e-30f && std::fabs(weights[0]) < 1e30f);
    double square = 0;
    for (const float w : weights)
        square += static_cast<double>(w) * static_cast<double>(w);
    const double rms = std::sqrt(square / static_cast<double>(weights.size()));
    return rms > 0.01 && rms < 0.04;
}

/// Rows of weights like those of a trained model, or random blocks of that size where there is no encoder.
std::vector<std::byte> someBlocks(const TypeTraits &type, std::uint64_t weights)
{
    std::mt19937_64 random(7);
    std::normal_distribution<float> normal(0, 0.02f);
    std::vector<std::byte> bytes(weights / type.blockSize * type.blockBytes);
    std::vector<float> values(type.blockSize);
    const auto encode = ql::quantizer(type.type);
    const auto decode = ql::referenceDequantizer(type.type);
    for (std::byte *block = bytes.data(); block < bytes.data() + bytes.size(); block += type.blockBytes) {
        if (encode) {
            std::ranges::generate(values, [&] { return normal(random); });
            encode(values.data(), block, 1);
            continue;
        }
        do {
            std::generate_n(block, type.blockBytes, [&] { return static_cast<std::byte>(random()); });
            decode(block, values.data(), 1);
        } while (!areOrdinary(values));
    }
    return bytes;
}

template <class T>
void put(std::string &out, T value)
{
    out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// A model of one tensor whose rows repeat the first few; gone from the disk once opened.
ql::GgufModelPtr makeModel(const TypeTraits &type, std::uint64_t rows, bool oneRow = false)
{
    constexpr std::uint64_t OwnRows = 64;
    const std::vector<std::byte> blocks = someBlocks(type, OwnRows * Columns);
    const std::string name = "blk.0.ffn_up.weight";
    std::string header = "GGUF";
    put(header, std::uint32_t{3});
    put(header, std::uint64_t{1});
    put(header, std::uint64_t{0});
    put(header, std::uint64_t{name.size()});
    header += name;
    put(header, oneRow ? std::uint32_t{1} : std::uint32_t{2});
    put(header, oneRow ? Columns * rows : Columns);
    if (!oneRow)
        put(header, rows);
    put(header, static_cast<std::uint32_t>(type.type));
    put(header, std::uint64_t{0});
    header.resize((header.size() + 31) / 32 * 32);
    const auto path = std::filesystem::temp_directory_path() / ("bench_scan_" + std::to_string(getpid()) + ".gguf");
    {
        std::ofstream file(path, std::ios::binary);
        file << header;
        for (std::uint64_t row = 0; row < rows; row += OwnRows)
            file.write(reinterpret_cast<const char *>(blocks.data()), static_cast<std::streamsize>(blocks.size()));
    }
    return ql::openModel(path.string()).value();
}

void removeFile(const ql::GgufModelPtr &model) { std::filesystem::remove(model->path()); }

/// Time all threads of this process have run: still right on a busy machine.
double processSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Seconds {
    double wall = 1e30;
    double processor = 1e30; ///< of all threads together
};

template <class Work>
Seconds bestSeconds(int rounds, const Work &work)
{
    Seconds best;
    for (int i = 0; i < rounds; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const double processor = processSeconds();
        work();
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        best.wall = std::min(best.wall, time.count());
        best.processor = std::min(best.processor, processSeconds() - processor);
    }
    return best;
}

class Report
{
public:
    explicit Report(const std::string &baseline)
    {
        std::ifstream file(baseline);
        const auto json = nlohmann::json::parse(file, nullptr, false);
        if (!json.is_discarded())
            for (const auto &row : json.value("results", nlohmann::json::array()))
                m_before[row.value("what", "")] = row.value("weightsPerSecond", 0.0);
    }

    void add(const std::string &what, double weights, const Seconds &seconds, double bytesPerWeight)
    {
        const double rate = weights / seconds.wall;
        const double aCore = weights / seconds.processor;
        std::printf("%-34s %7.2f G weights/s %7.2f GB/s read %7.2f G weights/s a core", what.c_str(),
                    rate / 1e9, rate * bytesPerWeight / 1e9, aCore / 1e9);
        const auto before = m_before.find(what);
        if (before != m_before.end() && before->second > 0)
            std::printf("  %5.2f x baseline", rate / before->second);
        std::printf("\n");
        std::fflush(stdout);
        m_rows.push_back({{"what", what}, {"weightsPerSecond", rate}, {"weightsPerSecondACore", aCore}});
    }

    void save(const std::string &path) const
    {
        if (!path.empty())
            std::ofstream(path) << nlohmann::json{{"results", m_rows}}.dump(2) << '\n';
    }

private:
    std::map<std::string, double> m_before;
    nlohmann::json m_rows = nlohmann::json::array();
};

void benchType(const TypeTraits &type, const Options &options, Report &report)
{
    const auto model = makeModel(type, options.rows, options.oneRow);
    const auto view = ql::TensorView::ofTensor(model, ql::TensorIndex{0}).value();
    const auto weights = static_cast<double>(view.elements());
    for (const unsigned threads : options.threads) {
        ql::ScanOptions scan;
        scan.threads = threads;
        scan.heatMap = options.heatMap;
        const auto seconds = bestSeconds(options.rounds, [&] { ql::scanTensor(view, scan).value(); });
        report.add("scan " + std::string(type.name) + " threads " + std::to_string(threads), weights,
                   seconds, type.bitsPerWeight() / 8);
    }
    removeFile(model);
}

void benchPair(GgmlType typeA, GgmlType typeB, const Options &options, Report &report)
{
    const auto a = makeModel(ql::traits(typeA), options.rows);
    removeFile(a);
    const auto b = makeModel(ql::traits(typeB), options.rows);
    removeFile(b);
    const auto pair = ql::pairTensors(*a, *b).pairs.at(0);
    for (const unsigned threads : options.threads) {
        ql::CompareOptions compare;
        compare.threads = threads;
        const auto shape = ql::TensorView::ofTensor(a, pair.a).value();
        const auto seconds = bestSeconds(options.rounds, [&] { (void)ql::comparePair(a, b, pair, compare); });
        report.add("compare " + std::string(ql::traits(typeA).name) + " " + std::string(ql::traits(typeB).name)
                       + " threads " + std::to_string(threads),
                   static_cast<double>(shape.elements()), seconds,
                   (ql::traits(typeA).bitsPerWeight() + ql::traits(typeB).bitsPerWeight()) / 8);
    }
}

/// The parts of a scan by themselves, on one tile in the first-level cache.
void benchPieces(const Options &options, Report &report)
{
    constexpr std::size_t N = ql::TileWeights;
    constexpr int Times = 100;
    std::mt19937_64 random(7);
    std::normal_distribution<float> normal(0, 0.02f);
    alignas(64) static float weights[N];
    std::ranges::generate(weights, [&] { return normal(random); });
    const ql::ScanKernels &kernels = ql::scanKernels();
    const ql::FloatBins bins(double{*std::ranges::min_element(weights)}, double{*std::ranges::max_element(weights)},
                             ql::FineBins);
    std::vector<std::uint32_t> found(N);
    std::vector<std::uint16_t> sets(ql::FineSets * ql::FineStride);
    std::vector<double> lanes(ql::CentralLanes);
    const auto table = std::make_unique<ql::StripTable>();
    ql::TileRange range;
    const auto piece = [&](const char *what, const auto &work) {
        const auto seconds = bestSeconds(20 * options.rounds, [&] {
            for (int i = 0; i < Times; ++i)
                work();
        });
        report.add(what, static_cast<double>(N) * Times, seconds, sizeof(float));
    };
    piece("strips of 32", [&] { kernels.sumStrips(weights, N, 32, *table, range); });
    piece("strips of 256", [&] { kernels.sumStrips(weights, N, 256, *table, range); });
    piece("bins found", [&] { kernels.findBins(weights, N, bins, found.data()); });
    piece("counting alone", [&] {
        std::uint16_t *const counters = sets.data();
        const std::uint32_t *const bin = found.data();
        for (std::size_t i = 0; i < N; i += ql::Lanes) {
            #pragma GCC unroll 16
            for (std::size_t k = 0; k < ql::Lanes; ++k)
                ql::increment(counters[k % ql::FineSets * ql::FineStride + bin[i + k]]);
        }
    });
    piece("moments, bins and counting", [&] {
        kernels.addValues(weights, N, 0.001, lanes.data(), bins, sets.data());
    });
}

Options readOptions(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const std::string value = i + 1 < argc ? argv[i + 1] : "";
        if (name == "--no-heat-map") {
            options.heatMap = false;
            continue;
        }
        if (name == "--pieces") {
            options.pieces = true;
            continue;
        }
        if (name == "--one-row") {
            options.oneRow = true;
            continue;
        }
        ++i;
        if (name == "--type")
            options.only = value;
        else if (name == "--rows")
            options.rows = std::stoull(value);
        else if (name == "--rounds")
            options.rounds = std::stoi(value);
        else if (name == "--threads")
            options.threads = {static_cast<unsigned>(std::stoul(value))};
        else if (name == "--json")
            options.json = value;
        else if (name == "--baseline")
            options.baseline = value;
        else
            std::fprintf(stderr, "bench_scan [--type T] [--rows N] [--rounds N] [--threads N] [--no-heat-map] [--one-row] [--pieces] "
                                 "[--json FILE] [--baseline FILE]\n");
    }
    return options;
}

} // namespace

int main(int argc, char **argv)
{
    ql::keepFreedMemory();
    const Options options = readOptions(argc, argv);
    std::printf("best of %d, %llu weights a tensor, kernels %s\n", options.rounds,
                static_cast<unsigned long long>(options.rows * Columns),
                std::string(ql::activeImplementation(GgmlType::Q4_K)).c_str());
    Report report(options.baseline);
    if (options.pieces) {
        benchPieces(options, report);
        report.save(options.json);
        return 0;
    }
    for (const TypeTraits &type : ql::typeTable()) {
        if (type.isDecodable() && (options.only.empty() || options.only == type.name))
            benchType(type, options, report);
    }
    if (options.only.empty() || options.only == "compare")
        benchPair(GgmlType::Q4_K, GgmlType::Q2_K, options, report);
    report.save(options.json);
    return 0;
}
