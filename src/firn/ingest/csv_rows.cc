#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>

#include "firn/data/arrow_bridge.h"
#include "firn/data/arrow_types.h"
#include "firn/data/value_arrays.h"
#include "firn/ingest/csv_rows_internal.h"
#include "firn/ingest/text_column_internal.h"

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
        is_bad_(block.records.size(), 0) {}

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
    for (size_t i = 0; i < block_.records.size(); ++i) {
      const CsvRecord& record = block_.records[i];
      if (record.fault == CsvFault::kOpenQuote) {
        Reject(i, "", "a quote is open at the end of the file");
      } else if (record.fault == CsvFault::kTextAfterQuote) {
        Reject(i, "", "text follows the closing quote of a field");
      } else if (record.field_count != layout_.columns.size()) {
        Reject(i, "",
               fmt::format("{} fields, expected {} as in the header", record.field_count,
                           layout_.columns.size()));
      }
    }
  }

  Result<std::shared_ptr<arrow::Array>> Convert(const NestedField& field, uint32_t place) {
    FIRN_ASSIGN(const auto column, MakeTextColumn(*field.type, pool_));
    const bool is_text = field.type->id() == TypeId::kString;
    for (size_t i = 0; i < block_.records.size(); ++i) {
      if (is_bad_[i] != 0) {
        column->AppendNull();
        continue;
      }
      const CsvField& source = block_.fields[block_.records[i].first_field + place];
      const std::string_view text = block_.FieldText(source);
      if (IsNullText(layout_.dialect, source, text) || (!is_text && text.empty())) {
        column->AppendNull();
        if (field.required) {
          Reject(i, layout_.columns[place], "the value is missing, but the column is required");
        }
        continue;
      }
      const bool is_value = source.is_escaped ? column->Append(UnescapeCsv(text, layout_.dialect))
                                              : column->Append(text);
      if (is_value) continue;
      Reject(i, layout_.columns[place],
             is_text ? "the text is not UTF-8"
                     : fmt::format("'{}' is no {}", ShortenText(text), FormatType(*field.type)));
    }
    return column->Finish();
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
  std::vector<uint8_t> is_bad_;
  std::vector<std::pair<size_t, RejectedRow>> rejected_;  // With the record's place.
};

}  // namespace

bool IsNullText(const CsvDialect& dialect, const CsvField& field, std::string_view text) {
  if (field.is_quoted) return false;
  return std::find(dialect.null_texts.begin(), dialect.null_texts.end(), text) !=
         dialect.null_texts.end();
}

Result<TextRows> ConvertCsvBlock(const CsvFileLayout& layout, const CsvBlock& block, bool with_text,
                                 arrow::MemoryPool* pool) {
  return BlockConverter(layout, block, with_text, pool).Run();
}

}  // namespace firn
