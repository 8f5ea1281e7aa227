#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "firn/base/row_stream.h"
#include "firn/data/sort/sort_keys.h"

/// Keys that bring rows near each other which are near in several columns at once.

namespace firn {

struct ZOrderOptions {
  int64_t key_bytes_max = INT32_MAX;  ///< Longer keys are cut off.
  int64_t text_bytes = 8;             ///< Of each text or binary value.
};

/// Z-order as Spark makes it (reference 3.5): the bits of the columns' values in turn, the highest
/// first. `field_ids` are top-level columns of `schema`. Errors: kUnsupported: a column whose type
/// has no such key, naming it.
Result<std::unique_ptr<RowKeyEncoder>> MakeZOrderEncoder(const std::vector<int32_t>& field_ids,
                                                         const Schema& schema,
                                                         const ZOrderOptions& options);

/// The place of a row on a Hilbert curve through the columns, each scaled by its quantiles in
/// `sample`, so that all columns get an equal share of the key, whatever their types, ranges and
/// skew; equal keys are equal places. `sample` has rows of `sample_schema`, with the columns of
/// `field_ids` among them; nulls come first. Errors: those of the sample; kUnsupported: a column
/// that cannot be sorted. The encoder may be used on several threads.
Result<std::unique_ptr<RowKeyEncoder>> MakeHilbertEncoder(const std::vector<int32_t>& field_ids,
                                                          const Schema& schema,
                                                          const Schema& sample_schema,
                                                          RowStream sample);

}  // namespace firn
