#include <algorithm>
#include <utility>

#include "firn/catalog/ref_change.h"
#include "firn/catalog/table_evolution.h"
#include "firn/format/layout/transform.h"

#include "steps.h"

namespace firn::round_trip {
namespace {

void Append(Trial& trial) {
  AppendRowsRequest request;
  request.branch = trial.ChooseBranch();
  request.is_fast = trial.Chance(50);
  ModelRows added;
  RowStream rows = trial.NewRows(12, added);
  trial.Note("append {} rows to '{}'", added.size(), request.branch);
  const auto result = AppendRows(trial.context(), trial.table(), std::move(rows), request);
  if (!trial.Expect(result, "appending")) return;
  ModelRows& model = trial.rows(request.branch);
  model.insert(model.end(), added.begin(), added.end());
}

// The partition of a row of the model in the default spec.
StructValue PartitionOf(const TableMetadata& metadata, const ModelRow& row) {
  const Schema& schema = *metadata.current_schema();
  const StructValue seen = ViewAs(row, schema);
  StructValue partition;
  for (const PartitionField& field : metadata.default_spec()->fields) {
    for (size_t i = 0; i < schema.fields().size(); ++i) {
      if (schema.fields()[i].id != field.source_id()) continue;
      const auto value = ApplyTransform(field.transform, *schema.fields()[i].type, seen.fields[i]);
      partition.fields.push_back(value.ok() ? *value : Value());
    }
  }
  return partition;
}

void OverwriteRows(Trial& trial) {
  const TableMetadata& metadata = trial.metadata();
  AppendRowsRequest request;
  request.branch = trial.ChooseBranch();
  // Rows of older specs lie in partitions that a new row cannot name.
  const bool is_whole = trial.Chance(30) || metadata.partition_specs.size() > 1 ||
                        metadata.default_spec()->is_unpartitioned();
  request.overwrite = is_whole ? Overwrite::kTable : Overwrite::kPartitions;
  ModelRows added;
  RowStream rows = trial.NewRows(6, added);
  trial.Note("overwrite {} by {} rows", is_whole ? "the table" : "partitions", added.size());
  const auto result = AppendRows(trial.context(), trial.table(), std::move(rows), request);
  if (!trial.Expect(result, "overwriting")) return;
  ModelRows& model = trial.rows(request.branch);
  std::erase_if(model, [&](const auto& row) {
    if (is_whole) return true;
    const StructValue partition = PartitionOf(metadata, *row);
    return std::any_of(added.begin(), added.end(), [&](const auto& other) {
      return PartitionOf(metadata, *other).fields == partition.fields;
    });
  });
  model.insert(model.end(), added.begin(), added.end());
}

void Delete(Trial& trial) {
  DeleteRowsRequest request;
  request.branch = trial.ChooseBranch();
  ModelRows& model = trial.rows(request.branch);
  const ModelCondition condition = trial.ChooseCondition(model);
  const NestedField* column = trial.schema().FindField(condition.column);
  if (column == nullptr) return;
  request.condition = condition.ToExpression(*column->type);
  const bool is_merge_on_read = trial.metadata().format_version >= 2 && trial.Chance(60);
  request.mode = is_merge_on_read ? WriteMode::kMergeOnRead : WriteMode::kCopyOnWrite;
  trial.Note("delete from '{}' where {}, {}", request.branch, condition.Format(*column->type),
             is_merge_on_read ? "merge-on-read" : "copy-on-write");
  const auto result = DeleteRows(trial.context(), trial.table(), request);
  if (!trial.Expect(result, "deleting")) return;
  const Schema& schema = trial.schema();
  const auto gone = static_cast<int64_t>(
      std::erase_if(model, [&](const auto& row) { return Matches(condition, *row, schema); }));
  if (result->deleted_rows == gone) return;
  trial.Violate(fmt::format("{} rows were deleted, expected {}", result->deleted_rows, gone));
}

void Compact(Trial& trial) {
  const std::string branch = trial.ChooseBranch();
  if (!trial.metadata().refs.contains(branch)) return;
  RewriteDataFilesOptions options;
  options.rewrite_all = trial.Chance(70);
  options.min_input_files = 2;
  trial.Note("compact '{}'{}", branch, options.rewrite_all ? ", all files" : "");
  trial.Expect(RewriteDataFiles(trial.maintain_context(), trial.table(), branch, nullptr, options),
               "compacting");
}

void MakeBranch(Trial& trial) {
  if (!trial.metadata().refs.contains(kMainBranch)) return;
  RefChange change;
  change.name = fmt::format("b{}", trial.metadata().refs.size());
  const auto updates = PlanSetRef(trial.metadata(), change);
  if (!trial.Expect(updates, "planning a branch")) return;
  trial.Note("make branch '{}'", change.name);
  const auto requirements = MakeRequirements(trial.metadata(), *updates);
  if (!trial.Expect(trial.catalog().Commit(trial.table().name, requirements, *updates),
                    "making a branch")) {
    return;
  }
  trial.MakeBranch(change.name);
}

}  // namespace

const std::vector<Step>& RowSteps() {
  static const std::vector<Step> kSteps = {{"append", 8, Append},
                                           {"overwrite", 1, OverwriteRows},
                                           {"delete", 6, Delete},
                                           {"compact", 3, Compact},
                                           {"branch", 1, MakeBranch}};
  return kSteps;
}

}  // namespace firn::round_trip
