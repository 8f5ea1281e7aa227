#pragma once

#include <memory>
#include <string>
#include <utility>

#include <arrow/type_fwd.h>

#include "firn/ingest/json/json_records_internal.h"
#include "firn/ingest/text/text_input_internal.h"

namespace firn {

/// A file of JSON objects, read from its start, block by block.
class JsonFile {
 public:
  /// Errors: kInvalidInput, naming the file: no UTF-8; those of the file.
  static Result<std::unique_ptr<JsonFile>> Open(FileIO& io, const SourceFile& file,
                                                int64_t block_bytes, arrow::MemoryPool* pool);

  /// The next records; null at the end. Errors: as Open; those of JsonSplitter.
  Result<std::shared_ptr<JsonBlock>> Next();

 private:
  JsonFile(TextInput input, const SourceFile& file, int64_t block_bytes)
      : input_(std::move(input)), uri_(file.info.uri), block_bytes_(block_bytes) {}

  TextInput input_;
  std::string uri_;
  int64_t block_bytes_;
  JsonSplitter splitter_;
  bool is_done_ = false;
};

}  // namespace firn
