// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "core/stats/comparison.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

/// What is known of a row of the comparison.
enum class PairState {
    Waiting,      ///< paired, not compared yet
    Same,         ///< the same bytes
    Differs,
    Failed,       ///< can't be decoded; the note says why
    ShapesDiffer, ///< listed, never compared
    OnlyA,
    OnlyB,
};

/// A tensor of A beside one of B, or a tensor alone.
struct ComparisonRow {
    std::optional<TensorIndex> a;
    std::optional<TensorIndex> b;
    TensorPair pair; ///< where both are there
    PairState state = PairState::Waiting;
    bool byHand = false;
    bool isReplaced = false; ///< a pair made by hand took its place: neither shown nor counted
    std::string note;        ///< hint, failure or the two shapes
    std::uint64_t weights = 0;
    std::uint64_t bytesA = 0; ///< of the part compared
    std::uint64_t bytesB = 0;
    std::uint64_t experts = 0; ///< slabs that have errors of their own; 0 for plain tensors
    ComparisonPtr result;

    bool isPair() const { return a && b && state != PairState::ShapesDiffer; }
    /// Over the whole pair, or over one of its experts; nothing while it is not compared.
    std::optional<ErrorSums> errors(std::optional<std::uint64_t> expert = {}) const;
    std::optional<double> bitsA() const;
    std::optional<double> bitsB() const;
    std::optional<double> bitsDelta() const; ///< B's bits per weight less A's
};

/// The measures a table, a map or a scatter shows.
enum class ErrorFigure { RelativeRmse, Rmse, MaxAbsError, MeanAbsError, Cosine, Sqnr };
inline constexpr std::size_t ErrorFigures = 6;
std::string_view errorFigureName(ErrorFigure figure); ///< "relative RMSE"
/// Of equal bytes: no error at all; cosine and SQNR say nothing then.
std::optional<double> errorFigure(const ErrorSums &sums, bool identical, ErrorFigure figure);
std::optional<double> errorFigure(const ComparisonRow &row, std::optional<std::uint64_t> expert, ErrorFigure figure);

/// Sums over rows. As `diff` counts them: bytes of pairs, errors of those that differ.
struct ComparisonTotals {
    std::uint64_t same = 0;
    std::uint64_t differ = 0;
    std::uint64_t waiting = 0;
    std::uint64_t failed = 0;
    std::uint64_t unpaired = 0; ///< only in A or in B
    std::uint64_t shapesDiffer = 0;
    std::uint64_t weights = 0; ///< of pairs that are or will be compared, as bytes are
    std::uint64_t bytesA = 0;
    std::uint64_t bytesB = 0;
    ErrorSums sums;

    std::uint64_t compared() const { return same + differ; }
    std::uint64_t pairs() const { return same + differ + waiting + failed; }
    std::optional<double> bitsA() const;
    std::optional<double> bitsB() const;
};

struct ComparisonGroup {
    std::string label;                  ///< the role, or "layer 3", or "outside layers"
    std::optional<std::uint32_t> layer; ///< of groups by layer
    std::vector<std::size_t> rows;
};

/// All rows of a comparison, filled in as pairs are compared. Rows keep their places for good: pairs
/// in A's order, then what can't be compared, then pairs made by hand. A value; any thread, one at a time.
class ComparisonTable
{
public:
    enum class Grouping { None, Role, Layer };

    ComparisonTable() = default;
    ComparisonTable(ModelSummaryPtr a, ModelSummaryPtr b, const Pairing &pairing);

    const std::vector<ComparisonRow> &rows() const { return m_rows; }
    const ComparisonRow &row(std::size_t i) const { return m_rows[i]; }
    const TensorInfo *tensorA(const ComparisonRow &row) const;
    const TensorInfo *tensorB(const ComparisonRow &row) const;
    /// A's tensor, or B's where there is none.
    const TensorInfo &tensor(const ComparisonRow &row) const;

    /// The number is the pair's place in Pairing::pairs, which is its row.
    void setResult(std::size_t pair, const ComparisonPtr &result);
    void setFailure(std::size_t pair, const std::string &why);
    /// A pair made by hand: a row of its own, in place of those its tensors had. Partners left over
    /// are listed as unpaired. Returns its row.
    std::size_t addByHand(const TensorPair &pair);
    std::optional<std::size_t> rowByHand(const TensorPair &pair) const;

    ComparisonTotals totals() const;
    ComparisonTotals totals(const std::vector<std::size_t> &rows) const;
    /// Roles in file order; layers ascending, what is outside layers first.
    std::vector<ComparisonGroup> groups(Grouping grouping) const;
    double largestRelativeRmse() const { return m_largest; }

private:
    void addAlone(PairState state, const Unpaired &one);
    void addMismatch(const TensorPair &pair);
    void fill(ComparisonRow &row) const;
    void replaceRowsOf(const TensorPair &pair);

    ModelSummaryPtr m_a;
    ModelSummaryPtr m_b;
    std::vector<ComparisonRow> m_rows;
    double m_largest = 0;
};

/// Whether two tensors (or experts of them) can be compared: decodable, of one shape. The error says
/// both shapes. Halves are not made by hand.
Result<TensorPair> pairByHand(const ModelSummary &a, const ModelSummary &b, const TensorPair &wanted);
/// Of a tensor, or of one of its slabs.
Ne partShape(const TensorInfo &tensor, std::optional<std::uint64_t> expert);
/// Bytes of the part of a tensor that a pair compares.
std::uint64_t partBytes(const TensorInfo &tensor, std::optional<std::uint64_t> expert, TensorPair::Half half);

/// A grid of errors. NaN where nothing is known; where several rows share a cell, of their sums.
struct ErrorMap {
    struct Target {
        std::size_t row = 0; ///< of the table; meaningless where the value is NaN
        std::optional<std::uint64_t> expert;
    };
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<double> values; ///< row-major
    std::vector<Target> targets;

    std::size_t at(std::size_t row, std::size_t column) const { return row * columns.size() + column; }
};

/// Roles (rows) by layers (columns; "–" for tensors outside layers).
ErrorMap mapOfRoles(const ComparisonTable &table, ErrorFigure figure);
/// Layers (rows) by experts (columns) of one role; merged experts and tensors of single experts alike.
ErrorMap mapOfExperts(const ComparisonTable &table, std::string_view role, ErrorFigure figure);
/// Roles that have experts, in file order.
std::vector<std::string> expertRoles(const ComparisonTable &table);

} // namespace ql
