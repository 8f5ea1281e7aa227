#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "firn/io/io.h"
#include "firn/maintain/copy/path_prefix_internal.h"

/// Manifests and manifest lists written anew with other paths. All else in them stays as it is,
/// also what firn does not know.

namespace firn {

/// A delete file as it was written for the copy.
struct CopiedDeletes {
  int64_t file_size = 0;
  /// Offset and length of deletion vectors by their offset in the original.
  std::map<int64_t, std::pair<int64_t, int64_t>> vectors;
};
using CopiedDeleteFiles = std::map<std::string, CopiedDeletes, std::less<>>;  // By recorded path.

/// Write the manifest at `from` to `to`. Returns the size of the new file. Errors: kCorrupt naming
/// manifest and entry; kInvalidInput: a path outside the prefix.
Result<int64_t> CopyManifest(FileIO& io, const std::string& from, const std::string& to,
                             const PathPrefix& prefix, const CopiedDeleteFiles& deletes);

/// The same for a manifest list; `lengths` are those of the new manifests by recorded path.
Result<int64_t> CopyManifestList(FileIO& io, const std::string& from, const std::string& to,
                                 const PathPrefix& prefix,
                                 const std::map<std::string, int64_t, std::less<>>& lengths);

}  // namespace firn
