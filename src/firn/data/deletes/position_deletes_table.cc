#include <algorithm>
#include <deque>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow/arrow_types.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/formats/file_rows_internal.h"
#include "firn/data/read/position_deletes_internal.h"
#include "firn/data/read/reader.h"

// The metadata table `position_deletes`: the only one that needs the rows of files.

namespace firn {
namespace {

// Ids that Java gives the columns behind those of delete files.
constexpr int32_t kSpecIdColumn = 2147483643;
constexpr int32_t kPartitionColumn = 2147483642;
constexpr int32_t kDeleteFilePathColumn = 2147483646;
constexpr int32_t kContentOffsetColumn = 2147483641;
constexpr int32_t kContentSizeColumn = 2147483640;

constexpr int64_t kBatchRows = 16384;

bool IsReadable(const Type& type) {
  const TypeId id = type.id();
  return id != TypeId::kVariant && id != TypeId::kGeometry && id != TypeId::kGeography &&
         std::all_of(type.fields().begin(), type.fields().end(),
                     [](const NestedField& field) { return IsReadable(*field.type); });
}

// The deleted row: writers store any part of it, so nothing in it is required.
NestedField RowField(const TableMetadata& metadata) {
  std::vector<NestedField> fields;
  for (const NestedField& field : metadata.current_schema()->fields()) {
    if (IsReadable(*field.type)) fields.push_back(field);
  }
  NestedField row{.id = kDeleteFileRowFieldId, .name = "row", .type = Type::Struct(fields)};
  MakeOptional(row);
  return row;
}

NestedField Column(int32_t id, std::string name, TypeId type, bool required) {
  return {.id = id, .name = std::move(name), .type = Type::Primitive(type), .required = required};
}

class PositionDeletesStream final : public BatchStream {
 public:
  PositionDeletesStream(const ReadContext& context, std::vector<DataFile> files, TypePtr type,
                        std::shared_ptr<arrow::Schema> schema)
      : context_(context),
        files_(std::move(files)),
        type_(std::move(type)),
        schema_(std::move(schema)),
        pool_(BudgetPool::Make(context.budget->total_bytes())) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (true) {
      FIRN_RETURN_IF_ERROR(context_.cancel.Check());
      if (next_file_ == files_.size()) return std::shared_ptr<arrow::RecordBatch>();
      const DataFile& file = files_[next_file_];
      auto batch = file.is_deletion_vector() ? NextOfVector(file) : NextOfFile(file);
      if (!batch.ok()) {
        return batch.error().Within("delete file '" + file.file_path + "'");
      }
      if (*batch != nullptr) return batch;
      reader_ = nullptr;
      source_ = nullptr;
      part_ = 0;
      vector_.reset();
      ++next_file_;
    }
  }

 private:
  using ArrayPtr = std::shared_ptr<arrow::Array>;

  // Null at the end of the file.
  Result<std::shared_ptr<arrow::RecordBatch>> NextOfFile(const DataFile& file) {
    if (reader_ == nullptr) {
      DataFileRequest request{.format = file.file_format, .pool = pool_};
      FIRN_ASSIGN(request.file, context_.io->Open(file.file_path, file.file_size_in_bytes));
      request.wanted = {type_->fields()[0], type_->fields()[1], RowField(*context_.metadata)};
      FIRN_ASSIGN(reader_, OpenDataFile(request));
    }
    while (true) {
      if (source_ == nullptr) {
        if (part_ == reader_->parts().size()) return std::shared_ptr<arrow::RecordBatch>();
        FIRN_ASSIGN(source_, reader_->OpenPart(part_++, nullptr, nullptr));
      }
      FIRN_ASSIGN(const auto rows, source_->Next());
      if (!rows) {
        source_ = nullptr;
        continue;
      }
      FIRN_ASSIGN(auto columns, MaterializeColumns(reader_->plan(), *rows->rows, pool_.get()));
      return MakeBatch(file, std::move(columns), rows->rows->length);
    }
  }

  Result<std::shared_ptr<arrow::RecordBatch>> NextOfVector(const DataFile& file) {
    if (!vector_) {
      FIRN_ASSIGN(PositionSet positions, ReadDeletionVector(context_, file));
      vector_ = std::move(positions);
      left_ = vector_->InRange(0, INT64_MAX);
      std::reverse(left_.begin(), left_.end());
    }
    const auto rows = std::min<int64_t>(kBatchRows, static_cast<int64_t>(left_.size()));
    if (rows == 0) return std::shared_ptr<arrow::RecordBatch>();
    std::vector<Value> positions;
    for (int64_t i = 0; i < rows; ++i) {
      positions.emplace_back(left_.back());
      left_.pop_back();
    }
    std::vector<ArrayPtr> columns(3);
    FIRN_ASSIGN(columns[0], Constant(0, Value(file.referenced_data_file.value_or("")), rows));
    FIRN_ASSIGN(columns[1], MakeValueArray(*type_->fields()[1].type, positions, pool_.get()));
    FIRN_ASSIGN(columns[2], Constant(2, {}, rows));
    return MakeBatch(file, std::move(columns), rows);
  }

  Result<ArrayPtr> Constant(size_t column, const Value& value, int64_t rows) const {
    return MakeConstantArray(*type_->fields()[column].type, value, rows, pool_.get());
  }

  // Add what the manifest tells to the columns that the file holds.
  Result<std::shared_ptr<arrow::RecordBatch>> MakeBatch(const DataFile& file,
                                                        std::vector<ArrayPtr> columns,
                                                        int64_t rows) const {
    for (size_t i = columns.size(); i < type_->fields().size(); ++i) {
      FIRN_ASSIGN(const Value value, ManifestValue(file, type_->fields()[i]));
      FIRN_ASSIGN(auto column, Constant(i, value, rows));
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

  Result<Value> ManifestValue(const DataFile& file, const NestedField& field) const {
    switch (field.id) {
      case kSpecIdColumn:
        return Value(file.partition_spec_id);
      case kDeleteFilePathColumn:
        return Value(file.file_path);
      case kContentOffsetColumn:
        return file.content_offset ? Value(*file.content_offset) : Value();
      case kContentSizeColumn:
        return file.content_size_in_bytes ? Value(*file.content_size_in_bytes) : Value();
      default:
        break;
    }
    const PartitionSpecPtr spec = context_.metadata->FindSpec(file.partition_spec_id);
    if (spec == nullptr) {
      return MakeError(ErrorCode::kCorrupt, "partition spec {} is not in the table's metadata",
                       file.partition_spec_id);
    }
    return Value::Struct(ToUnifiedPartition(*spec, file.partition, *field.type).fields);
  }

  const ReadContext context_;
  const std::vector<DataFile> files_;
  TypePtr type_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<BudgetPool> pool_;
  size_t next_file_ = 0;
  std::unique_ptr<DataFileReader> reader_;
  std::unique_ptr<BatchSource> source_;
  size_t part_ = 0;
  std::optional<PositionSet> vector_;
  std::vector<int64_t> left_;  // Of the vector, last first.
};

Result<std::vector<DataFile>> LiveDeleteFiles(const ReadContext& context,
                                              const Snapshot& snapshot) {
  std::vector<DataFile> files;
  FIRN_ASSIGN(const auto manifests, ReadManifests(*context.io, snapshot));
  for (const ManifestFile& manifest : manifests) {
    if (manifest.content != ManifestContent::kDeletes || !manifest.has_live_files()) continue;
    FIRN_RETURN_IF_ERROR(context.cancel.Check());
    const PartitionSpecPtr spec = context.metadata->FindSpec(manifest.partition_spec_id);
    if (spec == nullptr) {
      return MakeError(ErrorCode::kCorrupt,
                       "manifest '{}': partition spec {} is not in the table's metadata",
                       manifest.manifest_path, manifest.partition_spec_id);
    }
    const TypePtr partition_type = PartitionType(*spec, context.metadata->SchemasNewestFirst());
    const ManifestReadOptions options{.with_metrics = false, .with_deleted = false};
    FIRN_RETURN_IF_ERROR(ReadManifest(*context.io, manifest, *partition_type, options,
                                      [&files](ManifestEntry& entry) -> Status {
                                        if (entry.file.content == FileContent::kPositionDeletes) {
                                          files.push_back(std::move(entry.file));
                                        }
                                        return {};
                                      }));
  }
  return files;
}

}  // namespace

TypePtr PositionDeletesType(const TableMetadata& metadata) {
  std::vector<NestedField> fields = {
      Column(kDeleteFilePathFieldId, "file_path", TypeId::kString, true),
      Column(kDeleteFilePosFieldId, "pos", TypeId::kLong, true), RowField(metadata)};
  const TypePtr partition =
      UnifiedPartitionType(metadata.partition_specs, metadata.SchemasNewestFirst());
  if (!partition->fields().empty()) {
    fields.push_back(
        {.id = kPartitionColumn, .name = "partition", .type = partition, .required = true});
  }
  fields.push_back(Column(kSpecIdColumn, "spec_id", TypeId::kInt, true));
  fields.push_back(Column(kDeleteFilePathColumn, "delete_file_path", TypeId::kString, true));
  if (metadata.format_version >= 3) {
    fields.push_back(Column(kContentOffsetColumn, "content_offset", TypeId::kLong, false));
    fields.push_back(Column(kContentSizeColumn, "content_size_in_bytes", TypeId::kLong, false));
  }
  return Type::Struct(std::move(fields));
}

Result<RowStream> ReadPositionDeletes(const ReadContext& context, const Snapshot* snapshot) {
  TypePtr type = PositionDeletesType(*context.metadata);
  FIRN_ASSIGN(auto schema, ToArrowSchema(type->fields()));
  std::vector<DataFile> files;
  if (snapshot != nullptr) {
    FIRN_ASSIGN(files, LiveDeleteFiles(context, *snapshot));
  }
  return ExportBatches(std::make_unique<PositionDeletesStream>(context, std::move(files),
                                                               std::move(type), std::move(schema)));
}

}  // namespace firn
