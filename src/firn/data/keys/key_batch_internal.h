#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

namespace firn {

/// The keys of the rows of one batch as bytes: equal keys, and only those, have equal bytes. As in
/// SQL, but for NaN, which equals itself: the two zeros are equal, and null equals nothing, so a
/// row with a null has no key.
class KeyBatch {
 public:
  /// `columns` are of primitive types, with `rows` rows; they are kept.
  KeyBatch(std::vector<std::shared_ptr<arrow::Array>> columns, int64_t rows);

  int64_t size() const { return rows_; }
  bool has_nulls() const { return !is_null_.empty(); }
  bool is_null(int64_t row) const { return has_nulls() && is_null_[static_cast<size_t>(row)] != 0; }
  /// Bytes of every key; 0: they differ.
  size_t width() const { return width_; }
  std::string_view key(int64_t row) const {
    if (width_ > 0) return {data_ + static_cast<size_t>(row) * width_, width_};
    const size_t begin = offsets_[static_cast<size_t>(row)];
    return {data_ + begin, offsets_[static_cast<size_t>(row) + 1] - begin};
  }

 private:
  void FindNulls();
  bool UseInPlace();
  void CopyFixed();
  void CopyAny();

  std::vector<std::shared_ptr<arrow::Array>> columns_;
  int64_t rows_;
  size_t width_ = 0;
  const char* data_ = nullptr;
  std::vector<uint8_t> is_null_;  // Empty: none is.
  std::vector<char> bytes_;
  std::vector<size_t> offsets_;
};

}  // namespace firn
