#pragma once

#include <vector>

#include "firn/catalog/catalog.h"
#include "firn/format/manifest/manifest.h"
#include "firn/io/real_names.h"

namespace firn {

/// Folders of `files`, without those of partitions, that are not within the table's own: what
/// `firn.adopted-folders` is to name besides. Errors: those of RealNames.
Result<std::vector<std::string>> FindAdoptedFolders(const Table& table,
                                                    const std::vector<DataFile>& files);

/// What sets the property so that it names `folders`; none if it does. Errors: kInvalidInput.
Result<std::vector<TableUpdate>> PlanAdoptedFolders(const TableMetadata& metadata,
                                                    const std::vector<std::string>& folders);

}  // namespace firn
