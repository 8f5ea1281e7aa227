#include <utility>

#include "firn/format/metadata/metadata_json.h"
#include "firn/format/metadata/metadata_text_internal.h"
#include "firn/format/metadata/view_metadata.h"
#include "firn/io/uri.h"

namespace firn {

// Found by the templates of the reader because of the types in them.

static Status ReadJson(JsonValue& json, ViewRepresentation& out) {
  FIRN_RETURN_IF_ERROR(
      ReadMembers(json,
                  {RequiredMember("type", out.type), OptionalMember("sql", out.sql),
                   OptionalMember("dialect", out.dialect)},
                  out.extra));
  if (out.type == "sql" && (out.sql.empty() || out.dialect.empty())) {
    return json.MakePathError(
        "a representation of type 'sql' needs the fields 'sql' and 'dialect'");
  }
  return {};
}

static void WriteJson(JsonWriter& json, const ViewRepresentation& representation) {
  json.BeginObject();
  json.StringField("type", representation.type);
  if (!representation.sql.empty()) json.StringField("sql", representation.sql);
  if (!representation.dialect.empty()) json.StringField("dialect", representation.dialect);
  WriteExtra(json, representation.extra);
  json.EndObject();
}

static Status ReadJson(JsonValue& json, ViewVersion& out) {
  return ReadMembers(
      json,
      {RequiredMember("version-id", out.version_id), RequiredMember("schema-id", out.schema_id),
       RequiredMember("timestamp-ms", out.timestamp), RequiredMember("summary", out.summary),
       RequiredMember("representations", out.representations),
       RequiredMember("default-namespace", out.default_namespace),
       OptionalMember("default-catalog", out.default_catalog)},
      out.extra);
}

static void WriteJson(JsonWriter& json, const ViewVersion& version) {
  json.BeginObject();
  json.IntField("version-id", version.version_id);
  WriteTimestamp(json, "timestamp-ms", version.timestamp);
  json.IntField("schema-id", version.schema_id);
  json.Key("summary");
  WriteJson(json, version.summary);
  WriteOptionalString(json, "default-catalog", version.default_catalog);
  json.Key("default-namespace");
  json.BeginArray();
  for (const std::string& level : version.default_namespace)
    json.String(level);
  json.EndArray();
  WriteJsonArray(json, "representations", version.representations);
  WriteExtra(json, version.extra);
  json.EndObject();
}

static Status ReadJson(JsonValue& json, ViewVersionLogEntry& out) {
  return ReadMembers(
      json,
      {RequiredMember("timestamp-ms", out.timestamp), RequiredMember("version-id", out.version_id)},
      out.extra);
}

static void WriteJson(JsonWriter& json, const ViewVersionLogEntry& entry) {
  json.BeginObject();
  WriteTimestamp(json, "timestamp-ms", entry.timestamp);
  json.IntField("version-id", entry.version_id);
  WriteExtra(json, entry.extra);
  json.EndObject();
}

namespace {

constexpr int kMaxViewFormatVersion = 1;

Status ReadView(JsonValue& json, ViewMetadata& out) {
  return ReadMembers(
      json,
      {RequiredMember("view-uuid", out.view_uuid),
       RequiredMember("format-version", out.format_version),
       RequiredMember("location", out.location), RequiredMember("schemas", out.schemas),
       RequiredMember("current-version-id", out.current_version_id),
       RequiredMember("versions", out.versions), RequiredMember("version-log", out.version_log),
       OptionalMember("properties", out.properties)},
      out.extra);
}

Result<ViewMetadata> ParsePadded(PaddedText text) {
  FIRN_ASSIGN(auto document, JsonDocument::Open(std::move(text)));
  FIRN_RETURN_IF_ERROR(CheckMetadataVersion(document, kMaxViewFormatVersion));
  ViewMetadata metadata;
  FIRN_RETURN_IF_ERROR(
      document.VisitRoot([&](JsonValue& root) { return ReadView(root, metadata); }));
  metadata.location = std::string(StripTrailingSlash(metadata.location));
  FIRN_RETURN_IF_ERROR(ValidateViewMetadata(metadata));
  return metadata;
}

JsonWriter WriteView(const ViewMetadata& metadata) {
  JsonWriter json;
  json.BeginObject();
  json.StringField("view-uuid", metadata.view_uuid);
  json.IntField("format-version", metadata.format_version);
  json.StringField("location", metadata.location);
  json.Key("properties");
  WriteJson(json, metadata.properties);
  json.Key("schemas");
  json.BeginArray();
  for (const SchemaPtr& schema : metadata.schemas)
    WriteJson(json, *schema);
  json.EndArray();
  json.IntField("current-version-id", metadata.current_version_id);
  WriteJsonArray(json, "versions", metadata.versions);
  WriteJsonArray(json, "version-log", metadata.version_log);
  WriteExtra(json, metadata.extra);
  json.EndObject();
  return json;
}

}  // namespace

Result<ViewMetadata> ParseViewMetadata(std::span<const std::byte> bytes, std::string_view where) {
  FIRN_ASSIGN(PaddedText text, UnpackMetadataText(bytes), "{}", where);
  FIRN_ASSIGN(ViewMetadata metadata, ParsePadded(std::move(text)), "{}", where);
  return metadata;
}

Result<ViewMetadata> LoadViewMetadata(FileIO& io, std::string_view uri) {
  FIRN_ASSIGN(PaddedText text, ReadMetadataText(io, uri), "view metadata '{}'", uri);
  FIRN_ASSIGN(ViewMetadata metadata, ParsePadded(std::move(text)), "view metadata '{}'", uri);
  return metadata;
}

std::string FormatViewMetadata(const ViewMetadata& metadata) { return WriteView(metadata).Take(); }

Status WriteViewMetadata(FileIO& io, std::string_view uri, const ViewMetadata& metadata,
                         const CreateOptions& options) {
  return WriteMetadataText(io, uri, WriteView(metadata), options);
}

}  // namespace firn
