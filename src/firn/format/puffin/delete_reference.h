#pragma once

#include <string>
#include <string_view>

#include "firn/format/manifest/manifest.h"

namespace firn {

/// The only data file that a position delete file or deletion vector names: `referenced_data_file`,
/// or equal bounds of its path column; empty if it may name several.
/// The view is into `delete_file`.
std::string_view ReferencedDataFile(const DataFile& delete_file);

/// Tells files apart: the path, and for deletion vectors, which share Puffin files, the offset too.
std::string FileKey(const DataFile& file);

}  // namespace firn
