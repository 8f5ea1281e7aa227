#include <string_view>
#include <utility>

#include <arrow/io/interfaces.h>

#include "firn/data/arrow_bridge.h"
#include "firn/ingest/byte_stream_internal.h"
#include "firn/ingest/text_input_internal.h"

namespace firn {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kWideMarks[] = {"\xFF\xFE", "\xFE\xFF"};

}  // namespace

Result<TextInput> TextInput::Open(FileIO& io, const SourceFile& file, int64_t bytes,
                                  arrow::MemoryPool* pool) {
  FIRN_ASSIGN(auto stream, OpenByteStream(io, file, pool));
  TextInput input(std::move(stream));
  FIRN_RETURN_IF_ERROR(input.Fill(bytes));
  for (const std::string_view mark : kWideMarks) {
    if (input.text.starts_with(mark)) {
      return Error(ErrorCode::kInvalidInput, "the text is UTF-16, expected UTF-8");
    }
  }
  if (input.text.starts_with(kByteOrderMark)) input.text.erase(0, kByteOrderMark.size());
  return input;
}

Status TextInput::Fill(int64_t bytes) {
  const size_t size = text.size();
  text.resize(size + static_cast<size_t>(bytes));
  int64_t filled = 0;
  while (filled < bytes) {
    FIRN_ASSIGN(const int64_t read, GuardArrowResult(ErrorCode::kInvalidInput, [&] {
                  return stream_->Read(bytes - filled,
                                       text.data() + size + static_cast<size_t>(filled));
                }));
    if (read == 0) break;
    filled += read;
  }
  text.resize(size + static_cast<size_t>(filled));
  is_at_end = filled < bytes;
  return {};
}

}  // namespace firn
