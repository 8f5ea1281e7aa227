#include <algorithm>
#include <utility>

#include "firn/base/civil_time.h"
#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/data/changes/changelog.h"
#include "firn/data/value_file.h"
#include "firn/expression/expression.h"
#include "firn/ingest/adoption/add_files.h"
#include "firn/maintain/copy/rewrite_table_path.h"
#include "firn/maintain/statistics/compute_table_stats.h"

#include "actor.h"
#include "parquet_files.h"

// Work on tables of Parquet that changes no row of them.

namespace firn::simulation {
namespace {

ReadContext ReadContextOf(Worker& worker, const Table& table) {
  return {.io = table.io,
          .metadata = table.metadata,
          .executor = worker.scene().executor,
          .budget = worker.scene().budget,
          .cancel = {}};
}

/// The head of a branch or any other snapshot.
std::optional<SnapshotId> ChooseSnapshot(Worker& worker, const Table& table) {
  const auto& snapshots = table.metadata->snapshots;
  if (snapshots.empty()) return std::nullopt;
  const auto head = worker.HeadOf(table, worker.ChooseBranch());
  if (head && worker.Chance(60)) return head;
  return snapshots[worker.random().Below(snapshots.size())].snapshot_id;
}

// "7", "7.0" or "1970-01-08"; empty: null.
std::optional<int64_t> ParseWhole(std::string_view text) {
  if (const auto date = ParseDate(text)) return *date;
  if (text.ends_with(".0")) text.remove_suffix(2);
  return ParseInt64(text);
}

Result<std::vector<Row>> ReadRows(Worker& worker, const Table& table, SnapshotId id,
                                  const std::optional<Condition>& condition) {
  const TableMetadata& metadata = *table.metadata;
  std::vector<std::string> columns = {"id", ColumnName(metadata, kCatField)};
  if (metadata.format_version >= 3) {
    columns.insert(columns.end(), {"_row_id", "_last_updated_sequence_number"});
  }
  ExpressionPtr filter;
  ReadOptions options;
  if (condition) {
    FIRN_ASSIGN(filter, condition->For(metadata));
    FIRN_ASSIGN(options.filter, Bind(filter, *metadata.current_schema()));
  }
  const size_t others_begin = columns.size();
  std::vector<int32_t> others;
  for (const NestedField& field : metadata.current_schema()->fields()) {
    if (!HasOtherValues(field)) continue;
    columns.push_back(field.name);
    others.push_back(field.id);
  }
  FIRN_ASSIGN(options.projection, ProjectColumns(metadata, *metadata.current_schema(), columns));
  FIRN_ASSIGN(std::vector<FileScanTask> tasks, PlanSnapshot(*table.io, metadata, id, filter));
  FIRN_ASSIGN(RowStream stream, ReadTasks(ReadContextOf(worker, table), std::move(tasks), options));
  FIRN_ASSIGN(const auto lines, ReadLines(std::move(stream), *options.projection));
  std::vector<Row> rows;
  for (const std::vector<std::string>& line : lines) {
    Row& row = rows.emplace_back(Row{ParseInt64(line[0]).value_or(-1), line[1], {}, {}});
    for (size_t i = 0; i < others.size(); ++i)
      row.others[others[i]] = ParseWhole(line[others_begin + i]);
    if (metadata.format_version < 3) continue;
    row.row_id = ParseInt64(line[2]);
    row.updated = ParseInt64(line[3]);
  }
  return rows;
}

/// Any state that the table has reads as it was, also in part.
JobResult Read(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto id = ChooseSnapshot(worker, table);
  if (!id) return std::optional<SnapshotId>();
  std::optional<Condition> condition;
  if (worker.Chance(40)) condition = worker.NewCondition();
  auto rows = ReadRows(worker, table, *id, condition);
  if (!rows.ok()) return worker.ExcuseExpired(operation, rows.error());
  const RowsPtr known = worker.judge().FindRows(*id);
  if (condition && known != nullptr) {
    for (const Row& row : *rows) {
      if (!condition->matches(row)) worker.Violate("a filter let a row pass");
    }
    for (const auto& [row_id, cat] : *known) {
      if (!condition->matches({row_id, cat})) rows->push_back({row_id, cat});
    }
  }
  worker.judge().CheckRows(*id, *rows, "a reader");
  return std::optional<SnapshotId>();
}

struct Change {
  Row row;
  bool is_insert = false;
  int64_t ordinal = 0;
};

Result<std::vector<Change>> ReadChanges(Worker& worker, const Table& table, SnapshotId start,
                                        SnapshotId end, bool is_net) {
  const TableMetadata& metadata = *table.metadata;
  FIRN_ASSIGN(auto snapshots, FindChangingSnapshots(metadata, start, end));
  ChangelogOptions options;
  options.is_net = is_net;
  FIRN_ASSIGN(options.schema, ProjectColumns(metadata, *metadata.current_schema(),
                                             {"id", ColumnName(metadata, kCatField)}));
  const ReadContext context = ReadContextOf(worker, table);
  const auto plan = [&](const Snapshot& snapshot) {
    return PlanSnapshotChanges(*table.io, metadata, snapshot, *context.executor, {});
  };
  FIRN_ASSIGN(RowStream stream, ReadChangelog(context, std::move(snapshots), plan, options));
  FIRN_ASSIGN(const SchemaPtr schema, ChangelogSchema(*options.schema));
  FIRN_ASSIGN(const auto lines, ReadLines(std::move(stream), *schema));
  std::vector<Change> changes;
  for (const std::vector<std::string>& line : lines) {
    changes.push_back({.row = {ParseInt64(line[0]).value_or(-1), line[1]},
                       .is_insert = line[2] == "INSERT",
                       .ordinal = ParseInt64(line[3]).value_or(-1)});
  }
  std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
    if (!is_net && a.ordinal != b.ordinal) return a.ordinal < b.ordinal;
    return !a.is_insert && b.is_insert;
  });
  return changes;
}

/// The rows of a snapshot and the changes after it make those of a later one.
JobResult ReadHistory(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto head = worker.HeadOf(table, worker.ChooseBranch());
  if (!head) return std::optional<SnapshotId>();
  const auto history = AncestorsOf(*table.metadata, *head);
  if (history.size() < 2) return std::optional<SnapshotId>();
  const size_t end = worker.random().Below(history.size() - 1);
  const size_t start = end + 1 + worker.random().Below(history.size() - end - 1);
  const SnapshotId start_id = history[start]->snapshot_id;
  const SnapshotId end_id = history[end]->snapshot_id;
  const RowsPtr before = worker.judge().FindRows(start_id);
  if (before == nullptr) return std::optional<SnapshotId>();
  const auto changes = ReadChanges(worker, table, start_id, end_id, worker.Chance(30));
  if (!changes.ok()) return worker.ExcuseExpired(operation, changes.error());
  Rows rows = *before;
  for (const auto& [row, is_insert, ordinal] : *changes) {
    const auto found = rows.find(row.id);
    const bool is_there = found != rows.end() && found->second == row.cat;
    if (is_insert ? found != rows.end() : !is_there) {
      worker.Violate(fmt::format("the changes from snapshot {} to {} {} row {}, wrongly", start_id,
                                 end_id, is_insert ? "add" : "delete", row.id));
      return std::optional<SnapshotId>();
    }
    if (is_insert) {
      rows.emplace(row.id, row.cat);
    } else {
      rows.erase(found);
    }
  }
  std::vector<Row> made;
  for (const auto& [id, cat] : rows)
    made.push_back({id, cat});
  worker.judge().CheckRows(end_id, made, "the changes");
  return std::optional<SnapshotId>();
}

JobResult CountDistinct(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  ComputeTableStatsOptions options;
  options.snapshot_id = ChooseSnapshot(worker, table);
  if (!options.snapshot_id) return std::optional<SnapshotId>();
  options.columns = {"id"};
  const auto made = ComputeTableStats(worker.maintain_context(), table, options);
  if (!made.ok()) return worker.ExcuseExpired(operation, made.error());
  const RowsPtr rows = worker.judge().FindRows(*options.snapshot_id);
  if (!*made || rows == nullptr) return std::optional<SnapshotId>();
  for (const BlobMetadata& blob : (*made)->blobs) {
    for (const auto& [key, value] : blob.properties) {
      if (key == "ndv" && ParseInt64(value) != static_cast<int64_t>(rows->size())) {
        worker.Violate(fmt::format("{} distinct ids were counted in snapshot {} of {} rows", value,
                                   *options.snapshot_id, rows->size()));
      }
    }
  }
  return std::optional<SnapshotId>();
}

// As a copying program does, but nothing gets into its way.
Status CopyFiles(FileIO& io, const std::string& list) {
  FIRN_ASSIGN(const Buffer text, ReadFile(io, list));
  for (const std::string_view line : SplitText(text.view(), '\n')) {
    const size_t comma = line.find(',');
    if (comma == std::string_view::npos) continue;
    FIRN_ASSIGN(const Buffer bytes, ReadFile(io, line.substr(0, comma)));
    FIRN_RETURN_IF_ERROR(WriteFile(io, line.substr(comma + 1), AsBytes(bytes.view())));
  }
  return {};
}

/// A copy of the table elsewhere has the same rows.
JobResult Copy(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const std::string place = fmt::format("memory:/copies/{}", operation.number);
  RewriteTablePathOptions options;
  options.source_prefix = table.metadata->location;
  options.target_prefix = place + "/table";
  options.staging_location = place + "/staging";
  const auto staged = RewriteTablePath(worker.maintain_context(), table, options);
  if (!staged.ok()) return worker.ExcuseExpired(operation, staged.error());
  const std::shared_ptr<FileIO> io = worker.scene().world->true_io();
  const Status copied = CopyFiles(*io, staged->file_list_location);
  if (!copied.ok()) return worker.ExcuseExpired(operation, copied.error());
  const std::string location = place + "/table/metadata/" + staged->latest_version;
  FIRN_ASSIGN(auto metadata, LoadTableMetadata(*io, location));
  const Table copy{table.name, location, std::move(metadata), io};
  for (const auto& [name, ref] : copy.metadata->refs) {
    const auto rows = worker.scene().read_rows(io, copy, ref.snapshot_id);
    if (!rows.ok()) {
      worker.Violate(fmt::format("a copy cannot be read: {}", rows.error().Format()));
      return std::optional<SnapshotId>();
    }
    worker.judge().CheckRows(ref.snapshot_id, *rows, "a copy");
  }
  return std::optional<SnapshotId>();
}

/// Files of others come into the table where they lie; if that fails, they are as they were.
JobResult AddForeign(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  std::vector<Row> rows = worker.NewRows(worker.scene().has_changing_spec ? 1 : 3);
  for (Row& row : rows)
    row.cat = rows.front().cat;  // One partition.
  operation.rows = rows;
  operation.apply = [rows](const Rows& before) { return With(before, rows); };
  FIRN_ASSIGN(const Table table, worker.Load());
  const std::shared_ptr<FileIO> io = worker.scene().world->true_io();
  const WriteContext write{.io = io,
                           .metadata = table.metadata,
                           .executor = worker.scene().executor,
                           .budget = worker.scene().budget,
                           .cancel = {},
                           .random = &worker.random(),
                           .spill_folder = {}};
  std::vector<StructValue> values;
  for (const Row& row : rows)
    values.push_back({{Value(row.id), Value(row.cat)}});
  FIRN_ASSIGN(const SchemaPtr schema,
              ProjectColumns(*table.metadata, *table.metadata->current_schema(),
                             {"id", ColumnName(*table.metadata, kCatField)}));
  FIRN_ASSIGN(
      const WrittenValueFile file,
      WriteValueFile(write, *schema,
                     fmt::format("{}/foreign/{}/f", table.metadata->location, operation.number),
                     std::move(values)));
  AddFilesRequest request;
  request.branch = operation.branch;
  request.sources = {file.path};
  request.summary_properties = Worker::SummaryOf(operation);
  const IngestContext context{
      .change = {.commit = worker.context(), .budget = worker.scene().budget},
      .io = worker.scene().world->io(),
      .notice = {},
      .progress = {}};
  const auto added = AddFiles(context, table, request);
  const auto exists = FileExists(*io, file.path);
  if (!added.ok() && !(exists.ok() && *exists)) {
    worker.Violate(fmt::format("'{}', which others wrote, was deleted", file.path));
  }
  if (!added.ok()) return added.error();
  return std::optional(added->snapshot_id);
}

/// Rows of a text file come in, or take the place of those with the same key.
JobResult IngestText(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const bool is_merge = worker.Chance(40);
  operation.branch = worker.ChooseBranch();
  operation.updates_rows = is_merge;
  operation.loses_others = is_merge;
  std::vector<Row> rows = worker.NewRows(4);
  const auto head = worker.HeadOf(table, operation.branch);
  const RowsPtr known = head && is_merge ? worker.judge().FindRows(*head) : nullptr;
  for (const auto& [id, cat] : known == nullptr ? Rows() : *known) {
    if (worker.Chance(30) && rows.size() < 6) rows.push_back({id, worker.NewCategory()});
  }
  operation.apply = [rows](const Rows& before) {
    Rows after = before;
    for (const Row& row : rows)
      after[row.id] = row.cat;
    return after;
  };
  std::string text = fmt::format("id,{}\n", ColumnName(*table.metadata, kCatField));
  for (const Row& row : rows)
    text += fmt::format("{},{}\n", row.id, row.cat);
  const std::string source = fmt::format("memory:/texts/{}.csv", operation.number);
  FIRN_RETURN_IF_ERROR(WriteFile(*worker.scene().world->true_io(), source, AsBytes(text)));
  IngestRequest request;
  request.sources = {source};
  request.table = worker.scene().name;
  request.branch = operation.branch;
  request.summary_properties = Worker::SummaryOf(operation);
  if (is_merge) request.mode = IngestMode::kMerge;
  if (is_merge) request.key = {"id"};
  const IngestContext context{
      .change = {.commit = worker.context(), .budget = worker.scene().budget},
      .io = worker.scene().world->io(),
      .notice = {},
      .progress = {}};
  const auto ingested = Ingest(context, request);
  if (!ingested.ok()) return worker.ExcuseLate(operation, ingested.error());
  return ingested->snapshot_id;
}

}  // namespace

const std::vector<Job>& ReadingJobs() {
  static const std::vector<Job> kJobs = {
      {"read", 4, Read},
      {"read the changes", 2, ReadHistory},
      {"count distinct values", 1, CountDistinct},
      {"copy the table", 1, Copy},
      {"add files", 2, AddForeign},
      {"ingest", 2, IngestText},
  };
  return kJobs;
}

}  // namespace firn::simulation
