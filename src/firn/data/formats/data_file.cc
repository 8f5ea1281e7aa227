#include <algorithm>

#include <arrow/array/data.h>
#include <arrow/type.h>

#include "firn/data/formats/data_file_internal.h"

namespace firn {
namespace {

class EmptyColumnSource final : public BatchSource {
 public:
  EmptyColumnSource(int64_t first_row, int64_t rows, int64_t batch_rows)
      : position_(first_row), end_(first_row + rows), batch_rows_(batch_rows) {}

  Result<std::optional<FileBatch>> Next() override {
    if (position_ >= end_) return std::optional<FileBatch>();
    const int64_t rows = std::min(batch_rows_, end_ - position_);
    FileBatch batch{.first_position = position_,
                    .rows = arrow::ArrayData::Make(arrow::struct_({}), rows, {nullptr}, 0)};
    position_ += rows;
    return std::optional<FileBatch>(std::move(batch));
  }

 private:
  int64_t position_;
  int64_t end_;
  int64_t batch_rows_;
};

}  // namespace

std::unique_ptr<BatchSource> MakeEmptyColumnSource(int64_t first_row, int64_t rows,
                                                   int64_t batch_rows) {
  return std::make_unique<EmptyColumnSource>(first_row, rows, batch_rows);
}

Result<ReadPlan> PlanColumns(const DataFileRequest& request, std::vector<FileField>& fields,
                             bool prunes_nested) {
  ResolveContext context{.identity_values = request.identity_values,
                         .counted_columns = request.counted_columns,
                         .prunes_nested = prunes_nested,
                         .is_exact = request.matches_names};
  FIRN_ASSIGN(context.is_mapped_by_name,
              AssignFieldIds(fields, request.name_mapping, request.matches_names));
  return ResolveColumns(request.wanted, fields, context);
}

Result<std::unique_ptr<DataFileReader>> OpenDataFile(const DataFileRequest& request) {
  switch (request.format) {
    case FileFormat::kParquet:
      return OpenParquetFile(request);
    case FileFormat::kOrc:
      return OpenOrcFile(request);
    case FileFormat::kAvro:
      return OpenAvroFile(request);
    case FileFormat::kPuffin:
      break;
  }
  return MakeError(ErrorCode::kCorrupt, "file format is {}, expected PARQUET, ORC or AVRO",
                   FormatFileFormat(request.format));
}

}  // namespace firn
