#include <utility>

#include "firn/ingest/json/json_file_internal.h"

namespace firn {

Result<std::unique_ptr<JsonFile>> JsonFile::Open(FileIO& io, const SourceFile& file,
                                                 int64_t block_bytes, arrow::MemoryPool* pool) {
  FIRN_ASSIGN(auto input, TextInput::Open(io, file, block_bytes, pool), "'{}'", file.info.uri);
  return std::unique_ptr<JsonFile>(new JsonFile(std::move(input), file, block_bytes));
}

Result<std::shared_ptr<JsonBlock>> JsonFile::Next() {
  while (!is_done_) {
    auto block = std::make_shared<JsonBlock>();
    size_t used = 0;
    FIRN_RETURN_IF_ERROR(splitter_.Split(std::move(input_.text), input_.is_at_end, *block, used),
                         "'{}'", uri_);
    is_done_ = input_.is_at_end;
    const bool is_cut = used == 0 && !is_done_;  // The text is the start of a record.
    if (is_cut) {
      input_.text = std::move(block->text);
      FIRN_RETURN_IF_ERROR(input_.FillMore(block_bytes_), "'{}'", uri_);
      continue;
    }
    input_.text = block->text.substr(used);
    block->text.resize(used);
    if (!is_done_) FIRN_RETURN_IF_ERROR(input_.Fill(block_bytes_), "'{}'", uri_);
    if (!block->records.empty()) return block;
  }
  return std::shared_ptr<JsonBlock>();
}

}  // namespace firn
