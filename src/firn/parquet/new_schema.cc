#include "firn/parquet/new_schema.h"

#include <utility>

#include "firn/base/bytes.h"
#include "firn/parquet/thrift_compact_internal.h"

namespace firn {
namespace {

using Meaning = NewSchemaElement::Meaning;

// The number of the older converted type, and the member of the LogicalType union.
struct MeaningCodes {
  std::optional<int32_t> converted;
  int16_t logical = 0;
};

MeaningCodes CodesOf(const NewSchemaElement& element) {
  switch (element.meaning) {
    case Meaning::kNone:
      return {};
    case Meaning::kString:
      return {0, 1};
    case Meaning::kMap:
      return {1, 2};
    case Meaning::kList:
      return {3, 3};
    case Meaning::kDecimal:
      return {5, 5};
    case Meaning::kDate:
      return {6, 6};
    case Meaning::kTime:  // The older one is always an instant.
      return {std::nullopt, 7};
    case Meaning::kTimestamp:  // The older one is taken for both kinds, but has no nanoseconds.
      return {element.is_nanos ? std::nullopt : std::optional<int32_t>(10), 8};
    case Meaning::kUuid:
      return {std::nullopt, 14};
    case Meaning::kVariant:
      return {std::nullopt, 16};
  }
  return {};
}

// What TimeType and TimestampType hold.
void WriteTimeUnit(const NewSchemaElement& element, ThriftWriter& out) {
  out.WriteBool(1, element.is_utc);
  out.BeginStructField(2);
  const int16_t unit = out.EnterStruct();
  out.BeginStructField(element.is_nanos ? 3 : 2);
  out.LeaveStruct(out.EnterStruct());
  out.LeaveStruct(unit);
}

void WriteLogicalType(const NewSchemaElement& element, int16_t member, ThriftWriter& out) {
  out.BeginStructField(10);
  const int16_t type = out.EnterStruct();
  out.BeginStructField(member);
  const int16_t inner = out.EnterStruct();
  if (element.meaning == Meaning::kDecimal) {
    out.WriteI32(1, element.scale);
    out.WriteI32(2, element.precision);
  } else if (element.meaning == Meaning::kTime || element.meaning == Meaning::kTimestamp) {
    WriteTimeUnit(element, out);
  } else if (element.meaning == Meaning::kVariant) {
    out.WriteByte(1, 1);  // The version of the encoding.
  }
  out.LeaveStruct(inner);
  out.LeaveStruct(type);
}

std::string FormatElement(const NewSchemaElement& element) {
  const MeaningCodes codes = CodesOf(element);
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  if (element.type) out.WriteI32(1, static_cast<int32_t>(*element.type));
  if (element.type == PhysicalType::kFixedLenByteArray) out.WriteI32(2, element.type_length);
  out.WriteI32(3, static_cast<int32_t>(element.repetition));
  out.WriteBinary(4, element.name);
  if (!element.type) out.WriteI32(5, element.num_children);
  if (codes.converted) out.WriteI32(6, *codes.converted);
  if (element.meaning == Meaning::kDecimal) {
    out.WriteI32(7, element.scale);
    out.WriteI32(8, element.precision);
  }
  if (element.field_id) out.WriteI32(9, *element.field_id);
  if (codes.logical != 0) WriteLogicalType(element, codes.logical, out);
  out.LeaveStruct(outer);
  return out.Take();
}

}  // namespace

Result<std::vector<SchemaElement>> MakeFileSchema(const std::vector<NewSchemaElement>& elements,
                                                  int32_t root_children) {
  FileFooter footer{.version = 1};
  footer.schema.push_back({.raw = FormatElement({.name = "table", .num_children = root_children})});
  for (const NewSchemaElement& element : elements)
    footer.schema.push_back({.type = element.type, .raw = FormatElement(element)});
  // What readers make of it.
  FIRN_ASSIGN(FileFooter parsed, ParseFooter(AsBytes(FormatFooter(footer))));
  FIRN_RETURN_IF_ERROR(LeavesOf(parsed.schema));
  return std::move(parsed.schema);
}

}  // namespace firn
