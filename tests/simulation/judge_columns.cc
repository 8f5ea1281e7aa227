#include <algorithm>

#include "model.h"

/// What the judge knows of columns: those of the table, and the values of those that came later.

namespace firn::simulation {

bool HasOtherValues(const NestedField& field) {
  if (field.id == kIdField || field.id == kCatField) return false;
  const TypeId id = field.type->id();
  return id == TypeId::kInt || id == TypeId::kLong || id == TypeId::kFloat ||
         id == TypeId::kDouble || id == TypeId::kDate;
}

bool IsSource(const TableMetadata& metadata, int32_t id) {
  const auto is_of = [id](const auto& field) { return field.source_id() == id; };
  const auto& parts = metadata.default_spec()->fields;
  if (std::any_of(parts.begin(), parts.end(), is_of)) return true;
  const SortOrder* order = metadata.FindSortOrder(metadata.default_sort_order_id);
  return order != nullptr && std::any_of(order->fields.begin(), order->fields.end(), is_of);
}

// Whether it is what the operation at work, or one whose request may come late, was to do.
bool Judge::IsColumnChangeAllowed(const NestedField& before, const NestedField* now) {
  const auto allows = [&](const Operation& operation) {
    return operation.changes_column && operation.changes_column(before, now);
  };
  if (const Operation* own = CurrentOperation()) return allows(*own);
  return std::any_of(operations_.begin(), operations_.end(), [&](const auto& numbered) {
    return numbered.second.end != OperationEnd::kFailed && allows(numbered.second);
  });
}

void Judge::CheckColumns(const TableMetadata& before, const TableMetadata& after) {
  for (const NestedField& field : before.current_schema()->fields()) {
    const NestedField* now = after.current_schema()->FindField(field.id);
    if (now != nullptr && *now == field) continue;
    if (!IsColumnChangeAllowed(field, now)) {
      world_.Violate(
          fmt::format("column '{}' is {}", field.name, now == nullptr ? "lost" : "another"));
    }
    if (now != nullptr) continue;
    for (auto& [number, operation] : operations_) {
      if (!field.doc.empty() && operation.added_doc == field.doc) operation.is_done = nullptr;
    }
  }
  CheckSources(after);
}

// Expiry may forget schemas and specs that nothing uses.
void Judge::CheckLayoutKept(const TableMetadata& before, const TableMetadata& after) {
  std::set<int32_t> schemas = {after.current_schema_id};
  std::set<int32_t> specs = {after.default_spec_id};
  for (const Snapshot& snapshot : after.snapshots) {
    if (snapshot.schema_id) schemas.insert(*snapshot.schema_id);
    specs.insert(specs_[snapshot.snapshot_id].begin(), specs_[snapshot.snapshot_id].end());
  }
  const bool may_go = is_expiring();
  for (const SchemaPtr& schema : before.schemas) {
    const SchemaPtr kept = after.FindSchema(schema->schema_id());
    if (kept == nullptr && may_go && !schemas.contains(schema->schema_id())) continue;
    if (kept == nullptr || !kept->IsSameAs(*schema)) {
      world_.Violate(fmt::format("schema {} is lost or changed", schema->schema_id()));
    }
  }
  for (const PartitionSpecPtr& spec : before.partition_specs) {
    const PartitionSpecPtr kept = after.FindSpec(spec->spec_id);
    if (kept == nullptr && may_go && !specs.contains(spec->spec_id)) continue;
    if (kept == nullptr || !(*kept == *spec)) {
      world_.Violate(fmt::format("partition spec {} is lost or changed", spec->spec_id));
    }
  }
}

// By what rows are partitioned and sorted from now on is there.
void Judge::CheckSources(const TableMetadata& after) {
  const SchemaPtr schema = after.current_schema();
  for (const PartitionField& field : after.default_spec()->fields) {
    if (field.transform.kind == TransformKind::kVoid) continue;
    if (schema->FindField(field.source_id()) != nullptr) continue;
    world_.Violate(fmt::format("partition field '{}' has lost its column", field.name));
  }
  for (const SortOrder& order : after.sort_orders) {
    if (order.order_id != after.default_sort_order_id) continue;
    for (const SortField& field : order.fields) {
      if (schema->FindField(field.source_id()) != nullptr) continue;
      world_.Violate(fmt::format("the sort order has lost column {}", field.source_id()));
    }
  }
}

// A catalog that looks at nothing but requirements, as those of others do, keeps a spec and an
// order whose columns go.
void Judge::SeeRequest(const TableName& name, std::span<const TableRequirement> requirements,
                       std::span<const TableUpdate> updates) {
  if (!current_ || !(name == name_) || !CheckRequirements(&metadata(), requirements).ok()) return;
  SchemaPtr schema;
  for (const TableUpdate& update : updates) {
    if (std::holds_alternative<SetDefaultSpec>(update)) return;
    if (std::holds_alternative<SetDefaultSortOrder>(update)) return;
    if (const auto* added = std::get_if<AddSchema>(&update)) schema = added->schema;
  }
  if (schema == nullptr) return;
  for (const NestedField& field : metadata().current_schema()->fields()) {
    if (schema->FindField(field.id) != nullptr || !IsSource(metadata(), field.id)) continue;
    world_.Violate(fmt::format(
        "column '{}' may go, although the table is partitioned or sorted by it", field.name));
  }
}

// What the operation makes of the rows of the snapshot before.
Rows Judge::ExpectedRows(const Table& after, const Snapshot& snapshot, const Operation& operation,
                         const Rows& before) {
  const size_t count = operation.snapshot_ids.size();
  const bool is_later = count > 1 && !operation.makes_many && !operation.later.empty();
  Rows rows = (is_later ? operation.later[count - 2] : operation.apply)(before);
  if (!operation.expires || !snapshot.parent_snapshot_id) return rows;
  const auto old = read_rows_(world_.true_io(), after, *snapshot.parent_snapshot_id);
  if (!old.ok()) {
    world_.Violate(fmt::format("snapshot {}, of which rows expire, cannot be read: {}",
                               *snapshot.parent_snapshot_id, old.error().Format()));
    return rows;
  }
  for (const Row& row : *old) {
    if (operation.expires(row.others)) rows.erase(row.id);
  }
  return rows;
}

// A value stays as long as its row and its column do.
void Judge::CheckOthers(const Table& after, const Snapshot& snapshot, const Operation& operation,
                        const std::vector<Row>& rows) {
  const auto parent =
      snapshot.parent_snapshot_id ? others_.find(*snapshot.parent_snapshot_id) : others_.end();
  std::map<int64_t, OtherValues>& others = others_[snapshot.snapshot_id];
  for (const Row& row : rows) {
    for (const auto& [field, value] : row.others) {
      if (!value) continue;
      others[row.id].emplace(field, value);
      if (*value == OtherValue(row.id, field)) continue;
      world_.Violate(fmt::format("column {} of row {} is {} in snapshot {} of {}", field, row.id,
                                 *value, snapshot.snapshot_id, Describe(operation)));
    }
    if (parent == others_.end() || operation.loses_others) continue;
    for (const auto& [field, value] : parent->second[row.id]) {
      const bool is_there = after.metadata->current_schema()->FindField(field) != nullptr;
      if (!is_there || others[row.id].contains(field)) continue;
      world_.Violate(fmt::format("column {} of row {} is lost in snapshot {} of {}", field, row.id,
                                 snapshot.snapshot_id, Describe(operation)));
    }
  }
}

}  // namespace firn::simulation
