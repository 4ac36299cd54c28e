// SPDX-License-Identifier: GPL-3.0-or-later
// How long opening a file takes: one made on the spot with a vocabulary of 260,000 tokens and 300,000
// merges, or one of your own. With --reference LIBRARY (ggml's libggml-base.so) the same file by turns
// through its gguf_init_from_file.
//
//   bench_open [FILE] [--rounds N] [--reference LIBRARY] [--json FILE]
#include "core/format/shardset.h"

#include <nlohmann/json.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t Tokens = 260000;
constexpr std::uint64_t Merges = 300000;
constexpr std::uint64_t Tensors = 700;

enum ValueType : std::uint32_t { Int32 = 5, Float32 = 6, String = 8, Array = 9 };

struct Options {
    std::string file;
    std::string reference;
    std::string json;
    int rounds = 30;
};

template <class T>
void put(std::string &out, T value)
{
    out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

void putString(std::string &out, const std::string &text)
{
    put(out, std::uint64_t{text.size()});
    out += text;
}

void beginArray(std::string &out, const std::string &key, ValueType type, std::uint64_t count)
{
    putString(out, key);
    put(out, std::uint32_t{Array});
    put(out, std::uint32_t{type});
    put(out, count);
}

/// A word of 2 to 11 letters, other for every number.
std::string word(std::uint64_t number)
{
    std::string text;
    std::uint64_t x = number * 0x9e3779b97f4a7c15u;
    for (std::size_t i = 0; i < 2 + number % 10; ++i, x >>= 5)
        text += static_cast<char>('a' + x % 26);
    return text;
}

void putVocabulary(std::string &out)
{
    beginArray(out, "tokenizer.ggml.tokens", String, Tokens);
    for (std::uint64_t i = 0; i < Tokens; ++i)
        putString(out, word(i));
    beginArray(out, "tokenizer.ggml.scores", Float32, Tokens);
    for (std::uint64_t i = 0; i < Tokens; ++i)
        put(out, -static_cast<float>(i));
    beginArray(out, "tokenizer.ggml.token_type", Int32, Tokens);
    for (std::uint64_t i = 0; i < Tokens; ++i)
        put(out, std::int32_t{1});
    beginArray(out, "tokenizer.ggml.merges", String, Merges);
    for (std::uint64_t i = 0; i < Merges; ++i)
        putString(out, word(i) + ' ' + word(i + 7));
}

std::string header()
{
    std::string out = "GGUF";
    put(out, std::uint32_t{3});
    put(out, Tensors);
    put(out, std::uint64_t{5});
    putString(out, "general.architecture");
    put(out, std::uint32_t{String});
    putString(out, "llama");
    putVocabulary(out);
    for (std::uint64_t i = 0; i < Tensors; ++i) { // of 32 floats each
        putString(out, "blk." + std::to_string(i) + ".attn_norm.weight");
        put(out, std::uint32_t{1});
        put(out, std::uint64_t{32});
        put(out, std::uint32_t{0});
        put(out, i * 128);
    }
    out.resize((out.size() + 31) / 32 * 32);
    return out + std::string(Tensors * 128, '\0');
}

/// ggml's C interface, as far as it is called here.
struct InitParams {
    bool noAlloc;
    void **context;
};

struct Reference {
    void *(*open)(const char *path, InitParams params) = nullptr;
    void (*close)(void *file) = nullptr;
};

Reference loadReference(const std::string &path)
{
    Reference reference;
    void *library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW);
    if (library) {
        reference.open = reinterpret_cast<decltype(reference.open)>(dlsym(library, "gguf_init_from_file"));
        reference.close = reinterpret_cast<decltype(reference.close)>(dlsym(library, "gguf_free"));
    }
    if (!path.empty() && (!reference.open || !reference.close))
        std::fprintf(stderr, "no reference: %s\n", dlerror());
    return reference.close ? reference : Reference{};
}

double seconds(const std::function<void()> &work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Times {
    std::vector<double> all;
    double best() const { return *std::ranges::min_element(all); }
    double median()
    {
        std::ranges::sort(all);
        return all[all.size() / 2];
    }
};

nlohmann::json print(const char *who, Times &times)
{
    std::printf("%-10s best %8.3f ms   median %8.3f ms\n", who, times.best() * 1e3, times.median() * 1e3);
    return {{"what", who}, {"bestMs", times.best() * 1e3}, {"medianMs", times.median() * 1e3}};
}

int measure(const Options &options, const std::string &path)
{
    if (!ql::openModel(path)) {
        std::fprintf(stderr, "can't open %s\n", path.c_str());
        return 3;
    }
    const Reference reference = loadReference(options.reference);
    Times ours, theirs;
    for (int round = 0; round < options.rounds; ++round) {
        ours.all.push_back(seconds([&] { (void)ql::openModel(path); }));
        if (reference.open)
            theirs.all.push_back(seconds([&] { reference.close(reference.open(path.c_str(), {true, nullptr})); }));
    }
    nlohmann::json rows = {print("ours", ours)};
    if (reference.open) {
        rows.push_back(print("reference", theirs));
        std::printf("a %.0fth of the reference's time (best), a %.0fth (median)\n", theirs.best() / ours.best(),
                    theirs.median() / ours.median());
    }
    if (!options.json.empty())
        std::ofstream(options.json) << nlohmann::json{{"results", rows}}.dump(2) << '\n';
    return 0;
}

Options readOptions(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const std::string value = i + 1 < argc ? argv[i + 1] : "";
        if (name == "--rounds")
            options.rounds = std::max(1, std::stoi(value));
        else if (name == "--reference")
            options.reference = value;
        else if (name == "--json")
            options.json = value;
        else
            options.file = name;
        i += name.starts_with("--");
    }
    return options;
}

} // namespace

int main(int argc, char **argv)
{
    const Options options = readOptions(argc, argv);
    if (!options.file.empty())
        return measure(options, options.file);
    const auto path = std::filesystem::temp_directory_path() / ("bench_open_" + std::to_string(getpid()) + ".gguf");
    std::ofstream(path, std::ios::binary) << header();
    std::printf("%llu tokens, %llu merges, %llu tensors, %llu bytes\n", static_cast<unsigned long long>(Tokens),
                static_cast<unsigned long long>(Merges), static_cast<unsigned long long>(Tensors),
                static_cast<unsigned long long>(std::filesystem::file_size(path)));
    const int result = measure(options, path.string());
    std::filesystem::remove(path);
    return result;
}
