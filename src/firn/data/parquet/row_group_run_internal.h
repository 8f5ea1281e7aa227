#pragma once

#include <memory>
#include <set>
#include <vector>

#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "firn/data/formats/data_file_internal.h"
#include "firn/data/parquet/parquet_pages_internal.h"

namespace firn {

/// Adjacent row groups of a Parquet file that are read as one part, and how to read them.
struct RowGroupRun {
  std::vector<int> row_groups;
  int64_t batch_rows = 0;
  int64_t batch_bytes_max = 0;      ///< See DataFileRequest.
  int64_t stream_buffer_bytes = 0;  ///< Of each column; 0: column chunks are read whole.
  bool verifies_checksums = true;
  std::shared_ptr<const PageSelection> pages;  ///< Null: all rows, of any number of row groups.

  parquet::ReaderProperties ReadProperties(arrow::MemoryPool* pool) const;
};

/// Bytes of the values of a chunk when they are decoded, about.
int64_t DecodedBytesOf(const parquet::FileMetaData& file, int row_group, int leaf);

/// Add row group `index` of `file`, of which `leaves` are read, to `run` and to its `part`: rows,
/// batch size, and what memory it takes. The row group has rows.
void AddRowGroup(const parquet::FileMetaData& file, int index, const std::set<int>& leaves,
                 const DataFileRequest& request, RowGroupRun& run, FilePart& part);

}  // namespace firn
