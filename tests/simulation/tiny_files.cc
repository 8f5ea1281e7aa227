#include "tiny_files.h"

#include <algorithm>
#include <utility>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/commit/commit.h"
#include "firn/format/layout/transform.h"
#include "firn/format/puffin/delete_reference.h"
#include "firn/io/uri.h"

namespace firn::simulation {
namespace {

Result<StructValue> PartitionOf(const TableMetadata& metadata, const Row& row) {
  StructValue partition;
  for (const PartitionField& field : metadata.default_spec()->fields) {
    const NestedField* source = metadata.current_schema()->FindField(field.source_id());
    Value value;  // Of columns that came later: null.
    if (source != nullptr && source->id == kIdField) value = Value(row.id);
    if (source != nullptr && source->id == kCatField) value = Value(row.cat);
    if (!value.is_null()) {
      FIRN_ASSIGN(value, ApplyTransform(field.transform, *source->type, value));
    }
    partition.fields.push_back(std::move(value));
  }
  return partition;
}

Result<FileMetrics> MetricsOf(const std::vector<Row>& rows) {
  FileMetrics metrics;
  const auto count = static_cast<int64_t>(rows.size());
  metrics.value_counts = {{kIdField, count}, {kCatField, count}};
  metrics.null_value_counts = {{kIdField, 0}, {kCatField, 0}};
  const TypePtr id_type = Type::Primitive(TypeId::kLong);
  const TypePtr cat_type = Type::Primitive(TypeId::kString);
  const auto [id_min, id_max] = std::minmax_element(
      rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.id < b.id; });
  const auto [cat_min, cat_max] = std::minmax_element(
      rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.cat < b.cat; });
  FIRN_ASSIGN(const std::string id_low, ToBoundBytes(Value(id_min->id), *id_type));
  FIRN_ASSIGN(const std::string id_high, ToBoundBytes(Value(id_max->id), *id_type));
  FIRN_ASSIGN(const std::string cat_low, ToBoundBytes(Value(cat_min->cat), *cat_type));
  FIRN_ASSIGN(const std::string cat_high, ToBoundBytes(Value(cat_max->cat), *cat_type));
  metrics.lower_bounds = {{kIdField, id_low}, {kCatField, cat_low}};
  metrics.upper_bounds = {{kIdField, id_high}, {kCatField, cat_high}};
  return metrics;
}

Result<DataFile> WriteTinyFile(FileIO& io, const TableMetadata& metadata, const FileNames& names,
                               StructValue partition, const std::vector<Row>& rows) {
  DataFile file;
  file.file_path = names.Next();
  file.partition_spec_id = metadata.default_spec_id;
  file.partition = std::move(partition);
  file.record_count = static_cast<int64_t>(rows.size());
  FIRN_ASSIGN(file.metrics, MetricsOf(rows));
  std::string text;
  const auto format = [](std::optional<int64_t> number) {
    return number ? std::to_string(*number) : std::string("-");
  };
  for (const Row& row : rows)
    text += fmt::format("{} {} {} {}\n", row.id, row.cat, format(row.row_id), format(row.updated));
  file.file_size_in_bytes = static_cast<int64_t>(text.size());
  FIRN_RETURN_IF_ERROR(WriteFile(io, file.file_path, AsBytes(text)));
  return file;
}

// The rows' ids count.
Result<DataFile> WriteTinyKeys(FileIO& io, const TableMetadata& metadata, const FileNames& names,
                               StructValue partition, const std::vector<Row>& rows) {
  FIRN_ASSIGN(DataFile file, WriteTinyFile(io, metadata, names, std::move(partition), rows));
  file.content = FileContent::kEqualityDeletes;
  file.equality_ids = {kIdField};
  return file;
}

template <typename Write>
Result<std::vector<DataFile>> WriteByPartition(FileIO& io, const TableMetadata& metadata,
                                               const FileNames& names, const std::vector<Row>& rows,
                                               const Write& write) {
  std::vector<std::pair<StructValue, std::vector<Row>>> parts;
  for (const Row& row : rows) {
    FIRN_ASSIGN(StructValue partition, PartitionOf(metadata, row));
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& known) {
      return known.first.fields == partition.fields;
    });
    if (part == parts.end()) {
      parts.emplace_back(std::move(partition), std::vector<Row>{row});
    } else {
      part->second.push_back(row);
    }
  }
  std::vector<DataFile> files;
  for (auto& [partition, of_part] : parts) {
    auto file = write(io, metadata, names, std::move(partition), of_part);
    if (!file.ok()) {
      DiscardOutputs(io, files);
      return file.error();
    }
    files.push_back(*std::move(file));
  }
  return files;
}

Result<std::vector<Row>> ReadRowsOf(FileIO& io, const std::string& path) {
  FIRN_ASSIGN(const Buffer bytes, ReadFile(io, path));
  std::vector<Row> rows;
  for (const std::string_view line : SplitText(bytes.view(), '\n')) {
    const auto fields = SplitText(line, ' ');
    if (fields.size() != 4) continue;
    rows.push_back({ParseInt64(fields[0]).value_or(-1), std::string(fields[1]),
                    ParseInt64(fields[2]), ParseInt64(fields[3])});
  }
  return rows;
}

}  // namespace

std::string FileNames::Next() const {
  return JoinUri(location, fmt::format("data/{}-{}.parquet", operation, (*next)++));
}

Result<std::vector<DataFile>> WriteTinyFiles(FileIO& io, const TableMetadata& metadata,
                                             const FileNames& names, const std::vector<Row>& rows) {
  return WriteByPartition(io, metadata, names, rows, WriteTinyFile);
}

Result<std::vector<DataFile>> WriteTinyEqualityDeletes(FileIO& io, const TableMetadata& metadata,
                                                       const FileNames& names,
                                                       const std::vector<Row>& rows) {
  return WriteByPartition(io, metadata, names, rows, WriteTinyKeys);
}

Result<DataFile> WriteTinyDeletes(FileIO& io, const TableMetadata& metadata, const FileNames& names,
                                  const DataFile& data_file, const std::set<int64_t>& positions) {
  DataFile file;
  file.content = FileContent::kPositionDeletes;
  file.file_path = names.Next();
  file.partition_spec_id = data_file.partition_spec_id;
  file.partition = data_file.partition;
  file.record_count = static_cast<int64_t>(positions.size());
  file.referenced_data_file = data_file.file_path;
  std::string text;
  for (const int64_t position : positions)
    text += fmt::format("{}\n", position);
  file.file_size_in_bytes = static_cast<int64_t>(text.size());
  if (metadata.format_version >= 3) {
    file.file_format = FileFormat::kPuffin;
    file.content_offset = 4;
    file.content_size_in_bytes = static_cast<int64_t>(text.size());
  }
  FIRN_RETURN_IF_ERROR(WriteFile(io, file.file_path, AsBytes(text)));
  return file;
}

std::vector<DeleteFilePtr> OwnDeletes(const FileScanTask& task) {
  std::vector<DeleteFilePtr> own;
  for (const DeleteFilePtr& deletes : task.deletes) {
    if (deletes->file.content != FileContent::kEqualityDeletes) own.push_back(deletes);
  }
  return own;
}

Result<std::set<int64_t>> ReadTinyDeletes(FileIO& io, const FileScanTask& task) {
  std::set<int64_t> gone;
  for (const DeleteFilePtr& deletes : OwnDeletes(task)) {
    if (ReferencedDataFile(deletes->file) != task.file.file_path) {
      return MakeError(ErrorCode::kInternal, "'{}' was paired with '{}'", task.file.file_path,
                       deletes->file.file_path);
    }
    FIRN_ASSIGN(const Buffer bytes, ReadFile(io, deletes->file.file_path));
    for (const std::string_view line : SplitText(bytes.view(), '\n')) {
      if (const auto position = ParseInt64(line)) gone.insert(*position);
    }
  }
  return gone;
}

Result<std::set<int64_t>> FindTinyDeletedRows(FileIO& io, const FileScanTask& task) {
  std::set<int64_t> ids;
  for (const DeleteFilePtr& deletes : task.deletes) {
    if (deletes->file.content != FileContent::kEqualityDeletes) continue;
    FIRN_ASSIGN(const std::vector<Row> keys, ReadRowsOf(io, deletes->file.file_path));
    for (const Row& key : keys)
      ids.insert(key.id);
  }
  std::set<int64_t> gone;
  if (ids.empty()) return gone;
  FIRN_ASSIGN(const std::vector<Row> rows, ReadRowsOf(io, task.file.file_path));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (ids.contains(rows[i].id)) gone.insert(static_cast<int64_t>(i));
  }
  return gone;
}

void InheritLineage(const FileScanTask& task, int64_t position, Row& row) {
  if (!task.file.first_row_id) return;
  if (!row.row_id) row.row_id = *task.file.first_row_id + position;
  if (!row.updated) row.updated = task.sequence_number;
}

Result<std::vector<PlacedRow>> ReadTinyFile(FileIO& io, const FileScanTask& task) {
  FIRN_ASSIGN(const std::vector<Row> rows, ReadRowsOf(io, task.file.file_path));
  FIRN_ASSIGN(std::set<int64_t> gone, ReadTinyDeletes(io, task));
  FIRN_ASSIGN(const std::set<int64_t> by_id, FindTinyDeletedRows(io, task));
  gone.insert(by_id.begin(), by_id.end());
  std::vector<PlacedRow> live;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto position = static_cast<int64_t>(i);
    if (gone.contains(position)) continue;
    live.push_back({rows[i], position});
    InheritLineage(task, position, live.back().row);
  }
  return live;
}

Result<std::vector<FileScanTask>> PlanSnapshot(FileIO& io, const TableMetadata& metadata,
                                               SnapshotId snapshot_id,
                                               const ExpressionPtr& condition) {
  static const std::unique_ptr<Executor> kInline = MakeInlineExecutor();
  ScanOptions options;
  options.snapshot_id = snapshot_id;
  options.schema = metadata.current_schema();
  options.filter = condition;
  options.with_metrics = true;
  return PlanAllFiles(io, metadata, options, *kInline, {});
}

Result<std::vector<Row>> ReadTinyTable(std::shared_ptr<FileIO> io, const Table& table,
                                       SnapshotId snapshot_id) {
  FIRN_ASSIGN(const std::vector<FileScanTask> tasks,
              PlanSnapshot(*io, *table.metadata, snapshot_id, nullptr));
  std::vector<Row> rows;
  for (const FileScanTask& task : tasks) {
    FIRN_ASSIGN(const std::vector<PlacedRow> live, ReadTinyFile(*io, task));
    for (const PlacedRow& row : live)
      rows.push_back(row.row);
  }
  return rows;
}

}  // namespace firn::simulation
