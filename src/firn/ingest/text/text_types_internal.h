#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "firn/format/types/type.h"

/// Which type the texts of a column have in common. Types only ever widen: bool; long, then
/// double or decimal; date, then timestamp; timestamptz; and string, which takes all.

namespace firn {

/// Where a text was found.
struct TextPlace {
  size_t file = 0;
  int64_t line = 0;
};

/// Learns the type of one column.
class TextType {
 public:
  explicit TextType(bool infers_decimals = false) : infers_decimals_(infers_decimals) {}

  /// A value that is not null; quoted ones may be numbers too, as many writers quote all.
  void Add(std::string_view text, const TextPlace& place);

  /// A value that its format marks as text: a date, a time, or a string whatever it looks like.
  void AddMarkedText(std::string_view text, const TextPlace& place);

  /// Of a column of the values of both; `other` is of later places.
  void Merge(const TextType& other);

  /// String if there was no value.
  TypePtr type() const;
  /// The narrowest type of a table that holds the values: int or float where they do for all.
  TypePtr narrow_type() const;
  bool has_values() const { return kind_ != Kind::kNone; }

  /// Why it is this type: the first text that made the column so wide; empty if none did.
  const std::string& reason_text() const { return reason_text_; }
  const TextPlace& reason_place() const { return reason_place_; }

 private:
  enum class Kind {
    kNone,
    kBoolean,
    kLong,
    kDouble,
    kDecimal,
    kDate,
    kTimestamp,
    kTimestamptz,
    kString
  };
  struct Seen {
    Kind kind = Kind::kString;
    int integer_digits = 0;
    int fraction_digits = 0;
    bool is_exact = true;    // As a double.
    bool fits_int = true;    // 32 bits.
    bool fits_float = true;  // Which keeps every digit.
  };
  Seen Classify(std::string_view text) const;
  static Seen ClassifyTime(std::string_view text);
  Seen ClassifyNumber(std::string_view text) const;
  bool ChangesNothing(std::string_view text) const;
  void Widen(const Seen& seen, std::string_view text, const TextPlace& place);
  Kind Join(Kind a, Kind b) const;

  bool infers_decimals_;
  Kind kind_ = Kind::kNone;
  int integer_digits_ = 0;
  int fraction_digits_ = 0;
  bool are_exact_ = true;   // All integers so far fit a double.
  bool fits_int_ = true;    // All integers do.
  bool fits_float_ = true;  // All numbers do.
  std::string reason_text_;
  TextPlace reason_place_;
};

}  // namespace firn
