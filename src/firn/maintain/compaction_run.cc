#include <algorithm>
#include <optional>
#include <utility>

#include "firn/data/reader.h"
#include "firn/data/row_hash.h"
#include "firn/data/row_positions.h"
#include "firn/data/transcode_files.h"
#include "firn/data/writer.h"
#include "firn/maintain/rewrite_data_files.h"

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
        "group {} ({}): {} rows were read, but its manifests tell {} to {}; nothing was "
        "committed",
        group.index, group.partition_path, rows, range.min, range.max);
  }
  return {};
}

ReadContext ReadContextOf(const MaintainContext& context, const Table& table) {
  return {.io = table.io,
          .metadata = table.metadata,
          .executor = context.commit.executor,
          .budget = context.budget,
          .cancel = context.commit.cancel};
}

Result<RowsHash> HashTasks(const MaintainContext& context, const Table& table,
                           const std::vector<FileScanTask>& tasks) {
  FIRN_ASSIGN(RowStream rows, ReadTasks(ReadContextOf(context, table), tasks,
                                        {.projection = SchemaWithLineage(*table.metadata)}));
  return HashRows(std::move(rows));
}

// Read both sides again and compare.
Status VerifyContent(const MaintainContext& context, const Table& table, const FileGroup& group,
                     const std::vector<DataFile>& outputs) {
  FIRN_ASSIGN(const RowsHash before, HashTasks(context, table, group.inputs),
              "verifying group {} ({})", group.index, group.partition_path);
  std::vector<FileScanTask> tasks;
  for (const DataFile& file : outputs) {
    tasks.push_back({.file = file});
    // The rows carry their lineage, so that no row inherits what is set here.
    if (table.metadata->format_version >= 3) tasks.back().file.first_row_id = 0;
  }
  FIRN_ASSIGN(const RowsHash after, HashTasks(context, table, tasks), "verifying group {} ({})",
              group.index, group.partition_path);
  if (before == after) return {};
  std::string names;
  for (const DataFile& file : outputs)
    names += (names.empty() ? "'" : ", '") + file.file_path + "'";
  return MakeError(ErrorCode::kInternal,
                   "group {} ({}): the rows that were written are not those that were read ({} "
                   "rows with hash {:016x}{:016x}, then {} with {:016x}{:016x}); nothing was "
                   "committed. Please report this; what was written is kept: {}",
                   group.index, group.partition_path, before.rows, before.high, before.low,
                   after.rows, after.high, after.low, names);
}

// Below rows where that is possible: nothing is converted, and little decoded.
Result<std::vector<DataFile>> WriteGroup(const MaintainContext& context, const Table& table,
                                         const FileGroup& group) {
  const SchemaPtr schema = SchemaWithLineage(*table.metadata);
  const WriteContext write{.io = table.io,
                           .metadata = table.metadata,
                           .executor = context.commit.executor,
                           .budget = context.budget,
                           .cancel = context.commit.cancel,
                           .random = context.commit.random};
  const DataWriteOptions options{.schema = schema,
                                 .spec = table.metadata->FindSpec(group.output_spec_id),
                                 .partition = group.partition,
                                 .target_file_bytes = group.split_bytes};
  if (group.partition) {
    FIRN_ASSIGN(auto transcoded, TranscodeDataFiles(write, options, group.inputs));
    if (transcoded) return std::move(*transcoded);
  }
  FIRN_ASSIGN(RowStream rows, ReadTasks(ReadContextOf(context, table), group.inputs,
                                        {.projection = schema, .is_ordered = true}));
  return WriteDataFiles(write, options, std::move(rows));
}

}  // namespace

Result<GroupResult> RunFileGroup(const MaintainContext& context, const Table& table,
                                 const FileGroup& group) {
  FIRN_ASSIGN(std::vector<DataFile> outputs, WriteGroup(context, table, group), "group {} ({})",
              group.index, group.partition_path);
  if (context.verification != Verification::kOff) {
    if (const Status verified = VerifyRows(group, outputs); !verified.ok()) {
      DiscardOutputs(*table.io, outputs);
      return verified.error();
    }
  }
  if (context.verification == Verification::kContent) {
    FIRN_RETURN_IF_ERROR(VerifyContent(context, table, group, outputs));
  }
  return GroupResult{.index = group.index, .outputs = std::move(outputs)};
}

}  // namespace firn
