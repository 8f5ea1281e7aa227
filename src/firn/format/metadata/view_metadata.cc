#include "firn/format/metadata/view_metadata.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "firn/base/text.h"

namespace firn {
namespace {

template <typename... Args>
Error Fail(fmt::format_string<Args...> text, Args&&... args) {
  return MakeError(ErrorCode::kCorrupt, text, std::forward<Args>(args)...);
}

Status CheckDialects(const ViewVersion& version, size_t index) {
  std::set<std::string> dialects;
  for (const ViewRepresentation& representation : version.representations) {
    if (representation.type != "sql") continue;
    if (!dialects.insert(LowerAscii(representation.dialect)).second) {
      return Fail("versions[{}].representations: dialect '{}' stands twice", index,
                  representation.dialect);
    }
  }
  return {};
}

}  // namespace

SchemaPtr ViewMetadata::FindSchema(int32_t schema_id) const {
  const auto found = std::find_if(schemas.begin(), schemas.end(), [&](const SchemaPtr& schema) {
    return schema->schema_id() == schema_id;
  });
  return found == schemas.end() ? nullptr : *found;
}

const ViewVersion* ViewMetadata::FindVersion(int32_t version_id) const {
  const auto found = std::find_if(versions.begin(), versions.end(),
                                  [&](const ViewVersion& v) { return v.version_id == version_id; });
  return found == versions.end() ? nullptr : &*found;
}

Status ValidateViewMetadata(const ViewMetadata& metadata) {
  // Views have no versions of the schema language of their own: what any table may use is legal.
  constexpr int kNewestFormatVersion = 3;
  if (metadata.view_uuid.empty()) return Fail("view-uuid: found \"\", expected a UUID");
  if (metadata.location.empty()) return Fail("location: found \"\", expected a URI");
  std::unordered_set<int32_t> schema_ids;
  for (size_t i = 0; i < metadata.schemas.size(); ++i) {
    const Schema& schema = *metadata.schemas[i];
    if (!schema_ids.insert(schema.schema_id()).second) {
      return Fail("schemas[{}].schema-id: {} stands twice", i, schema.schema_id());
    }
    FIRN_RETURN_IF_ERROR(ValidateSchema(schema, kNewestFormatVersion), "schemas[{}]", i);
  }
  std::unordered_set<int32_t> version_ids;
  for (size_t i = 0; i < metadata.versions.size(); ++i) {
    const ViewVersion& version = metadata.versions[i];
    if (!version_ids.insert(version.version_id).second) {
      return Fail("versions[{}].version-id: {} stands twice", i, version.version_id);
    }
    if (!schema_ids.contains(version.schema_id)) {
      return Fail("versions[{}].schema-id: found {}, expected the id of one of 'schemas'", i,
                  version.schema_id);
    }
    FIRN_RETURN_IF_ERROR(CheckDialects(version, i));
  }
  if (!version_ids.contains(metadata.current_version_id)) {
    return Fail("current-version-id: found {}, expected the id of one of 'versions'",
                metadata.current_version_id);
  }
  return {};
}

}  // namespace firn
