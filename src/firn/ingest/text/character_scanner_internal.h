#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace firn {

/// Finds characters that have a meaning among many that have none: looks at 64 at a time and keeps
/// in mind where among these they are.
class CharacterScanner {
 public:
  /// Up to four characters; repeat one if there are fewer.
  CharacterScanner(char a, char b, char c, char d) : wanted_{a, b, c, d} {}

  /// Look through `text`, which stays as it is, from now on.
  void Reset(std::string_view text) {
    text_ = text;
    window_end_ = 0;
    found_ = 0;
  }

  /// The place of the first one from `at` on; the size of the text if there is none.
  size_t Next(size_t at) {
    while (true) {
      if (at >= window_end_ || at + kWindow < window_end_) {
        if (at >= text_.size()) return text_.size();
        Look(at);
      }
      const uint64_t found = found_ >> (at + kWindow - window_end_);
      if (found != 0) return at + static_cast<size_t>(std::countr_zero(found));
      at = window_end_;
    }
  }

  /// Bit i: whether `text[i]` is one of the four characters at `wanted`, for up to 64 characters.
  static uint64_t FindIn(std::string_view text, const char* wanted);
  /// The same without instructions that not all processors have.
  static uint64_t FindInPortably(std::string_view text, const char* wanted);

 private:
  static constexpr size_t kWindow = 64;
  void Look(size_t at);

  char wanted_[4];
  std::string_view text_;
  size_t window_end_ = 0;  // The window is the 64 characters before it; 0: there is none.
  uint64_t found_ = 0;
};

}  // namespace firn
