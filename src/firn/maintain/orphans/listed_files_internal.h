#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "firn/format/metadata/table_metadata.h"
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

/// Files that were written, by the store's word, when this machine says it has not been that time
/// yet: either clock is wrong, or somebody set the time of a file. They are no danger, since they
/// count as young, but worth a word.
class FutureFiles {
 public:
  explicit FutureFiles(Timestamp now) : now_(now) {}
  void Add(const FileInfo& file);
  void Warn() const;

 private:
  Timestamp now_;
  int64_t count_ = 0;
  FileInfo newest_;
};

/// Call `visit` for each line of a file list (see RemoveOrphanFilesOptions) that is below
/// `location`; where its scheme is spelt otherwise, as `location` spells it. Errors: kInvalidInput
/// naming the line. Quoted paths may have line breaks.
Status ReadFileList(FileIO& io, const std::string& uri, std::string_view location,
                    const std::function<Status(const FileInfo&)>& visit);

}  // namespace firn
