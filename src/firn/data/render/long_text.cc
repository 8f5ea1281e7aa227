#include <algorithm>
#include <string>

#include <arrow/array.h>

#include "firn/data/render/long_text_internal.h"
#include "firn/format/json/json_writer.h"
#include "firn/format/types/value_render.h"

namespace firn {
namespace {

constexpr size_t kLongBytes = size_t{256} << 10;
constexpr size_t kPieceBytes = size_t{64} << 10;

bool IsText(const CellColumn& column) { return column.type->id() == TypeId::kString; }

// Where a piece ends: no character of UTF-8 is cut.
size_t EndOfPiece(std::string_view bytes) {
  size_t end = std::min(kPieceBytes, bytes.size());
  constexpr int kContinuationsMax = 3;
  for (int i = 0; i < kContinuationsMax && end < bytes.size(); ++i) {
    if ((static_cast<unsigned char>(bytes[end]) & 0xC0) != 0x80) break;
    --end;
  }
  return end;
}

// Call `append(out, piece)` with all pieces and write what it makes of them.
template <typename Append>
Status WritePieces(const ByteSink& sink, std::string_view bytes, const Append& append) {
  std::string out;
  while (!bytes.empty()) {
    const size_t end = EndOfPiece(bytes);
    out.clear();
    append(out, bytes.substr(0, end));
    FIRN_RETURN_IF_ERROR(sink(AsBytes(out)));
    bytes.remove_prefix(end);
  }
  return {};
}

void AppendHexPiece(std::string& out, std::string_view piece) { AppendHex(out, AsBytes(piece)); }

// Without the quotes around it.
void AppendJsonPiece(std::string& out, std::string_view piece) {
  AppendJsonString(out, piece);
  out.pop_back();
  out.erase(0, 1);
}

void AppendQuotedPiece(std::string& out, std::string_view piece) {
  for (const char c : piece) {
    if (c == '"') out += '"';
    out += c;
  }
}

}  // namespace

std::optional<std::string_view> LongCell(const CellColumn& column, int64_t row) {
  const bool may_be_long = IsText(column) || column.type->id() == TypeId::kBinary;
  if (!may_be_long || column.array->IsNull(row)) return std::nullopt;
  const std::string_view bytes = static_cast<const arrow::BinaryArray&>(*column.array).GetView(row);
  return bytes.size() > kLongBytes ? std::optional(bytes) : std::nullopt;
}

Status WriteLongJson(const ByteSink& sink, const CellColumn& column, std::string_view bytes) {
  FIRN_RETURN_IF_ERROR(sink(AsBytes("\"")));
  FIRN_RETURN_IF_ERROR(WritePieces(sink, bytes, IsText(column) ? AppendJsonPiece : AppendHexPiece));
  return sink(AsBytes("\""));
}

Status WriteLongCsv(const ByteSink& sink, const CellColumn& column, std::string_view bytes) {
  if (!IsText(column)) return WritePieces(sink, bytes, AppendHexPiece);
  if (bytes.find_first_of(",\"\r\n") == std::string_view::npos) return sink(AsBytes(bytes));
  FIRN_RETURN_IF_ERROR(sink(AsBytes("\"")));
  FIRN_RETURN_IF_ERROR(WritePieces(sink, bytes, AppendQuotedPiece));
  return sink(AsBytes("\""));
}

}  // namespace firn
