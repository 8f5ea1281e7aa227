#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "firn/base/result.h"
#include "firn/base/row_stream.h"
#include "firn/format/types/type.h"

namespace firn {

enum class RowFormat { kJson, kCsv, kTable, kParquet, kArrow };

/// Errors: kInvalidInput, listing the formats.
Result<RowFormat> ParseRowFormat(std::string_view text);

/// Receives bytes of rendered output.
using ByteSink = std::function<Status(std::span<const std::byte>)>;

struct RenderOptions {
  RowFormat format = RowFormat::kJson;
  TypePtr type;                ///< Iceberg struct of the rows: tells uuid from fixed, ns from us.
  int64_t row_count_max = -1;  ///< `--limit`; negative: all.
  bool is_record = false;      ///< kTable prints a row downwards: few rows of long cells.
  int64_t memory_bytes = int64_t{1} << 30;  ///< All there is; kParquet holds a row group.
};

/// Render all rows: JSON one object a line, CSV with a header, an aligned table, a Parquet file or
/// an Arrow IPC stream. Returns the number of rows.
Result<int64_t> RenderRows(RowStream rows, const RenderOptions& options, const ByteSink& sink);

}  // namespace firn
