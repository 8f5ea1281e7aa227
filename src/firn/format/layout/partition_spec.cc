#include "firn/format/layout/partition_spec.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace firn {
namespace {

// Null if no schema has the column.
TypePtr FindSourceType(const PartitionField& field, const std::vector<SchemaPtr>& schemas) {
  for (const SchemaPtr& schema : schemas) {
    if (const NestedField* source = schema->FindField(field.source_id())) return source->type;
  }
  return nullptr;
}

TypePtr FieldType(const PartitionField& field, const std::vector<SchemaPtr>& schemas) {
  TypePtr source = FindSourceType(field, schemas);
  if (!source) source = Type::Primitive(TypeId::kUnknown);
  return TransformResultType(field.transform, source);
}

bool IsEscapedInUrls(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool is_digit = c >= '0' && c <= '9';
  return !is_letter && !is_digit && c != '.' && c != '-' && c != '*' && c != '_';
}

// As HTML forms encode text: a blank is '+'.
void AppendUrlEncoded(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == ' ') {
      out += '+';
    } else if (IsEscapedInUrls(c)) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
}

// A value under the type that the unified partition has for its field; null if it does not fit,
// which only happens where specs give one field id two meanings.
Value ToUnifiedValue(const Value& value, const Type& type) {
  if (HasFormOf(value, type)) return value;
  if (type.id() == TypeId::kLong && value.is<int32_t>()) return int64_t{value.get<int32_t>()};
  if (type.id() == TypeId::kDouble && value.is<float>()) return double{value.get<float>()};
  return {};
}

}  // namespace

bool PartitionSpec::is_unpartitioned() const {
  return std::all_of(fields.begin(), fields.end(), [](const PartitionField& field) {
    return field.transform.kind == TransformKind::kVoid;
  });
}

TypePtr PartitionType(const PartitionSpec& spec, const std::vector<SchemaPtr>& schemas) {
  std::vector<NestedField> fields;
  for (const PartitionField& field : spec.fields) {
    NestedField result;
    result.id = field.field_id;
    result.name = field.name;
    result.type = FieldType(field, schemas);
    fields.push_back(std::move(result));
  }
  return Type::Struct(std::move(fields));
}

std::string PartitionPath(const PartitionSpec& spec, const Type& partition_type,
                          const StructValue& values) {
  std::string path;
  for (size_t i = 0; i < spec.fields.size() && i < values.fields.size(); ++i) {
    const PartitionField& field = spec.fields[i];
    if (i > 0) path += '/';
    AppendUrlEncoded(path, field.name);
    path += '=';
    AppendUrlEncoded(path, FormatTransformed(field.transform, *partition_type.fields()[i].type,
                                             values.fields[i]));
  }
  return path;
}

TypePtr UnifiedPartitionType(const std::vector<PartitionSpecPtr>& specs,
                             const std::vector<SchemaPtr>& schemas) {
  std::vector<PartitionSpecPtr> newest_first = specs;
  std::stable_sort(newest_first.begin(), newest_first.end(),
                   [](const auto& a, const auto& b) { return a->spec_id > b->spec_id; });
  struct Entry {
    NestedField field;
    bool is_void;
  };
  std::map<int32_t, Entry> entries;
  std::set<std::string> names;
  for (const PartitionSpecPtr& spec : newest_first) {
    const TypePtr type = PartitionType(*spec, schemas);
    for (size_t i = 0; i < spec->fields.size(); ++i) {
      NestedField field = type->fields()[i];
      const bool is_void = spec->fields[i].transform.kind == TransformKind::kVoid;
      const auto found = entries.find(field.id);
      if (found == entries.end()) {
        if (!names.insert(field.name).second) {
          field.name += fmt::format("_{}", field.id);
          names.insert(field.name);
        }
        entries.emplace(field.id, Entry{std::move(field), is_void});
      } else if (found->second.is_void && !is_void) {  // A field that v1 dropped had a type once.
        found->second.field.type = field.type;
        found->second.is_void = false;
      }
    }
  }
  std::vector<NestedField> fields;
  for (auto& [id, entry] : entries)
    fields.push_back(std::move(entry.field));
  return Type::Struct(std::move(fields));
}

StructValue ToUnifiedPartition(const PartitionSpec& spec, const StructValue& values,
                               const Type& unified_type) {
  StructValue row;
  row.fields.resize(unified_type.fields().size());
  for (size_t i = 0; i < spec.fields.size() && i < values.fields.size(); ++i) {
    for (size_t at = 0; at < row.fields.size(); ++at) {
      const NestedField& field = unified_type.fields()[at];
      if (field.id != spec.fields[i].field_id) continue;
      row.fields[at] = ToUnifiedValue(values.fields[i], *field.type);
    }
  }
  return row;
}

}  // namespace firn
