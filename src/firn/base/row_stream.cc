#include "firn/base/row_stream.h"

// The layout of the public ABI; the guard is the one that the interface prescribes.
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream* stream, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream* stream, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream* stream);
  void (*release)(ArrowArrayStream* stream);
  void* private_data;
};
#endif

namespace firn {

void RowStreamDeleter::operator()(ArrowArrayStream* stream) const {
  if (stream->release != nullptr) stream->release(stream);  // Null once it was moved from.
  delete stream;
}

}  // namespace firn
