#pragma once

#include "firn/ingest/adoption/add_files.h"

namespace firn {

/// A table that is made of files which others wrote.
struct AdoptTableRequest {
  std::string source;                ///< A folder; for a table elsewhere also a glob or a file.
  std::optional<FileFormat> format;  ///< Empty: that of the first file, which all have.
  TableName table;
  std::string catalog;  ///< Tells the catalog from others, for people and for later runs.
  std::string
      location;  ///< Empty: the catalog's choice. Not looked at if the table owns the files.
  Properties properties;  ///< `format-version` among them chooses that.
  /// The table lies in the folder of the files, which are its own from there on. Otherwise it lies
  /// elsewhere and must not delete them.
  bool owns_files = false;
  bool ignores_missing = false;  ///< Files that vanish meanwhile are left out.
};

/// Make the table with the columns of the files and those that `key=value` folders name, by which
/// it is partitioned, and let it have all files; see AddFiles. The table comes into being with its
/// files, in one step of the catalog: whoever is killed leaves no table or the whole one, and a
/// second run does what is left. On an error no table is left, and the files are as they were.
///
/// Errors  kAlreadyExists: the table, or another one in the folder, around it or below, or a run
///         that makes one there. kInvalidInput: files of several formats, in folders of different
///         columns or of types that no column can have, a location within the source or around it.
Result<AddFilesResult> AdoptTable(const IngestContext& context, const AdoptTableRequest& request);

}  // namespace firn
