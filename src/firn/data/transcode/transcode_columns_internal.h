#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "firn/data/columns/file_leaves_internal.h"
#include "firn/data/parquet/parquet_schema_internal.h"
#include "firn/data/write/writer.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/parquet/parquet.h"
#include "firn/scan/scan.h"

/// Where a file has the columns of a table, or what stands in for those that it lacks: as for
/// reading rows (see ResolveColumns), but by the footer alone.

namespace firn {

/// Where the values of a leaf of the output come from.
struct LeafSource {
  int leaf = -1;                                  ///< Of the file; -1: one of the others, or nulls.
  std::optional<ChunkInput::Sequence> generated;  ///< Of row 0 of the file on.
  std::optional<std::string> constant;            ///< See ChunkInput.
  size_t shared_nodes = 0;                        ///< Likewise.
};

/// Leaves of schemas, kept once for files that follow each other and have the same. Thread-safe.
class LeavesOfInputs {
 public:
  using Leaves = std::shared_ptr<const std::vector<LeafNode>>;

  /// Those of `schema`. Errors: kCorrupt.
  Result<Leaves> Find(const std::vector<SchemaElement>& schema);

 private:
  std::mutex mutex_;
  std::string newest_schema_;  // As it was encoded.
  Leaves newest_;
};

/// What all inputs of a rewrite share. What it refers to outlives it.
struct TranscodeContext {
  const WriteContext& write;
  const ParquetLayout& layout;
  const Schema& schema;  ///< Of the output.
  std::optional<NameMapping> names;
  std::vector<LeafPath> paths;  ///< Of the leaves of the layout.
  std::shared_ptr<LeavesOfInputs> leaves;

  /// Errors: kCorrupt: the table's name mapping.
  static Result<TranscodeContext> Make(const WriteContext& write, const ParquetLayout& layout,
                                       const Schema& schema);
};

/// The source of each leaf of the layout in the file of `task`, whose `leaves` are those of
/// `footer`. Errors: kUnsupported, naming the column: its values have to be read as rows. kCorrupt:
/// a partition value.
Result<std::vector<LeafSource>> FindLeafSources(const TranscodeContext& context,
                                                const FileScanTask& task, const FileFooter& footer,
                                                const std::vector<LeafNode>& leaves);

}  // namespace firn
