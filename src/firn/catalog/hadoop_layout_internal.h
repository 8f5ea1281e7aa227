#pragma once

#include <optional>
#include <string>

#include "firn/catalog/catalog.h"

/// A table folder in Hadoop layout: `metadata/vN.metadata.json`, of which the highest N counts, and
/// `metadata/version-hint.text`, which helps to find it and is never believed.

namespace firn {

struct HadoopVersion {
  int64_t version = 0;
  std::string location;
};

/// The current version of the table in `folder`; nullopt if there is none. Opens with a hint that
/// is right, missing, garbled, behind or ahead. Errors: kUnavailable, kPermissionDenied.
Result<std::optional<HadoopVersion>> FindHadoopVersion(FileIO& io, const std::string& folder);

/// The same by listing the folder, whatever the hint says.
Result<std::optional<HadoopVersion>> ListForNewest(FileIO& io, const std::string& folder);

/// Where version `version` goes; `codec` is "" or ".gz".
std::string HadoopMetadataLocation(const std::string& folder, int64_t version,
                                   const std::string& codec);

/// Publish `metadata` as `location`, which decides between writers: the one that creates the file
/// wins. A lost answer is resolved by reading the file back, since it tells whose it is.
///
/// Errors  kCommitConflict: another writer's file is there.
///         kCommitUnknown: the store gives no answer; the file may be there.
Status PublishHadoopVersion(const CatalogConfig& config, const std::string& location,
                            const TableMetadata& metadata);

/// Best effort.
void WriteHadoopHint(FileIO& io, const std::string& folder, int64_t version);

}  // namespace firn
