#include <cstdint>
#include <utility>

#include <arrow/record_batch.h>

#include "firn/data/arrow/batch_stream.h"
#include "firn/data/read/reader.h"

namespace firn {

Result<int64_t> CountRows(RowStream rows) {
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(rows)));
  int64_t count = 0;
  while (true) {
    FIRN_ASSIGN(const auto batch, reader.Next());
    if (!batch) return count;
    count += batch->num_rows();
  }
}

}  // namespace firn
