#pragma once

#include <vector>

#include "firn/ingest/input/source_files_internal.h"

/// What is wrong with the names of files and folders before a look into them.

namespace firn {

/// Refuse what cannot be recorded, names that are not UTF-8, and one file under two names. Errors:
/// kInvalidInput; those of RealNames.
Status CheckSourceNames(FileIO& io, const std::vector<SourceFile>& sources);

/// For a table whose columns the folders make: all files lie in folders of the same columns,
/// spelled alike, and once each. Errors: kInvalidInput naming two files.
Status CheckSameFolders(const std::vector<SourceFile>& sources);

}  // namespace firn
