#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firn/ingest/adoption/add_files.h"
#include "firn/ingest/input/source_files_internal.h"

namespace firn {

/// Files as a table can take them over.
struct AdoptedFiles {
  std::vector<DataFile> files;
  /// `schema.name-mapping.default` that the table needs for them; empty: none, or it has one.
  std::string name_mapping;
};

/// The format that the name of a file tells, else its first bytes. Errors: kInvalidInput: neither.
Result<FileFormat> DetectFormat(FileIO& io, const FileInfo& file);

/// Look at files that are to become part of `table`, in parallel; nothing is changed. Errors: those
/// of AddFiles.
Result<AdoptedFiles> AdoptFiles(const IngestContext& context, const Table& table,
                                const std::vector<SourceFile>& sources,
                                const AddFilesRequest& request);

/// AddFiles of files that were found already.
Result<AddFilesResult> AddFoundFiles(const IngestContext& context, const Table& table,
                                     const std::vector<SourceFile>& sources,
                                     const AddFilesRequest& request);

}  // namespace firn
