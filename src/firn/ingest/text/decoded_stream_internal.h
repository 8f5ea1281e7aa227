#pragma once

#include <memory>
#include <string>

#include <arrow/io/type_fwd.h>

#include "firn/ingest/text/text_encoding.h"

namespace firn {

/// The encoding of a text that begins with `start`: `wanted`, or what its byte order mark says.
/// Errors: kInvalidInput: the mark says otherwise, or UTF-32.
Result<TextEncoding> ChooseEncoding(TextEncoding wanted, std::string_view start);

/// `start` and then the bytes of `stream`, decoded into UTF-8. Errors of reading, which are
/// arrow's "invalid": bytes that are no character, with their place.
std::shared_ptr<arrow::io::InputStream> DecodeStream(std::shared_ptr<arrow::io::InputStream> stream,
                                                     std::string start, TextEncoding encoding);

}  // namespace firn
