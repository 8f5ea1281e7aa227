#include "firn/maintain/file_to_delete.h"

#include "firn/base/text.h"

namespace firn {

std::string_view FormatFileKind(FileKind kind) {
  switch (kind) {
    case FileKind::kData:
      return "data";
    case FileKind::kPositionDeletes:
      return "position-delete";
    case FileKind::kEqualityDeletes:
      return "equality-delete";
    case FileKind::kDeletionVectors:
      return "dv";
    case FileKind::kManifest:
      return "manifest";
    case FileKind::kManifestList:
      return "manifest-list";
    case FileKind::kStatistics:
      return "statistics";
    case FileKind::kMetadata:
      return "metadata";
    case FileKind::kOther:
      return "other";
  }
  return "other";
}

FileKind KindOf(const DataFile& file) {
  if (file.is_deletion_vector()) return FileKind::kDeletionVectors;
  switch (file.content) {
    case FileContent::kData:
      return FileKind::kData;
    case FileContent::kPositionDeletes:
      return FileKind::kPositionDeletes;
    case FileContent::kEqualityDeletes:
      return FileKind::kEqualityDeletes;
  }
  return FileKind::kOther;
}

Status CheckMayDeleteFiles(const TableMetadata& metadata, std::string_view operation) {
  const std::string enabled = metadata.Property("gc.enabled", "true");
  if (EqualsIgnoreCase(enabled, "true")) return {};
  return MakeError(ErrorCode::kInvalidInput,
                   "{} deletes files, but the table says by its property 'gc.enabled' = '{}' that "
                   "its files may belong to others, too; if they do not, set it to 'true'",
                   operation, enabled);
}

}  // namespace firn
