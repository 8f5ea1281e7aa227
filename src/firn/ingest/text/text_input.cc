#include <algorithm>
#include <string_view>
#include <utility>

#include <arrow/io/interfaces.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/ingest/input/byte_stream_internal.h"
#include "firn/ingest/text/decoded_stream_internal.h"
#include "firn/ingest/text/text_input_internal.h"

namespace firn {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<TextInput> TextInput::Open(FileIO& io, const SourceFile& file, int64_t bytes,
                                  arrow::MemoryPool* pool, TextEncoding encoding) {
  FIRN_ASSIGN(auto stream, OpenByteStream(io, file, pool));
  TextInput input(std::move(stream));
  FIRN_RETURN_IF_ERROR(input.Fill(bytes));
  FIRN_ASSIGN(encoding, ChooseEncoding(encoding, input.text));
  if (encoding != TextEncoding::kUtf8) {
    input.stream_ = DecodeStream(std::move(input.stream_), std::exchange(input.text, {}), encoding);
    FIRN_RETURN_IF_ERROR(input.Fill(bytes));
  }
  if (input.text.starts_with(kByteOrderMark)) input.text.erase(0, kByteOrderMark.size());
  return input;
}

Status TextInput::FillMore(int64_t bytes) {
  return Fill(std::max(bytes, static_cast<int64_t>(text.size() / 2)));
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
