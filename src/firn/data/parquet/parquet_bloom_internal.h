#pragma once

#include <vector>

#include <parquet/file_reader.h>

#include "firn/data/parquet/parquet_pruning_internal.h"

namespace firn {

/// False only if the Bloom filters of a row group tell that no row of it can match `filter`: for
/// each way to match, one of the values that it wants is not in its column. Reads the filters of
/// columns that are compared for equality; a damaged one throws, as all of Parquet's readers do.
bool MightMatchBloomFilters(parquet::ParquetFileReader& file, int row_group,
                            const Expression& filter, const std::vector<FilterLeaf>& leaves);

}  // namespace firn
