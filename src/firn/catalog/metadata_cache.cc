#include "firn/catalog/metadata_cache_internal.h"
#include "firn/catalog/metadata_files_internal.h"
#include "firn/io/uri.h"

namespace firn {

Result<TableMetadataPtr> MetadataCache::Load(FileIO& io, const std::string& location) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(location);
    if (found != held_.end()) {
      if (auto metadata = found->second.lock()) return metadata;
    }
  }
  FIRN_ASSIGN(TableMetadataPtr metadata, LoadTableMetadata(io, location));
  Add(location, metadata);
  return metadata;
}

void MetadataCache::Add(const std::string& location, const TableMetadataPtr& metadata) {
  if (!MetastoreMetadataVersion(UriFileName(location))) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(held_, [](const auto& entry) { return entry.second.expired(); });
  held_[location] = metadata;
}

}  // namespace firn
