#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"

/// JSON text taken apart into the objects that are its rows. Nothing is parsed yet, nor copied.

namespace firn {

enum class JsonFault : uint8_t {
  kNone,
  kNoObject,   ///< Something else stands where an object should.
  kBroken,     ///< An object begins, but brackets or quotes do not match, or the text ends.
  kOpenArray,  ///< The input ends within the array around its objects.
};

/// An object, or text that should be one.
struct JsonRecord {
  int64_t line = 0;  ///< Of its first character, from 1.
  uint32_t offset = 0;
  uint32_t size = 0;
  JsonFault fault = JsonFault::kNone;
};

/// Whole records and their text.
struct JsonBlock {
  std::string text;
  std::vector<JsonRecord> records;

  std::string_view RecordText(const JsonRecord& record) const {
    return std::string_view(text).substr(record.offset, record.size);
  }
};

/// Splits text that arrives in pieces: objects one after the other, on lines of their own or not,
/// or one array of objects, which is known by its first characters; commas in it are not counted.
///
/// Text that is no object goes on to the next line that begins one and is not indented further than
/// the line where the fault lies: what is indented further is a part of something.
class JsonSplitter {
 public:
  /// Split `text`, which begins where the last call left off. Unless `is_end`, the last record may
  /// be cut off: it is left out and `text_left` tells where it begins. `block.text` becomes `text`.
  /// Errors: kInvalidInput, with the line: a record is larger than 64 MiB.
  Status Split(std::string text, bool is_end, JsonBlock& block, size_t& text_left);

 private:
  enum class End { kRecord, kTextOut };
  bool SkipBlanks(std::string_view text, size_t& at);
  bool SkipArrayMark(std::string_view text, size_t& at, bool is_end);
  End SplitRecord(std::string_view text, size_t& at, bool is_end, JsonBlock& block);
  bool FindNextObject(std::string_view text, size_t& at, bool is_end) const;

  int64_t line_ = 1;
  size_t indent_ = 0;  // Of that line.
  bool is_in_indent_ = true;
  bool has_begun_ = false;
  bool is_in_array_ = false;
};

}  // namespace firn
