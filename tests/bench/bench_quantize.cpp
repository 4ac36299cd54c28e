// SPDX-License-Identifier: GPL-3.0-or-later
// How fast each type's encoder is and how large its error: one thread, Gaussian weights from the
// second-level cache, the thread's own clock. With --reference beside another library's encoders.
#include "core/quant/dequantize.h"
#include "core/quant/quantize.h"

#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using ql::GgmlType;
using ForeignEncoder = void (*)(const float *weights, void *blocks, std::int64_t n);
using ForeignLookup = ForeignEncoder (*)(const char *type);

constexpr std::size_t Weights = 256 * 1024;
constexpr int Rounds = 9;

double threadSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double bestRate(const std::function<void()> &encode)
{
    double best = 1e9;
    for (int i = 0; i < Rounds; ++i) {
        const double start = threadSeconds();
        encode();
        best = std::min(best, threadSeconds() - start);
    }
    return Weights / best;
}

double relativeError(GgmlType type, const std::vector<float> &weights, const std::vector<std::byte> &blocks)
{
    std::vector<float> decoded(weights.size());
    ql::dequantizer(type)(blocks.data(), decoded.data(), weights.size() / ql::traits(type).blockSize);
    double squares = 0, misses = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double miss = double(weights[i]) - decoded[i];
        squares += double(weights[i]) * weights[i];
        misses += miss * miss;
    }
    return std::sqrt(misses / squares);
}

void report(GgmlType type, const std::vector<float> &weights, ForeignLookup lookup)
{
    const ql::TypeTraits &t = ql::traits(type);
    const std::string name(t.name);
    const std::size_t nBlocks = Weights / t.blockSize;
    std::vector<std::byte> blocks(nBlocks * t.blockBytes);
    const double rate = bestRate([&] { ql::quantizer(type)(weights.data(), blocks.data(), nBlocks); });
    const double error = relativeError(type, weights, blocks);
    std::printf("%-7s %9.1f M/s  error %.6f", name.c_str(), rate / 1e6, error);
    if (const ForeignEncoder foreign = lookup ? lookup(name.c_str()) : nullptr) {
        const double foreignRate = bestRate([&] { foreign(weights.data(), blocks.data(), Weights); });
        const double foreignError = relativeError(type, weights, blocks);
        std::printf("   reference %9.1f M/s  error %.6f   %6.2f x the speed, %.4f x the error",
                    foreignRate / 1e6, foreignError, rate / foreignRate,
                    foreignError > 0 ? error / foreignError : 1.0);
    }
    std::printf("\n");
    std::fflush(stdout);
}

ForeignLookup loadReference(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    void *function = library ? dlsym(library, "reference_encoder") : nullptr;
    if (!function)
        std::fprintf(stderr, "%s\n", dlerror());
    return reinterpret_cast<ForeignLookup>(function);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 1 && !(argc == 3 && std::strcmp(argv[1], "--reference") == 0)) {
        std::puts("bench_quantize [--reference LIBRARY]\n"
                  "  a shared library with a C function reference_encoder(type name) that returns\n"
                  "  void (*)(const float *weights, void *blocks, int64_t n)");
        return 2;
    }
    const ForeignLookup lookup = argc == 3 ? loadReference(argv[2]) : nullptr;
    std::mt19937 random(1);
    std::normal_distribution<float> gauss(0.0f, 0.02f);
    std::vector<float> weights(Weights);
    std::ranges::generate(weights, [&] { return gauss(random); });
    for (const GgmlType type : ql::quantizableTypes())
        report(type, weights, lookup);
    return 0;
}
