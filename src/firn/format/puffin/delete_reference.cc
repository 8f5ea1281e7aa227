#include "firn/format/puffin/delete_reference.h"

#include <fmt/format.h>

#include "firn/format/schema/schema.h"

namespace firn {

std::string_view ReferencedDataFile(const DataFile& delete_file) {
  if (delete_file.referenced_data_file) {
    return *delete_file.referenced_data_file;
  }
  const FileMetrics& metrics = delete_file.metrics;
  const std::string* lower = FindInFieldMap(metrics.lower_bounds, kDeleteFilePathFieldId);
  const std::string* upper = FindInFieldMap(metrics.upper_bounds, kDeleteFilePathFieldId);
  return lower != nullptr && upper != nullptr && *lower == *upper ? std::string_view(*lower)
                                                                  : std::string_view();
}

std::string FileKey(const DataFile& file) {
  if (!file.is_deletion_vector()) {
    return file.file_path;
  }
  return fmt::format("{}#{}", file.file_path, file.content_offset.value_or(-1));
}

}  // namespace firn
