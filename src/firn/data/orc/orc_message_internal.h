#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// Messages of protobuf, as the footers of ORC files are.

namespace firn {

/// Walks through the fields of one message. What is wrong with the bytes, or with a field that has
/// another form than it is asked for, shows in `ok()` and ends the walk.
class OrcMessage {
 public:
  explicit OrcMessage(std::span<const std::byte> bytes) : rest_(bytes) {}

  /// Go to the next field. False at the end and after a failure.
  bool Next();
  bool ok() const { return !has_failed_; }

  int field() const { return field_; }
  uint64_t Number();
  /// A number that fits below `end` (> 0); a larger one is a failure, and 0.
  int64_t NumberBelow(int64_t end);
  std::span<const std::byte> Bytes();
  std::string_view Text();
  /// Append the numbers of a repeated field, of which there may be one or many in its place.
  void AppendNumbers(std::vector<uint64_t>& numbers);

 private:
  enum class Form { kNumber, kBytes, kOther };

  uint64_t Varint(std::span<const std::byte>& bytes);
  void Skip(size_t size);
  void Fail();

  std::span<const std::byte> rest_;
  bool has_failed_ = false;
  int field_ = 0;
  Form form_ = Form::kOther;
  uint64_t number_ = 0;
  std::span<const std::byte> bytes_;
};

}  // namespace firn
