#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "firn/catalog/catalog.h"
#include "firn/ingest/input/source_files_internal.h"

namespace firn {

/// Tell of files that two may think to own: those below the folder of `table` itself, and those
/// below a folder that holds the metadata of another table. What cannot be listed is passed over.
void TellOwners(FileIO& io, const Table& table, const std::vector<SourceFile>& files,
                const std::function<void(std::string_view)>& notice);

}  // namespace firn
