#include <optional>
#include <utility>

#include "firn/data/columns/identity_values_internal.h"
#include "firn/data/columns/read_fields_internal.h"

namespace firn {
namespace {

// Partition values have the type that the column has by now, which is wider than that of the schema
// of an older snapshot. Nullopt: the value does not fit that type, and the file has to tell.
Result<std::optional<Value>> FitValue(const Value& value, const Type& from, const Type& to) {
  if (value.is_null() || from == to) return std::optional(value);
  if (!IsPromotionAllowed(to, from, 3)) {
    FIRN_ASSIGN(Value promoted, PromoteValue(value, from, to));
    return std::optional(std::move(promoted));
  }
  if (to.id() == TypeId::kInt) {
    const int64_t wide = value.get<int64_t>();
    if (wide < INT32_MIN || wide > INT32_MAX) return std::optional<Value>();
    return std::optional(Value(static_cast<int32_t>(wide)));
  }
  if (to.id() == TypeId::kFloat) {
    return std::optional(Value(static_cast<float>(value.get<double>())));
  }
  if (to.id() == TypeId::kDecimal) return std::optional(value);
  return std::optional<Value>();
}

}  // namespace

Result<std::map<int32_t, Value>> IdentityValues(const TableMetadata& metadata,
                                                const FileScanTask& task,
                                                const std::vector<NestedField>& fields) {
  std::map<int32_t, Value> values;
  const PartitionSpecPtr spec = metadata.FindSpec(task.file.partition_spec_id);
  if (spec == nullptr) return values;
  const TypePtr type = PartitionType(*spec, metadata.SchemasNewestFirst());
  for (size_t i = 0; i < spec->fields.size() && i < task.file.partition.fields.size(); ++i) {
    const PartitionField& field = spec->fields[i];
    if (field.transform.kind != TransformKind::kIdentity) continue;
    const std::vector<int> places = FindFieldPlaces(fields, field.source_id());
    if (places.empty()) continue;
    const NestedField* target = &fields[static_cast<size_t>(places[0])];
    for (size_t depth = 1; depth < places.size(); ++depth) {
      target = &target->type->fields()[static_cast<size_t>(places[depth])];
    }
    FIRN_ASSIGN(auto value,
                FitValue(task.file.partition.fields[i], *type->fields()[i].type, *target->type),
                "partition field '{}'", field.name);
    if (value) values.emplace(field.source_id(), *std::move(value));
  }
  return values;
}

}  // namespace firn
