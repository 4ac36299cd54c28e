// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/tensorview.h"

#include "core/format/mappedfile.h"
#include "core/model/checkedmath.h"

namespace ql {

namespace {

tl::unexpected<Error> undecodable(const TensorInfo &info, const std::string &why)
{
    return failure("not-decodable", "tensor '" + info.name + "': " + why, info.name,
                   info.absoluteOffset);
}

std::string range(std::uint64_t first, std::uint64_t last)
{
    return std::to_string(first) + " to " + std::to_string(last);
}

} // namespace

Result<TensorView> TensorView::ofTensor(GgufModelPtr model, TensorIndex index)
{
    const auto &info = model->tensor(index);
    if (!info.isDecodable())
        return undecodable(info, info.problem);
    const auto &shard = model->shards()[info.shard];
    const auto file = shard.file->bytes();
    // Opening has checked all this; a view of memory checks again.
    if (!info.absoluteOffset || !info.byteSize || !info.type || !info.elements || !info.rowBytes)
        return undecodable(info, "its size is not known");
    const auto end = checkedAdd(*info.absoluteOffset, *info.byteSize);
    if (*info.byteSize != 0 && (!end || *end > file.size()))
        return undecodable(info, "the file ends before its data does");

    TensorView view;
    view.m_tensor = index;
    view.m_type = info.type;
    view.m_bigEndian = shard.bigEndian;
    view.m_columns = info.ne[0];
    view.m_rowBytes = *info.rowBytes;
    if (*info.byteSize != 0)
        view.m_bytes = file.subspan(*info.absoluteOffset, *info.byteSize);
    if (*info.elements != 0) {
        view.m_rows = *info.elements / info.ne[0];
        view.m_slabs = info.ne[2] * info.ne[3];
    }
    view.m_model = std::move(model);
    return view;
}

Result<TensorView> TensorView::ofExpert(GgufModelPtr model, TensorIndex index, std::uint64_t expert)
{
    const auto info = model->tensor(index);
    auto whole = ofTensor(std::move(model), index);
    if (!whole)
        return whole;
    if (info.ne.size() < 3 || info.ne[3] > 1)
        return failure("no-experts",
                       "tensor '" + info.name + "' has " + std::to_string(info.ne.size())
                           + " dimensions; only three-dimensional ones are cut into experts",
                       info.name);
    if (expert >= info.ne[2])
        return failure("no-such-expert",
                       "tensor '" + info.name + "' has no expert " + std::to_string(expert) + "; it has "
                           + std::to_string(info.ne[2]),
                       info.name);
    const auto rows = whole->slabRows();
    return whole->rowRange(expert * rows, (expert + 1) * rows);
}

Result<TensorView> TensorView::rowRange(std::uint64_t first, std::uint64_t last) const
{
    if (first > last || last > m_rows)
        return failure("no-such-rows",
                       "rows " + range(first, last) + " are not within the "
                           + std::to_string(m_rows) + " rows there are",
                       m_model->tensor(m_tensor).name);
    TensorView view = *this;
    view.m_rows = last - first;
    view.m_bytes = m_bytes.subspan(first * m_rowBytes, view.m_rows * m_rowBytes);
    const auto slab = slabRows();
    const bool whole = slab != 0 && first % slab == 0 && last % slab == 0 && first != last;
    view.m_slabs = whole ? view.m_rows / slab : 1;
    return view;
}

} // namespace ql
