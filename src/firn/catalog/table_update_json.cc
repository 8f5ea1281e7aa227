#include <algorithm>
#include <array>
#include <utility>

#include <fmt/ranges.h>

#include "firn/catalog/table_update.h"
#include "firn/format/metadata/metadata_json.h"

namespace firn {
namespace {

// In the order of the alternatives of TableUpdate.
constexpr std::array<std::string_view, std::variant_size_v<TableUpdate>> kActions = {
    "assign-uuid",
    "upgrade-format-version",
    "add-schema",
    "set-current-schema",
    "add-spec",
    "set-default-spec",
    "add-sort-order",
    "set-default-sort-order",
    "add-snapshot",
    "set-snapshot-ref",
    "remove-snapshots",
    "remove-snapshot-ref",
    "set-location",
    "set-properties",
    "remove-properties",
    "set-statistics",
    "remove-statistics",
    "set-partition-statistics",
    "remove-partition-statistics",
    "remove-partition-specs",
    "remove-schemas",
    "add-encryption-key",
    "remove-encryption-key"};

// In the order of the alternatives of TableRequirement.
constexpr std::array<std::string_view, std::variant_size_v<TableRequirement>> kTypes = {
    "assert-create",
    "assert-table-uuid",
    "assert-ref-snapshot-id",
    "assert-last-assigned-field-id",
    "assert-current-schema-id",
    "assert-last-assigned-partition-id",
    "assert-default-spec-id",
    "assert-default-sort-order-id"};

// A spec whose fields may lack ids.
struct UnboundSpec {
  PartitionSpec spec;
};
Status ReadJson(JsonValue& json, UnboundSpec& out) {
  return ReadPartitionSpec(json, MissingFieldIds::kZero, out.spec);
}

template <typename T>
void WriteInts(JsonWriter& json, std::string_view key, const std::vector<T>& values) {
  json.Key(key);
  json.BeginArray();
  for (const T value : values)
    json.Int(value);
  json.EndArray();
}

// Reads the members named, and lets others pass: a newer client may say more.
Status ReadOnly(JsonValue& json, std::initializer_list<JsonMember> members) {
  ExtraFields ignored;
  return ReadMembers(json, members, ignored);
}

template <typename T>
Status ReadOne(JsonValue& json, std::string_view key, T& out) {
  return ReadOnly(json, {RequiredMember(key, out)});
}

template <typename T>
void WriteObject(JsonWriter& json, std::string_view key, const T& value) {
  json.Key(key);
  WriteJson(json, value);
}

// Read and Write: a pair for each update and requirement, without its "action" or "type".

Status Read(JsonValue& json, AssignUuid& out) { return ReadOne(json, "uuid", out.uuid); }
void Write(JsonWriter& json, const AssignUuid& update) { json.StringField("uuid", update.uuid); }

Status Read(JsonValue& json, UpgradeFormatVersion& out) {
  return ReadOne(json, "format-version", out.format_version);
}
void Write(JsonWriter& json, const UpgradeFormatVersion& update) {
  json.IntField("format-version", update.format_version);
}

Status Read(JsonValue& json, AddSchema& out) { return ReadOne(json, "schema", out.schema); }
void Write(JsonWriter& json, const AddSchema& update) {
  WriteObject(json, "schema", *update.schema);
  json.IntField("last-column-id", update.schema->highest_field_id());  // For older servers.
}

Status Read(JsonValue& json, SetCurrentSchema& out) {
  return ReadOne(json, "schema-id", out.schema_id);
}
void Write(JsonWriter& json, const SetCurrentSchema& update) {
  json.IntField("schema-id", update.schema_id);
}

Status Read(JsonValue& json, AddPartitionSpec& out) {
  UnboundSpec unbound;
  FIRN_RETURN_IF_ERROR(ReadOne(json, "spec", unbound));
  out.spec = std::move(unbound.spec);
  return {};
}
void Write(JsonWriter& json, const AddPartitionSpec& update) {
  WriteObject(json, "spec", update.spec);
}

Status Read(JsonValue& json, SetDefaultSpec& out) { return ReadOne(json, "spec-id", out.spec_id); }
void Write(JsonWriter& json, const SetDefaultSpec& update) {
  json.IntField("spec-id", update.spec_id);
}

Status Read(JsonValue& json, AddSortOrder& out) {
  return ReadOne(json, "sort-order", out.sort_order);
}
void Write(JsonWriter& json, const AddSortOrder& update) {
  WriteObject(json, "sort-order", update.sort_order);
}

Status Read(JsonValue& json, SetDefaultSortOrder& out) {
  return ReadOne(json, "sort-order-id", out.sort_order_id);
}
void Write(JsonWriter& json, const SetDefaultSortOrder& update) {
  json.IntField("sort-order-id", update.sort_order_id);
}

Status Read(JsonValue& json, AddSnapshot& out) { return ReadOne(json, "snapshot", out.snapshot); }
void Write(JsonWriter& json, const AddSnapshot& update) {
  // Sequence number 0 is that of v1, where there is none.
  json.Key("snapshot");
  WriteJson(json, update.snapshot, update.snapshot.sequence_number > 0 ? 2 : 1);
}

Status Read(JsonValue& json, SetSnapshotRef& out) {
  return ReadOnly(json, {RequiredMember("ref-name", out.name),
                         RequiredMember("snapshot-id", out.ref.snapshot_id),
                         RequiredMember("type", out.ref.type),
                         OptionalMember("min-snapshots-to-keep", out.ref.min_snapshots_to_keep),
                         OptionalMember("max-snapshot-age-ms", out.ref.max_snapshot_age_ms),
                         OptionalMember("max-ref-age-ms", out.ref.max_ref_age_ms)});
}
void Write(JsonWriter& json, const SetSnapshotRef& update) {
  json.StringField("ref-name", update.name);
  WriteRefMembers(json, update.ref);
}

Status Read(JsonValue& json, RemoveSnapshots& out) {
  return ReadOne(json, "snapshot-ids", out.snapshot_ids);
}
void Write(JsonWriter& json, const RemoveSnapshots& update) {
  WriteInts(json, "snapshot-ids", update.snapshot_ids);
}

Status Read(JsonValue& json, RemoveSnapshotRef& out) { return ReadOne(json, "ref-name", out.name); }
void Write(JsonWriter& json, const RemoveSnapshotRef& update) {
  json.StringField("ref-name", update.name);
}

Status Read(JsonValue& json, SetLocation& out) { return ReadOne(json, "location", out.location); }
void Write(JsonWriter& json, const SetLocation& update) {
  json.StringField("location", update.location);
}

// Older clients say "updated" and "removed".
Status Read(JsonValue& json, SetProperties& out) {
  std::optional<Properties> updates;
  std::optional<Properties> updated;
  FIRN_RETURN_IF_ERROR(
      ReadOnly(json, {OptionalMember("updates", updates), OptionalMember("updated", updated)}));
  if (!updates) updates = std::move(updated);
  if (!updates) return json.MakePathError("required field 'updates' is missing");
  out.updates = *std::move(updates);
  return {};
}
void Write(JsonWriter& json, const SetProperties& update) {
  WriteObject(json, "updates", update.updates);
}

Status Read(JsonValue& json, RemoveProperties& out) {
  std::optional<std::vector<std::string>> removals;
  std::optional<std::vector<std::string>> removed;
  FIRN_RETURN_IF_ERROR(
      ReadOnly(json, {OptionalMember("removals", removals), OptionalMember("removed", removed)}));
  if (!removals) removals = std::move(removed);
  if (!removals) return json.MakePathError("required field 'removals' is missing");
  out.removals = *std::move(removals);
  return {};
}
void Write(JsonWriter& json, const RemoveProperties& update) {
  json.Key("removals");
  json.BeginArray();
  for (const std::string& key : update.removals)
    json.String(key);
  json.EndArray();
}

Status Read(JsonValue& json, SetStatistics& out) {
  return ReadOne(json, "statistics", out.statistics);
}
void Write(JsonWriter& json, const SetStatistics& update) {
  json.IntField("snapshot-id", update.statistics.snapshot_id);  // For older servers.
  WriteObject(json, "statistics", update.statistics);
}

Status Read(JsonValue& json, RemoveStatistics& out) {
  return ReadOne(json, "snapshot-id", out.snapshot_id);
}
void Write(JsonWriter& json, const RemoveStatistics& update) {
  json.IntField("snapshot-id", update.snapshot_id);
}

Status Read(JsonValue& json, SetPartitionStatistics& out) {
  return ReadOne(json, "partition-statistics", out.statistics);
}
void Write(JsonWriter& json, const SetPartitionStatistics& update) {
  WriteObject(json, "partition-statistics", update.statistics);
}

Status Read(JsonValue& json, RemovePartitionStatistics& out) {
  return ReadOne(json, "snapshot-id", out.snapshot_id);
}
void Write(JsonWriter& json, const RemovePartitionStatistics& update) {
  json.IntField("snapshot-id", update.snapshot_id);
}

Status Read(JsonValue& json, RemovePartitionSpecs& out) {
  return ReadOne(json, "spec-ids", out.spec_ids);
}
void Write(JsonWriter& json, const RemovePartitionSpecs& update) {
  WriteInts(json, "spec-ids", update.spec_ids);
}

Status Read(JsonValue& json, RemoveSchemas& out) {
  return ReadOne(json, "schema-ids", out.schema_ids);
}
void Write(JsonWriter& json, const RemoveSchemas& update) {
  WriteInts(json, "schema-ids", update.schema_ids);
}

Status Read(JsonValue& json, AddEncryptionKey& out) {
  return ReadOne(json, "encryption-key", out.key);
}
void Write(JsonWriter& json, const AddEncryptionKey& update) {
  WriteObject(json, "encryption-key", update.key);
}

Status Read(JsonValue& json, RemoveEncryptionKey& out) {
  return ReadOne(json, "key-id", out.key_id);
}
void Write(JsonWriter& json, const RemoveEncryptionKey& update) {
  json.StringField("key-id", update.key_id);
}

Status Read(JsonValue& json, AssertCreate&) { return ReadOnly(json, {}); }
void Write(JsonWriter&, const AssertCreate&) {}

Status Read(JsonValue& json, AssertTableUuid& out) { return ReadOne(json, "uuid", out.uuid); }
void Write(JsonWriter& json, const AssertTableUuid& requirement) {
  json.StringField("uuid", requirement.uuid);
}

Status Read(JsonValue& json, AssertRefSnapshotId& out) {
  return ReadOnly(json,
                  {RequiredMember("ref", out.ref), OptionalMember("snapshot-id", out.snapshot_id)});
}
void Write(JsonWriter& json, const AssertRefSnapshotId& requirement) {
  json.StringField("ref", requirement.ref);
  json.Key("snapshot-id");  // A null says that there must be no such ref; it is never left out.
  if (requirement.snapshot_id) {
    json.Int(*requirement.snapshot_id);
  } else {
    json.Null();
  }
}

Status Read(JsonValue& json, AssertLastAssignedFieldId& out) {
  return ReadOne(json, "last-assigned-field-id", out.last_assigned_field_id);
}
void Write(JsonWriter& json, const AssertLastAssignedFieldId& requirement) {
  json.IntField("last-assigned-field-id", requirement.last_assigned_field_id);
}

Status Read(JsonValue& json, AssertCurrentSchemaId& out) {
  return ReadOne(json, "current-schema-id", out.current_schema_id);
}
void Write(JsonWriter& json, const AssertCurrentSchemaId& requirement) {
  json.IntField("current-schema-id", requirement.current_schema_id);
}

Status Read(JsonValue& json, AssertLastAssignedPartitionId& out) {
  return ReadOne(json, "last-assigned-partition-id", out.last_assigned_partition_id);
}
void Write(JsonWriter& json, const AssertLastAssignedPartitionId& requirement) {
  json.IntField("last-assigned-partition-id", requirement.last_assigned_partition_id);
}

Status Read(JsonValue& json, AssertDefaultSpecId& out) {
  return ReadOne(json, "default-spec-id", out.default_spec_id);
}
void Write(JsonWriter& json, const AssertDefaultSpecId& requirement) {
  json.IntField("default-spec-id", requirement.default_spec_id);
}

Status Read(JsonValue& json, AssertDefaultSortOrderId& out) {
  return ReadOne(json, "default-sort-order-id", out.default_sort_order_id);
}
void Write(JsonWriter& json, const AssertDefaultSortOrderId& requirement) {
  json.IntField("default-sort-order-id", requirement.default_sort_order_id);
}

template <typename Variant>
std::string Format(const Variant& value, std::string_view key, std::string_view name) {
  JsonWriter json;
  json.BeginObject();
  json.StringField(key, name);
  std::visit([&](const auto& one) { Write(json, one); }, value);
  json.EndObject();
  return std::move(json).Take();
}

// Reads alternative `index` of the variant.
template <typename Variant, size_t... kIndexes>
Status ReadAlternative(JsonValue& json, size_t index, Variant& out,
                       std::index_sequence<kIndexes...>) {
  using Reader = Status (*)(JsonValue&, Variant&);
  static constexpr std::array<Reader, sizeof...(kIndexes)> kReaders = {
      [](JsonValue& value, Variant& variant) {
        return Read(value, variant.template emplace<kIndexes>());
      }...};
  return kReaders[index](json, out);
}

template <typename Variant, size_t kCount>
Result<Variant> Parse(std::string_view text, std::string_view where, std::string_view key,
                      const std::array<std::string_view, kCount>& names) {
  FIRN_ASSIGN(auto document, JsonDocument::Open(PaddedText::CopyOf(text)), "{}", where);
  std::string name;
  FIRN_RETURN_IF_ERROR(document.PeekRoot([&](JsonValue& root) { return ReadOne(root, key, name); }),
                       "{}", where);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    return MakeError(ErrorCode::kUnsupported, "{}: {} is '{}', expected one of {}", where, key,
                     name, fmt::join(names, ", "));
  }
  Variant out;
  FIRN_RETURN_IF_ERROR(document.VisitRoot([&](JsonValue& root) {
    return ReadAlternative(root, static_cast<size_t>(found - names.begin()), out,
                           std::make_index_sequence<kCount>());
  }),
                       "{}: {}", where, name);
  return out;
}

}  // namespace

std::string_view UpdateAction(const TableUpdate& update) { return kActions[update.index()]; }

std::string_view RequirementType(const TableRequirement& requirement) {
  return kTypes[requirement.index()];
}

std::string FormatTableUpdate(const TableUpdate& update) {
  return Format(update, "action", UpdateAction(update));
}

std::string FormatTableRequirement(const TableRequirement& requirement) {
  return Format(requirement, "type", RequirementType(requirement));
}

Result<TableUpdate> ParseTableUpdate(std::string_view json, std::string_view where) {
  return Parse<TableUpdate>(json, where, "action", kActions);
}

Result<TableRequirement> ParseTableRequirement(std::string_view json, std::string_view where) {
  return Parse<TableRequirement>(json, where, "type", kTypes);
}

}  // namespace firn
