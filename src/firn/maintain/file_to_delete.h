#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "firn/format/manifest/manifest.h"

namespace firn {

/// What a file of a table is.
enum class FileKind {
  kData,
  kPositionDeletes,
  kEqualityDeletes,
  kDeletionVectors,  ///< A Puffin file of them.
  kManifest,
  kManifestList,
  kStatistics,
  kMetadata,
  kOther,
};
inline constexpr size_t kFileKindCount = 9;

/// "data", "position-delete", "equality-delete", "dv", "manifest", "manifest-list", "statistics",
/// "metadata", "other".
std::string_view FormatFileKind(FileKind kind);

FileKind KindOf(const DataFile& file);

/// A file that nothing needs any more.
struct FileToDelete {
  FileKind kind = FileKind::kOther;
  std::string path;  ///< As recorded.
  std::optional<int64_t> bytes;
};

/// Deleting files is up to the table: `gc.enabled`. Errors: kInvalidInput naming the property;
/// `operation` as "expire_snapshots".
Status CheckMayDeleteFiles(const TableMetadata& metadata, std::string_view operation);

}  // namespace firn
