#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/base/row_stream.h"

namespace firn {

/// A fingerprint of rows whatever their order: equal for the same rows, each as often, and, but for
/// a chance of 2^-64 or less, for no others.
struct RowsHash {
  int64_t rows = 0;
  uint64_t low = 0;
  uint64_t high = 0;

  bool operator==(const RowsHash&) const = default;
};

/// Consume `rows`. Values are told apart by their bits: the zeros and the NaN of floats too.
/// Errors: those of the stream; kUnsupported: a type of Arrow that firn does not make.
Result<RowsHash> HashRows(RowStream rows);

/// The same of one row.
struct RowHash {
  uint64_t low = 0;
  uint64_t high = 0;

  auto operator<=>(const RowHash&) const = default;
};

/// One for each of `rows` rows, by the values of `columns`. Errors: kUnsupported, as above.
Result<std::vector<RowHash>> HashEachRow(const std::vector<std::shared_ptr<arrow::Array>>& columns,
                                         int64_t rows);

}  // namespace firn
