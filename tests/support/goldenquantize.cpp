// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/goldenquantize.h"

#include "core/format/shardset.h"
#include "core/quant/dequantize.h"
#include "core/quant/quantize.h"
#include "tests/support/golden.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace ql::test {

namespace {

constexpr GgmlType GivenBytes[] = {GgmlType::F32, GgmlType::F16, GgmlType::BF16, GgmlType::Q4_0,
                                   GgmlType::Q4_1, GgmlType::Q5_0, GgmlType::Q5_1, GgmlType::Q8_0,
                                   GgmlType::TQ1_0, GgmlType::TQ2_0, GgmlType::MXFP4, GgmlType::Q1_0,
                                   GgmlType::Q2_0};

std::vector<float> floatsOf(const TensorView &view)
{
    std::vector<float> floats(view.elements());
    std::memcpy(floats.data(), view.bytes().data(), view.bytes().size());
    return floats;
}

double rmse(std::span<const float> a, std::span<const float> b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

std::vector<double> rowErrors(std::span<const float> input, std::span<const float> decoded, std::size_t columns)
{
    std::vector<double> errors;
    for (std::size_t first = 0; first < input.size(); first += columns)
        errors.push_back(rmse(input.subspan(first, columns), decoded.subspan(first, columns)));
    return errors;
}

GoldenQuantized quantize(std::span<const float> input, const GoldenPair &pair)
{
    GoldenQuantized row;
    row.type = pair.encoded.type().type;
    row.mustMatch = std::ranges::find(GivenBytes, row.type) != std::end(GivenBytes);
    const std::span<const std::byte> expected = pair.encoded.bytes();
    std::vector<std::byte> bytes(expected.size());
    quantizer(row.type)(input.data(), bytes.data(), pair.encoded.blocks());
    for (std::size_t i = 0; i < bytes.size(); ++i)
        row.differingBytes += bytes[i] != expected[i] ? 1 : 0;

    std::vector<float> decoded(input.size());
    referenceDequantizer(row.type)(bytes.data(), decoded.data(), pair.encoded.blocks());
    row.ours = rowErrors(input, decoded, pair.encoded.columns());
    row.reference = rowErrors(input, floatsOf(pair.expected), pair.encoded.columns());
    return row;
}

double ratio(double ours, double reference)
{
    if (ours == reference)
        return 1;
    return reference > 0 ? ours / reference : 1e300;
}

} // namespace

std::size_t GoldenQuantized::worstRow() const
{
    std::size_t worst = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
        if (ratio(ours[i], reference[i]) > ratio(ours[worst], reference[worst]))
            worst = i;
    return worst;
}

double GoldenQuantized::worstRatio() const { return ratio(ours[worstRow()], reference[worstRow()]); }

double GoldenQuantized::meanRatio() const
{
    double logs = 0;
    int rows = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (!(ours[i] > 0 && reference[i] > 0))
            continue;
        logs += std::log(ours[i] / reference[i]);
        ++rows;
    }
    return rows > 0 ? std::exp(logs / rows) : 1;
}

std::string GoldenQuantized::summary() const
{
    std::ostringstream text;
    text << traits(type).name << ": " << differingBytes << " bytes differ, worst row " << worstRow() << ": "
         << ours[worstRow()] << " to " << reference[worstRow()] << ", ratio " << worstRatio()
         << ", mean ratio " << meanRatio();
    return text.str();
}

std::vector<GoldenQuantized> quantizeGolden(const QString &path)
{
    std::vector<GoldenQuantized> rows;
    const auto model = openModel(path.toStdString());
    if (!model)
        return rows;
    const auto index = (*model)->findTensor("input");
    const auto view = index ? TensorView::ofTensor(*model, *index) : Result<TensorView>(failure("", ""));
    if (!view)
        return rows;
    const std::vector<float> input = floatsOf(*view);
    const auto pairs = goldenPairs(path);
    for (const GgmlType type : quantizableTypes())
        for (const GoldenPair &pair : pairs)
            if (pair.encoded.type().type == type && pair.name.ends_with(".quantized"))
                rows.push_back(quantize(input, pair));
    return rows;
}

double relativeRmse(std::span<const float> a, std::span<const float> b)
{
    double sum = 0;
    for (const float w : a)
        sum += double(w) * w;
    return rmse(a, b) / std::sqrt(sum / static_cast<double>(a.size()));
}

} // namespace ql::test
