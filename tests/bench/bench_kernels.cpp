// SPDX-License-Identifier: GPL-3.0-or-later
// How fast each implementation of each type's decoder is: one thread, from the second-level cache
// into a tile of floats that fits the first. Pin it to a core: taskset -c 1 bench_kernels.
#include "core/quant/dequantize.h"
#include "core/quant/kernels.h"

#include <nlohmann/json.hpp>

#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace {

using ql::GgmlType;
using ql::TypeTraits;

constexpr std::size_t SourceWeights = 256 * 1024;

struct Options {
    std::size_t tile = 4096;
    int rounds = 15;
    std::string only;          ///< a type's name; empty: all
    std::string implementation; ///< empty: all
    std::string json;
    std::string baseline;
    std::string reference;
};

/// One thing to time.
struct Candidate {
    std::string implementation;
    ql::DequantizeFn decode = nullptr;
    void (*decodeForeign)(const void *, float *, std::int64_t) = nullptr;
    double weightsPerSecond = 0;
};

/// A library that exports `reference_decoder`: type name to decoder of n weights, or nullptr.
using ReferenceDecoder = void (*(*)(const char *))(const void *, float *, std::int64_t);

ReferenceDecoder loadReference(const std::string &path)
{
    if (path.empty())
        return nullptr;
    void *library = dlopen(path.c_str(), RTLD_NOW);
    void *symbol = library ? dlsym(library, "reference_decoder") : nullptr;
    if (!symbol)
        std::fprintf(stderr, "no reference: %s\n", dlerror());
    ReferenceDecoder decoder = nullptr;
    std::memcpy(&decoder, &symbol, sizeof decoder);
    return decoder;
}

bool isOrdinary(float w) { return w == 0 || (std::fabs(w) > 1e-30f && std::fabs(w) < 1e30f); }

/// Memory that starts at a cache line, as tensors in a mapped file nearly do.
template <class Value>
class AlignedArray
{
public:
    explicit AlignedArray(std::size_t n) : m_storage(n + 64 / sizeof(Value))
    {
        const auto address = reinterpret_cast<std::uintptr_t>(m_storage.data());
        m_values = {reinterpret_cast<Value *>((address + 63) & ~std::uintptr_t{63}), n};
    }
    std::span<Value> values() const { return m_values; }

private:
    std::vector<Value> m_storage;
    std::span<Value> m_values;
};

/// Blocks of random bits whose weights are ordinary numbers: subnormals and NaN would be timed with
/// the processor's assists, and trained weights have none.
void fillOrdinaryBlocks(const TypeTraits &type, std::span<std::byte> bytes)
{
    std::mt19937_64 random(static_cast<std::uint64_t>(type.type));
    const std::size_t blocks = bytes.size() / type.blockBytes;
    std::vector<float> weights(type.blockSize);
    const ql::DequantizeFn decode = ql::referenceDequantizer(type.type);
    for (std::size_t i = 0; i < blocks; ++i) {
        std::byte *block = bytes.data() + i * type.blockBytes;
        do {
            for (std::size_t k = 0; k < type.blockBytes; ++k)
                block[k] = static_cast<std::byte>(random());
            decode(block, weights.data(), 1);
        } while (!std::ranges::all_of(weights, isOrdinary));
    }
}

void decodeOnce(const Candidate &candidate, const TypeTraits &type, std::span<const std::byte> source,
                float *tile, std::size_t tileBlocks)
{
    const std::size_t blocks = source.size() / type.blockBytes;
    for (std::size_t i = 0; i + tileBlocks <= blocks; i += tileBlocks) {
        const std::byte *from = source.data() + i * type.blockBytes;
        if (candidate.decode)
            candidate.decode(from, tile, tileBlocks);
        else
            candidate.decodeForeign(from, tile, static_cast<std::int64_t>(tileBlocks * type.blockSize));
    }
}

/// Time this thread has run: the same as by the clock on a quiet machine, and still right on a busy one.
double threadSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double secondsOfRun(const Candidate &candidate, const TypeTraits &type,
                    std::span<const std::byte> source, float *tile, std::size_t tileBlocks,
                    int repeats)
{
    const double start = threadSeconds();
    for (int i = 0; i < repeats; ++i)
        decodeOnce(candidate, type, source, tile, tileBlocks);
    return threadSeconds() - start;
}

/// The best of several rounds in which the candidates take turns, so that a disturbed moment hits all.
void timeAll(std::vector<Candidate> &candidates, const TypeTraits &type, const Options &options)
{
    const AlignedArray<std::byte> storage(SourceWeights / type.blockSize * type.blockBytes);
    const std::span<std::byte> source = storage.values();
    fillOrdinaryBlocks(type, source);
    const AlignedArray<float> tileStorage(options.tile);
    float *tile = tileStorage.values().data();
    const std::size_t tileBlocks = std::max<std::size_t>(1, options.tile / type.blockSize);
    const std::size_t blocks = source.size() / type.blockBytes / tileBlocks * tileBlocks;
    const auto weights = static_cast<double>(blocks * type.blockSize);
    for (int round = 0; round < options.rounds; ++round) {
        for (Candidate &candidate : candidates) {
            const double once = secondsOfRun(candidate, type, source, tile, tileBlocks, 1);
            const int repeats = std::max(1, static_cast<int>(0.001 / once));
            const double seconds = secondsOfRun(candidate, type, source, tile, tileBlocks, repeats);
            candidate.weightsPerSecond =
                std::max(candidate.weightsPerSecond, weights * repeats / seconds);
        }
    }
}

std::vector<Candidate> candidatesOf(const TypeTraits &type, const Options &options,
                                    ReferenceDecoder reference)
{
    std::vector<Candidate> candidates;
    for (const ql::Kernel &kernel : ql::availableKernels()) {
        const bool wanted = options.implementation.empty() || options.implementation == kernel.implementation;
        if (kernel.type == type.type && wanted)
            candidates.push_back({std::string(kernel.implementation), kernel.decode, nullptr, 0});
    }
    const auto foreign = reference ? reference(std::string(type.name).c_str()) : nullptr;
    if (foreign)
        candidates.push_back({"(compared)", nullptr, foreign, 0});
    return candidates;
}

/// Weights per second by "TYPE implementation" of an earlier run's JSON.
std::map<std::string, double> readBaseline(const std::string &path)
{
    std::map<std::string, double> rates;
    if (path.empty())
        return rates;
    std::ifstream file(path);
    const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
    if (json.is_discarded())
        std::fprintf(stderr, "cannot read %s\n", path.c_str());
    else
        for (const auto &row : json.value("results", nlohmann::json::array()))
            rates[row.value("type", "") + " " + row.value("implementation", "")] =
                row.value("weightsPerSecond", 0.0);
    return rates;
}

struct Report {
    nlohmann::json results = nlohmann::json::array();
    double sumOfLogs = 0; ///< of the best implementation's ratios to the compared library, quantized types
    int ratios = 0;
};

void report(const TypeTraits &type, const std::vector<Candidate> &candidates,
            const std::map<std::string, double> &baseline, Report &all)
{
    const bool compared = candidates.back().decodeForeign != nullptr;
    const double comparedRate = compared ? candidates.back().weightsPerSecond : 0;
    const double bytes = static_cast<double>(type.blockBytes) / type.blockSize;
    for (const Candidate &c : candidates) {
        const std::string name(type.name);
        const double rate = c.weightsPerSecond;
        std::printf("%-8s %-10s %8.2f G/s %7.2f GB/s in %7.2f GB/s out", name.c_str(),
                    c.implementation.c_str(), rate / 1e9, rate * bytes / 1e9, rate * 4 / 1e9);
        nlohmann::json row = {{"type", name}, {"implementation", c.implementation}, {"weightsPerSecond", rate}};
        if (compared && c.decode) {
            std::printf("  %6.2f x compared", rate / comparedRate);
            row["ratio"] = rate / comparedRate;
        }
        const auto before = baseline.find(name + " " + c.implementation);
        if (before != baseline.end() && before->second > 0)
            std::printf("  %6.2f x baseline", rate / before->second);
        std::printf("\n");
        all.results.push_back(row);
    }
    if (compared && !type.isPlain()) {
        all.sumOfLogs += std::log(candidates.front().weightsPerSecond / comparedRate);
        ++all.ratios;
    }
    std::fflush(stdout);
}

int usage()
{
    std::puts("bench_kernels [--tile FLOATS] [--rounds N] [--type NAME] [--implementation NAME]\n"
              "              [--json FILE] [--baseline FILE] [--reference LIBRARY]\n"
              "  --baseline   an earlier --json file: prints the ratio to it\n"
              "  --reference  a shared library with a C function reference_decoder(type name) that\n"
              "               returns void (*)(const void *blocks, float *out, int64_t weights)");
    return 2;
}

bool readOptions(int argc, char **argv, Options &options)
{
    const std::map<std::string, std::string *> texts = {
        {"--type", &options.only},         {"--implementation", &options.implementation},
        {"--json", &options.json},         {"--baseline", &options.baseline},
        {"--reference", &options.reference}};
    for (int i = 1; i < argc; i += 2) {
        const std::string name = argv[i];
        if (i + 1 == argc)
            return false;
        if (const auto text = texts.find(name); text != texts.end())
            *text->second = argv[i + 1];
        else if (name == "--tile")
            options.tile = std::max<std::size_t>(256, std::strtoul(argv[i + 1], nullptr, 10));
        else if (name == "--rounds")
            options.rounds = std::max(1, std::atoi(argv[i + 1]));
        else
            return false;
    }
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    if (!readOptions(argc, argv, options))
        return usage();
    const ReferenceDecoder reference = loadReference(options.reference);
    const auto baseline = readBaseline(options.baseline);
    Report all;
    for (const TypeTraits &type : ql::typeTable()) {
        const bool wanted = options.only.empty() || options.only == type.name;
        if (!type.isDecodable() || !wanted)
            continue;
        std::vector<Candidate> candidates = candidatesOf(type, options, reference);
        if (candidates.empty())
            continue;
        timeAll(candidates, type, options);
        report(type, candidates, baseline, all);
    }
    if (all.ratios > 0)
        std::printf("geometric mean over %d quantized types: %.2f\n", all.ratios,
                    std::exp(all.sumOfLogs / all.ratios));
    if (!options.json.empty())
        std::ofstream(options.json)
            << nlohmann::json{{"tile", options.tile}, {"results", all.results}}.dump(2) << "\n";
    return 0;
}
