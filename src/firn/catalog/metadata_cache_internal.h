#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "firn/format/metadata/table_metadata.h"
#include "firn/io/io.h"

namespace firn {

/// Spares parsing a metadata file that somebody in this process still holds. Only files with a UUID
/// in their names are remembered, since others may change. Thread-safe.
class MetadataCache {
 public:
  /// Errors: kNotFound, kCorrupt, kUnsupported.
  Result<TableMetadataPtr> Load(FileIO& io, const std::string& location);

  void Add(const std::string& location, const TableMetadataPtr& metadata);

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const TableMetadata>> held_;
};

}  // namespace firn
