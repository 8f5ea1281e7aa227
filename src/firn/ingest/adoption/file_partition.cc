#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/ingest/adoption/file_partition_internal.h"

namespace firn {
namespace {

// The transform of all values in the range, if it is one.
Result<std::optional<Value>> ProveValue(const Transform& transform, const Type& type,
                                        const ColumnRange& range) {
  if (range.is_all_null()) return std::optional<Value>(Value());
  const bool is_known = range.null_count == 0 && !range.lower.is_null() && !range.upper.is_null();
  // NaN is in no bound.
  if (!is_known || type.is_float()) return std::optional<Value>();
  if (!transform.preserves_order() && !(range.lower == range.upper)) return std::optional<Value>();
  FIRN_ASSIGN(Value lower, ApplyTransform(transform, type, range.lower));
  FIRN_ASSIGN(const Value upper, ApplyTransform(transform, type, range.upper));
  if (!(lower == upper)) return std::optional<Value>();
  return std::optional<Value>(std::move(lower));
}

Value DefaultOf(const NestedField& column) { return column.initial_default.value_or(Value()); }

std::string FieldNames(const PartitionSpec& spec) {
  std::string names;
  for (const PartitionField& field : spec.fields)
    names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

}  // namespace

FilePartitioner::FilePartitioner(const ReadContext& context, PartitionSpecPtr spec)
    : context_(context), spec_(std::move(spec)), schema_(context.metadata->current_schema()) {}

const std::pair<std::string, std::optional<std::string>>* FindFolder(const SourceFile& file,
                                                                     std::string_view name) {
  auto found = std::find_if(file.folders.begin(), file.folders.end(),
                            [name](const auto& folder) { return folder.first == name; });
  if (found != file.folders.end()) return &*found;
  found = std::find_if(file.folders.begin(), file.folders.end(),
                       [name](const auto& folder) { return EqualsIgnoreCase(folder.first, name); });
  return found == file.folders.end() ? nullptr : &*found;
}

PartitionSpecPtr ChooseSpec(const TableMetadata& metadata, const SourceFile& first) {
  const auto fits = [&](const PartitionSpec& spec) {
    if (spec.fields.empty() || spec.fields.size() != first.folders.size()) return false;
    for (size_t i = 0; i < spec.fields.size(); ++i) {
      if (spec.fields[i].transform.kind != TransformKind::kIdentity) return false;
      if (!EqualsIgnoreCase(spec.fields[i].name, first.folders[i].first)) return false;
    }
    return true;
  };
  PartitionSpecPtr chosen = metadata.default_spec();
  if (fits(*chosen)) return chosen;
  for (const PartitionSpecPtr& spec : metadata.partition_specs) {
    if (fits(*spec)) chosen = spec;
  }
  return chosen;
}

// The value of a field whose column the file lacks.
Result<Value> FilePartitioner::FindElsewhere(const SourceFile& source,
                                             const PartitionField& field) const {
  const NestedField& column = *schema_->FindField(field.source_id());
  const auto* folder = FindFolder(source, schema_->FullName(column.id));
  const bool is_identity = field.transform.kind == TransformKind::kIdentity;
  if (folder == nullptr && is_identity) folder = FindFolder(source, field.name);
  if (folder == nullptr) {
    return ApplyTransform(field.transform, *column.type, DefaultOf(column));
  }
  if (!is_identity) {
    return MakeError(ErrorCode::kInvalidInput,
                     "file '{}': column '{}' is in the name of the folder '{}={}' only, but the "
                     "table is partitioned by {} of it, so its value would be lost; load the file "
                     "with 'ingest --hive-partitions'",
                     source.info.uri, column.name, folder->first, folder->second.value_or("null"),
                     FormatTransform(field.transform));
  }
  if (!folder->second) return Value();
  FIRN_ASSIGN(Value value, ParseValue(*folder->second, *column.type), "file '{}', folder '{}={}'",
              source.info.uri, folder->first, *folder->second);
  return value;
}

Result<StructValue> FilePartitioner::Find(const SourceFile& source, const DataFile& file,
                                          const FileFacts& facts) const {
  StructValue partition;
  PartitionSpec unproven;
  std::vector<size_t> places;
  for (const PartitionField& field : spec_->fields) {
    Value value;
    const NestedField* column = schema_->FindField(field.source_id());
    if (field.transform.kind == TransformKind::kVoid) {
      partition.fields.push_back(std::move(value));
      continue;
    }
    if (column == nullptr || field.transform.kind == TransformKind::kUnknown) {
      return MakeError(ErrorCode::kUnsupported,
                       "partition field '{}' ({}) cannot be computed for files that are added",
                       field.name, FormatTransform(field.transform));
    }
    if (!facts.found_ids.contains(column->id)) {
      FIRN_ASSIGN(value, FindElsewhere(source, field));
      partition.fields.push_back(std::move(value));
      continue;
    }
    const auto range = facts.ranges.find(column->id);
    std::optional<Value> proven;
    if (range != facts.ranges.end()) {
      FIRN_ASSIGN(proven, ProveValue(field.transform, *column->type, range->second));
    }
    if (!proven) {
      places.push_back(partition.fields.size());
      unproven.fields.push_back(field);
    }
    partition.fields.push_back(proven.value_or(Value()));
  }
  if (!places.empty()) {
    FIRN_ASSIGN(const StructValue read, ReadPartitionOfFile(context_, file, unproven));
    for (size_t i = 0; i < places.size(); ++i)
      partition.fields[places[i]] = read.fields[i];
  }
  FIRN_RETURN_IF_ERROR(CheckFolders(source, partition));
  return partition;
}

// Where a column is in the file and in the name of a folder, both say the same.
Status FilePartitioner::CheckFolders(const SourceFile& source, const StructValue& partition) const {
  for (size_t i = 0; i < spec_->fields.size(); ++i) {
    const PartitionField& field = spec_->fields[i];
    if (field.transform.kind != TransformKind::kIdentity) continue;
    const NestedField& column = *schema_->FindField(field.source_id());
    const auto* folder = FindFolder(source, column.name);
    if (folder == nullptr) continue;
    Value value;
    if (folder->second) {
      FIRN_ASSIGN(value, ParseValue(*folder->second, *column.type), "file '{}', folder '{}={}'",
                  source.info.uri, folder->first, *folder->second);
    }
    if (value == partition.fields[i]) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "file '{}' lies in the folder '{}={}', but its rows have {}={}",
                     source.info.uri, folder->first, folder->second.value_or("null"), column.name,
                     FormatValue(partition.fields[i], *column.type));
  }
  return {};
}

Result<bool> FilePartitioner::Matches(const StructValue& partition,
                                      const std::map<std::string, std::string>& filter) const {
  for (const auto& [name, text] : filter) {
    bool is_found = false;
    for (size_t i = 0; i < spec_->fields.size() && !is_found; ++i) {
      const PartitionField& field = spec_->fields[i];
      const bool is_identity = field.transform.kind == TransformKind::kIdentity;
      is_found = EqualsIgnoreCase(field.name, name) ||
                 (is_identity && EqualsIgnoreCase(schema_->FullName(field.source_id()), name));
      const NestedField* column = schema_->FindField(field.source_id());
      if (!is_found || column == nullptr) continue;
      if (is_identity) {
        FIRN_ASSIGN(const Value wanted, ParseValue(text, *column->type), "partition filter '{}'",
                    name);
        if (!(wanted == partition.fields[i])) return false;
        continue;
      }
      const TypePtr type = TransformResultType(field.transform, column->type);
      if (FormatTransformed(field.transform, *type, partition.fields[i]) != text) return false;
    }
    if (is_found) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "the partition filter names '{}', expected partition fields of the table: {}",
                     name, spec_->fields.empty() ? "it has none" : FieldNames(*spec_));
  }
  return true;
}

}  // namespace firn
