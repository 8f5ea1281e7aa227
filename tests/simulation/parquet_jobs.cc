#include <algorithm>
#include <chrono>
#include <utility>

#include "firn/base/text.h"
#include "firn/change/change.h"
#include "firn/change/expire_rows.h"
#include "firn/data/deletes/equality_delete_writer.h"
#include "firn/engine/engine.h"
#include "firn/maintain/maintain.h"
#include "firn/maintain/statistics/repair_metrics.h"

#include "actor.h"
#include "parquet_files.h"

// The procedures of firn that read and write rows, as they are.

namespace firn::simulation {
namespace {

ChangeContext ChangeContextOf(Worker& worker) {
  return {.commit = worker.context(), .budget = worker.scene().budget};
}

Rows KeepRows(const Rows& before) { return before; }

JobResult Append(Worker& worker, Operation& operation) {
  if (!operation.apply) {  // A repeated try has the same rows.
    operation.branch = worker.ChooseBranch();
    operation.rows = worker.NewRows(5);
    operation.apply = [rows = operation.rows](const Rows& before) { return With(before, rows); };
    operation.may_repeat = worker.Chance(40) && worker.scene().keeps_history();
  }
  FIRN_ASSIGN(const Table table, worker.Load());
  AppendRowsRequest request;
  request.branch = operation.branch;
  request.is_fast = worker.Chance(50);
  request.summary_properties = Worker::SummaryOf(operation);
  if (operation.may_repeat) request.idempotency_key = fmt::format("key-{}", operation.number);
  FIRN_ASSIGN(const auto appended, AppendRows(ChangeContextOf(worker), table,
                                              MakeRows(*table.metadata, operation.rows), request));
  return appended.snapshot_id;
}

JobResult Overwrite(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  const std::vector<Row> rows = worker.NewRows(3);
  FIRN_ASSIGN(const Table table, worker.Load());
  const TableMetadata& metadata = *table.metadata;
  const bool is_all = worker.scene().has_changing_spec || worker.Chance(20) ||
                      metadata.default_spec()->is_unpartitioned();
  AppendRowsRequest request;
  request.branch = operation.branch;
  request.overwrite = is_all ? firn::Overwrite::kTable : firn::Overwrite::kPartitions;
  request.summary_properties = Worker::SummaryOf(operation);
  std::set<std::string> replaced;
  for (const Row& row : rows)
    replaced.insert(row.cat);
  operation.apply = [rows, replaced, is_all](const Rows& before) {
    Rows after = before;
    std::erase_if(after, [&](const auto& row) { return is_all || replaced.contains(row.second); });
    return With(after, rows);
  };
  FIRN_ASSIGN(const auto written,
              AppendRows(ChangeContextOf(worker), table, MakeRows(metadata, rows), request));
  return written.snapshot_id;
}

WriteMode ChooseMode(Worker& worker, const Table& table) {
  const bool is_possible = table.metadata->format_version >= 2;
  return is_possible && worker.Chance(65) ? WriteMode::kMergeOnRead : WriteMode::kCopyOnWrite;
}

JobResult Delete(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  const Condition condition = worker.NewCondition();
  operation.apply = [condition](const Rows& before) {
    Rows after = before;
    std::erase_if(after,
                  [&](const auto& row) { return condition.matches({row.first, row.second}); });
    return after;
  };
  FIRN_ASSIGN(const Table table, worker.Load());
  DeleteRowsRequest request;
  request.branch = operation.branch;
  request.mode = ChooseMode(worker, table);
  request.summary_properties = Worker::SummaryOf(operation);
  FIRN_ASSIGN(request.condition, condition.For(*table.metadata));
  FIRN_ASSIGN(const auto deleted, DeleteRows(ChangeContextOf(worker), table, request));
  // A file without a live row goes as well.
  const bool is_change = deleted.deleted_rows > 0 || deleted.removed_data_files > 0;
  return is_change ? deleted.snapshot_id : std::nullopt;
}

/// Rows that are old by a column of dates, which count from 1970 as rows do from the first. firn is
/// told how many days before the last ingest that is; the model knows the day.
JobResult ExpireOld(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  FIRN_ASSIGN(const Table table, worker.Load());
  const TableMetadata& metadata = *table.metadata;
  std::vector<NestedField> dates;
  for (const NestedField& field : metadata.current_schema()->fields()) {
    if (field.type->id() == TypeId::kDate) dates.push_back(field);
  }
  const auto head = worker.HeadOf(table, operation.branch);
  const auto ingested =
      head ? FindLastIngest(metadata, metadata.FindSnapshot(*head)) : std::nullopt;
  if (dates.empty() || !ingested) return std::optional<SnapshotId>();
  const NestedField& column = dates[worker.random().Below(dates.size())];
  const int64_t newest = OtherValue(worker.scene().next_row, column.id);
  const auto first_kept =
      static_cast<int64_t>(worker.random().Below(static_cast<uint64_t>(newest) + 1));
  operation.expires = [id = column.id, first_kept](const OtherValues& values) {
    const auto value = values.find(id);
    return value != values.end() && value->second && *value->second < first_kept;
  };
  operation.apply = KeepRows;
  ExpireRowsRequest request;
  request.branch = operation.branch;
  request.column = column.name;
  const auto today = std::chrono::floor<std::chrono::days>(*ingested).time_since_epoch().count();
  request.keep_days = today - first_kept;
  request.mode = ChooseMode(worker, table);
  request.summary_properties = Worker::SummaryOf(operation);
  const auto expired = ExpireRows(ChangeContextOf(worker), table, request);
  if (!expired.ok()) return worker.ExcuseLate(operation, expired.error());
  const ReplaceRowsResult& deleted = expired->deleted;
  const bool is_change = deleted.deleted_rows > 0 || deleted.removed_data_files > 0;
  return is_change ? deleted.snapshot_id : std::nullopt;
}

/// Rows of the branch with other categories, and new rows.
JobResult Merge(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  operation.updates_rows = true;
  FIRN_ASSIGN(const Table table, worker.Load());
  std::vector<Row> rows = worker.NewRows(2);
  const auto head = worker.HeadOf(table, operation.branch);
  const RowsPtr known = head ? worker.scene().judge->FindRows(*head) : nullptr;
  for (const auto& [id, cat] : known == nullptr ? Rows() : *known) {
    if (worker.Chance(30) && rows.size() < 5) rows.push_back({id, worker.NewCategory()});
  }
  operation.apply = [rows](const Rows& before) {
    Rows after = before;
    for (const Row& row : rows)
      after[row.id] = row.cat;
    return after;
  };
  MergeRowsRequest request;
  request.branch = operation.branch;
  request.key = {"id"};
  request.mode = ChooseMode(worker, table);
  request.summary_properties = Worker::SummaryOf(operation);
  FIRN_ASSIGN(const auto merged,
              MergeRows(ChangeContextOf(worker), table, MakeRows(*table.metadata, rows), request));
  return merged.snapshot_id;
}

/// Without the engine's library nothing is updated.
bool HasEngine() {
  static const bool kHas = [] {
    const auto random = MakeSeededRandom(1);
    return Engine::Open({.random = random.get(), .clock = &SystemClock()}).ok();
  }();
  return kHas;
}

/// A category, and all other columns that have values.
JobResult Update(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  operation.updates_rows = true;
  const Condition condition = worker.NewCondition();
  const std::string cat = worker.NewCategory();
  operation.apply = [condition, cat](const Rows& before) {
    Rows after = before;
    for (auto& [id, own] : after) {
      if (condition.matches({id, own})) own = cat;
    }
    return after;
  };
  FIRN_ASSIGN(const Table table, worker.Load());
  if (!HasEngine()) return std::optional<SnapshotId>();
  UpdateRowsRequest request;
  request.branch = operation.branch;
  request.mode = ChooseMode(worker, table);
  request.summary_properties = Worker::SummaryOf(operation);
  for (const NestedField& field : table.metadata->current_schema()->fields()) {
    if (field.id == kCatField) request.assignments.push_back({field.name, "'" + cat + "'"});
    if (!HasOtherValues(field)) continue;
    const char* value = field.type->id() == TypeId::kDate
                            ? "DATE '1970-01-01' + CAST(id * 10 + {} AS INTEGER)"
                            : "id * 10 + {}";
    request.assignments.push_back({field.name, fmt::format(fmt::runtime(value), field.id)});
  }
  FIRN_ASSIGN(request.condition, condition.For(*table.metadata));
  FIRN_ASSIGN(const auto updated, UpdateRows(ChangeContextOf(worker), table, request));
  const bool is_change = updated.added_rows > 0 || updated.removed_data_files > 0;
  return is_change ? updated.snapshot_id : std::nullopt;
}

JobResult OverwriteSome(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  const Condition condition = worker.NewCondition();
  const std::vector<Row> rows = worker.NewRows(3);
  operation.apply = [condition, rows](const Rows& before) {
    Rows after = before;
    std::erase_if(after,
                  [&](const auto& row) { return condition.matches({row.first, row.second}); });
    return With(std::move(after), rows);
  };
  FIRN_ASSIGN(const Table table, worker.Load());
  OverwriteRowsRequest request;
  request.branch = operation.branch;
  request.mode = ChooseMode(worker, table);
  request.summary_properties = Worker::SummaryOf(operation);
  FIRN_ASSIGN(request.condition, condition.For(*table.metadata));
  FIRN_ASSIGN(const auto written, OverwriteRows(ChangeContextOf(worker), table,
                                                MakeRows(*table.metadata, rows), request));
  return written.snapshot_id;
}

JobResult DeleteByKey(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto [rows, is_everywhere] = worker.NewKeyDelete(operation, table);
  if (rows.empty()) return std::optional<SnapshotId>();
  DeleteKeysRequest request;
  request.branch = operation.branch;
  request.key_ids = is_everywhere ? std::vector<int32_t>{1} : std::vector<int32_t>{1, 2};
  request.summary_properties = Worker::SummaryOf(operation);
  FIRN_ASSIGN(const SchemaPtr schema, EqualityDeleteSchema(*table.metadata, request.key_ids));
  std::vector<StructValue> keys;
  for (const Row& row : rows) {
    StructValue& key = keys.emplace_back();
    for (const NestedField& field : schema->fields())
      key.fields.push_back(field.id == kIdField ? Value(row.id) : Value(row.cat));
  }
  FIRN_ASSIGN(RowStream stream, MakeRowStream(schema->as_struct(), std::move(keys)));
  FIRN_ASSIGN(const auto deleted,
              DeleteKeys(ChangeContextOf(worker), table, std::move(stream), request));
  return std::optional(deleted.snapshot_id);
}

JobResult Stage(Worker& worker, Operation& operation) {
  operation.is_staged = true;
  operation.rows = worker.NewRows(3);
  operation.apply = [rows = operation.rows](const Rows& before) { return With(before, rows); };
  FIRN_ASSIGN(const Table table, worker.Load());
  AppendRowsRequest request;
  request.is_fast = worker.Chance(50);
  request.summary_properties = Worker::SummaryOf(operation);
  request.is_staged = true;
  if (table.metadata->properties.contains("write.wap.enabled")) {
    request.wap_id = fmt::format("wap-{}", operation.number);
  }
  FIRN_ASSIGN(const auto appended, AppendRows(ChangeContextOf(worker), table,
                                              MakeRows(*table.metadata, operation.rows), request));
  return appended.snapshot_id;
}

RewriteOrder ChooseOrder(Worker& worker, const TableMetadata& metadata) {
  constexpr const char* kOrders[] = {"id DESC", "{}, id", "zorder(id, {})", "hilbert(id, {})"};
  const auto drawn = worker.random().Below(8);
  if (drawn >= 4) return {};
  const auto order = ParseRewriteOrder(
      metadata, std::nullopt, ReplaceText(kOrders[drawn], "{}", ColumnName(metadata, kCatField)));
  return order.ok() ? *order : RewriteOrder();
}

RewriteDataFilesOptions ChooseRewrite(Worker& worker, const TableMetadata& metadata) {
  RewriteDataFilesOptions options;
  options.order = ChooseOrder(worker, metadata);
  options.rewrite_all = worker.Chance(60);
  options.min_input_files = 2;
  if (worker.Chance(40)) options.delete_file_threshold = 1;
  if (worker.Chance(60)) options.max_file_group_input_files = 2;
  if (worker.Chance(20)) options.max_files_to_rewrite = 3;
  options.use_starting_sequence_number = worker.Chance(70);
  options.has_partial_progress = worker.Chance(50);
  options.max_commits = 1 + static_cast<int64_t>(worker.random().Below(4));
  if (worker.Chance(50)) options.has_journal = true;
  if (worker.Chance(20)) options.rewrite_job_order = "files-desc";
  return options;
}

JobResult Compact(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  operation.apply = KeepRows;
  operation.is_unnamed = true;
  FIRN_ASSIGN(const Table table, worker.Load());
  if (!worker.HeadOf(table, operation.branch)) return std::optional<SnapshotId>();
  worker.HoldCompaction(operation);
  const RewriteDataFilesOptions options = ChooseRewrite(worker, *table.metadata);
  operation.makes_many = options.has_partial_progress;
  operation.has_journal = options.has_journal.value_or(false);
  MaintainContext context = worker.maintain_context();
  if (worker.Chance(40)) context.verification = Verification::kContent;
  ExpressionPtr where;
  if (worker.Chance(20)) {
    FIRN_ASSIGN(where, worker.NewCondition().For(*table.metadata));
  }
  const auto rewritten = RewriteDataFiles(context, table, operation.branch, where, options);
  if (rewritten.ok()) return rewritten->snapshot_id;
  // Another run took this one for dead, and its outputs away.
  const bool is_robbed = worker.scene().world->options().takes_owners_for_dead &&
                         rewritten.error().code() == ErrorCode::kNotFound;
  return is_robbed ? Error(ErrorCode::kCommitConflict, rewritten.error().message())
                   : rewritten.error();
}

template <typename Options>
void ChooseDeleteRewrite(Worker& worker, Operation& operation, Options& options) {
  operation.branch = worker.ChooseBranch();
  operation.apply = KeepRows;
  operation.is_unnamed = true;
  options.has_partial_progress = worker.Chance(50);
  operation.makes_many = options.has_partial_progress;
  options.max_commits = 1 + static_cast<int64_t>(worker.random().Below(4));
}

JobResult RewritePositions(Worker& worker, Operation& operation) {
  RewritePositionDeletesOptions options;
  ChooseDeleteRewrite(worker, operation, options);
  options.rewrite_all = worker.Chance(70);
  options.min_input_files = 2;
  options.is_by_partition = worker.Chance(50);
  if (worker.Chance(50)) options.max_file_group_input_files = 2;
  FIRN_ASSIGN(const Table table, worker.Load());
  const bool is_possible =
      worker.HeadOf(table, operation.branch) && table.metadata->format_version >= 2;
  if (!is_possible) return std::optional<SnapshotId>();
  FIRN_ASSIGN(const auto rewritten, RewritePositionDeletes(worker.maintain_context(), table,
                                                           operation.branch, nullptr, options));
  return rewritten.snapshot_id;
}

JobResult ConvertKeys(Worker& worker, Operation& operation) {
  ConvertEqualityDeletesOptions options;
  ChooseDeleteRewrite(worker, operation, options);
  FIRN_ASSIGN(const Table table, worker.Load());
  const bool is_possible =
      worker.HeadOf(table, operation.branch) && table.metadata->format_version >= 2;
  if (!is_possible) return std::optional<SnapshotId>();
  worker.HoldConversion(operation);
  FIRN_ASSIGN(const auto converted, ConvertEqualityDeletes(worker.maintain_context(), table,
                                                           operation.branch, nullptr, options));
  return converted.snapshot_id;
}

JobResult Repair(Worker& worker, Operation& operation) {
  operation.apply = KeepRows;
  operation.is_unnamed = true;
  FIRN_ASSIGN(const Table table, worker.Load());
  FIRN_ASSIGN(const auto repaired,
              RepairMetrics(worker.maintain_context(), table, {.reads_rows = worker.Chance(50)}));
  return repaired.snapshot_id;
}

}  // namespace

const std::vector<Job>& ParquetJobs() {
  static const std::vector<Job> kJobs = {
      {"append", 8, Append},
      {"delete", 5, Delete},
      {"expire rows", 3, ExpireOld},
      {"merge", 4, Merge},
      {"update", 3, Update},
      {"overwrite", 1, Overwrite},
      {"overwrite some rows", 1, OverwriteSome},
      {kDeleteByKeyName, 4, DeleteByKey},
      {"stage", 1, Stage},
      {kCompactionName, 6, Compact},
      {"rewrite position deletes", 2, RewritePositions},
      {kConversionName, 3, ConvertKeys},
      {"repair metrics", 1, Repair},
  };
  return kJobs;
}

}  // namespace firn::simulation
