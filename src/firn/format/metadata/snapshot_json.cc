#include <utility>

#include "firn/format/metadata/metadata_json.h"

namespace firn {
namespace {

// The summary of a snapshot: the operation lies apart from the rest.
struct SummaryReader {
  Summary summary;
  std::string operation;
};

Status ReadJson(JsonValue& json, SummaryReader& out) {
  Summary summary;
  summary.Reserve(4096, 64);
  FIRN_RETURN_IF_ERROR(
      VisitStringMap(json, [&](std::string_view key, std::string_view text) -> Status {
        if (key == "operation") {
          out.operation = text;
        } else {
          summary.Append(key, text);
        }
        return {};
      }));
  // A copy takes just the memory it needs, and the room that was reserved serves the next snapshot.
  out.summary = summary;
  return {};
}

void WriteSummary(JsonWriter& json, const Snapshot& snapshot) {
  if (snapshot.operation.empty() && snapshot.summary.empty()) return;
  json.Key("summary");
  json.BeginObject();
  if (!snapshot.operation.empty()) json.StringField("operation", snapshot.operation);
  for (const auto& [key, value] : snapshot.summary)
    json.StringField(key, value);
  json.EndObject();
}

}  // namespace

Status ReadJson(JsonValue& json, RefType& out) {
  FIRN_ASSIGN(const std::string_view text, json.ReadString());
  if (text != "branch" && text != "tag") return json.MakeMismatch("\"branch\" or \"tag\"");
  out = text == "tag" ? RefType::kTag : RefType::kBranch;
  return {};
}

Status ReadJson(JsonValue& json, Snapshot& out) {
  SummaryReader summary;
  FIRN_RETURN_IF_ERROR(ReadMembers(
      json,
      {OptionalMember("sequence-number", out.sequence_number),
       RequiredMember("snapshot-id", out.snapshot_id),
       OptionalMember("parent-snapshot-id", out.parent_snapshot_id),
       RequiredMember("timestamp-ms", out.timestamp), OptionalMember("summary", summary),
       OptionalMember("manifest-list", out.manifest_list),
       OptionalMember("manifests", out.manifests), OptionalMember("schema-id", out.schema_id),
       OptionalMember("first-row-id", out.first_row_id),
       OptionalMember("added-rows", out.added_rows), OptionalMember("key-id", out.key_id)},
      out.extra));
  out.summary = std::move(summary.summary);
  out.operation = std::move(summary.operation);
  if (!out.manifest_list.empty()) out.manifests.clear();
  return {};
}

void WriteJson(JsonWriter& json, const Snapshot& snapshot, int format_version) {
  json.BeginObject();
  if (format_version > 1) json.IntField("sequence-number", snapshot.sequence_number);
  json.IntField("snapshot-id", snapshot.snapshot_id);
  WriteOptionalInt(json, "parent-snapshot-id", snapshot.parent_snapshot_id);
  WriteTimestamp(json, "timestamp-ms", snapshot.timestamp);
  WriteSummary(json, snapshot);
  if (!snapshot.manifest_list.empty()) {
    json.StringField("manifest-list", snapshot.manifest_list);
  } else {
    json.Key("manifests");
    json.BeginArray();
    for (const std::string& manifest : snapshot.manifests)
      json.String(manifest);
    json.EndArray();
  }
  WriteOptionalInt(json, "schema-id", snapshot.schema_id);
  WriteOptionalInt(json, "first-row-id", snapshot.first_row_id);
  WriteOptionalInt(json, "added-rows", snapshot.added_rows);
  WriteOptionalString(json, "key-id", snapshot.key_id);
  WriteExtra(json, snapshot.extra);
  json.EndObject();
}

Status ReadJson(JsonValue& json, SnapshotRef& out) {
  return ReadMembers(
      json,
      {RequiredMember("snapshot-id", out.snapshot_id), RequiredMember("type", out.type),
       OptionalMember("min-snapshots-to-keep", out.min_snapshots_to_keep),
       OptionalMember("max-snapshot-age-ms", out.max_snapshot_age_ms),
       OptionalMember("max-ref-age-ms", out.max_ref_age_ms)},
      out.extra);
}

void WriteRefMembers(JsonWriter& json, const SnapshotRef& ref) {
  json.IntField("snapshot-id", ref.snapshot_id);
  json.StringField("type", ref.type == RefType::kTag ? "tag" : "branch");
  WriteOptionalInt(json, "min-snapshots-to-keep", ref.min_snapshots_to_keep);
  WriteOptionalInt(json, "max-snapshot-age-ms", ref.max_snapshot_age_ms);
  WriteOptionalInt(json, "max-ref-age-ms", ref.max_ref_age_ms);
  WriteExtra(json, ref.extra);
}

void WriteJson(JsonWriter& json, const SnapshotRef& ref) {
  json.BeginObject();
  WriteRefMembers(json, ref);
  json.EndObject();
}

Status ReadJson(JsonValue& json, SnapshotLogEntry& out) {
  return ReadMembers(json,
                     {RequiredMember("timestamp-ms", out.timestamp),
                      RequiredMember("snapshot-id", out.snapshot_id)},
                     out.extra);
}

void WriteJson(JsonWriter& json, const SnapshotLogEntry& entry) {
  json.BeginObject();
  WriteTimestamp(json, "timestamp-ms", entry.timestamp);
  json.IntField("snapshot-id", entry.snapshot_id);
  WriteExtra(json, entry.extra);
  json.EndObject();
}

Status ReadJson(JsonValue& json, MetadataLogEntry& out) {
  return ReadMembers(json,
                     {RequiredMember("timestamp-ms", out.timestamp),
                      RequiredMember("metadata-file", out.metadata_file)},
                     out.extra);
}

void WriteJson(JsonWriter& json, const MetadataLogEntry& entry) {
  json.BeginObject();
  WriteTimestamp(json, "timestamp-ms", entry.timestamp);
  json.StringField("metadata-file", entry.metadata_file);
  WriteExtra(json, entry.extra);
  json.EndObject();
}

}  // namespace firn
