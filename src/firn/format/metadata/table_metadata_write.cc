#include "firn/format/metadata/metadata_json.h"
#include "firn/format/metadata/metadata_text_internal.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {
namespace {

void WriteSchemas(JsonWriter& json, const TableMetadata& metadata) {
  if (metadata.format_version == 1) {
    json.Key("schema");
    WriteJson(json, *metadata.current_schema());
  }
  json.IntField("current-schema-id", metadata.current_schema_id);
  json.Key("schemas");
  json.BeginArray();
  for (const SchemaPtr& schema : metadata.schemas)
    WriteJson(json, *schema);
  json.EndArray();
}

void WriteSpecs(JsonWriter& json, const TableMetadata& metadata) {
  if (metadata.format_version == 1) {
    json.Key("partition-spec");
    WriteJson(json, metadata.default_spec()->fields);
  }
  json.IntField("default-spec-id", metadata.default_spec_id);
  json.Key("partition-specs");
  json.BeginArray();
  for (const PartitionSpecPtr& spec : metadata.partition_specs)
    WriteJson(json, *spec);
  json.EndArray();
  json.IntField("last-partition-id", metadata.last_partition_id);
}

void WriteSnapshots(JsonWriter& json, const TableMetadata& metadata) {
  // Java writes -1 for "none" up to v2; a missing field is understood by all.
  if (metadata.current_snapshot_id) {
    json.IntField("current-snapshot-id", *metadata.current_snapshot_id);
  }
  if (metadata.format_version > 2) json.IntField("next-row-id", metadata.next_row_id);
  if (!metadata.encryption_keys.empty()) {
    WriteJsonArray(json, "encryption-keys", metadata.encryption_keys);
  }
  json.Key("refs");
  json.BeginObject();
  for (const auto& [name, ref] : metadata.refs) {
    json.Key(name);
    WriteJson(json, ref);
  }
  json.EndObject();
  json.Key("snapshots");
  json.BeginArray();
  for (const Snapshot& snapshot : metadata.snapshots)
    WriteJson(json, snapshot, metadata.format_version);
  json.EndArray();
}

JsonWriter WriteTable(const TableMetadata& metadata) {
  JsonWriter json;
  json.BeginObject();
  json.IntField("format-version", metadata.format_version);
  if (!metadata.table_uuid.empty()) json.StringField("table-uuid", metadata.table_uuid);
  json.StringField("location", metadata.location);
  if (metadata.format_version > 1) {
    json.IntField("last-sequence-number", metadata.last_sequence_number);
  }
  WriteTimestamp(json, "last-updated-ms", metadata.last_updated);
  json.IntField("last-column-id", metadata.last_column_id);
  WriteSchemas(json, metadata);
  WriteSpecs(json, metadata);
  json.IntField("default-sort-order-id", metadata.default_sort_order_id);
  WriteJsonArray(json, "sort-orders", metadata.sort_orders);
  json.Key("properties");
  WriteJson(json, metadata.properties);
  WriteSnapshots(json, metadata);
  WriteJsonArray(json, "statistics", metadata.statistics);
  WriteJsonArray(json, "partition-statistics", metadata.partition_statistics);
  WriteJsonArray(json, "snapshot-log", metadata.snapshot_log);
  WriteJsonArray(json, "metadata-log", metadata.metadata_log);
  WriteExtra(json, metadata.extra);
  json.EndObject();
  return json;
}

}  // namespace

std::string FormatTableMetadata(const TableMetadata& metadata) {
  return WriteTable(metadata).Take();
}

Status WriteTableMetadata(FileIO& io, std::string_view uri, const TableMetadata& metadata,
                          const CreateOptions& options) {
  return WriteMetadataText(io, uri, WriteTable(metadata), options);
}

}  // namespace firn
