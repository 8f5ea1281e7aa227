#pragma once

#include <cstdint>
#include <vector>

#include <parquet/type_fwd.h>

#include "firn/data/facts/file_facts.h"
#include "firn/data/facts/foreign_columns_internal.h"

namespace firn {

/// What a Parquet footer tells of one leaf, all row groups together.
struct LeafTotals {
  ColumnRange range;
  int64_t stored_bytes = 0;
};

/// Bounds are left out where a row group that has values tells none, or where the file's order of
/// values may differ from the order of the table's type. May throw Arrow's exceptions.
LeafTotals SumLeaf(const parquet::FileMetaData& metadata, const MatchedLeaf& leaf);

/// Where the row groups begin, ascending. May throw Arrow's exceptions.
std::vector<int64_t> RowGroupOffsets(const parquet::FileMetaData& metadata);

}  // namespace firn
