// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/blockfields.h"

#include "core/quant/blockfields_builder.h"

#include <algorithm>

namespace ql {

namespace {

using namespace detail;

const FieldReader *findReader(GgmlType type)
{
    for (const auto readers : {plainFieldReaders(), smallFieldReaders(), kFieldReaders(),
                               ternaryFieldReaders(), iq1FieldReaders(), iq23FieldReaders()}) {
        const auto reader = std::ranges::find(readers, type, &FieldReader::type);
        if (reader != readers.end())
            return &*reader;
    }
    return nullptr;
}

} // namespace

BlockFields readBlockFields(GgmlType type, std::span<const std::byte> block)
{
    const FieldReader *reader = findReader(type);
    if (!reader || block.size() != traits(type).blockBytes)
        return {type, {}, {}, {}};
    FieldBuilder builder(type, reader->formula, block);
    reader->read(builder);
    return builder.take();
}

} // namespace ql
