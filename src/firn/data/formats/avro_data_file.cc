#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/formats/avro_columns_internal.h"
#include "firn/data/formats/data_file_internal.h"
#include "firn/format/avro/avro_reader.h"

// Avro data files: blocks of records, decoded row by row into Arrow builders. A file is one part,
// since only reading it tells at which row a block starts.

namespace firn {
namespace {

// A batch ends when the records in it took this many bytes in the file's blocks.
constexpr size_t kBatchBytesMax = size_t{8} << 20;
constexpr int64_t kPartBytes = int64_t{64} << 20;

class AvroSource final : public BatchSource {
 public:
  AvroSource(std::unique_ptr<AvroReader> file, std::vector<bool> is_read,
             std::shared_ptr<arrow::DataType> type, int64_t batch_rows,
             std::shared_ptr<BudgetPool> pool)
      : file_(std::move(file)),
        is_read_(std::move(is_read)),
        type_(std::move(type)),
        batch_rows_(batch_rows),
        pool_(std::move(pool)) {}

  Status Open() {
    FIRN_RETURN_IF_ERROR(GuardArrow(
        ErrorCode::kInternal, [&] { return arrow::MakeBuilder(pool_.get(), type_, &builder_); }));
    auto& rows = static_cast<arrow::StructBuilder&>(*builder_);
    const std::vector<AvroField>& fields = file_->schema()->fields;
    int child = 0;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (is_read_[i]) columns_.emplace_back(*fields[i].type, *rows.field_builder(child++));
    }
    return {};
  }

  Result<std::optional<FileBatch>> Next() override {
    int64_t rows = 0;
    size_t bytes = 0;
    while (rows < batch_rows_ && bytes < kBatchBytesMax) {
      if (records_left_ == 0) {
        FIRN_ASSIGN(const bool has_block, NextBlock());
        if (!has_block) break;
        continue;
      }
      const size_t before = cursor_.position();
      FIRN_RETURN_IF_ERROR(DecodeRecord(), "row {}", position_ + rows);
      bytes += cursor_.position() - before;
      --records_left_;
      ++rows;
    }
    if (rows == 0) return std::optional<FileBatch>();
    FIRN_ASSIGN(const auto array,
                GuardArrowResult(ErrorCode::kInternal, [&] { return builder_->Finish(); }));
    FileBatch batch{.first_position = position_, .rows = array->data()};
    position_ += rows;
    return std::optional<FileBatch>(std::move(batch));
  }

 private:
  Result<bool> NextBlock() {
    if (cursor_.remaining() > 0) {
      return MakeError(ErrorCode::kCorrupt, "{} bytes are left in its block behind row {}",
                       cursor_.remaining(), position_ + builder_->length() - 1);
    }
    AvroBlock block;
    FIRN_ASSIGN(const bool has_block, file_->NextBlock(block));
    if (has_block) {
      cursor_ = AvroCursor(block.bytes);
      records_left_ = block.record_count;
    }
    return has_block;
  }

  Status DecodeRecord() {
    const std::vector<AvroField>& fields = file_->schema()->fields;
    size_t column = 0;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (is_read_[i]) {
        FIRN_RETURN_IF_ERROR(columns_[column++].Decode(cursor_), "column '{}'", fields[i].name);
      } else {
        cursor_.Skip(*fields[i].type);
      }
    }
    if (!cursor_.ok()) return MakeError(ErrorCode::kCorrupt, "{}", cursor_.failure());
    return FromArrow(static_cast<arrow::StructBuilder&>(*builder_).Append());
  }

  static Status FromArrow(const arrow::Status& status) {
    if (status.ok()) return {};
    return FromArrowStatus(status, ErrorCode::kInternal);
  }

  std::unique_ptr<AvroReader> file_;
  std::vector<bool> is_read_;  // Of each field of the records.
  std::shared_ptr<arrow::DataType> type_;
  int64_t batch_rows_;
  std::shared_ptr<BudgetPool> pool_;
  std::unique_ptr<arrow::ArrayBuilder> builder_;
  std::vector<AvroColumn> columns_;
  AvroCursor cursor_;
  int64_t records_left_ = 0;
  int64_t position_ = 0;
};

class AvroDataReader final : public DataFileReader {
 public:
  explicit AvroDataReader(const DataFileRequest& request)
      : file_(request.file), pool_(request.pool), batch_rows_(request.batch_rows) {}

  Status Open(const DataFileRequest& request) {
    FIRN_ASSIGN(const auto avro, AvroReader::Open(file_));
    FIRN_ASSIGN(fields_, AvroFileFields(*avro->schema()));
    NumberLeaves(fields_);
    FIRN_ASSIGN(plan_, PlanColumns(request, fields_, /*prunes_nested=*/false));
    std::vector<std::shared_ptr<arrow::Field>> children;
    for (const FileField& field : fields_) {
      const auto leaf = plan_.leaves.lower_bound(field.first_leaf);
      is_read_.push_back(leaf != plan_.leaves.end() && *leaf < field.leaf_end);
      if (is_read_.back()) children.push_back(arrow::field(field.name, field.type));
    }
    type_ = arrow::struct_(std::move(children));
    parts_.push_back({.memory_bytes = std::min(avro->file_size() * 4, kPartBytes)});
    return {};
  }

  const ReadPlan& plan() const override { return plan_; }
  const std::vector<FileField>& fields() const override { return fields_; }
  const std::vector<FilePart>& parts() const override { return parts_; }

  Result<std::unique_ptr<BatchSource>> OpenPart(size_t, Executor*,
                                                const RowChooser*) const override {
    FIRN_ASSIGN(auto avro, AvroReader::Open(file_));
    auto source =
        std::make_unique<AvroSource>(std::move(avro), is_read_, type_, batch_rows_, pool_);
    FIRN_RETURN_IF_ERROR(source->Open());
    return source;
  }

 private:
  std::shared_ptr<InputFile> file_;
  std::shared_ptr<BudgetPool> pool_;
  int64_t batch_rows_;
  std::vector<FileField> fields_;
  ReadPlan plan_;
  std::vector<bool> is_read_;
  std::shared_ptr<arrow::DataType> type_;
  std::vector<FilePart> parts_;
};

}  // namespace

Result<std::unique_ptr<DataFileReader>> OpenAvroFile(const DataFileRequest& request) {
  auto reader = std::make_unique<AvroDataReader>(request);
  FIRN_RETURN_IF_ERROR(reader->Open(request));
  return reader;
}

}  // namespace firn
