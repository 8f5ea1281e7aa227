#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "firn/base/random.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/io/io.h"

/// Names and lives of metadata files, the same in every catalog.

namespace firn {

/// "" or ".gz", by `write.metadata.compression-codec`. Errors: kInvalidInput for another codec.
Result<std::string> MetadataCodecSuffix(const TableMetadata& metadata);

/// "<location>/metadata/00003-<uuid>.metadata.json": the version that follows the one in the name
/// of `base_location`; 0 if there is none.
Result<std::string> NewMetadataLocation(const TableMetadata& metadata,
                                        std::string_view base_location, Random& random);

/// The version in "00003-<uuid>.metadata.json" (any codec); nullopt for other names.
std::optional<int64_t> MetastoreMetadataVersion(std::string_view file_name);

/// The version in "v3.metadata.json", "v3.gz.metadata.json" and the older "v3.metadata.json.gz";
/// nullopt for other names.
std::optional<int64_t> HadoopMetadataVersion(std::string_view file_name);

/// `write.metadata.delete-after-commit.enabled`.
bool DeletesOldMetadata(const TableMetadata& metadata);

/// After the commit that replaced `base` by `next`: if `write.metadata.delete-after-commit.enabled`
/// delete the files that left the metadata log. Best effort; other old files are left to orphan
/// removal.
void DeleteDroppedMetadata(FileIO& io, const TableMetadata& base, const TableMetadata& next);

}  // namespace firn
