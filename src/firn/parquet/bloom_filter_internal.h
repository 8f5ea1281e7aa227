#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace firn {

/// A split block Bloom filter, as the format describes it.
class BloomFilter {
 public:
  /// `bytes`: a power of two, 32 at least.
  explicit BloomFilter(size_t bytes) : words_(bytes / sizeof(uint32_t)) {}

  /// `value` is in PLAIN form without length prefix.
  void Insert(std::string_view value);

  /// As it stands in a file, with its head.
  std::string Format() const;

 private:
  std::vector<uint32_t> words_;
};

}  // namespace firn
