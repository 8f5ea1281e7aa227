#include "firn/maintain/file_lookup.h"

#include <utility>

#include "firn/catalog/dropped_metadata.h"

namespace firn {

Status LookUpSizes(const MaintainContext& context, FileIO& io, std::vector<FileToDelete>& files) {
  std::vector<char> is_missing(files.size(), 0);  // Bits of one byte would be a race.
  const auto look_up = [&](size_t index) -> Status {
    FileToDelete& file = files[index];
    if (file.bytes) return {};
    const auto info = io.Stat(file.path);
    if (info.ok()) {
      file.bytes = info->size;
    } else if (info.error().code() == ErrorCode::kNotFound) {
      is_missing[index] = 1;
    } else {
      return info.error();
    }
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      ParallelFor(*context.commit.executor, files.size(), look_up, context.commit.cancel));
  size_t kept = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    if (is_missing[i] != 0) continue;
    if (kept != i) files[kept] = std::move(files[i]);
    ++kept;
  }
  files.resize(kept);
  return {};
}

Result<std::vector<FileToDelete>> FindMetadataToDrop(const MaintainContext& context,
                                                     const Table& table, int64_t commit_count) {
  std::vector<FileToDelete> files;
  for (std::string& path : PredictDroppedMetadata(table, commit_count))
    files.push_back({FileKind::kMetadata, std::move(path), std::nullopt});
  FIRN_RETURN_IF_ERROR(LookUpSizes(context, *table.io, files));
  return files;
}

}  // namespace firn
