#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/format/schema/schema.h"

namespace firn {

/// Looks at values of a file where its columns may hold what the table's cannot: nulls, bytes that
/// are no text, times with digits that it has not.
class ValueCheck {
 public:
  struct Doubts {
    std::set<int32_t> text_ids;  ///< Strings of the table that the file has as bytes.
    std::set<int32_t> fine_ids;  ///< Times that the file has in nanoseconds, and the table has not.
  };
  /// `columns`: those to look at, as the table has them.
  ValueCheck(const Schema& columns, Doubts doubts);

  /// What the rows are to be read as: nothing is required, bytes stay bytes, and times as fine as
  /// they are.
  const Schema& schema() const { return schema_; }

  /// `batch` is read as `schema()`. Errors: kCorrupt.
  Status Add(const arrow::RecordBatch& batch);

  /// What does not fit, one sentence for each column.
  std::vector<std::string> Finish() const;

 private:
  Status AddArray(const arrow::Array& values, const NestedField& field, const std::string& path);

  std::vector<NestedField> fields_;  // As the table has them.
  Doubts doubts_;
  Schema schema_;
  std::map<std::string, int64_t> nulls_;  // Of required columns, by name.
  std::set<std::string> not_text_;
  std::map<std::string, std::string> too_fine_;  // Types of the table, by name.
};

}  // namespace firn
