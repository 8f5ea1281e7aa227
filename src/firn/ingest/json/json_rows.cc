#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/ingest/json/json_rows_internal.h"

namespace firn {
namespace {

class BlockConverter {
 public:
  BlockConverter(const JsonFileLayout& layout, const JsonBlock& block, bool with_text,
                 arrow::MemoryPool* pool)
      : layout_(layout), block_(block), with_text_(with_text), pool_(pool) {}

  Result<TextRows> Run() {
    FIRN_RETURN_IF_ERROR(MakeBuilders());
    for (const JsonRecord& record : block_.records) {
      if (record.fault != JsonFault::kNone) {
        Reject(record, "", DescribeFault(record));
        continue;
      }
      const Status status = ReadRow(block_.RecordText(record));
      if (status.ok()) {
        FIRN_RETURN_IF_ERROR(AppendRow());
      } else if (status.error().code() == ErrorCode::kInvalidInput) {
        Reject(record, reader_.fault().path, reader_.fault().reason);
      } else if (status.error().code() == ErrorCode::kCorrupt) {
        Reject(record, "", status.error().message());
      } else {
        return status.error();
      }
    }
    return Finish();
  }

 private:
  const std::vector<NestedField>& fields() const { return layout_.schema->fields(); }

  Status MakeBuilders() {
    for (const NestedField& field : fields()) {
      FIRN_ASSIGN(const auto type, ToArrowType(*field.type), "column '{}'", field.name);
      FIRN_ASSIGN(auto builder, GuardArrowResult(ErrorCode::kInternal,
                                                 [&] { return arrow::MakeBuilder(type, pool_); }));
      builders_.push_back(std::move(builder));
    }
    return {};
  }

  std::string DescribeFault(const JsonRecord& record) const {
    if (record.fault == JsonFault::kOpenArray) {
      return "the array of objects is open at the end of the file";
    }
    if (record.fault == JsonFault::kBroken) {
      return "the object that begins here is no JSON: a quote or bracket is open, or one too many";
    }
    const std::string_view text = block_.RecordText(record);
    return fmt::format("'{}' is no object", ShortenText(text.substr(0, text.find('\n'))));
  }

  void Reject(const JsonRecord& record, const std::string& path, std::string reason) {
    RejectedRow row{.file = layout_.uri,
                    .line = record.line,
                    .column = path,
                    .reason = std::move(reason),
                    .text = {}};
    if (with_text_) row.text = std::string(block_.RecordText(record));
    rejected_.push_back(std::move(row));
  }

  Status ReadRow(std::string_view text) {
    row_ = layout_.defaults;
    are_seen_.assign(row_.size(), 0);
    FIRN_ASSIGN(auto document, JsonDocument::Open(PaddedText::CopyOf(text)));
    FIRN_RETURN_IF_ERROR(document.VisitRoot([&](JsonValue& root) {
      return root.VisitMembers(
          [&](std::string_view key, JsonValue& value) { return ReadField(key, value); });
    }));
    for (size_t i = 0; i < row_.size(); ++i) {
      if (row_[i].is_null() && fields()[i].required) {
        return reader_.MakeFault(fields()[i].name,
                                 "the value is missing, but the column is required");
      }
    }
    return {};
  }

  Status ReadField(std::string_view key, JsonValue& value) {
    const size_t place = layout_.names.Find(key);
    if (place == JsonFieldNames::kNone) {
      return reader_.MakeFault(value, "the table has no such column");
    }
    if (std::exchange(are_seen_[place], uint8_t{1}) != 0) {
      return reader_.MakeFault(value, "the key stands twice in its object");
    }
    return reader_.Read(value, layout_.targets[place], row_[place]);
  }

  Status AppendRow() {
    for (size_t i = 0; i < row_.size(); ++i)
      FIRN_RETURN_IF_ERROR(AppendValue(*fields()[i].type, row_[i], *builders_[i]));
    ++row_count_;
    return {};
  }

  Result<TextRows> Finish() {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const auto& builder : builders_) {
      FIRN_ASSIGN(auto column,
                  GuardArrowResult(ErrorCode::kInternal, [&] { return builder->Finish(); }));
      columns.push_back(std::move(column));
    }
    FIRN_ASSIGN(const auto schema, ToArrowSchema(fields()));
    return TextRows{.batch = arrow::RecordBatch::Make(schema, row_count_, std::move(columns)),
                    .rejected = std::move(rejected_)};
  }

  const JsonFileLayout& layout_;
  const JsonBlock& block_;
  bool with_text_;
  arrow::MemoryPool* pool_;
  JsonValueReader reader_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  std::vector<Value> row_;
  std::vector<uint8_t> are_seen_;
  int64_t row_count_ = 0;
  std::vector<RejectedRow> rejected_;
};

}  // namespace

Result<TextRows> ConvertJsonBlock(const JsonFileLayout& layout, const JsonBlock& block,
                                  bool with_text, arrow::MemoryPool* pool) {
  return BlockConverter(layout, block, with_text, pool).Run();
}

}  // namespace firn
