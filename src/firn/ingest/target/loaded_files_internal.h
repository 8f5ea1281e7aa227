#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firn/base/random.h"
#include "firn/catalog/change_table.h"
#include "firn/ingest/input/source_files_internal.h"

/// Which source files a table has already: decision 0022.

namespace firn {

/// A file of which the rows are in the table.
struct LoadedFile {
  std::string uri;
  int64_t size = 0;
  std::optional<int64_t> modified_us;  ///< Since 1970.
  std::string etag;
  std::string load_id;  ///< `firn.load-id` in the summary of the snapshot that has its rows.
};

class JsonValue;
/// One entry of a list.
Status ReadJson(JsonValue& json, LoadedFile& file);

/// The files that a branch has, and those that a run adds to them. The list is a file of its own
/// beside the metadata, named by the table property `firn.loaded-files.BRANCH`, which changes in
/// the commit of the rows.
class LoadedFiles {
 public:
  /// Errors: kCorrupt: the list is missing or unreadable.
  static Result<LoadedFiles> Read(const Table& table, const std::string& branch);

  /// Leave only the files that the branch does not have as they are now; returns how many went.
  size_t KeepNew(std::vector<SourceFile>& files) const;

  /// Write the list with `files` added. Once.
  Status Add(const std::vector<SourceFile>& files, Random& random);

  const std::string& load_id() const { return load_id_; }
  /// Make the new list that of the table. Errors: kCommitConflict: another run loaded files.
  PlanUpdates Changes() const;

  /// Delete what `now`, the table after the run, does not need: the new list, if the table does not
  /// name it, or the one before the last, which no run can be reading any more.
  void CleanUp(const Table& now) const;

 private:
  bool Has(const SourceFile& file) const;

  std::shared_ptr<FileIO> io_;
  std::string folder_;
  std::string property_;
  std::string list_;      ///< Where the table's list is; empty: there is none.
  std::string previous_;  ///< The one before it; may be empty.
  std::string new_list_;
  std::string load_id_;
  std::vector<LoadedFile> files_;  ///< Sorted by URI.
};

/// The key of a snapshot's summary under which a load is known.
inline constexpr std::string_view kLoadId = "firn.load-id";

}  // namespace firn
