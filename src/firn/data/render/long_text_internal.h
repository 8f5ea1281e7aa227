#pragma once

#include <optional>
#include <string_view>

#include "firn/data/render/cell_text_internal.h"
#include "firn/data/render/render.h"

/// Cells of many bytes, which are written piece by piece: their text is never held as a whole.

namespace firn {

/// The bytes of a cell that is long: text, or binary. Nullopt: it is short, or of another type.
std::optional<std::string_view> LongCell(const CellColumn& column, int64_t row);

/// Write it as AppendCellJson and AppendCellCsv do. Errors: those of the sink.
Status WriteLongJson(const ByteSink& sink, const CellColumn& column, std::string_view bytes);
Status WriteLongCsv(const ByteSink& sink, const CellColumn& column, std::string_view bytes);

}  // namespace firn
