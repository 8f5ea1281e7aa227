#include "firn/data/data.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

NestedField MakeField(int32_t id, std::string name, TypePtr type) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

}  // namespace

TypePtr MakeRowType(std::vector<Column> columns, int32_t first_id) {
  std::vector<NestedField> fields;
  for (Column& column : columns) {
    fields.push_back(MakeField(first_id++, std::move(column.name), std::move(column.type)));
  }
  return Type::Struct(std::move(fields));
}

TypePtr TextType() { return Type::Primitive(TypeId::kString); }
TypePtr IntType() { return Type::Primitive(TypeId::kInt); }
TypePtr LongType() { return Type::Primitive(TypeId::kLong); }
TypePtr BooleanType() { return Type::Primitive(TypeId::kBoolean); }

TypePtr ListOf(TypePtr element) {
  constexpr int32_t kElementId = 1000;
  return Type::List(MakeField(kElementId, "element", std::move(element)));
}

TypePtr TextListType() { return ListOf(TextType()); }

TypePtr TextMapType() {
  constexpr int32_t kKeyId = 1001;
  NestedField key = MakeField(kKeyId, "key", TextType());
  key.required = true;
  return Type::Map(std::move(key), MakeField(kKeyId + 1, "value", TextType()));
}

Result<ProcedureOutput> MakeOutput(TypePtr type, std::vector<StructValue> rows) {
  FIRN_ASSIGN(RowStream stream, MakeRowStream(type, std::move(rows)));
  return ProcedureOutput{std::move(type), std::move(stream)};
}

Result<ProcedureOutput> MakeEmptyOutput() { return ProcedureOutput{}; }

Value TextList(const std::vector<std::string>& texts) {
  std::vector<Value> elements;
  for (const std::string& text : texts)
    elements.emplace_back(text);
  return Value::List(std::move(elements));
}

Value TextMap(const Properties& properties) {
  std::vector<std::pair<Value, Value>> entries;
  for (const auto& [key, value] : properties)
    entries.emplace_back(Value(key), Value(value));
  return Value::Map(std::move(entries));
}

}  // namespace firn
