#include <algorithm>
#include <utility>

#include <arrow/adapters/orc/adapter.h>
#include <arrow/array.h>
#include <arrow/util/key_value_metadata.h>

#include "firn/base/number.h"
#include "firn/data/arrow_bridge.h"
#include "firn/data/arrow_file.h"
#include "firn/data/data_file_internal.h"

// ORC data files through Arrow's adapter, a stripe at a time. Whole top-level columns are read;
// nested fields that are not wanted fall away afterwards.

namespace firn {
namespace {

using arrow::adapters::orc::ORCFileReader;

// Rows grow to about this many times their stored size.
constexpr int64_t kExpansion = 4;
constexpr int64_t kStripeBytesMax = int64_t{1} << 40;

std::optional<int32_t> IcebergId(const arrow::Field& field) {
  if (field.metadata() == nullptr) return std::nullopt;
  const auto id = field.metadata()->Get("iceberg.id");
  return id.ok() ? ParseInt32(*id) : std::nullopt;
}

FileField ToFileField(const arrow::Field& source) {
  FileField field{.name = source.name(), .id = IcebergId(source), .type = source.type()};
  if (field.type->id() == arrow::Type::MAP) {
    const auto& map = static_cast<const arrow::MapType&>(*field.type);
    field.children = {ToFileField(*map.key_field()), ToFileField(*map.item_field())};
  } else {
    for (const auto& child : field.type->fields())
      field.children.push_back(ToFileField(*child));
  }
  return field;
}

class OrcSource final : public BatchSource {
 public:
  OrcSource(std::unique_ptr<ORCFileReader> file, std::shared_ptr<arrow::RecordBatchReader> batches,
            const FilePart& part)
      : file_(std::move(file)),
        batches_(std::move(batches)),
        position_(part.first_row),
        end_(part.first_row + part.row_count) {}

  Result<std::optional<FileBatch>> Next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    FIRN_RETURN_IF_ERROR(
        GuardArrow(ErrorCode::kCorrupt, [&] { return batches_->ReadNext(&batch); }));
    if (batch == nullptr) {
      if (position_ == end_) return std::optional<FileBatch>();
      return MakeError(ErrorCode::kCorrupt, "a stripe ends at row {}, its footer says {}",
                       position_, end_);
    }
    FIRN_ASSIGN(const auto rows,
                GuardArrowResult(ErrorCode::kCorrupt, [&] { return batch->ToStructArray(); }));
    FileBatch result{.first_position = position_, .rows = rows->data()};
    position_ += batch->num_rows();
    return std::optional<FileBatch>(std::move(result));
  }

 private:
  std::unique_ptr<ORCFileReader> file_;  // `batches_` reads through it.
  std::shared_ptr<arrow::RecordBatchReader> batches_;
  int64_t position_;
  int64_t end_;
};

class OrcReader final : public DataFileReader {
 public:
  OrcReader(std::shared_ptr<arrow::io::RandomAccessFile> input, const DataFileRequest& request)
      : input_(std::move(input)), pool_(request.pool), batch_rows_(request.batch_rows) {}

  Status Open(const DataFileRequest& request) {
    FIRN_RETURN_IF_ERROR(
        GuardArrow(ErrorCode::kCorrupt, [&] { return ReadTail(request.batch_rows); }));
    NumberLeaves(fields_);
    ResolveContext context{.identity_values = request.identity_values,
                           .prunes_nested = false,
                           .is_exact = request.matches_names};
    FIRN_ASSIGN(context.is_mapped_by_name,
                AssignFieldIds(fields_, request.name_mapping, request.matches_names));
    FIRN_ASSIGN(plan_, ResolveColumns(request.wanted, fields_, context));
    for (size_t i = 0; i < fields_.size(); ++i) {
      const auto leaf = plan_.leaves.lower_bound(fields_[i].first_leaf);
      if (leaf != plan_.leaves.end() && *leaf < fields_[i].leaf_end) {
        columns_.push_back(static_cast<int>(i));
      }
    }
    return {};
  }

  const ReadPlan& plan() const override { return plan_; }
  const std::vector<FileField>& fields() const override { return fields_; }
  const std::vector<FilePart>& parts() const override { return parts_; }

  Result<std::unique_ptr<BatchSource>> OpenPart(size_t part, Executor*) const override {
    const FilePart& rows = parts_[part];
    if (columns_.empty()) return MakeEmptyColumnSource(rows.first_row, rows.row_count, batch_rows_);
    return GuardArrowResult(
        ErrorCode::kCorrupt, [&]() -> arrow::Result<std::unique_ptr<BatchSource>> {
          ARROW_ASSIGN_OR_RAISE(auto file, ORCFileReader::Open(input_, pool_.get()));
          ARROW_RETURN_NOT_OK(file->Seek(rows.first_row));
          ARROW_ASSIGN_OR_RAISE(auto batches, file->NextStripeReader(batch_rows_, columns_));
          if (batches == nullptr) return arrow::Status::Invalid("a stripe has no rows");
          return std::make_unique<OrcSource>(std::move(file), std::move(batches), rows);
        });
  }

 private:
  arrow::Status ReadTail(int64_t batch_rows) {
    ARROW_ASSIGN_OR_RAISE(const auto file, ORCFileReader::Open(input_, pool_.get()));
    ARROW_ASSIGN_OR_RAISE(const auto schema, file->ReadSchema());
    for (const auto& field : schema->fields())
      fields_.push_back(ToFileField(*field));
    int64_t row = 0;
    for (int64_t i = 0; i < file->NumberOfStripes(); ++i) {
      const auto stripe = file->GetStripeInformation(i);
      if (stripe.num_rows == 0) continue;
      const int64_t bytes = std::clamp<int64_t>(stripe.length, 0, kStripeBytesMax);
      const int64_t batch_bytes =
          bytes * kExpansion / stripe.num_rows * std::min(batch_rows, stripe.num_rows);
      parts_.push_back({.first_row = row,
                        .row_count = stripe.num_rows,
                        .memory_bytes = bytes + kExpansion * batch_bytes});
      row += stripe.num_rows;
    }
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::io::RandomAccessFile> input_;
  std::shared_ptr<BudgetPool> pool_;
  int64_t batch_rows_;
  std::vector<FileField> fields_;
  ReadPlan plan_;
  std::vector<int> columns_;  // Top-level columns that the plan reads.
  std::vector<FilePart> parts_;
};

}  // namespace

Result<std::unique_ptr<DataFileReader>> OpenOrcFile(const DataFileRequest& request) {
  FIRN_ASSIGN(auto input, MakeArrowInput(request.file, request.pool.get()));
  auto reader = std::make_unique<OrcReader>(std::move(input), request);
  FIRN_RETURN_IF_ERROR(reader->Open(request));
  return reader;
}

}  // namespace firn
