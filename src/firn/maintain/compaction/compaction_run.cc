#include <algorithm>
#include <optional>
#include <utility>

#include "firn/data/read/equality_positions.h"
#include "firn/data/read/row_positions.h"
#include "firn/data/sort/curve_cells.h"
#include "firn/data/sort/row_sorter.h"
#include "firn/data/sort/space_filling_keys.h"
#include "firn/data/transcode/transcode_files.h"
#include "firn/maintain/compaction/compaction_internal.h"
#include "firn/maintain/group_name_internal.h"

namespace firn {
namespace {

/// Least and most rows that the outputs may have, from manifests alone.
struct RowRange {
  int64_t min = 0;
  int64_t max = 0;
};

RowRange ExpectedRows(const FileGroup& group) {
  RowRange range;
  for (const FileScanTask& task : group.inputs) {
    int64_t vector_deletes = 0;
    bool has_other_deletes = false;
    for (const DeleteFilePtr& file : task.deletes) {
      if (file->file.is_deletion_vector()) {
        vector_deletes += file->file.record_count;
      } else {
        has_other_deletes = true;
      }
    }
    range.max += task.file.record_count - vector_deletes;
    range.min += has_other_deletes ? 0 : task.file.record_count - vector_deletes;
  }
  return range;
}

Status VerifyRows(const FileGroup& group, const std::vector<DataFile>& outputs) {
  int64_t rows = 0;
  for (const DataFile& file : outputs) {
    rows += file.record_count;
  }
  const RowRange range = ExpectedRows(group);
  if (rows < range.min || rows > range.max) {
    return MakeError(
        ErrorCode::kCorrupt,
        "{}: {} rows were read, but its manifests tell {} to {}; nothing was committed",
        NameGroup(group.index, group.partition_path), rows, range.min, range.max);
  }
  return {};
}

// Read both sides again and compare.
Status VerifyContent(const MaintainContext& context, const Table& table, const FileGroup& group,
                     const std::vector<DataFile>& outputs) {
  // Rows of files from before version 3 have no lineage until they are written anew.
  const bool has_lineage =
      std::all_of(group.inputs.begin(), group.inputs.end(),
                  [](const FileScanTask& task) { return task.file.first_row_id.has_value(); });
  const SchemaPtr schema =
      has_lineage ? SchemaWithLineage(*table.metadata) : table.metadata->current_schema();
  FIRN_ASSIGN(const RowsHash before, HashTasks(context, table, group.inputs, schema),
              "verifying {}", NameGroup(group.index, group.partition_path));
  std::vector<FileScanTask> tasks;
  for (const DataFile& file : outputs) {
    tasks.push_back({.file = file});
    // The rows carry their lineage, so that no row inherits what is set here.
    if (has_lineage) tasks.back().file.first_row_id = 0;
  }
  FIRN_ASSIGN(const RowsHash after, HashTasks(context, table, tasks, schema), "verifying {}",
              NameGroup(group.index, group.partition_path));
  if (before == after) return {};
  std::string names;
  for (const DataFile& file : outputs)
    names += (names.empty() ? "'" : ", '") + file.file_path + "'";
  return MakeError(ErrorCode::kInternal,
                   "{}: the rows that were written are not those that were read ({} "
                   "rows with hash {:016x}{:016x}, then {} with {:016x}{:016x}); nothing was "
                   "committed. Please report this; what was written is kept: {}",
                   NameGroup(group.index, group.partition_path), before.rows, before.high,
                   before.low, after.rows, after.high, after.low, names);
}

// Files whose keys are looked at to scale a Hilbert curve.
constexpr size_t kSampleFilesMax = 32;

Result<std::unique_ptr<RowKeyEncoder>> MakeHilbertKeys(const MaintainContext& context,
                                                       const Table& table, const FileGroup& group,
                                                       const RewriteOrder& order,
                                                       const Schema& schema) {
  std::vector<NestedField> fields;
  for (const int32_t id : order.columns)
    fields.push_back(*schema.FindField(id));
  const auto keys = std::make_shared<const Schema>(0, std::move(fields));
  std::vector<FileScanTask> sample;
  const size_t files = std::min(group.inputs.size(), kSampleFilesMax);
  for (size_t i = 0; i < files; ++i)
    sample.push_back(group.inputs[i * group.inputs.size() / files]);
  FIRN_ASSIGN(RowStream rows, ReadTasks(ReadContextOf(context, table), std::move(sample),
                                        {.projection = keys, .is_ordered = true}));
  return MakeHilbertEncoder(order.columns, schema, *keys, std::move(rows));
}

// Rows along a curve, sorted by their places on it, on local disk where memory is not enough.
// `cells` is set for curves whose cells make good files.
Result<RowStream> AlongCurve(const MaintainContext& context, const Table& table,
                             const FileGroup& group, const RewriteOrder& order,
                             const Schema& schema, RowStream rows,
                             std::shared_ptr<CurveCells>& cells) {
  FIRN_ASSIGN(auto batches, ImportBatches(std::move(rows)));
  const RowSortContext sort{.budget = context.budget,
                            .cancel = context.commit.cancel,
                            .executor = context.commit.executor};
  if (order.strategy == RewriteOrder::Strategy::kZOrder) {
    FIRN_ASSIGN(auto keys, MakeZOrderEncoder(order.columns, schema,
                                             {.key_bytes_max = order.key_bytes_max,
                                              .text_bytes = order.text_bytes}));
    return ExportBatches(SortRows(sort, std::move(keys), std::move(batches)));
  }
  FIRN_ASSIGN(std::shared_ptr<RowKeyEncoder> keys,
              MakeHilbertKeys(context, table, group, order, schema));
  auto sorted = SortRows(sort, ShareEncoder(keys), std::move(batches));
  cells = std::make_shared<CurveCells>();
  return ExportBatches(MarkCells(std::move(sorted), ShareEncoder(keys), cells));
}

// Without those that deletes of one file alone take out, as far as their number is known.
int64_t CountRows(const std::vector<FileScanTask>& tasks, const PositionsByFile& dropped) {
  int64_t rows = 0;
  for (const FileScanTask& task : tasks) {
    rows += task.file.record_count;
    for (const DeleteFilePtr& deletes : task.deletes)
      rows -= deletes->file.referenced_data_file ? deletes->file.record_count : 0;
  }
  for (const auto& [path, positions] : dropped)
    rows -= positions.cardinality();
  return std::max<int64_t>(rows, 0);
}

// Below rows where that is possible: nothing is converted, and little decoded.
Result<std::vector<DataFile>> WriteGroup(const MaintainContext& context, const Table& table,
                                         const FileGroup& group, const RewriteOrder& order) {
  const SchemaPtr schema = SchemaWithLineage(*table.metadata);
  const WriteContext write = WriteContextOf(context, table);
  DataWriteOptions options{.schema = schema,
                           .spec = table.metadata->FindSpec(group.output_spec_id),
                           .partition = group.partition,
                           .target_file_bytes = group.split_bytes,
                           .sort_order = order.sort_order};
  // As positions, of which memory holds as many as there are, and which leave the cheap way open.
  FIRN_ASSIGN(const PositionsByFile dropped,
              FindEqualityDeletedRows(ReadContextOf(context, table), group.inputs));
  const std::vector<FileScanTask> tasks = WithoutEqualityDeletes(group.inputs);
  if (group.partition && order.strategy == RewriteOrder::Strategy::kBinpack) {
    FIRN_ASSIGN(auto transcoded, TranscodeDataFiles(write, options, tasks, dropped));
    if (transcoded) return std::move(*transcoded);
  }
  if (group.partition && order.strategy != RewriteOrder::Strategy::kBinpack) {
    options.rows_expected = CountRows(tasks, dropped);
  }
  const ReadOptions read{.projection = schema, .is_ordered = true, .dropped_positions = &dropped};
  FIRN_ASSIGN(RowStream rows, ReadTasks(ReadContextOf(context, table), tasks, read));
  if (!order.columns.empty()) {
    FIRN_ASSIGN(rows,
                AlongCurve(context, table, group, order, *schema, std::move(rows), options.cells));
  }
  return WriteDataFiles(write, options, std::move(rows));
}

}  // namespace

ReadContext ReadContextOf(const MaintainContext& context, const Table& table) {
  return {.io = table.io,
          .metadata = table.metadata,
          .executor = context.commit.executor,
          .budget = context.budget,
          .cancel = context.commit.cancel};
}

WriteContext WriteContextOf(const MaintainContext& context, const Table& table) {
  return {.io = table.io,
          .metadata = table.metadata,
          .executor = context.commit.executor,
          .budget = context.budget,
          .cancel = context.commit.cancel,
          .random = context.commit.random};
}

Result<RowsHash> HashTasks(const MaintainContext& context, const Table& table,
                           const std::vector<FileScanTask>& tasks, const SchemaPtr& schema) {
  FIRN_ASSIGN(RowStream rows,
              ReadTasks(ReadContextOf(context, table), tasks, {.projection = schema}));
  return HashRows(std::move(rows));
}

Status VerifyGroup(const MaintainContext& context, const Table& table, const FileGroup& group,
                   const std::vector<DataFile>& outputs) {
  if (context.verification == Verification::kOff) return {};
  FIRN_RETURN_IF_ERROR(VerifyRows(group, outputs));
  if (context.verification == Verification::kCounts) return {};
  return VerifyContent(context, table, group, outputs);
}

Result<GroupResult> RunFileGroup(const MaintainContext& context, const Table& table,
                                 const FileGroup& group, const RewriteOrder& order) {
  FIRN_ASSIGN(std::vector<DataFile> outputs, WriteGroup(context, table, group, order), "{}",
              NameGroup(group.index, group.partition_path));
  if (const Status verified = VerifyGroup(context, table, group, outputs); !verified.ok()) {
    const ErrorCode code = verified.error().code();
    const bool is_evidence =
        code == ErrorCode::kInternal ||
        (code == ErrorCode::kCorrupt && context.verification == Verification::kContent);
    if (!is_evidence) DiscardOutputs(*table.io, outputs);
    return verified.error();
  }
  return GroupResult{.index = group.index, .outputs = std::move(outputs)};
}

}  // namespace firn
