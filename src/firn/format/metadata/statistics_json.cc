#include <utility>

#include "firn/format/metadata/metadata_json.h"

// Parts of table metadata that name files and keys beside the snapshots, and what all parts share.

namespace firn {

void WriteExtra(JsonWriter& json, const ExtraFields& extra) {
  for (const auto& [key, text] : extra)
    json.RawField(key, text);
}

void WriteTimestamp(JsonWriter& json, std::string_view key, Timestamp time) {
  json.IntField(key, time.time_since_epoch().count());
}

void WriteSourceIds(JsonWriter& json, const std::vector<int32_t>& source_ids) {
  if (source_ids.size() == 1) return json.IntField("source-id", source_ids.front());
  json.Key("source-ids");
  json.BeginArray();
  for (const int32_t id : source_ids)
    json.Int(id);
  json.EndArray();
}

void WriteJson(JsonWriter& json, const std::map<std::string, std::string, std::less<>>& map) {
  json.BeginObject();
  for (const auto& [key, value] : map)
    json.StringField(key, value);
  json.EndObject();
}

namespace {

void WritePairs(JsonWriter& json, std::string_view key,
                const std::vector<std::pair<std::string, std::string>>& pairs) {
  if (pairs.empty()) return;
  json.Key(key);
  json.BeginObject();
  for (const auto& [name, value] : pairs)
    json.StringField(name, value);
  json.EndObject();
}

}  // namespace

Status ReadJson(JsonValue& json, BlobMetadata& out) {
  return ReadMembers(
      json,
      {RequiredMember("type", out.type), RequiredMember("snapshot-id", out.snapshot_id),
       RequiredMember("sequence-number", out.sequence_number), RequiredMember("fields", out.fields),
       OptionalMember("properties", out.properties)},
      out.extra);
}

void WriteJson(JsonWriter& json, const BlobMetadata& blob) {
  json.BeginObject();
  json.StringField("type", blob.type);
  json.IntField("snapshot-id", blob.snapshot_id);
  json.IntField("sequence-number", blob.sequence_number);
  json.Key("fields");
  json.BeginArray();
  for (const int32_t field : blob.fields)
    json.Int(field);
  json.EndArray();
  WritePairs(json, "properties", blob.properties);
  WriteExtra(json, blob.extra);
  json.EndObject();
}

Status ReadJson(JsonValue& json, StatisticsFile& out) {
  return ReadMembers(
      json,
      {RequiredMember("snapshot-id", out.snapshot_id), RequiredMember("statistics-path", out.path),
       RequiredMember("file-size-in-bytes", out.file_size_in_bytes),
       RequiredMember("file-footer-size-in-bytes", out.file_footer_size_in_bytes),
       OptionalMember("key-metadata", out.key_metadata),
       RequiredMember("blob-metadata", out.blobs)},
      out.extra);
}

void WriteJson(JsonWriter& json, const StatisticsFile& file) {
  json.BeginObject();
  json.IntField("snapshot-id", file.snapshot_id);
  json.StringField("statistics-path", file.path);
  json.IntField("file-size-in-bytes", file.file_size_in_bytes);
  json.IntField("file-footer-size-in-bytes", file.file_footer_size_in_bytes);
  WriteOptionalString(json, "key-metadata", file.key_metadata);
  WriteJsonArray(json, "blob-metadata", file.blobs);
  WriteExtra(json, file.extra);
  json.EndObject();
}

Status ReadJson(JsonValue& json, PartitionStatisticsFile& out) {
  return ReadMembers(
      json,
      {RequiredMember("snapshot-id", out.snapshot_id), RequiredMember("statistics-path", out.path),
       RequiredMember("file-size-in-bytes", out.file_size_in_bytes)},
      out.extra);
}

void WriteJson(JsonWriter& json, const PartitionStatisticsFile& file) {
  json.BeginObject();
  json.IntField("snapshot-id", file.snapshot_id);
  json.StringField("statistics-path", file.path);
  json.IntField("file-size-in-bytes", file.file_size_in_bytes);
  WriteExtra(json, file.extra);
  json.EndObject();
}

Status ReadJson(JsonValue& json, EncryptionKey& out) {
  return ReadMembers(json,
                     {RequiredMember("key-id", out.key_id),
                      RequiredMember("encrypted-key-metadata", out.encrypted_key_metadata),
                      OptionalMember("encrypted-by-id", out.encrypted_by_id),
                      OptionalMember("properties", out.properties)},
                     out.extra);
}

void WriteJson(JsonWriter& json, const EncryptionKey& key) {
  json.BeginObject();
  json.StringField("key-id", key.key_id);
  json.StringField("encrypted-key-metadata", key.encrypted_key_metadata);
  WriteOptionalString(json, "encrypted-by-id", key.encrypted_by_id);
  WritePairs(json, "properties", key.properties);
  WriteExtra(json, key.extra);
  json.EndObject();
}

}  // namespace firn
