#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firn/base/row_stream.h"
#include "firn/format/schema/schema.h"
#include "firn/ingest/ingest.h"
#include "firn/ingest/input/source_files_internal.h"

namespace firn {

/// A column that the source has.
struct SourceColumn {
  std::string name;
  TypePtr type;  ///< Null: text, which is read as whatever type the table has.
  /// Where values have no types of their own but texts: the narrowest that holds them all; null:
  /// not asked for.
  TypePtr narrow_type = nullptr;
  std::string reason;      ///< Which values made its type so wide; may be empty.
  bool has_values = true;  ///< False: no row tells its type, which is string then.
  size_t first_file = 0;   ///< The first file that has it.
  bool is_in_all = true;   ///< False: some files lack it.
};

/// How the rows of a source meet the table.
struct RowTarget {
  SchemaPtr schema;  ///< The current schema of the table: columns of the rows.
  /// For each field of the schema the source's name of it; empty: the source has none.
  std::vector<std::string> source_names;
};

/// The files of one format.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// Columns of all files together. `wants_types`: a table will be made of them; otherwise formats
  /// without types of their own leave them open.
  virtual Result<std::vector<SourceColumn>> ReadColumns(bool wants_types) = 0;

  /// The files tell types themselves; otherwise they are inferred from texts, and every value is
  /// read as the table's type.
  virtual bool has_own_types() const = 0;

  /// All rows, once. The source outlives the stream.
  virtual Result<RowStream> OpenRows(const RowTarget& target) = 0;

  /// Rows left out so far.
  virtual int64_t rejected_rows() const { return 0; }
};

Result<std::unique_ptr<RowSource>> MakeCsvSource(const IngestContext& context,
                                                 const IngestRequest& request,
                                                 std::vector<SourceFile> files);

Result<std::unique_ptr<RowSource>> MakeJsonSource(const IngestContext& context,
                                                  const IngestRequest& request,
                                                  std::vector<SourceFile> files);

/// Parquet, ORC and Avro.
Result<std::unique_ptr<RowSource>> MakeColumnarSource(const IngestContext& context,
                                                      const IngestRequest& request,
                                                      std::vector<SourceFile> files);

}  // namespace firn
