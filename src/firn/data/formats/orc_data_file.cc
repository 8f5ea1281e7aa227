#include <algorithm>
#include <functional>
#include <utility>

#include <arrow/adapters/orc/adapter.h>
#include <arrow/array.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>

#include "firn/base/number.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/formats/data_file_internal.h"
#include "firn/data/render/arrow_file.h"

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
  field.is_variant = source.metadata() != nullptr &&
                     source.metadata()->Get("iceberg.struct-type").ValueOr("") == "VARIANT";
  return field;
}

// Columns of one stripe as they are read.
struct StripeBatches {
  std::unique_ptr<ORCFileReader> file;  // `batches` read through it.
  std::shared_ptr<arrow::RecordBatchReader> batches;
};

// Says which column an error of a stripe is about.
using BlameColumn = std::function<Error(const Error&)>;

class OrcSource final : public BatchSource {
 public:
  OrcSource(StripeBatches stripe, const FilePart& part, BlameColumn blame)
      : stripe_(std::move(stripe)),
        blame_(std::move(blame)),
        position_(part.first_row),
        end_(part.first_row + part.row_count) {}

  Result<std::optional<FileBatch>> Next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    const Status read =
        GuardArrow(ErrorCode::kCorrupt, [&] { return stripe_.batches->ReadNext(&batch); });
    if (!read.ok()) return blame_(read.error());
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
  StripeBatches stripe_;
  BlameColumn blame_;
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
    FIRN_ASSIGN(plan_, PlanColumns(request, fields_, /*prunes_nested=*/false));
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
  std::optional<int64_t> row_count() const override { return row_count_; }
  const std::vector<FilePart>& parts() const override { return parts_; }

  Result<std::unique_ptr<BatchSource>> OpenPart(size_t part, Executor*,
                                                const RowChooser*) const override {
    const FilePart& rows = parts_[part];
    if (columns_.empty()) return MakeEmptyColumnSource(rows.first_row, rows.row_count, batch_rows_);
    FIRN_ASSIGN(StripeBatches stripe, OpenStripe(rows, columns_));
    return std::make_unique<OrcSource>(
        std::move(stripe), rows, [this, rows](const Error& error) { return Blame(error, rows); });
  }

 private:
  Result<StripeBatches> OpenStripe(const FilePart& rows, const std::vector<int>& columns) const {
    return GuardArrowResult(ErrorCode::kCorrupt, [&]() -> arrow::Result<StripeBatches> {
      StripeBatches stripe;
      ARROW_ASSIGN_OR_RAISE(stripe.file, ORCFileReader::Open(input_, pool_.get()));
      ARROW_RETURN_NOT_OK(stripe.file->Seek(rows.first_row));
      ARROW_ASSIGN_OR_RAISE(stripe.batches, stripe.file->NextStripeReader(batch_rows_, columns));
      if (stripe.batches == nullptr) return arrow::Status::Invalid("a stripe has no rows");
      return stripe;
    });
  }

  // Arrow does not tell the column of an error: read them one by one until one fails.
  Error Blame(const Error& error, const FilePart& rows) const {
    for (const int column : columns_) {
      const Status status = ReadColumn(column, rows);
      if (status.ok() || status.error().code() != error.code()) continue;
      const std::string where =
          fmt::format("column '{}'", fields_[static_cast<size_t>(column)].name);
      // Text of Arrow, which knows timestamps of ORC as nanoseconds since 1970 alone.
      if (status.error().message().find("nanosecond resolution") == std::string::npos) {
        return status.error().Within(where);
      }
      return MakeError(ErrorCode::kUnsupported,
                       "{}: ORC files are read with timestamps of the years 1678 to 2261 only; "
                       "leave the column out or rewrite the file as Parquet: {}",
                       where, status.error().message());
    }
    return error;
  }

  Status ReadColumn(int column, const FilePart& rows) const {
    FIRN_ASSIGN(const StripeBatches stripe, OpenStripe(rows, {column}));
    return GuardArrow(ErrorCode::kCorrupt, [&]() -> arrow::Status {
      std::shared_ptr<arrow::RecordBatch> batch;
      do {
        ARROW_RETURN_NOT_OK(stripe.batches->ReadNext(&batch));
      } while (batch != nullptr);
      return arrow::Status::OK();
    });
  }

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
    row_count_ = row;
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::io::RandomAccessFile> input_;
  std::shared_ptr<BudgetPool> pool_;
  int64_t batch_rows_;
  std::vector<FileField> fields_;
  ReadPlan plan_;
  std::vector<int> columns_;  // Top-level columns that the plan reads.
  std::vector<FilePart> parts_;
  int64_t row_count_ = 0;
};

}  // namespace

Result<std::unique_ptr<DataFileReader>> OpenOrcFile(const DataFileRequest& request) {
  FIRN_ASSIGN(auto input, MakeArrowInput(request.file, request.pool.get()));
  auto reader = std::make_unique<OrcReader>(std::move(input), request);
  FIRN_RETURN_IF_ERROR(reader->Open(request));
  return reader;
}

}  // namespace firn
