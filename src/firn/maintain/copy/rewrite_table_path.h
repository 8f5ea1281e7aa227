#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/maintain/file_to_delete.h"
#include "firn/maintain/maintain_context.h"

/// A table on its way to another place: everything in it that names files is written anew, with the
/// names that they will have there.

namespace firn {

struct RewriteTablePathOptions {
  std::string source_prefix;  ///< What recorded paths of the table begin with, as recorded.
  std::string target_prefix;  ///< What they will begin with.
  /// The metadata file, by name, up to which the copy has the table already; empty: it has nothing.
  std::string start_version;
  std::string end_version;       ///< The metadata file that is copied; empty: the current one.
  std::string staging_location;  ///< Empty: a new folder beside the metadata.
  bool creates_file_list = true;
};

struct RewriteTablePathResult {
  std::string latest_version;      ///< Name of the newest metadata file.
  std::string file_list_location;  ///< "N/A" if there is none.
  int64_t rewritten_manifests = 0;
  int64_t rewritten_delete_files = 0;
  int64_t files_to_copy = 0;         ///< Lines of the file list.
  std::vector<std::string> missing;  ///< Metadata files of the log that are gone: left out.
  std::vector<FileToDelete> staged;  ///< What was written, but for the file list.
};

/// Write metadata files, manifest lists, manifests, position delete files and Puffin files of
/// deletion vectors, with `target_prefix` in the place of `source_prefix`, into the staging folder,
/// in the folders that they have below the table. The table is not changed. The file list says for
/// each file where it is and where it belongs, also for files that stay as they are, as lines
/// `source,target` of CSV.
///
/// Shape   Without start_version: all that the snapshots of the version need, and all metadata
///         files that its log names. Otherwise what came since: of data files the new ones;
///         manifests all that new snapshots name, as these tell their sizes.
/// Errors  kInvalidInput: a path outside source_prefix, an unknown version. kNotFound, kCorrupt,
///         naming the file.
Result<RewriteTablePathResult> RewriteTablePath(const MaintainContext& context, const Table& table,
                                                const RewriteTablePathOptions& options);

}  // namespace firn
