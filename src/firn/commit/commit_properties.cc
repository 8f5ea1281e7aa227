#include "firn/commit/commit_properties.h"

#include "firn/base/text.h"
#include "firn/format/avro/avro_codec.h"

namespace firn {

Status CheckCommitProperties(const TableMetadata& metadata) {
  for (const std::string_view key :
       {"commit.manifest.target-size-bytes", "write.metadata.previous-versions-max"})
    FIRN_RETURN_IF_ERROR(metadata.IntProperty(key, 0));
  if (EqualsIgnoreCase(metadata.Property("commit.manifest-merge.enabled", "true"), "true"))
    FIRN_RETURN_IF_ERROR(metadata.IntProperty("commit.manifest.min-count-to-merge", 0));
  constexpr std::string_view kCodec = "write.manifest.compression-codec";
  FIRN_RETURN_IF_ERROR(ParseAvroCompressionProperty(metadata.Property(kCodec, "gzip")),
                       "table property '{}'", kCodec);
  return {};
}

}  // namespace firn
