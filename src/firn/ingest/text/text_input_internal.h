#pragma once

#include <memory>
#include <string>
#include <utility>

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/ingest/input/source_files_internal.h"
#include "firn/ingest/text/text_encoding.h"

namespace firn {

/// The text of a file, unpacked and in UTF-8, as much at a time as its reader asks for.
class TextInput {
 public:
  /// Read the first `bytes` and leave out a byte order mark. Errors: kInvalidInput: a mark of
  /// another encoding; bytes that are no character (of UTF-8 they are left to the reader).
  static Result<TextInput> Open(FileIO& io, const SourceFile& file, int64_t bytes,
                                arrow::MemoryPool* pool,
                                TextEncoding encoding = TextEncoding::kMarked);

  /// Append the next `bytes` to `text`; fewer at the end.
  Status Fill(int64_t bytes);

  /// Where `text` is the start of something that has no end in it: append a share of its size, at
  /// least `bytes`, so that looking at it again and again takes no more than a few times one look.
  Status FillMore(int64_t bytes);

  /// What was read, but not yet taken: the reader takes from its front.
  std::string text;
  /// Nothing follows `text`.
  bool is_at_end = false;

 private:
  explicit TextInput(std::shared_ptr<arrow::io::InputStream> stream) : stream_(std::move(stream)) {}

  std::shared_ptr<arrow::io::InputStream> stream_;
};

}  // namespace firn
