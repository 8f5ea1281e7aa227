#pragma once

#include <string>
#include <vector>

#include "firn/scan/metadata_table_internal.h"

/// Columns and rows for files, as `files` and `entries` share them. For this module only.

namespace firn {

/// Makes rows of data and delete files; columns depend on the table.
class FileRowMaker {
 public:
  explicit FileRowMaker(const TableMetadata& metadata);

  /// `content` to `content_size_in_bytes`, without `readable_metrics`.
  const std::vector<NestedField>& fields() const { return fields_; }

  /// The column `readable_metrics`: for each primitive column of the table, by name, its sizes,
  /// counts and bounds. `other_fields` are the columns beside it, whose ids are taken.
  NestedField ReadableMetricsField(const std::vector<NestedField>& other_fields) const;

  /// In the order of `fields()`. `spec` is that of the file's manifest.
  std::vector<Value> MakeRow(const DataFile& file, const PartitionSpec& spec) const;
  Value MakeReadableMetrics(const FileMetrics& metrics) const;

 private:
  struct MetricsColumn {
    std::string name;  // Full.
    int32_t field_id = 0;
    TypePtr type;
  };
  TypePtr partition_type_;
  bool is_partitioned_ = false;
  std::vector<NestedField> fields_;
  std::vector<MetricsColumn> metrics_columns_;
};

}  // namespace firn
