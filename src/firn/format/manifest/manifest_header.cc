#include "firn/format/avro/avro_reader.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/manifest/manifest_header_internal.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {

Result<ManifestHeader> ReadManifestHeader(FileIO& io, std::string_view uri,
                                          std::optional<int64_t> known_size) {
  FIRN_ASSIGN(auto file, io.Open(uri, known_size));
  FIRN_ASSIGN(const auto reader, AvroReader::Open(std::move(file)), "manifest");
  FIRN_ASSIGN(ManifestHeader header, ParseManifestIdentity(*reader));
  if (const std::string* json = reader->FindMetadata("schema")) {
    FIRN_ASSIGN(header.schema, ParseSchemaJson(*json, fmt::format("manifest {}", uri)));
  }
  return header;
}

}  // namespace firn
