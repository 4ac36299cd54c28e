// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/tensorkind.h"

namespace ql {

namespace {

bool isNorm(const TensorInfo &tensor) { return tensor.role.find("norm") != std::string::npos; }

} // namespace

std::size_t usedDimensions(const TensorInfo &tensor)
{
    std::size_t used = tensor.ne.size();
    while (used > 0 && tensor.ne[used - 1] == 1)
        --used;
    return used;
}

bool isIntegerTensor(const TensorInfo &tensor)
{
    return tensor.type && tensor.type->family == TypeFamily::Integer;
}

bool isMainWeight(const TensorInfo &tensor)
{
    const std::size_t used = usedDimensions(tensor);
    const bool isRouter = tensor.role.starts_with("ffn_gate_inp");
    return (used == 2 || used == 3) && tensor.rawName.ends_with(".weight") && !isRouter && !isNorm(tensor)
           && !isIntegerTensor(tensor);
}

bool staysPlain(const TensorInfo &tensor)
{
    const bool isFactor = tensor.role.starts_with("rope_") || tensor.role.find("sinks") != std::string::npos;
    return usedDimensions(tensor) < 2 && (isNorm(tensor) || isFactor || !tensor.rawName.ends_with(".weight"));
}

} // namespace ql
