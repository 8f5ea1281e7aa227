#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace firn {

/// Owned bytes whose memory is not cleared first. Move-only.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t size)
      : data_(size == 0 ? nullptr : new std::byte[size]), size_(size) {}  // Not value-initialised.

  static Buffer CopyOf(std::span<const std::byte> bytes);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::span<std::byte> span() { return {data_.get(), size_}; }
  std::span<const std::byte> span() const { return {data_.get(), size_}; }
  std::string_view view() const { return {reinterpret_cast<const char*>(data_.get()), size_}; }

  /// Forget the bytes from `size` on; the memory stays.
  void Truncate(size_t size) { size_ = size < size_ ? size : size_; }

 private:
  std::unique_ptr<std::byte[]> data_;
  size_t size_ = 0;
};

inline std::span<const std::byte> AsBytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Lower-case hexadecimal.
std::string FormatHex(std::span<const std::byte> bytes);

/// The bytes of hexadecimal digits of either case, two a byte; nullopt if `text` is anything else.
std::optional<std::string> ParseHex(std::string_view text);

/// Standard Base64 with padding.
std::string FormatBase64(std::span<const std::byte> bytes);

}  // namespace firn
