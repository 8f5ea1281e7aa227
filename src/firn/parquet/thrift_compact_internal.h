#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "firn/base/result.h"

/// Thrift's compact protocol, as much of it as Parquet's footers and page headers use.

namespace firn {

/// Types of fields and elements on the wire.
enum class ThriftType : uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
};

struct ThriftField {
  ThriftType type = ThriftType::kStop;
  int16_t id = 0;

  bool is_stop() const { return type == ThriftType::kStop; }
};

struct ThriftList {
  ThriftType element = ThriftType::kStop;
  uint32_t size = 0;  ///< No more than there are bytes left.
};

/// Reads values one after the other. The first error sticks: what is read after it is zero, empty
/// or the end of a struct, so that callers may check `status()` once, at the end.
class ThriftReader {
 public:
  explicit ThriftReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Enter a struct: ids of fields are told as differences. Leave it with the id that this gave.
  int16_t EnterStruct();
  void LeaveStruct(int16_t outer_id) { last_id_ = outer_id; }
  ThriftField NextField();

  /// The value is in the type of its field; one of another type is passed over, as false.
  bool ReadBool(const ThriftField& field);
  int8_t ReadByte();
  int32_t ReadI32();
  int64_t ReadI64();
  double ReadDouble();
  std::string_view ReadBinary();
  ThriftList ReadList();
  /// Pass over a value of a field or element.
  void Skip(ThriftType type);

  /// True if `field` has `type`; else the value is skipped.
  bool Expect(const ThriftField& field, ThriftType type);

  void Fail(std::string_view what);
  bool failed() const { return error_ != nullptr; }
  size_t position() const { return position_; }
  /// Errors: kCorrupt, naming the place.
  Status status() const;

 private:
  uint64_t ReadVarint();
  uint8_t NextByte();
  void SkipElements(ThriftType type, uint64_t count);

  std::span<const std::byte> bytes_;
  size_t position_ = 0;
  size_t error_position_ = 0;
  int16_t last_id_ = 0;
  int depth_ = 0;
  const char* error_ = nullptr;
};

/// Writes values one after the other.
class ThriftWriter {
 public:
  int16_t EnterStruct();
  void LeaveStruct(int16_t outer_id);
  void WriteBool(int16_t id, bool value);
  void WriteByte(int16_t id, int8_t value);
  void WriteI32(int16_t id, int32_t value);
  void WriteI64(int16_t id, int64_t value);
  void WriteBinary(int16_t id, std::string_view value);
  /// The id of a struct that follows; then EnterStruct.
  void BeginStructField(int16_t id) { WriteField(ThriftType::kStruct, id); }
  /// The head of a list; its elements follow.
  void BeginList(int16_t id, ThriftType element, size_t size);
  void WriteElement(int32_t value) { WriteZigZag(value); }
  void WriteElement(int64_t value) { WriteZigZag(value); }
  void WriteElement(bool value) { bytes_.push_back(value ? '\1' : '\2'); }
  void WriteElement(std::string_view value);
  /// A field, or an element, that is encoded already.
  void WriteRaw(std::string_view bytes) { bytes_ += bytes; }
  /// The head of a field whose value follows by WriteRaw.
  void WriteField(ThriftType type, int16_t id);

  const std::string& bytes() const { return bytes_; }
  std::string Take() { return std::move(bytes_); }

 private:
  void WriteVarint(uint64_t value);
  void WriteZigZag(int64_t value);

  std::string bytes_;
  int16_t last_id_ = 0;
};

}  // namespace firn
