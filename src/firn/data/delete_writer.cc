#include <memory>
#include <utility>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow_bridge.h"
#include "firn/data/arrow_types.h"
#include "firn/data/batch_stream.h"
#include "firn/data/row_positions.h"
#include "firn/format/data_location.h"
#include "firn/format/puffin.h"
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

// The rows of one position delete file, ascending.
class PositionRows final : public BatchStream {
 public:
  PositionRows(const FileDeletes& deletes, std::shared_ptr<arrow::Schema> schema)
      : path_(deletes.data_file.file_path), schema_(std::move(schema)) {
    // Positions are read by ranges of the position, so that a large set is not listed at once.
    all_ = &deletes.positions;
    left_ = all_->cardinality();
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    std::vector<int64_t> positions;
    while (left_ > 0 && positions.empty()) {
      positions = all_->InRange(begin_, begin_ + kBatchPositions);
      begin_ += kBatchPositions;
    }
    if (positions.empty()) return std::shared_ptr<arrow::RecordBatch>();
    left_ -= static_cast<int64_t>(positions.size());
    return GuardArrowResult(
        ErrorCode::kInternal, [&]() -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
          arrow::StringBuilder paths;
          for (size_t i = 0; i < positions.size(); ++i)
            ARROW_RETURN_NOT_OK(paths.Append(path_));
          arrow::Int64Builder values;
          ARROW_RETURN_NOT_OK(values.AppendValues(positions));
          ARROW_ASSIGN_OR_RAISE(auto path_column, paths.Finish());
          ARROW_ASSIGN_OR_RAISE(auto position_column, values.Finish());
          return arrow::RecordBatch::Make(schema_, static_cast<int64_t>(positions.size()),
                                          {std::move(path_column), std::move(position_column)});
        });
  }

 private:
  std::string path_;
  std::shared_ptr<arrow::Schema> schema_;
  const PositionSet* all_ = nullptr;
  int64_t left_ = 0;
  int64_t begin_ = 0;
};

Result<DataFile> WritePositionsOf(const WriteContext& context, const FileDeletes& deletes) {
  const SchemaPtr schema = PathAndPosition();
  FIRN_ASSIGN(auto arrow_schema, ToArrowSchema(schema->fields()));
  const PartitionSpecPtr spec = context.metadata->FindSpec(deletes.data_file.partition_spec_id);
  if (spec == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "data file '{}' has partition spec {}, which is unknown",
                     deletes.data_file.file_path, deletes.data_file.partition_spec_id);
  }
  DataWriteOptions options;
  options.content = FileContent::kPositionDeletes;
  options.schema = schema;
  options.spec = spec;
  options.partition = deletes.data_file.partition;
  options.has_full_metrics = true;
  FIRN_ASSIGN(std::vector<DataFile> files,
              WriteDataFiles(
                  context, options,
                  ExportBatches(std::make_unique<PositionRows>(deletes, std::move(arrow_schema)))));
  if (files.size() != 1) {
    return MakeError(ErrorCode::kInternal, "{} files were written, expected one", files.size());
  }
  DataFile file = DeleteFileFor(deletes);
  file.file_path = files[0].file_path;
  file.file_format = files[0].file_format;
  file.file_size_in_bytes = files[0].file_size_in_bytes;
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

}  // namespace firn
