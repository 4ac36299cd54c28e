// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/convertjson.h"

namespace ql {

namespace {

Json tensorJson(const ConvertPlan &plan, const PlannedTensor &planned, const std::optional<ErrorSums> &errors)
{
    const TensorInfo &tensor = plan.model->tensor(planned.tensor);
    Json json;
    json["name"] = tensor.name;
    json["type_from"] = tensor.typeName();
    json["type"] = planned.encode ? std::string(traits(planned.type).name) : tensor.typeName();
    json["shape"] = tensor.ne.dims();
    json["encoded"] = planned.encode;
    json["bytes_from"] = jsonNumber(tensor.byteSize);
    json["bytes"] = planned.bytes;
    if (errors) {
        json["rmse"] = jsonNumber(errors->rmse());
        json["relative_rmse"] = jsonNumber(errors->relativeRmse());
        json["max_abs_error"] = jsonNumber(std::optional(errors->maxAbsError));
        json["sqnr_db"] = jsonNumber(errors->sqnrDb());
    }
    if (!planned.note.empty())
        json["note"] = planned.note;
    return json;
}

} // namespace

ConvertSizes sizesOf(const ConvertPlan &plan)
{
    ConvertSizes sizes{0, plan.file->fileSize()};
    for (const ShardInfo &shard : plan.model->shards())
        sizes.before += shard.size;
    return sizes;
}

Json convertJson(const ConvertPlan &plan, const ConvertReport &report)
{
    Json tensors = Json::array();
    ErrorSums all;
    for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
        tensors.push_back(tensorJson(plan, plan.tensors[i], report.errors[i]));
        if (report.errors[i])
            all.merge(*report.errors[i]);
    }
    const ConvertSizes sizes = sizesOf(plan);
    Json json;
    json["tensors"] = std::move(tensors);
    json["totals"] = {{"size_from", sizes.before},
                      {"size", sizes.after},
                      {"encoded_weights", plan.encodedWeights()},
                      {"rmse", jsonNumber(all.rmse())},
                      {"relative_rmse", jsonNumber(all.relativeRmse())},
                      {"sqnr_db", jsonNumber(all.sqnrDb())}};
    json["notes"] = plan.notes;
    return json;
}

} // namespace ql
