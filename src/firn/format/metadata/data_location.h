#pragma once

#include <string>
#include <string_view>

#include "firn/format/layout/partition_spec.h"
#include "firn/format/metadata/table_metadata.h"

/// Where a table's new data and delete files go.

namespace firn {

/// The URI of a new file named `file_name` for a partition of `spec`: below `write.data.path` (or
/// `write.folder-storage.path`, or `<location>/data`) in the folder of the partition; with
/// `write.object-storage.enabled`, in a folder that a hash of the name chooses, as Java does it.
std::string DataFileLocation(const TableMetadata& metadata, const PartitionSpec& spec,
                             const Type& partition_type, const StructValue& partition,
                             std::string_view file_name);

}  // namespace firn
