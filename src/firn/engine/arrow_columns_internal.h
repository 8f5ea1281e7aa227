#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/c/abi.h>

#include "firn/base/result.h"

namespace firn {

/// Owns what the C data interface hands over.
struct OwnedSchema {
  ArrowSchema schema{};
  OwnedSchema() = default;
  OwnedSchema(const OwnedSchema&) = delete;
  OwnedSchema& operator=(const OwnedSchema&) = delete;
  ~OwnedSchema() {
    if (schema.release != nullptr) schema.release(&schema);
  }
};

struct OwnedArray {
  ArrowArray array{};
  OwnedArray() = default;
  OwnedArray(const OwnedArray&) = delete;
  OwnedArray& operator=(const OwnedArray&) = delete;
  ~OwnedArray() {
    if (array.release != nullptr) array.release(&array);
  }
};

/// What must be known of a type to cut its arrays: which are structs.
struct ArrayShape {
  explicit ArrayShape(const ArrowSchema& schema);
  bool is_struct = false;
  std::vector<ArrayShape> fields;  ///< Of a struct.
};

/// A part of one column of `batch`, as a batch of this column alone, which keeps all of `batch`.
/// `column` < its number of columns; the rows lie within it. Structs begin at their first row and
/// only what is in them has an offset: DuckDB forgets that of a struct around a struct.
ArrowArray SliceColumn(std::shared_ptr<OwnedArray> batch, size_t column, const ArrayShape& shape,
                       int64_t first_row, int64_t rows);

/// No rows of the type of column `column` of `schema`, in the same form.
ArrowArray MakeEmptyColumn(const ArrowSchema& schema, size_t column);

/// The type of column `column` of `schema`, which outlives it, as a batch of this column alone.
/// Times of nanoseconds with a zone lose the zone, which leaves them in UTC, since DuckDB has such
/// times only in microseconds.
class ColumnSchema {
 public:
  ColumnSchema(const ArrowSchema& schema, size_t column);
  ColumnSchema(const ColumnSchema&) = delete;
  ColumnSchema& operator=(const ColumnSchema&) = delete;
  ArrowSchema* get() { return &root_; }

 private:
  ArrowSchema Copy(const ArrowSchema& schema);

  std::vector<std::unique_ptr<std::vector<ArrowSchema>>> nodes_;
  std::vector<std::unique_ptr<std::vector<ArrowSchema*>>> pointers_;
  ArrowSchema root_{};
};

}  // namespace firn
