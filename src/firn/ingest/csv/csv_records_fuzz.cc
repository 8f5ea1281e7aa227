#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include "firn/base/check.h"
#include "firn/ingest/csv/csv_records_internal.h"
#include "firn/ingest/csv/csv_rows_internal.h"
#include "firn/ingest/text/text_types_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace firn {
namespace {

struct Found {
  int64_t line;
  std::vector<std::string> fields;
  CsvFault fault;
  bool operator==(const Found&) const = default;
};

std::vector<Found> Split(std::string_view text, size_t piece, const CsvDialect& dialect) {
  CsvSplitter splitter(dialect, 1, /*keeps_blank_lines=*/true);
  std::vector<Found> found;
  std::string rest;
  size_t at = 0;
  while (true) {
    const std::string_view next = text.substr(at, piece);
    at += next.size();
    CsvBlock block;
    size_t used = 0;
    const bool is_end = at == text.size();
    FIRN_CHECK(splitter.Split(rest + std::string(next), is_end, block, used).ok());
    for (const CsvRecord& record : block.records) {
      found.push_back({.line = record.line, .fields = {}, .fault = record.fault});
      for (uint32_t i = 0; i < record.field_count; ++i) {
        const CsvField& field = block.fields[record.first_field + i];
        const std::string_view field_text = block.FieldText(field);
        found.back().fields.push_back(field.is_escaped != 0 ? UnescapeCsv(field_text, dialect)
                                                            : std::string(field_text));
      }
    }
    rest = block.text.substr(used);
    if (is_end) break;
  }
  FIRN_CHECK(rest.empty());
  return found;
}

// Each of the columns of the text as each type that text has values of.
CsvFileLayout MakeLayout(const CsvDialect& dialect, size_t columns) {
  std::vector<NestedField> fields;
  CsvFileLayout layout;
  for (int id = static_cast<int>(TypeId::kBoolean); id < static_cast<int>(TypeId::kVariant); ++id) {
    const auto type = static_cast<TypeId>(id);
    NestedField field;
    field.id = id;
    field.name = "c" + std::to_string(id);
    field.type = Type::Primitive(TypeId::kString);
    if (type == TypeId::kDecimal) {
      field.type = Type::Decimal(9, 2);
    } else if (type == TypeId::kFixed) {
      field.type = Type::Fixed(2);
    } else {
      field.type = Type::Primitive(type);
    }
    layout.places.push_back(static_cast<int>(fields.size() % columns));
    layout.constants.emplace_back();
    fields.push_back(std::move(field));
  }
  layout.uri = "memory:/fuzz";
  for (size_t i = 0; i < columns; ++i)
    layout.columns.push_back("column " + std::to_string(i));
  layout.schema = std::make_shared<const Schema>(0, std::move(fields));
  layout.dialect = dialect;
  return layout;
}

void CheckRows(std::string_view text, const CsvDialect& dialect) {
  CsvSplitter splitter(dialect, 1, /*keeps_blank_lines=*/true);
  CsvBlock block;
  size_t used = 0;
  FIRN_CHECK(splitter.Split(std::string(text), true, block, used).ok());
  if (block.records.empty()) return;
  const CsvFileLayout layout = MakeLayout(dialect, block.records[0].field_count);
  const auto rows = ConvertCsvBlock(layout, block, true, arrow::default_memory_pool());
  FIRN_CHECK(rows.ok());
  FIRN_CHECK(static_cast<size_t>(rows->batch->num_rows()) + rows->rejected.size() ==
             block.records.size());
  FIRN_CHECK(rows->batch->ValidateFull().ok());
  TextType type(/*infers_decimals=*/text.size() % 2 == 0);
  for (const CsvField& field : block.fields)
    type.Add(block.FieldText(field), {.file = 0, .line = 1});
  FIRN_CHECK(!FormatType(*type.type()).empty());
}

}  // namespace
}  // namespace firn

// The first byte is the size of the pieces in which the rest arrives, the second one the dialect.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  firn::CsvDialect dialect;
  if ((data[1] & 1) != 0) dialect.delimiter = ';';
  if ((data[1] & 2) != 0) dialect.quote = '\0';
  if ((data[1] & 4) != 0) dialect.escape = '\\';
  dialect.line_end = static_cast<firn::LineEnd>(data[1] >> 3 & 3);
  dialect.pads_rows = (data[1] & 32) != 0;
  FIRN_CHECK(firn::Split(text, size_t{data[0]} + 1, dialect) == firn::Split(text, size, dialect));
  firn::CheckRows(text, dialect);
  return 0;
}
