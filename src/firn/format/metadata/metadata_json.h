#pragma once

#include <map>
#include <string>
#include <vector>

#include "firn/format/json/json_reader.h"
#include "firn/format/json/json_writer.h"
#include "firn/format/layout/partition_spec.h"
#include "firn/format/layout/sort_order.h"
#include "firn/format/metadata/snapshot.h"
#include "firn/format/schema/schema.h"

/// JSON of the parts of table metadata, for metadata files and for the messages of catalogs.
/// Reading checks the shape only; `ValidateTableMetadata` checks what the parts mean together.
/// Members that firn does not know are kept in `extra` and written behind the known ones.

namespace firn {

Status ReadJson(JsonValue& json, SchemaPtr& out);
void WriteJson(JsonWriter& json, const Schema& schema);

/// What a partition field without an id gets: either all fields of a spec have ids or none.
enum class MissingFieldIds {
  kNumber,  ///< 1000, 1001, ...: files of v1.
  kZero,    ///< 0: to be assigned.
};
Status ReadPartitionSpec(JsonValue& json, MissingFieldIds missing, PartitionSpec& out);
/// The list of fields alone.
Status ReadPartitionFields(JsonValue& json, MissingFieldIds missing,
                           std::vector<PartitionField>& out);
/// Field ids of 0 are left out.
void WriteJson(JsonWriter& json, const PartitionSpec& spec);
void WriteJson(JsonWriter& json, const std::vector<PartitionField>& fields);

Status ReadJson(JsonValue& json, SortField& out);
Status ReadJson(JsonValue& json, SortOrder& out);
void WriteJson(JsonWriter& json, const SortOrder& order);

Status ReadJson(JsonValue& json, Snapshot& out);
/// `format_version` decides whether there are sequence numbers.
void WriteJson(JsonWriter& json, const Snapshot& snapshot, int format_version);

Status ReadJson(JsonValue& json, RefType& out);
Status ReadJson(JsonValue& json, SnapshotRef& out);
void WriteJson(JsonWriter& json, const SnapshotRef& ref);
/// The members alone, for an object that holds others too.
void WriteRefMembers(JsonWriter& json, const SnapshotRef& ref);

Status ReadJson(JsonValue& json, SnapshotLogEntry& out);
void WriteJson(JsonWriter& json, const SnapshotLogEntry& entry);
Status ReadJson(JsonValue& json, MetadataLogEntry& out);
void WriteJson(JsonWriter& json, const MetadataLogEntry& entry);
Status ReadJson(JsonValue& json, BlobMetadata& out);
void WriteJson(JsonWriter& json, const BlobMetadata& blob);
Status ReadJson(JsonValue& json, StatisticsFile& out);
void WriteJson(JsonWriter& json, const StatisticsFile& file);
Status ReadJson(JsonValue& json, PartitionStatisticsFile& out);
void WriteJson(JsonWriter& json, const PartitionStatisticsFile& file);
Status ReadJson(JsonValue& json, EncryptionKey& out);
void WriteJson(JsonWriter& json, const EncryptionKey& key);

void WriteJson(JsonWriter& json, const std::map<std::string, std::string, std::less<>>& map);
void WriteExtra(JsonWriter& json, const ExtraFields& extra);

/// "source-id" of one, "source-ids" of several (v3).
void WriteSourceIds(JsonWriter& json, const std::vector<int32_t>& source_ids);
void WriteTimestamp(JsonWriter& json, std::string_view key, Timestamp time);

template <typename T>
void WriteOptionalInt(JsonWriter& json, std::string_view key, const std::optional<T>& value) {
  if (value) json.IntField(key, *value);
}
inline void WriteOptionalString(JsonWriter& json, std::string_view key,
                                const std::optional<std::string>& value) {
  if (value) json.StringField(key, *value);
}

/// An array of anything that has WriteJson.
template <typename T>
void WriteJsonArray(JsonWriter& json, std::string_view key, const std::vector<T>& items) {
  json.Key(key);
  json.BeginArray();
  for (const T& item : items)
    WriteJson(json, item);
  json.EndArray();
}

}  // namespace firn
