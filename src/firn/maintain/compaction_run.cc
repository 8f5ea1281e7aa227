#include <algorithm>
#include <optional>
#include <utility>

#include "firn/data/reader.h"
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
  const ReadContext read{.io = table.io,
                         .metadata = table.metadata,
                         .executor = context.commit.executor,
                         .budget = context.budget,
                         .cancel = context.commit.cancel};
  FIRN_ASSIGN(RowStream rows,
              ReadTasks(read, group.inputs, {.projection = schema, .is_ordered = true}));
  return WriteDataFiles(write, options, std::move(rows));
}

}  // namespace

Result<GroupResult> RunFileGroup(const MaintainContext& context, const Table& table,
                                 const FileGroup& group) {
  FIRN_ASSIGN(std::vector<DataFile> outputs, WriteGroup(context, table, group), "group {} ({})",
              group.index, group.partition_path);
  if (const Status verified = VerifyRows(group, outputs); !verified.ok()) {
    DiscardOutputs(*table.io, outputs);
    return verified.error();
  }
  return GroupResult{.index = group.index, .outputs = std::move(outputs)};
}

}  // namespace firn
