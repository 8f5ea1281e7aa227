#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// One way to say what a view is; `type` is "sql" in view format 1.
struct ViewRepresentation {
  std::string type = "sql";
  std::string sql;
  std::string dialect;
  ExtraFields extra;
  bool operator==(const ViewRepresentation&) const = default;
};

/// An immutable definition of a view; its representations all say the same.
struct ViewVersion {
  int32_t version_id = 0;
  int32_t schema_id = 0;
  Timestamp timestamp{};
  Properties summary;
  std::vector<ViewRepresentation> representations;
  std::vector<std::string> default_namespace;
  std::optional<std::string> default_catalog;  ///< Nullopt: the catalog that holds the view.
  ExtraFields extra;
  bool operator==(const ViewVersion&) const = default;
};

struct ViewVersionLogEntry {
  Timestamp timestamp{};
  int32_t version_id = 0;
  ExtraFields extra;
  bool operator==(const ViewVersionLogEntry&) const = default;
};

/// The content of one metadata file of a view (view format 1).
struct ViewMetadata {
  int format_version = 1;
  std::string view_uuid;
  std::string location;  ///< Without trailing slash.
  std::vector<SchemaPtr> schemas;
  int32_t current_version_id = 0;
  std::vector<ViewVersion> versions;
  std::vector<ViewVersionLogEntry> version_log;
  Properties properties;
  ExtraFields extra;

  /// Null if unknown.
  SchemaPtr FindSchema(int32_t schema_id) const;
  const ViewVersion* FindVersion(int32_t version_id) const;
  const ViewVersion* current_version() const { return FindVersion(current_version_id); }
};

/// Ids resolve and are unique, and no version has two texts for one dialect (compared without
/// regard to case). Errors: kCorrupt naming the JSON field.
Status ValidateViewMetadata(const ViewMetadata& metadata);

/// Parse and validate. `where` names the file in messages. Gzip is recognised by its magic bytes.
/// Errors: kCorrupt naming the JSON field; kUnsupported for view format 2 and above.
Result<ViewMetadata> ParseViewMetadata(std::span<const std::byte> bytes, std::string_view where);

/// JSON text, compact, with the fields that firn does not know.
std::string FormatViewMetadata(const ViewMetadata& metadata);

/// Read, decompress and parse a metadata file of any name.
Result<ViewMetadata> LoadViewMetadata(FileIO& io, std::string_view uri);

/// As `WriteTableMetadata`.
Status WriteViewMetadata(FileIO& io, std::string_view uri, const ViewMetadata& metadata,
                         const CreateOptions& options = {});

}  // namespace firn
