#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include <arrow/array.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>

#include "firn/base/utf8.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/ingest/csv/csv_rows_internal.h"
#include "firn/ingest/text/text_column_internal.h"

namespace firn {
namespace {

class BlockConverter {
 public:
  BlockConverter(const CsvFileLayout& layout, const CsvBlock& block, bool with_text,
                 arrow::MemoryPool* pool)
      : layout_(layout),
        block_(block),
        with_text_(with_text),
        pool_(pool),
        nulls_(layout.dialect),
        are_ascii_(IsAscii(block.text)),
        is_bad_(block.records.size(), 0),
        texts_(block.records.size()) {}

  Result<TextRows> Run() {
    CheckRecords();
    std::vector<std::shared_ptr<arrow::Array>> columns;
    const auto rows = static_cast<int64_t>(block_.records.size());
    const std::vector<NestedField>& fields = layout_.schema->fields();
    for (size_t i = 0; i < fields.size(); ++i) {
      if (layout_.places[i] < 0) {
        FIRN_ASSIGN(auto constant,
                    MakeConstantArray(*fields[i].type, layout_.constants[i], rows, pool_));
        columns.push_back(std::move(constant));
        continue;
      }
      FIRN_ASSIGN(auto column, Convert(fields[i], static_cast<uint32_t>(layout_.places[i])),
                  "column '{}'", fields[i].name);
      columns.push_back(std::move(column));
    }
    FIRN_ASSIGN(const auto schema, ToArrowSchema(fields));
    TextRows result;
    result.batch = arrow::RecordBatch::Make(schema, rows, std::move(columns));
    if (!rejected_.empty()) {
      FIRN_ASSIGN(result.batch, DropBadRows(result.batch));
    }
    std::sort(rejected_.begin(), rejected_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [record, row] : rejected_)
      result.rejected.push_back(std::move(row));
    return result;
  }

 private:
  void Reject(size_t record, const std::string& column, std::string reason) {
    is_bad_[record] = 1;
    RejectedRow row{.file = layout_.uri,
                    .line = block_.records[record].line,
                    .column = column,
                    .reason = std::move(reason),
                    .text = {}};
    if (with_text_) row.text = std::string(block_.RecordText(block_.records[record]));
    rejected_.emplace_back(record, std::move(row));
  }

  // Faults of whole records.
  void CheckRecords() {
    const size_t columns = layout_.columns.size();
    for (size_t i = 0; i < block_.records.size(); ++i) {
      const CsvRecord& record = block_.records[i];
      if (record.fault == CsvFault::kNone && record.field_count == columns) continue;
      std::string fault = FindRecordFault(block_, record, columns, layout_.dialect);
      if (!fault.empty()) Reject(i, "", std::move(fault));
    }
  }

  Result<std::shared_ptr<arrow::Array>> Convert(const NestedField& field, uint32_t place) {
    const bool is_text = field.type->id() == TypeId::kString;
    unescaped_.clear();
    for (size_t i = 0; i < block_.records.size(); ++i) {
      texts_[i] = TextOf(i, place);
      const bool is_null = texts_[i].data() == nullptr || (!is_text && texts_[i].empty());
      if (!is_null) continue;
      texts_[i] = std::string_view();
      if (field.required && is_bad_[i] == 0) {
        Reject(i, layout_.columns[place], "the value is missing, but the column is required");
      }
    }
    FIRN_ASSIGN(TextColumn column, ConvertTexts(*field.type, texts_, are_ascii_, pool_));
    for (const size_t i : column.bad) {
      Reject(i, layout_.columns[place],
             !IsValidUtf8(texts_[i])
                 ? DescribeUtf8Fault(texts_[i])
                 : fmt::format("'{}' is no {}", ShortenText(texts_[i]), FormatType(*field.type)));
    }
    return std::move(column.values);
  }

  // The text of a field; null if that is what it means, or if its record is bad.
  std::string_view TextOf(size_t record, uint32_t place) {
    if (is_bad_[record] != 0) return {};
    if (place >= block_.records[record].field_count) return {};  // Of a row that is padded.
    const CsvField& field = block_.fields[block_.records[record].first_field + place];
    const std::string_view text = block_.FieldText(field);
    if (nulls_.IsNull(field, text)) return {};
    if (field.is_escaped == 0) return text;
    return unescaped_.emplace_back(UnescapeCsv(text, layout_.dialect));
  }

  Result<std::shared_ptr<arrow::RecordBatch>> DropBadRows(
      const std::shared_ptr<arrow::RecordBatch>& batch) const {
    FIRN_RETURN_IF_ERROR(InitializeArrowCompute());
    return GuardArrowResult(
        ErrorCode::kInternal, [&]() -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
          ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> bits,
                                arrow::AllocateEmptyBitmap(batch->num_rows(), pool_));
          for (size_t i = 0; i < is_bad_.size(); ++i) {
            if (is_bad_[i] == 0)
              arrow::bit_util::SetBit(bits->mutable_data(), static_cast<int64_t>(i));
          }
          arrow::compute::ExecContext context(pool_);
          context.set_use_threads(false);
          ARROW_ASSIGN_OR_RAISE(
              const arrow::Datum kept,
              arrow::compute::Filter(batch, arrow::BooleanArray(batch->num_rows(), bits),
                                     arrow::compute::FilterOptions::Defaults(), &context));
          return kept.record_batch();
        });
  }

  const CsvFileLayout& layout_;
  const CsvBlock& block_;
  bool with_text_;
  arrow::MemoryPool* pool_;
  const CsvNullTexts nulls_;
  const bool are_ascii_;
  std::vector<uint8_t> is_bad_;
  std::vector<std::string_view> texts_;  // Of the column being converted.
  std::deque<std::string> unescaped_;
  std::vector<std::pair<size_t, RejectedRow>> rejected_;  // With the record's place.
};

}  // namespace

std::string FindRecordFault(const CsvBlock& block, const CsvRecord& record, size_t columns,
                            const CsvDialect& dialect) {
  if (record.fault == CsvFault::kOpenQuote) return "a quote is open at the end of the file";
  if (record.fault == CsvFault::kTextAfterQuote) return "text follows the closing quote of a field";
  if (record.field_count == columns) return {};
  if (dialect.pads_rows && record.field_count < columns) return {};
  const auto fields = std::span(block.fields).subspan(record.first_field, record.field_count);
  const auto is_empty = [](const CsvField& field) { return field.size == 0; };
  const auto extra = fields.subspan(std::min<size_t>(columns, fields.size()));
  if (dialect.pads_rows && std::all_of(extra.begin(), extra.end(), is_empty)) return {};
  return fmt::format("{} fields, expected {} as in the header{}", record.field_count, columns,
                     dialect.pads_rows ? "; those behind the last column are not empty" : "");
}

CsvNullTexts::CsvNullTexts(const CsvDialect& dialect) : texts_(dialect.null_texts) {
  for (const std::string& text : texts_)
    sizes_ |= uint64_t{1} << std::min<size_t>(text.size(), kSizeMax);
}

bool CsvNullTexts::IsOneOf(std::string_view text) const {
  return std::find(texts_.begin(), texts_.end(), text) != texts_.end();
}

Result<TextRows> ConvertCsvBlock(const CsvFileLayout& layout, const CsvBlock& block, bool with_text,
                                 arrow::MemoryPool* pool) {
  return BlockConverter(layout, block, with_text, pool).Run();
}

}  // namespace firn
