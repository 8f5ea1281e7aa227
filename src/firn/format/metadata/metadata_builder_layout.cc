#include <algorithm>
#include <utility>

#include "firn/format/metadata/metadata_builder_internal.h"
#include "firn/format/metadata/partition_change.h"
#include "firn/format/types/as_request_internal.h"

// The parts of the builder that say how data is laid out: schemas, partition specs, sort orders.

namespace firn {
namespace {

constexpr int32_t kLastAdded = -1;
constexpr int kNewestFormatVersion = 3;  // `Build` checks against the version of the table.
constexpr int32_t kFirstPartitionFieldId = 1000;

// The id that an update means: kLastAdded stands for `last_added`.
Result<int32_t> ResolveId(int32_t id, const std::optional<int32_t>& last_added,
                          std::string_view what) {
  if (id != kLastAdded) return id;
  if (last_added) return *last_added;
  return InvalidUpdate("the {} added last (-1) is asked for, but none was added", what);
}

bool IsSameField(const PartitionField& a, const PartitionField& b) {
  return a.source_ids == b.source_ids && a.transform == b.transform && a.name == b.name;
}

// Ids do not count: the same values partition the data in the same way.
bool IsSameSpec(const PartitionSpec& a, const PartitionSpec& b) {
  return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                    IsSameField);
}

bool IsSameOrder(const SortOrder& a, const SortOrder& b) {
  const auto is_same_field = [](const SortField& x, const SortField& y) {
    return x.source_ids == y.source_ids && x.transform == y.transform &&
           x.is_descending == y.is_descending && x.is_nulls_first == y.is_nulls_first;
  };
  return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                    is_same_field);
}

}  // namespace

Status MetadataBuilder::AddSchema(const SchemaPtr& schema) {
  FIRN_RETURN_IF_ERROR(AsRequest(ValidateSchema(*schema, kNewestFormatVersion)));
  int32_t next_id = 0;
  for (const SchemaPtr& other : metadata_.schemas) {
    if (other->IsSameAs(*schema)) {
      last_added_schema_id_ = other->schema_id();
      return {};
    }
    next_id = std::max(next_id, other->schema_id() + 1);
  }
  metadata_.schemas.push_back(std::make_shared<const Schema>(
      next_id, schema->fields(), schema->identifier_field_ids(), schema->extra()));
  metadata_.last_column_id = std::max(metadata_.last_column_id, schema->highest_field_id());
  last_added_schema_id_ = next_id;
  added_schemas_.insert(next_id);
  has_changes_ = true;
  return {};
}

Status MetadataBuilder::SetCurrentSchema(int32_t schema_id) {
  FIRN_ASSIGN(const int32_t id, ResolveId(schema_id, last_added_schema_id_, "schema"));
  if (!metadata_.FindSchema(id)) return InvalidUpdate("schema {} is not in the table", id);
  has_changes_ |= id != metadata_.current_schema_id;
  metadata_.current_schema_id = id;
  return {};
}

Status MetadataBuilder::RemoveSchemas(const std::vector<int32_t>& schema_ids) {
  if (std::find(schema_ids.begin(), schema_ids.end(), metadata_.current_schema_id) !=
      schema_ids.end()) {
    return InvalidUpdate("schema {} is the current one and cannot be removed",
                         metadata_.current_schema_id);
  }
  for (const int32_t id : schema_ids) {
    if (std::erase_if(metadata_.schemas,
                      [&](const SchemaPtr& schema) { return schema->schema_id() == id; }) == 0) {
      continue;
    }
    removed_schemas_.insert(id);
    has_changes_ = true;
  }
  return {};
}

Result<PartitionSpec> MetadataBuilder::AssignPartitionFieldIds(PartitionSpec spec) const {
  int32_t last_id = std::max(metadata_.last_partition_id, kFirstPartitionFieldId - 1);
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    PartitionField& field = spec.fields[i];
    if (field.field_id != 0) {
      last_id = std::max(last_id, field.field_id);
      continue;
    }
    if (metadata_.format_version == 1) {
      field.field_id = kFirstPartitionFieldId + static_cast<int32_t>(i);
      continue;
    }
    for (const PartitionSpecPtr& other : metadata_.partition_specs) {
      for (const PartitionField& old : other->fields) {
        if (IsSameField(old, field)) field.field_id = old.field_id;
      }
    }
    if (field.field_id == 0) field.field_id = ++last_id;
  }
  return spec;
}

// The id of a field stands for one meaning in all specs, since partition values of all specs are
// read side by side. A dropped field of v1 keeps its id as void.
Status MetadataBuilder::CheckPartitionFieldIds(const PartitionSpec& spec) const {
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    const PartitionField& field = spec.fields[i];
    if (metadata_.format_version == 1 &&
        field.field_id != kFirstPartitionFieldId + static_cast<int32_t>(i)) {
      return InvalidUpdate(
          "partition field '{}' has the id {}, expected {}: ids of v1 tables are 1000, "
          "1001, ...",
          field.name, field.field_id, kFirstPartitionFieldId + static_cast<int32_t>(i));
    }
    const bool is_void = field.transform.kind == TransformKind::kVoid;
    for (const PartitionSpecPtr& other : metadata_.partition_specs) {
      for (const PartitionField& old : other->fields) {
        if (old.field_id != field.field_id || is_void) continue;
        if (old.transform.kind == TransformKind::kVoid) continue;
        if (old.source_ids == field.source_ids && old.transform == field.transform) continue;
        return InvalidUpdate(
            "partition field '{}' has the id {} of field '{}' of spec {}, which means "
            "something else",
            field.name, field.field_id, old.name, other->spec_id);
      }
    }
  }
  return {};
}

Status MetadataBuilder::AddSpec(PartitionSpec spec) {
  const SchemaPtr schema = metadata_.current_schema();
  if (!schema) return InvalidUpdate("a partition spec needs a current schema; set it before");
  FIRN_ASSIGN(spec, AssignPartitionFieldIds(std::move(spec)));
  FIRN_RETURN_IF_ERROR(AsRequest(ValidatePartitionSpec(spec, *schema)));
  int32_t next_id = 0;
  for (const PartitionSpecPtr& other : metadata_.partition_specs) {
    if (IsSameSpec(*other, spec)) {
      last_added_spec_id_ = other->spec_id;
      return {};
    }
    next_id = std::max(next_id, other->spec_id + 1);
  }
  const PartitionSpecPtr default_spec = metadata_.default_spec();  // Null in a new table.
  const PartitionSpec none;
  FIRN_RETURN_IF_ERROR(
      AsRequest(ValidateChangedPartitionSpec(spec, *schema, default_spec ? *default_spec : none)));
  FIRN_RETURN_IF_ERROR(CheckPartitionFieldIds(spec));
  spec.spec_id = next_id;
  for (const PartitionField& field : spec.fields)
    metadata_.last_partition_id = std::max(metadata_.last_partition_id, field.field_id);
  metadata_.partition_specs.push_back(std::make_shared<const PartitionSpec>(std::move(spec)));
  last_added_spec_id_ = next_id;
  has_changes_ = true;
  return {};
}

Status MetadataBuilder::SetDefaultSpec(int32_t spec_id) {
  FIRN_ASSIGN(const int32_t id, ResolveId(spec_id, last_added_spec_id_, "partition spec"));
  if (!metadata_.FindSpec(id)) return InvalidUpdate("partition spec {} is not in the table", id);
  has_changes_ |= id != metadata_.default_spec_id;
  metadata_.default_spec_id = id;
  return {};
}

Status MetadataBuilder::RemoveSpecs(const std::vector<int32_t>& spec_ids) {
  if (std::find(spec_ids.begin(), spec_ids.end(), metadata_.default_spec_id) != spec_ids.end()) {
    return InvalidUpdate("partition spec {} is the default one and cannot be removed",
                         metadata_.default_spec_id);
  }
  has_changes_ |=
      std::erase_if(metadata_.partition_specs, [&](const PartitionSpecPtr& spec) {
        return std::find(spec_ids.begin(), spec_ids.end(), spec->spec_id) != spec_ids.end();
      }) > 0;
  return {};
}

Status MetadataBuilder::AddSortOrder(SortOrder order) {
  const SchemaPtr schema = metadata_.current_schema();
  if (!schema) return InvalidUpdate("a sort order needs a current schema; set it before");
  FIRN_RETURN_IF_ERROR(AsRequest(ValidateSortOrder(order, *schema)));
  int32_t next_id = order.fields.empty() ? 0 : 1;
  for (const SortOrder& other : metadata_.sort_orders) {
    if (IsSameOrder(other, order)) {
      last_added_order_id_ = other.order_id;
      return {};
    }
    if (!order.fields.empty()) next_id = std::max(next_id, other.order_id + 1);
  }
  order.order_id = next_id;
  metadata_.sort_orders.push_back(std::move(order));
  last_added_order_id_ = next_id;
  has_changes_ = true;
  return {};
}

Status MetadataBuilder::SetDefaultSortOrder(int32_t order_id) {
  FIRN_ASSIGN(const int32_t id, ResolveId(order_id, last_added_order_id_, "sort order"));
  if (metadata_.FindSortOrder(id) == nullptr) {
    return InvalidUpdate("sort order {} is not in the table", id);
  }
  has_changes_ |= id != metadata_.default_sort_order_id;
  metadata_.default_sort_order_id = id;
  return {};
}

}  // namespace firn
