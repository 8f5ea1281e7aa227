#include "firn/data/render/render.h"

#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>

#include "firn/base/text.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/render/cell_text_internal.h"
#include "firn/data/render/long_text_internal.h"
#include "firn/data/render/render_internal.h"
#include "firn/format/types/value_render.h"

namespace firn {
namespace {

constexpr std::pair<std::string_view, RowFormat> kFormats[] = {{"arrow", RowFormat::kArrow},
                                                               {"csv", RowFormat::kCsv},
                                                               {"json", RowFormat::kJson},
                                                               {"parquet", RowFormat::kParquet},
                                                               {"table", RowFormat::kTable}};

// Text goes to the sink in pieces of about this size.
constexpr size_t kPieceBytes = size_t{256} << 10;

Status WriteText(const ByteSink& sink, std::string& text, size_t bytes_min) {
  if (text.size() < bytes_min || text.empty()) return {};
  FIRN_RETURN_IF_ERROR(sink(AsBytes(text)));
  text.clear();
  return {};
}

class JsonRenderer final : public RowRenderer {
 public:
  JsonRenderer(TypePtr type, const ByteSink& sink) : type_(std::move(type)), sink_(sink) {}

  Status Add(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    FIRN_ASSIGN(const std::vector<CellColumn> columns, MakeCellColumns(*type_, batch->columns()));
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      text_ += '{';
      for (size_t i = 0; i < columns.size(); ++i) {
        if (i > 0) text_ += ',';
        text_ += columns[i].json_key;
        if (const auto bytes = LongCell(columns[i], row)) {
          FIRN_RETURN_IF_ERROR(WriteText(sink_, text_, 0));
          FIRN_RETURN_IF_ERROR(WriteLongJson(sink_, columns[i], *bytes));
        } else {
          AppendCellJson(text_, columns[i], row);
        }
      }
      text_ += "}\n";
      FIRN_RETURN_IF_ERROR(WriteText(sink_, text_, kPieceBytes));
    }
    return WriteText(sink_, text_, 0);
  }
  Status Finish() override { return {}; }

 private:
  TypePtr type_;
  const ByteSink& sink_;
  std::string text_;
};

class CsvRenderer final : public RowRenderer {
 public:
  CsvRenderer(TypePtr type, const ByteSink& sink) : type_(std::move(type)), sink_(sink) {
    for (const NestedField& field : type_->fields()) {
      if (&field != type_->fields().data()) text_ += ',';
      AppendCsvText(text_, field.name);
    }
    text_ += '\n';
  }

  Status Add(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    FIRN_ASSIGN(const std::vector<CellColumn> columns, MakeCellColumns(*type_, batch->columns()));
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      for (size_t i = 0; i < columns.size(); ++i) {
        if (i > 0) text_ += ',';
        if (const auto bytes = LongCell(columns[i], row)) {
          FIRN_RETURN_IF_ERROR(WriteText(sink_, text_, 0));
          FIRN_RETURN_IF_ERROR(WriteLongCsv(sink_, columns[i], *bytes));
        } else {
          AppendCellCsv(text_, columns[i], row);
        }
      }
      text_ += '\n';
      FIRN_RETURN_IF_ERROR(WriteText(sink_, text_, kPieceBytes));
    }
    return WriteText(sink_, text_, 0);
  }
  Status Finish() override { return WriteText(sink_, text_, 0); }

 private:
  TypePtr type_;
  const ByteSink& sink_;
  std::string text_;
};

Result<std::unique_ptr<RowRenderer>> MakeRenderer(const RenderOptions& options,
                                                  const std::shared_ptr<arrow::Schema>& schema,
                                                  const ByteSink& sink) {
  switch (options.format) {
    case RowFormat::kJson:
      return std::make_unique<JsonRenderer>(options.type, sink);
    case RowFormat::kCsv:
      return std::make_unique<CsvRenderer>(options.type, sink);
    case RowFormat::kTable:
      return options.is_record ? MakeRecordRenderer(options.type, sink)
                               : MakeTableRenderer(options.type, sink);
    case RowFormat::kArrow:
      return MakeArrowRenderer(schema, sink);
    case RowFormat::kParquet:
      return MakeParquetRenderer(options.type, options.memory_bytes, sink);
  }
  return MakeError(ErrorCode::kInternal, "a row format has no renderer");
}

}  // namespace

Result<RowFormat> ParseRowFormat(std::string_view text) {
  std::string known;
  for (const auto& [name, format] : kFormats) {
    if (EqualsIgnoreCase(text, name)) return format;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return MakeError(ErrorCode::kInvalidInput, "output format is '{}', expected one of {}", text,
                   known);
}

Result<int64_t> RenderRows(RowStream rows, const RenderOptions& options, const ByteSink& sink) {
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(rows)));
  if (static_cast<size_t>(reader.schema()->num_fields()) != options.type->fields().size()) {
    return MakeError(ErrorCode::kInternal, "rows have {} columns, their type has {}",
                     reader.schema()->num_fields(), options.type->fields().size());
  }
  FIRN_ASSIGN(const auto renderer, MakeRenderer(options, reader.schema(), sink));
  int64_t count = 0;
  while (options.row_count_max < 0 || count < options.row_count_max) {
    FIRN_ASSIGN(auto batch, reader.Next());
    if (batch == nullptr) break;
    if (options.row_count_max >= 0 && batch->num_rows() > options.row_count_max - count) {
      batch = batch->Slice(0, options.row_count_max - count);
    }
    count += batch->num_rows();
    FIRN_RETURN_IF_ERROR(renderer->Add(batch));
  }
  FIRN_RETURN_IF_ERROR(renderer->Finish());
  return count;
}

}  // namespace firn
