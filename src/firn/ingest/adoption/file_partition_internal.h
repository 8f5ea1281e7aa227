#pragma once

#include <map>
#include <string>

#include "firn/data/facts/file_facts.h"
#include "firn/ingest/input/source_files_internal.h"

namespace firn {

/// Tells the partition of files that are to belong to one table.
class FilePartitioner {
 public:
  /// `context` reads files of a table whose name mapping its metadata has. All outlive this.
  FilePartitioner(const ReadContext& context, PartitionSpecPtr spec);

  /// The partition of `source`: of columns that the file has by its statistics, else its values; of
  /// others by the folders above it. Errors: kInvalidInput: the rows are of several partitions, or
  /// a column that decides is in the name of folders alone where the spec cannot keep its value;
  /// kUnsupported: a transform that cannot be computed.
  Result<StructValue> Find(const SourceFile& source, const DataFile& file,
                           const FileFacts& facts) const;

  /// Whether the partition has the values that `filter` wants, by field or column name. Errors:
  /// kInvalidInput: no such field, or a value that it cannot have.
  Result<bool> Matches(const StructValue& partition,
                       const std::map<std::string, std::string>& filter) const;

 private:
  Result<Value> FindElsewhere(const SourceFile& source, const PartitionField& field) const;
  Status CheckFolders(const SourceFile& source, const StructValue& partition) const;

  const ReadContext& context_;
  PartitionSpecPtr spec_;
  SchemaPtr schema_;
};

/// The spec by which files below such folders are added: that of the table, unless the names of the
/// folders are those of an older spec of identities.
PartitionSpecPtr ChooseSpec(const TableMetadata& metadata, const SourceFile& first);

/// The text of the folder `name=...` above a file, exactly, else whatever the case of `name`. Null:
/// none.
const std::pair<std::string, std::optional<std::string>>* FindFolder(const SourceFile& file,
                                                                     std::string_view name);

}  // namespace firn
