#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firn/data/read/reader.h"
#include "firn/format/schema/name_mapping.h"

/// What a data file tells about itself, whoever wrote it: for files that become part of a table as
/// they are, and to check what manifests tell of files.

namespace firn {

struct FileFactsRequest {
  std::string path;
  FileFormat format = FileFormat::kParquet;
  std::optional<int64_t> known_size;
  SchemaPtr schema;  ///< What the rows are to be read as.
  /// Ids of columns of files that carry none; null: there are none for them, which is kCorrupt.
  const NameMapping* names = nullptr;
  /// Read all rows: metrics are exact then, whatever the footer tells, and there are some where the
  /// format's footer is not read.
  bool reads_rows = false;
  /// The file is to become the table's. What firn reads by guessing is a difference then, and so
  /// are values that the table's columns cannot hold: columns are read whose footer does not prove
  /// that required ones have no nulls, or that bytes are text.
  bool is_adoption = false;
};

/// Least and greatest value of a column of a file, as far as they are known.
struct ColumnRange {
  int64_t value_count = 0;  ///< With nulls.
  std::optional<int64_t> null_count;
  Value lower;  ///< Null: not known, or there is no value. Of text maybe shorter than the value.
  Value upper;
  bool is_exact = true;  ///< False: the file says that its bounds are wider than its values.

  bool is_all_null() const { return null_count && *null_count == value_count; }
};

struct FileFacts {
  int64_t file_size = 0;
  int64_t record_count = 0;
  bool has_field_ids = false;
  std::vector<int64_t> split_offsets;  ///< Of Parquet files: where row groups begin.
  /// As `write.metadata.metrics.*` of the table wants them. Of Parquet: from the footer, without
  /// counts of NaN. Of ORC and Avro: nothing but if the rows are read.
  FileMetrics metrics;
  /// What keeps the file from being read as rows of the schema, one sentence each.
  std::vector<std::string> differences;
  std::vector<std::string> unknown_columns;  ///< Top-level columns that the schema has not.
  std::set<int32_t> found_ids;               ///< Columns of the schema that the file has.
  /// By field id, of columns that are in no list or map; of ORC and Avro: if the rows are read.
  std::map<int32_t, ColumnRange> ranges;
};

/// Errors: kNotFound, kCorrupt, kUnsupported, naming the file; kInvalidInput for a property of the
/// table.
Result<FileFacts> ReadFileFacts(const ReadContext& context, const FileFactsRequest& request);

/// The values of the fields of `spec` that all rows of a file have, found by reading the source
/// columns, all of which the file has. `metadata` of the context names the columns of files without
/// ids (`schema.name-mapping.default`). Errors: kInvalidInput: rows of several partitions, naming
/// two of them.
Result<StructValue> ReadPartitionOfFile(const ReadContext& context, const DataFile& file,
                                        const PartitionSpec& spec);

}  // namespace firn
