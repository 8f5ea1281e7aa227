#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include "firn/base/check.h"
#include "firn/ingest/json/json_records_internal.h"
#include "firn/ingest/json/json_rows_internal.h"
#include "firn/ingest/json/json_types_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace firn {
namespace {

struct Found {
  int64_t line;
  std::string text;
  JsonFault fault;
  bool operator==(const Found&) const = default;
};

std::vector<Found> Split(std::string_view text, size_t piece) {
  JsonSplitter splitter;
  std::vector<Found> found;
  std::string rest;
  size_t at = 0;
  while (true) {
    const std::string_view next = text.substr(at, piece);
    at += next.size();
    JsonBlock block;
    size_t used = 0;
    const bool is_end = at == text.size();
    FIRN_CHECK(splitter.Split(rest + std::string(next), is_end, block, used).ok());
    for (const JsonRecord& record : block.records) {
      found.push_back({record.line, std::string(block.RecordText(record)), record.fault});
    }
    rest = block.text.substr(used);
    if (is_end) break;
  }
  FIRN_CHECK(rest.empty());
  return found;
}

NestedField Field(int id, const std::string& name, TypePtr type) {
  NestedField field;
  field.id = id;
  field.name = name;
  field.type = std::move(type);
  return field;
}

// A column of each type, called a, b, c, ...
JsonFileLayout MakeLayout() {
  std::vector<TypePtr> types;
  for (int id = static_cast<int>(TypeId::kBoolean); id < static_cast<int>(TypeId::kVariant); ++id) {
    if (id == static_cast<int>(TypeId::kDecimal)) {
      types.push_back(Type::Decimal(9, 2));
    } else if (id == static_cast<int>(TypeId::kFixed)) {
      types.push_back(Type::Fixed(2));
    } else {
      types.push_back(Type::Primitive(static_cast<TypeId>(id)));
    }
  }
  const TypePtr text = Type::Primitive(TypeId::kString);
  const TypePtr number = Type::Primitive(TypeId::kDouble);
  types.push_back(Type::Struct({Field(101, "a", number), Field(102, "b", text)}));
  types.push_back(Type::List(Field(103, "element", types.back())));
  types.push_back(Type::Map(Field(104, "key", text), Field(105, "value", number)));
  types.push_back(Type::Map(Field(106, "key", number), Field(107, "value", types.back())));
  std::vector<NestedField> fields;
  for (size_t i = 0; i < types.size(); ++i) {
    fields.push_back(
        Field(static_cast<int>(i) + 1, std::string(1, static_cast<char>('a' + i)), types[i]));
  }
  JsonFileLayout layout;
  layout.uri = "memory:/fuzz";
  layout.schema = std::make_shared<const Schema>(0, std::move(fields));
  for (size_t i = 0; i < types.size(); ++i) {
    layout.targets.push_back(MakeJsonTarget(types[i]));
    layout.defaults.emplace_back();
    layout.names.Add(layout.schema->fields()[i].name, i);
  }
  return layout;
}

void CheckRows(const JsonFileLayout& layout, std::string_view text) {
  JsonSplitter splitter;
  JsonBlock block;
  size_t used = 0;
  FIRN_CHECK(splitter.Split(std::string(text), true, block, used).ok());
  const auto rows = ConvertJsonBlock(layout, block, true, arrow::default_memory_pool());
  FIRN_CHECK(rows.ok());
  FIRN_CHECK(static_cast<size_t>(rows->batch->num_rows()) + rows->rejected.size() ==
             block.records.size());
  FIRN_CHECK(rows->batch->ValidateFull().ok());
  JsonType type;
  for (const JsonRecord& record : block.records) {
    if (record.fault != JsonFault::kNone) continue;
    auto document = JsonDocument::Open(PaddedText::CopyOf(block.RecordText(record)));
    if (!document.ok()) continue;
    JsonType next;
    size_t new_fields = 0;
    const Status status = document->VisitRoot(
        [&](JsonValue& root) { return next.Add(root, {.file = 0, .line = 1}, new_fields); });
    if (!status.ok()) continue;
    FIRN_CHECK(type.Merge(std::move(next)).ok());
  }
  FIRN_CHECK(!FormatType(*type.type()).empty());
}

}  // namespace
}  // namespace firn

// The first byte is the size of the pieces in which the rest arrives.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const firn::JsonFileLayout layout = firn::MakeLayout();
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t piece = size_t{data[0]} + 1;
  FIRN_CHECK(firn::Split(text, piece) == firn::Split(text, size));
  firn::CheckRows(layout, text);
  return 0;
}
