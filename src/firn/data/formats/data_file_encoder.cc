#include <arrow/array.h>
#include <arrow/record_batch.h>

#include "firn/data/formats/data_file_encoder_internal.h"

namespace firn {

Status CheckRequiredColumns(const std::vector<NestedField>& fields,
                            const arrow::RecordBatch& batch) {
  for (size_t i = 0; i < fields.size(); ++i) {
    const int64_t nulls = batch.column(static_cast<int>(i))->null_count();
    if (!fields[i].required || nulls == 0) continue;
    return MakeError(ErrorCode::kInvalidInput, "column '{}' is required but {} rows lack a value",
                     fields[i].name, nulls);
  }
  return {};
}

}  // namespace firn
