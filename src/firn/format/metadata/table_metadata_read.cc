#include <algorithm>
#include <utility>

#include "firn/format/metadata/metadata_json.h"
#include "firn/format/metadata/metadata_text_internal.h"
#include "firn/format/metadata/table_metadata_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr int kMaxFormatVersion = 3;

// What a file says before the rules of its version are applied.
struct TableMetadataMembers {
  TableMetadata metadata;
  std::optional<std::string> table_uuid;
  std::optional<std::string> location;
  std::optional<int64_t> last_sequence_number;
  std::optional<Timestamp> last_updated;
  std::optional<int32_t> last_column_id;
  SchemaPtr schema;
  std::optional<std::vector<SchemaPtr>> schemas;
  std::optional<int32_t> current_schema_id;
  std::optional<RawJson> partition_spec;
  std::optional<std::vector<PartitionSpecPtr>> partition_specs;
  std::optional<int32_t> default_spec_id;
  std::optional<int32_t> last_partition_id;
  std::optional<std::vector<SortOrder>> sort_orders;
  std::optional<int32_t> default_sort_order_id;
  std::optional<SnapshotId> current_snapshot_id;
  std::optional<int64_t> next_row_id;
};

}  // namespace

// Found by the templates of the reader because of the types in them.
static Status ReadJson(JsonValue& json, PartitionSpecPtr& out) {
  PartitionSpec spec;
  FIRN_RETURN_IF_ERROR(ReadPartitionSpec(json, MissingFieldIds::kNumber, spec));
  out = std::make_shared<const PartitionSpec>(std::move(spec));
  return {};
}

static Status ReadJson(JsonValue& json, std::map<std::string, SnapshotRef, std::less<>>& out) {
  return json.VisitMembers([&](std::string_view name, JsonValue& value) -> Status {
    const auto [entry, is_new] = out.try_emplace(std::string(name));
    if (!is_new) return value.MakePathError("the key stands twice in its object");
    return ReadJson(value, entry->second);
  });
}

namespace {

Status ReadTableMembers(JsonValue& json, TableMetadataMembers& out) {
  TableMetadata& metadata = out.metadata;
  return ReadMembers(json,
                     {RequiredMember("format-version", metadata.format_version),
                      OptionalMember("table-uuid", out.table_uuid),
                      OptionalMember("location", out.location),
                      OptionalMember("last-sequence-number", out.last_sequence_number),
                      OptionalMember("last-updated-ms", out.last_updated),
                      OptionalMember("last-column-id", out.last_column_id),
                      OptionalMember("schema", out.schema),
                      OptionalMember("schemas", out.schemas),
                      OptionalMember("current-schema-id", out.current_schema_id),
                      OptionalMember("partition-spec", out.partition_spec),
                      OptionalMember("partition-specs", out.partition_specs),
                      OptionalMember("default-spec-id", out.default_spec_id),
                      OptionalMember("last-partition-id", out.last_partition_id),
                      OptionalMember("sort-orders", out.sort_orders),
                      OptionalMember("default-sort-order-id", out.default_sort_order_id),
                      OptionalMember("properties", metadata.properties),
                      OptionalMember("current-snapshot-id", out.current_snapshot_id),
                      OptionalMember("refs", metadata.refs),
                      OptionalMember("snapshots", metadata.snapshots),
                      OptionalMember("statistics", metadata.statistics),
                      OptionalMember("partition-statistics", metadata.partition_statistics),
                      OptionalMember("snapshot-log", metadata.snapshot_log),
                      OptionalMember("metadata-log", metadata.metadata_log),
                      OptionalMember("next-row-id", out.next_row_id),
                      OptionalMember("encryption-keys", metadata.encryption_keys)},
                     metadata.extra);
}

Error Missing(std::string_view field, int format_version) {
  return MakeError(ErrorCode::kCorrupt, "required field '{}' is missing (format version {})", field,
                   format_version);
}

// Move a required field to its place.
template <typename T, typename U>
Status Require(std::string_view field, int format_version, std::optional<T>& from, U& to) {
  if (!from) return Missing(field, format_version);
  to = *std::move(from);
  return {};
}

Status FinishSchemas(TableMetadataMembers& raw) {
  TableMetadata& metadata = raw.metadata;
  if (raw.schemas) {
    metadata.schemas = *std::move(raw.schemas);
    FIRN_RETURN_IF_ERROR(Require("current-schema-id", metadata.format_version,
                                 raw.current_schema_id, metadata.current_schema_id));
    return CheckCurrentSchemaId(metadata);
  }
  if (metadata.format_version > 1) return Missing("schemas", metadata.format_version);
  if (!raw.schema) return Missing("schema' or 'schemas", metadata.format_version);
  metadata.current_schema_id = raw.schema->schema_id();
  metadata.schemas = {std::move(raw.schema)};
  return {};
}

Status FinishSpecs(TableMetadataMembers& raw) {
  TableMetadata& metadata = raw.metadata;
  const int version = metadata.format_version;
  if (raw.partition_specs) {
    metadata.partition_specs = *std::move(raw.partition_specs);
    FIRN_RETURN_IF_ERROR(
        Require("default-spec-id", version, raw.default_spec_id, metadata.default_spec_id));
  } else {
    if (version > 1) return Missing("partition-specs", version);
    if (!raw.partition_spec) return Missing("partition-spec' or 'partition-specs", version);
    FIRN_ASSIGN(PartitionSpec spec,
                ParsePartitionFieldsJson(raw.partition_spec->text, 0, "partition-spec"));
    metadata.partition_specs = {std::make_shared<const PartitionSpec>(std::move(spec))};
    metadata.default_spec_id = 0;
  }
  if (version > 1 || raw.last_partition_id) {
    return Require("last-partition-id", version, raw.last_partition_id, metadata.last_partition_id);
  }
  for (const PartitionSpecPtr& spec : metadata.partition_specs) {
    for (const PartitionField& field : spec->fields)
      metadata.last_partition_id = std::max(metadata.last_partition_id, field.field_id);
  }
  return {};
}

Status FinishSortOrders(TableMetadataMembers& raw) {
  TableMetadata& metadata = raw.metadata;
  if (raw.sort_orders) {
    metadata.sort_orders = *std::move(raw.sort_orders);
    return Require("default-sort-order-id", metadata.format_version, raw.default_sort_order_id,
                   metadata.default_sort_order_id);
  }
  if (metadata.format_version > 1) return Missing("sort-orders", metadata.format_version);
  metadata.sort_orders = {SortOrder{}};
  metadata.default_sort_order_id = 0;
  return {};
}

void FinishSnapshots(TableMetadataMembers& raw) {
  constexpr SnapshotId kNone = -1;  // As Java writes it up to v2.
  TableMetadata& metadata = raw.metadata;
  if (raw.current_snapshot_id != kNone) metadata.current_snapshot_id = raw.current_snapshot_id;
  if (metadata.refs.empty() && metadata.current_snapshot_id) {
    metadata.refs[std::string(kMainBranch)].snapshot_id = *metadata.current_snapshot_id;
  }
  if (metadata.format_version > 1) return;
  for (Snapshot& snapshot : metadata.snapshots)
    snapshot.sequence_number = 0;
}

Result<TableMetadata> Finish(TableMetadataMembers raw) {
  TableMetadata& metadata = raw.metadata;
  const int version = metadata.format_version;
  if (version > 1 && !raw.table_uuid) return Missing("table-uuid", version);
  metadata.table_uuid = std::move(raw.table_uuid).value_or("");
  if (!raw.location) return Missing("location", version);
  metadata.location = StripTrailingSlash(*raw.location);
  if (version > 1) {
    FIRN_RETURN_IF_ERROR(Require("last-sequence-number", version, raw.last_sequence_number,
                                 metadata.last_sequence_number));
  }
  FIRN_RETURN_IF_ERROR(
      Require("last-updated-ms", version, raw.last_updated, metadata.last_updated));
  FIRN_RETURN_IF_ERROR(
      Require("last-column-id", version, raw.last_column_id, metadata.last_column_id));
  FIRN_RETURN_IF_ERROR(FinishSchemas(raw));
  FIRN_RETURN_IF_ERROR(FinishSpecs(raw));
  FIRN_RETURN_IF_ERROR(FinishSortOrders(raw));
  if (version > 2) {
    FIRN_RETURN_IF_ERROR(Require("next-row-id", version, raw.next_row_id, metadata.next_row_id));
  }
  FinishSnapshots(raw);
  return std::move(metadata);
}

Result<TableMetadataMembers> ReadDocument(PaddedText text) {
  FIRN_ASSIGN(auto document, JsonDocument::Open(std::move(text)));
  FIRN_RETURN_IF_ERROR(CheckMetadataVersion(document, kMaxFormatVersion));
  TableMetadataMembers raw;
  FIRN_RETURN_IF_ERROR(
      document.VisitRoot([&](JsonValue& root) { return ReadTableMembers(root, raw); }));
  return raw;
}

Result<TableMetadata> ParsePadded(PaddedText text) {
  FIRN_ASSIGN(TableMetadataMembers raw, ReadDocument(std::move(text)));
  FIRN_ASSIGN(TableMetadata metadata, Finish(std::move(raw)));
  FIRN_RETURN_IF_ERROR(ValidateTableMetadata(metadata));
  return metadata;
}

}  // namespace

Result<TableMetadata> ParseTableMetadata(std::span<const std::byte> bytes, std::string_view where) {
  FIRN_ASSIGN(PaddedText text, UnpackMetadataText(bytes), "{}", where);
  FIRN_ASSIGN(TableMetadata metadata, ParsePadded(std::move(text)), "{}", where);
  return metadata;
}

Result<TableMetadataPtr> LoadTableMetadata(FileIO& io, std::string_view uri) {
  FIRN_ASSIGN(PaddedText text, ReadMetadataText(io, uri), "table metadata '{}'", uri);
  FIRN_ASSIGN(TableMetadata metadata, ParsePadded(std::move(text)), "table metadata '{}'", uri);
  return std::make_shared<const TableMetadata>(std::move(metadata));
}

}  // namespace firn
