#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include <arrow/array.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/columns/variant_column_internal.h"
#include "firn/data/render/cell_text_internal.h"
#include "firn/format/json/json_writer.h"
#include "firn/format/types/value_render.h"

namespace firn {
namespace {

template <typename T>
void AppendInteger(std::string& out, T value) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, end);
}

template <typename Array>
auto ValueOf(const arrow::Array& array, int64_t row) {
  return static_cast<const Array&>(array).Value(row);
}

std::string_view BytesOf(const arrow::Array& array, int64_t row) {
  if (array.type_id() == arrow::Type::FIXED_SIZE_BINARY) {
    return static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row);
  }
  return static_cast<const arrow::BinaryArray&>(array).GetView(row);
}

void AppendDecimalCell(std::string& out, const CellColumn& column, int64_t row) {
  Int128 unscaled;
  std::memcpy(&unscaled, static_cast<const arrow::Decimal128Array&>(*column.array).GetValue(row),
              sizeof(unscaled));
  AppendDecimal(out, unscaled, column.type->scale());
}

void AppendUuidCell(std::string& out, const arrow::Array& array, int64_t row) {
  UuidBytes uuid;
  const std::string_view bytes = BytesOf(array, row);
  std::memcpy(uuid.data(), bytes.data(), uuid.size());
  AppendUuid(out, uuid);
}

// Text that needs quotes in JSON and none elsewhere; false if the type has other values.
bool AppendQuotable(std::string& out, const CellColumn& column, int64_t row) {
  const arrow::Array& array = *column.array;
  const TypeId id = column.type->id();
  if (id == TypeId::kDate) {
    AppendDate(out, ValueOf<arrow::Date32Array>(array, row));
  } else if (id == TypeId::kTime) {
    AppendTime(out, ValueOf<arrow::Time64Array>(array, row));
  } else if (id == TypeId::kTimestamp || id == TypeId::kTimestamptz) {
    AppendTimestampMicros(out, ValueOf<arrow::TimestampArray>(array, row),
                          id == TypeId::kTimestamptz);
  } else if (id == TypeId::kTimestampNs || id == TypeId::kTimestamptzNs) {
    AppendTimestampNanos(out, ValueOf<arrow::TimestampArray>(array, row),
                         id == TypeId::kTimestamptzNs);
  } else if (id == TypeId::kDecimal) {
    AppendDecimalCell(out, column, row);
  } else if (id == TypeId::kUuid) {
    AppendUuidCell(out, array, row);
  } else if (id == TypeId::kFixed || id == TypeId::kBinary) {
    AppendHex(out, AsBytes(BytesOf(array, row)));
  } else {
    return false;
  }
  return true;
}

// Numbers, booleans and variants; false if the type's values are of another kind.
bool AppendBare(std::string& out, const CellColumn& column, int64_t row) {
  const arrow::Array& array = *column.array;
  const TypeId id = column.type->id();
  if (id == TypeId::kBoolean) {
    out += ValueOf<arrow::BooleanArray>(array, row) ? "true" : "false";
  } else if (id == TypeId::kInt) {
    AppendInteger(out, ValueOf<arrow::Int32Array>(array, row));
  } else if (id == TypeId::kLong) {
    AppendInteger(out, ValueOf<arrow::Int64Array>(array, row));
  } else if (id == TypeId::kFloat) {
    AppendJsonNumber(out, ValueOf<arrow::FloatArray>(array, row));
  } else if (id == TypeId::kDouble) {
    AppendJsonNumber(out, ValueOf<arrow::DoubleArray>(array, row));
  } else if (id == TypeId::kVariant) {
    out += BytesOf(array, row);  // Its text: see MakeCellColumn.
  } else {
    return false;
  }
  return true;
}

void AppendNested(std::string& out, const CellColumn& column, int64_t row) {
  if (column.type->id() == TypeId::kStruct) {
    out += '{';
    for (size_t i = 0; i < column.children.size(); ++i) {
      if (i > 0) out += ',';
      out += column.children[i].json_key;
      AppendCellJson(out, column.children[i], row);
    }
    out += '}';
    return;
  }
  const auto& list = static_cast<const arrow::ListArray&>(*column.array);  // A map is one too.
  const bool is_map = column.type->id() == TypeId::kMap;
  const int64_t begin = list.value_offset(row);
  out += '[';
  for (int64_t i = begin; i < list.value_offset(row + 1); ++i) {
    if (i > begin) out += ',';
    if (is_map) {
      out += "{\"key\":";
      AppendCellJson(out, column.children[0], i);
      out += ",\"value\":";
      AppendCellJson(out, column.children[1], i);
      out += '}';
    } else {
      AppendCellJson(out, column.children[0], i);
    }
  }
  out += ']';
}

}  // namespace

Result<CellColumn> MakeCellColumn(const NestedField& field, std::shared_ptr<arrow::Array> array) {
  CellColumn column{.type = field.type};
  AppendJsonString(column.json_key, field.name);
  column.json_key += ':';
  const Type& type = *field.type;
  const auto add = [&](const NestedField& child, std::shared_ptr<arrow::Array> values) -> Status {
    FIRN_ASSIGN(auto cells, MakeCellColumn(child, std::move(values)));
    column.children.push_back(std::move(cells));
    return {};
  };
  if (type.id() == TypeId::kVariant) {
    FIRN_ASSIGN(array, PrintVariants(*array), "column '{}'", field.name);
  } else if (type.id() == TypeId::kStruct) {
    const auto& source = static_cast<const arrow::StructArray&>(*array);
    for (size_t i = 0; i < type.fields().size(); ++i) {
      // Where the struct is null, a variant in it may be no bytes at all.
      FIRN_ASSIGN(auto child, GuardArrowResult(ErrorCode::kInternal, [&] {
                    return source.GetFlattenedField(static_cast<int>(i));
                  }));
      FIRN_RETURN_IF_ERROR(add(type.fields()[i], std::move(child)));
    }
  } else if (type.id() == TypeId::kList) {
    FIRN_RETURN_IF_ERROR(
        add(type.element(), static_cast<const arrow::ListArray&>(*array).values()));
  } else if (type.id() == TypeId::kMap) {
    const auto& source = static_cast<const arrow::MapArray&>(*array);
    FIRN_RETURN_IF_ERROR(add(type.key(), source.keys()));
    FIRN_RETURN_IF_ERROR(add(type.value(), source.items()));
  }
  column.array = std::move(array);
  return column;
}

Result<std::vector<CellColumn>> MakeCellColumns(
    const Type& type, const std::vector<std::shared_ptr<arrow::Array>>& columns) {
  std::vector<CellColumn> cells;
  for (size_t i = 0; i < columns.size(); ++i) {
    FIRN_ASSIGN(auto column, MakeCellColumn(type.fields()[i], columns[i]));
    cells.push_back(std::move(column));
  }
  return cells;
}

void AppendCellJson(std::string& out, const CellColumn& column, int64_t row) {
  if (column.array->IsNull(row)) {
    out += "null";
  } else if (column.type->id() == TypeId::kString) {
    AppendJsonString(out, BytesOf(*column.array, row));
  } else if (!AppendBare(out, column, row)) {
    if (column.type->is_nested()) return AppendNested(out, column, row);
    out += '"';
    AppendQuotable(out, column, row);
    out += '"';
  }
}

void AppendCellCsv(std::string& out, const CellColumn& column, int64_t row) {
  if (column.array->IsNull(row)) return;
  if (column.type->id() == TypeId::kString) {
    return AppendCsvText(out, BytesOf(*column.array, row));
  }
  const size_t start = out.size();
  if (AppendQuotable(out, column, row)) {
    if (out.size() == start) out += "\"\"";  // No bytes: not null.
    return;
  }
  std::string text;
  AppendCellPlain(text, column, row);
  AppendCsvText(out, text);
}

void AppendCellPlain(std::string& out, const CellColumn& column, int64_t row) {
  if (column.array->IsNull(row)) {
    out += "null";
  } else if (column.type->id() == TypeId::kString) {
    out += BytesOf(*column.array, row);
  } else if (column.type->is_nested()) {
    AppendNested(out, column, row);
  } else if (!AppendQuotable(out, column, row)) {
    const size_t start = out.size();
    AppendBare(out, column, row);
    if (column.type->id() != TypeId::kVariant && out.size() > start &&
        out[start] == '"') {  // "NaN": the quotes are those of JSON.
      out.erase(start, 1);
      out.pop_back();
    }
  }
}

}  // namespace firn
