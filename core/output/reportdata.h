// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/diffjson.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ql {

/// One of the two files, in words and numbers. Texts are not escaped for any format.
struct ReportFile {
    std::string name; ///< the last part of the path
    std::string path;
    std::string title;        ///< general.name or ""
    std::string architecture; ///< or ""
    std::uint64_t size = 0;
    std::uint64_t tensors = 0;
    std::uint64_t parameters = 0;
    std::optional<double> bitsPerWeight;
    std::string types; ///< "Q4_K × 12, F32 × 5", most bytes first
};

/// Sums over some pairs.
struct ReportGroup {
    std::string name;
    std::uint64_t pairs = 0; ///< compared, identical ones too
    std::uint64_t identical = 0;
    std::uint64_t weights = 0;
    std::uint64_t bytesA = 0;
    std::uint64_t bytesB = 0;
    ErrorSums sums; ///< over the pairs that differ

    /// 0 where all pairs are identical; nothing where it is undefined.
    std::optional<double> error() const;
    std::optional<double> bitsA() const { return bits(bytesA); }
    std::optional<double> bitsB() const { return bits(bytesB); }

private:
    std::optional<double> bits(std::uint64_t bytes) const;
};

/// One pair.
struct ReportRow {
    std::string name; ///< with the part of it, and B's name where it is another
    std::string typeA;
    std::string typeB;
    std::string shape;
    std::string role;
    std::optional<std::uint32_t> layer;
    std::string problem; ///< why it has no figures, or ""
    bool identical = false;
    ReportGroup figures; ///< of this pair alone
};

/// One expert that differs more than others.
struct ReportExpert {
    std::string tensor;
    std::size_t expert = 0;
    ErrorSums sums;
};

struct ReportMetadata {
    std::string key;
    std::string a; ///< "" = not there
    std::string b;
    std::optional<std::uint64_t> firstDifference;
};

struct ReportUnpaired {
    std::string name;
    std::string what; ///< type and shape
    std::string hint;
};

/// A comparison as a report shows it, in the order it shows it. Values alone.
struct ReportData {
    std::array<ReportFile, 2> files;
    ReportGroup total;
    std::uint64_t failed = 0;
    std::vector<ReportRow> rows;      ///< worst first; then identical ones, then those without figures
    std::vector<ReportGroup> roles;   ///< worst first
    std::vector<ReportGroup> layers;  ///< rising
    std::vector<ReportExpert> experts; ///< the worst few, if experts were compared
    std::vector<ReportMetadata> metadata;
    std::array<std::vector<ReportUnpaired>, 2> unpaired;
    std::vector<std::array<std::string, 3>> mismatched; ///< name, shape in A, shape in B

    /// Relative error by layer (rising) and role (in the order of `roles`); nothing where there is no pair.
    std::vector<std::vector<std::optional<double>>> grid;
    std::vector<std::uint32_t> gridLayers;
};

ReportData reportData(const GgufModel &a, const GgufModel &b, const ModelDiff &diff);

} // namespace ql
