#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "firn/format/table_metadata.h"
#include "firn/io/io.h"

namespace firn {

/// Tells which files below a folder are hidden: not the table's business.
class HiddenNames {
 public:
  HiddenNames(const TableMetadata& metadata, std::string location);
  /// `uri` as listed. Files elsewhere are not hidden.
  bool IsHidden(std::string_view uri) const;

 private:
  bool IsHiddenName(std::string_view name) const;
  std::string location_;
  std::vector<std::string> partition_prefixes_;  ///< "_year="
};

/// Call `visit` for each line of a file list (see RemoveOrphanFilesOptions) that is below
/// `location`, textually. Errors: kInvalidInput naming the line.
Status ReadFileList(FileIO& io, const std::string& uri, std::string_view location,
                    const std::function<Status(const FileInfo&)>& visit);

}  // namespace firn
