// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"

#include <string>
#include <string_view>

namespace ql::test {

/// A model as values, made up: what views are shown in tests that need no file. Sizes and offsets
/// follow from types and shapes, layers and experts from names, as they do for a file.
class SummaryBuilder
{
public:
    SummaryBuilder();

    SummaryBuilder &named(const std::string &name, const std::string &architecture);
    SummaryBuilder &tensor(const std::string &name, GgmlType type, const Ne &ne,
                           const std::string &problem = {});
    /// A row of a type that no one has heard of.
    SummaryBuilder &unknownTensor(const std::string &name, std::uint32_t typeId, const Ne &ne);
    SummaryBuilder &scalar(const std::string &key, ValueType type, const std::string &value);
    SummaryBuilder &text(const std::string &key, const std::string &value);
    SummaryBuilder &array(const std::string &key, ValueType elementType, std::uint64_t count,
                          const std::string &preview);
    SummaryBuilder &warning(Severity severity, const std::string &message,
                            const std::string &field = {},
                            std::optional<std::uint64_t> offset = {});
    SummaryBuilder &shards(std::size_t count);

    ModelSummaryPtr build();

private:
    ModelSummary m_model;
    std::uint64_t m_end = 0;
};

/// `layers` layers as in a mixture-of-experts model of today: merged experts, norms, attention.
ModelSummaryPtr moeSummary(std::uint32_t layers, std::uint64_t experts);

} // namespace ql::test
