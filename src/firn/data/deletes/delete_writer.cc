#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/deletes/partition_deletes.h"
#include "firn/data/read/row_positions.h"
#include "firn/format/metadata/data_location.h"
#include "firn/format/puffin/puffin.h"
#include "firn/io/discard_files.h"

// Deletes by position as files: deletion vectors in Puffin, position delete files in Parquet.

namespace firn {
namespace {

constexpr int64_t kBatchPositions = int64_t{64} << 10;

DataFile DeleteFileFor(const FileDeletes& deletes) {
  DataFile file;
  file.content = FileContent::kPositionDeletes;
  file.partition_spec_id = deletes.data_file.partition_spec_id;
  file.partition = deletes.data_file.partition;
  file.record_count = deletes.positions.cardinality();
  file.referenced_data_file = deletes.data_file.file_path;
  return file;
}

BlobMetadata VectorMetadata(const FileDeletes& deletes) {
  BlobMetadata metadata;
  metadata.type = "deletion-vector-v1";
  metadata.snapshot_id = -1;  // Both are told by the manifest.
  metadata.sequence_number = -1;
  metadata.fields = {kPosFieldId};
  metadata.properties = {{"cardinality", std::to_string(deletes.positions.cardinality())},
                         {"referenced-data-file", deletes.data_file.file_path}};
  return metadata;
}

SchemaPtr PathAndPosition() {
  NestedField path;
  path.id = kDeleteFilePathFieldId;
  path.name = "file_path";
  path.type = Type::Primitive(TypeId::kString);
  path.required = true;
  NestedField position = path;
  position.id = kDeleteFilePosFieldId;
  position.name = "pos";
  position.type = Type::Primitive(TypeId::kLong);
  return std::make_shared<const Schema>(0, std::vector<NestedField>{path, position});
}

// Walks through a set in batches, however far apart its positions are.
class PositionCursor {
 public:
  explicit PositionCursor(const PositionSet& all) : all_(&all), left_(all.cardinality()) {}

  /// Empty at the end.
  std::vector<int64_t> Next() {
    while (left_ > 0) {
      const int64_t end = begin_ > INT64_MAX - width_ ? INT64_MAX : begin_ + width_;
      const int64_t count = all_->CountInRange(begin_, end);
      if (count > kBatchPositions && width_ > kBatchPositions) {
        width_ /= 2;
        continue;
      }
      const int64_t begin = std::exchange(begin_, end);
      if (count < kBatchPositions / 2 && width_ < kWidthMax) width_ *= 2;
      if (count == 0) continue;
      left_ -= count;
      return all_->InRange(begin, end);
    }
    return {};
  }

 private:
  static constexpr int64_t kWidthMax = int64_t{1} << 62;
  const PositionSet* all_;
  int64_t left_;
  int64_t begin_ = 0;
  int64_t width_ = kBatchPositions;
};

// The rows of position delete files: of one data file after the other, ascending.
class PositionRows final : public BatchStream {
 public:
  PositionRows(std::span<const FileDeletes* const> deletes, std::shared_ptr<arrow::Schema> schema)
      : left_(deletes), schema_(std::move(schema)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (!left_.empty()) {
      const FileDeletes& deletes = *left_.front();
      if (!cursor_) cursor_.emplace(deletes.positions);
      const std::vector<int64_t> positions = cursor_->Next();
      if (!positions.empty()) return MakeBatch(deletes.data_file.file_path, positions);
      cursor_.reset();
      left_ = left_.subspan(1);
    }
    return std::shared_ptr<arrow::RecordBatch>();
  }

 private:
  Result<std::shared_ptr<arrow::RecordBatch>> MakeBatch(
      const std::string& path, const std::vector<int64_t>& positions) const {
    return GuardArrowResult(
        ErrorCode::kInternal, [&]() -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
          const auto rows = static_cast<int64_t>(positions.size());
          arrow::StringBuilder paths;
          ARROW_RETURN_NOT_OK(paths.Reserve(rows));
          ARROW_RETURN_NOT_OK(paths.ReserveData(rows * static_cast<int64_t>(path.size())));
          for (int64_t i = 0; i < rows; ++i)
            paths.UnsafeAppend(path);
          arrow::Int64Builder values;
          ARROW_RETURN_NOT_OK(values.AppendValues(positions));
          ARROW_ASSIGN_OR_RAISE(auto path_column, paths.Finish());
          ARROW_ASSIGN_OR_RAISE(auto position_column, values.Finish());
          return arrow::RecordBatch::Make(schema_, rows,
                                          {std::move(path_column), std::move(position_column)});
        });
  }

  std::span<const FileDeletes* const> left_;
  std::shared_ptr<arrow::Schema> schema_;
  std::optional<PositionCursor> cursor_;
};

// All into the partition of the first, rolled at the size; 0: one file.
Result<std::vector<DataFile>> WriteRowsOf(const WriteContext& context,
                                          std::span<const FileDeletes* const> deletes,
                                          int64_t target_bytes) {
  const SchemaPtr schema = PathAndPosition();
  FIRN_ASSIGN(auto arrow_schema, ToArrowSchema(schema->fields()));
  const DataFile& first = deletes.front()->data_file;
  const PartitionSpecPtr spec = context.metadata->FindSpec(first.partition_spec_id);
  if (spec == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "data file '{}' has partition spec {}, which is unknown",
                     first.file_path, first.partition_spec_id);
  }
  DataWriteOptions options;
  options.content = FileContent::kPositionDeletes;
  options.schema = schema;
  options.spec = spec;
  options.partition = first.partition;
  options.target_file_bytes = target_bytes;
  options.has_full_metrics = true;
  return WriteDataFiles(
      context, options,
      ExportBatches(std::make_unique<PositionRows>(deletes, std::move(arrow_schema))));
}

Result<DataFile> WritePositionsOf(const WriteContext& context, const FileDeletes& deletes) {
  const FileDeletes* const all[] = {&deletes};
  FIRN_ASSIGN(std::vector<DataFile> files, WriteRowsOf(context, all, 0));
  if (files.size() != 1) {
    return MakeError(ErrorCode::kInternal, "{} files were written, expected one", files.size());
  }
  DataFile file = DeleteFileFor(deletes);
  file.file_path = files[0].file_path;
  file.file_format = files[0].file_format;
  file.file_size_in_bytes = files[0].file_size_in_bytes;
  file.record_count = files[0].record_count;
  file.metrics = std::move(files[0].metrics);
  file.split_offsets = std::move(files[0].split_offsets);
  return file;
}

}  // namespace

Result<std::vector<DataFile>> WriteDeletionVectors(const WriteContext& context,
                                                   const std::vector<FileDeletes>& deletes) {
  std::vector<DataFile> files;
  if (deletes.empty()) return files;
  const std::string name = fmt::format("{}-deletes.puffin", FormatUuid(MakeUuid(*context.random)));
  const std::string uri =
      DataFileLocation(*context.metadata, PartitionSpec{}, *Type::Struct({}), StructValue{}, name);
  FIRN_ASSIGN(auto output, context.io->Create(uri, {.exclusive = true}));
  PuffinWriter writer(std::move(output), {{"created-by", "firn"}});
  for (const FileDeletes& of_file : deletes) {
    FIRN_RETURN_IF_ERROR(context.cancel.Check());
    PositionSet positions = of_file.positions;
    positions.Optimize();
    const std::string content = FormatDeletionVector(positions);
    FIRN_ASSIGN(const PuffinBlob blob, writer.Add(VectorMetadata(of_file), AsBytes(content)),
                "writing '{}'", uri);
    DataFile file = DeleteFileFor(of_file);
    file.file_path = uri;
    file.file_format = FileFormat::kPuffin;
    file.content_offset = blob.offset;
    file.content_size_in_bytes = blob.length;
    files.push_back(std::move(file));
  }
  FIRN_RETURN_IF_ERROR(writer.Finish(), "writing '{}'", uri);
  for (DataFile& file : files)
    file.file_size_in_bytes = writer.bytes_written();
  return files;
}

Result<std::vector<DataFile>> WritePositionDeletes(const WriteContext& context,
                                                   const std::vector<FileDeletes>& deletes) {
  std::vector<DataFile> files(deletes.size());
  const Status status = ParallelFor(
      *context.executor, deletes.size(),
      [&](size_t i) -> Status {
        FIRN_ASSIGN(files[i], WritePositionsOf(context, deletes[i]));
        return {};
      },
      context.cancel);
  if (status.ok()) return files;
  std::vector<std::string> written;
  for (const DataFile& file : files) {
    if (!file.file_path.empty()) written.push_back(file.file_path);
  }
  DiscardFiles(*context.io, written, "a delete file of a failed operation");
  return status.error();
}

Result<std::vector<DataFile>> WritePartitionDeletes(const WriteContext& context,
                                                    const std::vector<FileDeletes>& deletes,
                                                    int64_t target_bytes) {
  std::vector<const FileDeletes*> ordered;
  for (const FileDeletes& of_file : deletes) {
    if (!of_file.positions.empty()) ordered.push_back(&of_file);
  }
  std::vector<DataFile> files;
  if (ordered.empty()) return files;
  std::sort(ordered.begin(), ordered.end(), [](const FileDeletes* a, const FileDeletes* b) {
    return a->data_file.file_path < b->data_file.file_path;
  });
  FIRN_ASSIGN(files, WriteRowsOf(context, ordered, target_bytes));
  for (DataFile& file : files) {
    file.content = FileContent::kPositionDeletes;
    file.partition_spec_id = ordered.front()->data_file.partition_spec_id;
    file.partition = ordered.front()->data_file.partition;
  }
  return files;
}

}  // namespace firn
